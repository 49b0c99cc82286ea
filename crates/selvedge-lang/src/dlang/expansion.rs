//! Repetition blocks: `<{n body }>` becomes n copies of its body, with the number of the copy in place of each `$`.
//!
//! This is a substitution of text, as in [Metzler2014, section A.2.2]: a block may stand anywhere, in the
//! declarations too, and `x$` becomes the name `x0`. Comments and strings are left as they are. The grammar ends a
//! block at the first `}>`, so blocks do not nest.
//!
//! Invariant: every byte of the expanded text has a place in the original text.

use std::fmt::Write;

use selvedge_ir::Span;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::limits;

/// A text without repetition blocks, and where its parts came from.
#[derive(Debug, Default)]
pub struct Expansion {
    /// The text.
    pub text: String,
    /// In the order of the text, without gaps.
    pieces: Vec<Piece>,
}

/// A part of an expanded text.
#[derive(Clone, Copy, Debug)]
struct Piece {
    /// Where it begins in the expanded text.
    start: u32,
    /// What it was made of.
    origin: Origin,
}

/// What a part of an expanded text was made of.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// Text that was copied from here.
    Copy(Span),
    /// A `$`, now the number of a repetition.
    Number(Span),
}

impl Expansion {
    /// The place in the original text of a part of the expanded text.
    pub fn original(&self, part: Span) -> Span {
        let first = self.original_byte(part.start);
        match part.end > part.start + 1 {
            true => first.to(self.original_byte(part.end - 1)),
            false => first,
        }
    }

    /// The place of a byte; empty behind the last one.
    fn original_byte(&self, position: u32) -> Span {
        let next = self.pieces.partition_point(|piece| piece.start <= position);
        let Some(piece) = next.checked_sub(1).and_then(|last| self.pieces.get(last)) else {
            return Span::new(0, 0);
        };
        match piece.origin {
            Origin::Number(dollar) => dollar,
            Origin::Copy(span) => {
                let start = (span.start + (position - piece.start)).min(span.end);
                Span::new(start, (start + 1).min(span.end))
            }
        }
    }

    fn add_copy(&mut self, source: &str, span: Span) {
        if span.start < span.end {
            self.pieces.push(Piece { start: self.text.len() as u32, origin: Origin::Copy(span) });
            self.text.push_str(span.text(source));
        }
    }

    fn add_number(&mut self, number: u64, dollar: Span) {
        self.pieces.push(Piece { start: self.text.len() as u32, origin: Origin::Number(dollar) });
        write!(self.text, "{number}").expect("writing to a string does not fail");
    }
}

/// Replaces the repetition blocks of a text, which must be shorter than 4 GiB.
pub fn expand(source: &str, diagnostics: &mut Diagnostics) -> Expansion {
    let mut expander = Expander { source, position: 0, expansion: Expansion::default(), diagnostics };
    while expander.position < source.len() {
        expander.outside();
    }
    expander.expansion
}

/// The body of a repetition block, cut at its `$`.
#[derive(Debug, Default)]
struct Body {
    copies: Vec<Span>,
    /// The `$` behind each copy but the last.
    dollars: Vec<Span>,
}

struct Expander<'t> {
    source: &'t str,
    position: usize,
    expansion: Expansion,
    diagnostics: &'t mut Diagnostics,
}

/// Where the scan for something that matters came to a halt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Halt {
    Open,
    Close,
    Dollar,
    End,
}

impl Halt {
    fn width(self) -> usize {
        match self {
            Halt::Open | Halt::Close => 2,
            Halt::Dollar => 1,
            Halt::End => 0,
        }
    }
}

impl Expander<'_> {
    fn outside(&mut self) {
        let start = self.position;
        let halt = self.scan();
        self.expansion.add_copy(self.source, self.span_from(start));
        let mark = self.take(halt);
        match halt {
            Halt::Open => self.block(mark),
            Halt::Close => self.report(mark, "this `}>` ends no repetition block", "no `<{` before it"),
            Halt::Dollar => self.report(mark, "`$` has a value only in a repetition block", "not in a block"),
            Halt::End => {}
        }
    }

    /// A block, behind its `<{`.
    fn block(&mut self, open: Span) {
        let count = self.count(open);
        let body = self.body(open);
        if let (Some(count), Some(body)) = (count, body) {
            self.repeat(count, &body, open);
        }
    }

    fn count(&mut self, open: Span) -> Option<u64> {
        let rest = &self.source[self.position..];
        let digits = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let start = self.position + (rest.len() - digits.len());
        let length = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        if length == 0 {
            self.report(open, "how often is this block repeated?", "expected a number behind this");
            return None;
        }
        self.position = start + length;
        let count = digits[..length].parse().ok();
        if count.is_none() {
            self.report_size(self.span_from(start));
        }
        count
    }

    /// The body of a block, up to behind its `}>`.
    fn body(&mut self, open: Span) -> Option<Body> {
        let mut body = Body::default();
        let (mut start, mut depth) = (self.position, 0_u32);
        loop {
            let halt = self.scan();
            let copy = self.span_from(start);
            let mark = self.take(halt);
            match halt {
                Halt::End => {
                    self.report(open, "this repetition block does not end", "no `}>` behind it");
                    return None;
                }
                Halt::Open => {
                    self.report(mark, "repetition blocks do not nest", "a block within a block");
                    depth += 1;
                    continue;
                }
                Halt::Close if depth > 0 => {
                    depth -= 1;
                    continue;
                }
                Halt::Close => {
                    body.copies.push(copy);
                    return Some(body);
                }
                Halt::Dollar => {
                    body.copies.push(copy);
                    body.dollars.push(mark);
                }
            }
            start = self.position;
        }
    }

    fn repeat(&mut self, count: u64, body: &Body, open: Span) {
        let bytes: usize = body.copies.iter().map(|copy| (copy.end - copy.start) as usize).sum();
        let digits = count.saturating_sub(1).checked_ilog10().unwrap_or(0) as usize + 1;
        // An empty body counts too: 10^18 times nothing takes too long.
        let each = (bytes + digits * body.dollars.len()).max(1);
        let length = usize::try_from(count).ok().and_then(|count| count.checked_mul(each));
        let length = length.and_then(|length| length.checked_add(self.expansion.text.len()));
        if length.is_none_or(|length| length > limits::EXPANDED_BYTES) {
            return self.report_size(open.to(self.span_from(self.position)));
        }
        for number in 0..count {
            for (position, copy) in body.copies.iter().enumerate() {
                self.expansion.add_copy(self.source, *copy);
                if let Some(dollar) = body.dollars.get(position) {
                    self.expansion.add_number(number, *dollar);
                }
            }
        }
    }

    /// Goes on to the next `<{`, `}>` or `$` outside of comments and strings.
    fn scan(&mut self) -> Halt {
        loop {
            let rest = &self.source[self.position..];
            let Some(found) = rest.find(['<', '}', '$', '/', '"']) else {
                self.position = self.source.len();
                return Halt::End;
            };
            self.position += found;
            let rest = &rest[found..];
            match rest.as_bytes() {
                [b'<', b'{', ..] => return Halt::Open,
                [b'}', b'>', ..] => return Halt::Close,
                [b'$', ..] => return Halt::Dollar,
                [b'/', b'/', ..] => self.position += rest.find(['\n', '\r']).unwrap_or(rest.len()),
                [b'"', ..] => {
                    self.position += rest[1..].find('"').map_or(rest.len(), |length| length + 2);
                }
                _ => self.position += 1,
            }
        }
    }

    fn take(&mut self, halt: Halt) -> Span {
        let start = self.position;
        self.position += halt.width();
        self.span_from(start)
    }

    fn span_from(&self, start: usize) -> Span {
        Span::new(start as u32, self.position as u32)
    }

    fn report(&mut self, span: Span, message: &str, label: &str) {
        self.diagnostics.report(Diagnostic::new(span, message, label));
    }

    fn report_size(&mut self, span: Span) {
        let message = format!("with all repetitions the text has at most {} bytes", limits::EXPANDED_BYTES);
        self.diagnostics.report(Diagnostic::new(span, message, "too many repetitions"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(source: &str) -> Expansion {
        let mut diagnostics = Diagnostics::default();
        let expansion = expand(source, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        expansion
    }

    fn messages(source: &str) -> Vec<String> {
        let mut diagnostics = Diagnostics::default();
        expand(source, &mut diagnostics);
        diagnostics.into_sorted().into_iter().map(|d| d.message).collect()
    }

    #[test]
    fn a_block_is_copied_with_its_numbers() {
        assert_eq!(expanded("a <{3 x$ := $0 }>b").text, "a  x0 := 00  x1 := 10  x2 := 20 b");
        assert_eq!(expanded("<{0 gone }>").text, "");
        assert_eq!(expanded("<{\n 2x}>").text, "xx");
    }

    #[test]
    fn comments_and_strings_are_no_blocks() {
        for text in ["// <{2 $ }>\nx", "<\"<{$}>\" 1>", "a / b", "\"open <{", "// open <{"] {
            assert_eq!(expanded(text).text, text);
        }
        assert_eq!(expanded("<{2 // }>\n}>").text, " // }>\n // }>\n");
    }

    #[test]
    fn every_copy_knows_its_original() {
        let source = "é <{12 ab$c }>d";
        let expansion = expanded(source);
        let whole = &expansion.text;
        for copy in ["ab0c", "ab11c"] {
            let start = whole.find(copy).expect("the copy is there") as u32;
            let original = expansion.original(Span::new(start, start + copy.len() as u32));
            assert_eq!(original.text(source), "ab$c");
        }
        let end = whole.len() as u32;
        assert_eq!(expansion.original(Span::new(end - 1, end)).text(source), "d");
        assert_eq!(expansion.original(Span::new(end, end)), Span::new(16, 16));
    }

    #[test]
    fn a_word_across_two_copies_covers_both_ends() {
        let source = "<{2 b c}>";
        let expansion = expanded(source);
        let start = expansion.text.find("c b").expect("two copies meet") as u32;
        assert_eq!(expansion.original(Span::new(start, start + 3)).text(source), "b c");
    }

    #[test]
    fn wrong_blocks_are_reported() {
        assert_eq!(messages("<{ x }>"), ["how often is this block repeated?"]);
        assert_eq!(messages("<{2 x"), ["this repetition block does not end"]);
        assert_eq!(messages("x }> $").len(), 2);
        assert_eq!(messages("<{2 <{3 x }> }>"), ["repetition blocks do not nest"]);
    }

    #[test]
    fn endless_repetitions_are_refused_at_once() {
        for source in
            ["<{1000000000 x }>", "<{1000000000}>", "<{99999999999999999999999 $ }>", "<{4000000 $ }>"]
        {
            assert_eq!(messages(source).len(), 1, "{source}");
        }
    }
}
