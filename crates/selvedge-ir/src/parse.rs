//! The reader of the text form that [`print`](crate::print) writes and describes.
//!
//! Reading has three passes: the text becomes tokens, the declarations are collected so that code may name what
//! comes later, and then each line is read. Spans are optional (a line without one gets the empty span 0..0), so
//! that programs can be written by hand. The reader accepts ill-formed programs too: types, branch targets and
//! the like are the business of [`check`](crate::check::check).
//!
//! No text makes it panic; see [`limits`](crate::limits) for what it refuses for its size.

mod cursor;
mod declarations;
mod expr;
mod function;
mod instr;
mod lexer;
mod names;

use crate::Program;
use crate::limits::MAX_TEXT;
use cursor::Cursor;
use names::Names;

/// Why a text is not a program, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: usize,
    /// The column, counted from 1, in characters.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

/// Reads a program.
///
/// # Errors
/// When the text is not a program; only the first mistake is reported.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    if text.len() > MAX_TEXT {
        let message = format!("the text has {} bytes; at most {MAX_TEXT} are allowed", text.len());
        return Err(ParseError { line: 1, column: 1, message });
    }
    read(text).map_err(|fault| fault.locate(text))
}

fn read(text: &str) -> Result<Program, Fault> {
    let tokens = lexer::tokens(text)?;
    let names = Names::declared(&tokens)?;
    declarations::program(Cursor::new(&tokens), &names)
}

/// What is wrong at which byte of the text.
struct Fault {
    offset: usize,
    message: String,
}

impl Fault {
    fn locate(self, text: &str) -> ParseError {
        let before = text.get(..self.offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        ParseError { line, column, message: self.message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_DEPTH;
    use crate::print::print;
    use crate::random::{Generator, random_program};
    use crate::{BinaryOp, Expr, InstrKind, ObjectId, Place, Span};

    fn error(text: &str) -> String {
        parse(text).expect_err("the text is not a program").to_string()
    }

    fn body(line: &str) -> String {
        format!("object @x: int = 0\nfunction @f() {{\n  register %t: int\nb0:\n  {line}\n  return\n}}\n")
    }

    #[test]
    fn spans_may_be_left_out() {
        let program = parse(&body("%t = @x")).unwrap();
        assert_eq!(program.functions[0].blocks[0].instrs[0].span, Span::new(0, 0));
    }

    #[test]
    fn comments_and_empty_lines_are_skipped() {
        let program = parse("# first\n\n  \nobject @x: int = 3 # three\n").unwrap();
        assert_eq!(program.objects[0].initial, [3]);
    }

    #[test]
    fn code_may_name_what_is_declared_later() {
        let text = "function @f() {\nb0:\n  call @g()\n  spawn @t\n  return\n}\nfunction @g() {\nb0:\n  return\n}\n\
                    family @t runs @g when spawned\n";
        let program = parse(text).unwrap();
        assert!(matches!(program.functions[0].blocks[0].instrs[0].kind, InstrKind::Call { function, .. }
            if function.0 == 1));
    }

    #[test]
    fn errors_say_where_and_what() {
        assert_eq!(error(&body("%t = @y")), "line 5, column 8: there is no object @y");
        assert_eq!(
            error(&body("%t = ")),
            "line 5, column 8: expected an expression, found the end of the line"
        );
        assert_eq!(error(&body("%t = 1 2")), "line 5, column 10: expected the end of the line, found 2");
        assert_eq!(error("object @x: int = 0\nobject @x: int = 1"), "line 2, column 8: @x is declared twice");
        assert_eq!(error("é é"), "line 1, column 1: unexpected character 'é'");
        assert_eq!(error("file \"a"), "line 1, column 6: the quote does not end on this line");
    }

    #[test]
    fn integers_cover_all_64_bits_and_no_more() {
        let value = |text: &str| parse(&format!("object @x: int = {text}")).map(|p| p.objects[0].initial[0]);
        assert_eq!(value("-9223372036854775808"), Ok(i64::MIN));
        assert_eq!(value("9223372036854775807"), Ok(i64::MAX));
        assert!(value("9223372036854775808").is_err());
        assert!(value("99999999999999999999999").is_err());
    }

    #[test]
    fn nesting_is_limited() {
        let nested = |depth: usize| body(&format!("%t = {}1{}", "neg(".repeat(depth), ")".repeat(depth)));
        assert!(parse(&nested(MAX_DEPTH - 1)).is_ok());
        assert!(error(&nested(MAX_DEPTH)).contains("nest"));
        assert!(error(&nested(1_000_000)).contains("nest"));
        assert!(error(&body(&format!("%t = {}", "(".repeat(1_000_000)))).contains("nest"));
    }

    #[test]
    fn every_expression_within_the_limit_is_read_back() {
        let mut program = parse(&body("@x[0] = 0")).unwrap();
        let sum =
            |left, right| Expr::Binary { op: BinaryOp::Add, left: Box::new(left), right: Box::new(right) };
        let load = |index| Expr::Load { object: ObjectId(0), index: Box::new(index) };
        let wraps: [&dyn Fn(Expr) -> Expr; 3] =
            [&|part| sum(part, Expr::Int(1)), &|part| sum(Expr::Int(1), part), &load];
        for wrap in wraps {
            let deepest = (1..MAX_DEPTH).fold(Expr::SelfIndex, |part, _| wrap(part));
            let target = Place::Shared { object: ObjectId(0), index: deepest.clone() };
            let kind = InstrKind::Assign { target, value: deepest };
            program.functions[0].blocks[0].instrs[0].kind = kind;
            assert_eq!(crate::check::check(&program), Ok(()));
            assert_eq!(parse(&print(&program)).as_ref(), Ok(&program));
        }
    }

    #[test]
    fn a_short_text_cannot_ask_for_all_memory() {
        assert!(error("object @a: int[] = [0 x 4000000000]").contains("initial values"));
        let twice = "object @a: int[] = [0 x 9000000]\nobject @b: int[] = [0 x 9000000]\n";
        assert!(error(twice).starts_with("line 2, column 25: "));
    }

    #[test]
    fn minus_is_an_operator_after_an_operand_and_a_sign_before_a_number() {
        let program = parse(&body("%t = -1 - -2")).unwrap();
        let InstrKind::Assign { value: Expr::Binary { left, right, .. }, .. } =
            &program.functions[0].blocks[0].instrs[0].kind
        else {
            panic!("a difference is expected");
        };
        assert_eq!((&**left, &**right), (&Expr::Int(-1), &Expr::Int(-2)));
    }

    #[test]
    fn no_bytes_make_the_reader_panic() {
        let mut generator = Generator::new(1);
        for _ in 0..50_000 {
            let length = generator.below(60);
            let bytes: Vec<u8> = (0..length).map(|_| generator.below(256) as u8).collect();
            let _ = parse(&String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn no_damage_to_a_program_makes_the_reader_panic() {
        let mut generator = Generator::new(2);
        for _ in 0..2_000 {
            let text = print(&random_program(&mut generator)).into_bytes();
            for _ in 0..30 {
                let mut damaged = text.clone();
                for _ in 0..=generator.below(3) {
                    damage(&mut damaged, &mut generator);
                }
                if let Ok(program) = parse(&String::from_utf8_lossy(&damaged)) {
                    let _ = crate::check::check(&program);
                    let _ = print(&program);
                }
            }
        }
    }

    fn damage(text: &mut Vec<u8>, generator: &mut Generator) {
        const SCRAPS: [&[u8]; 8] = [b"(", b"@", b"%t", b"\n", b"99999999999999999999", b"[", b"b7", b"}"];
        let from = generator.below(text.len().max(1) as u64) as usize;
        let to = (from + generator.below(12) as usize).min(text.len());
        let scrap = match generator.below(3) {
            0 => Vec::new(),
            1 => SCRAPS[generator.below(8) as usize].to_vec(),
            _ => {
                let start = generator.below(text.len().max(1) as u64) as usize;
                text[start..(start + 20).min(text.len())].to_vec()
            }
        };
        text.splice(from..to, scrap);
    }
}
