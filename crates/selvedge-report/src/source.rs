//! Source text as it is quoted in reports.

use selvedge_ir::Span;

pub use selvedge_claim::excerpt::{Excerpt, shortened};

/// A source file.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its name, as the user wrote it.
    pub name: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// A source file with its content, for programs of several files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// Its name, as the user knows it.
    pub name: String,
    /// Its content; empty if it cannot be read.
    pub text: String,
}

/// A line and a column, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl<'a> Source<'a> {
    /// Where a span begins.
    pub fn position(self, span: Span) -> Position {
        let (line, column) = span.line_column(self.text);
        Position { line, column }
    }

    /// The place of a span as `file:line:column`.
    pub fn place(self, span: Span) -> String {
        let Position { line, column } = self.position(span);
        format!("{}:{line}:{column}", self.name)
    }

    /// The text of a span on one line, comments left out and whitespace collapsed, without a semicolon.
    pub fn statement(self, span: Span) -> String {
        let lines = span.text(self.text).lines().map(|line| line.split("//").next().unwrap_or(line));
        let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
        words.join(" ").trim_end_matches([';', ' ']).to_owned()
    }

    /// The line in which a span begins, and the part of it below which to draw carets: how many characters come
    /// before and how many belong to it. Tabs become single spaces.
    pub fn excerpt(self, span: Span) -> Excerpt {
        let Position { line, column } = self.position(span);
        let text = self.text.lines().nth(line - 1).unwrap_or("").replace('\t', " ");
        let rest = text.chars().count().saturating_sub(column - 1);
        let length = span.text(self.text).lines().next().map_or(1, |first| first.chars().count());
        Excerpt { text, indent: column - 1, length: length.clamp(1, rest.max(1)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: Source = Source { name: "t.sel", text: "a;\n  atomic { // both\n\tx = 1;\n  }\n" };

    #[test]
    fn a_statement_is_one_line_without_comments() {
        assert_eq!(SOURCE.statement(Span::new(5, 34)), "atomic { x = 1; }");
        assert_eq!(SOURCE.statement(Span::new(0, 2)), "a");
    }

    #[test]
    fn an_excerpt_underlines_no_more_than_its_line() {
        let excerpt = SOURCE.excerpt(Span::new(5, 34));
        assert_eq!(excerpt, Excerpt { text: "  atomic { // both".to_owned(), indent: 2, length: 16 });
        assert_eq!(SOURCE.place(Span::new(5, 34)), "t.sel:2:3");
    }

    #[test]
    fn spans_beyond_the_text_do_no_harm() {
        let excerpt = SOURCE.excerpt(Span::new(900, 901));
        assert_eq!(excerpt.length, 1);
        assert_eq!(SOURCE.statement(Span::new(900, 901)), "");
    }

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("ab cdef", 4), "ab…");
    }
}
