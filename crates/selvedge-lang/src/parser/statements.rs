//! Statements.

use selvedge_ir::{BinaryOp, Span};

use super::{Parsed, Parser, Reported};
use crate::ast::{Arm, Block, Expr, ExprKind, Statement, StatementKind};
use crate::diagnostic::Diagnostic;
use crate::token::TokenKind;

impl Parser<'_> {
    /// `{ statements }`
    pub(super) fn braced_block(&mut self) -> Parsed<Block> {
        let open = self.token().span;
        self.expect("{", "and statements")?;
        let mut statements = Vec::new();
        while !self.at("}") && !self.at_end() && !self.at_declaration() {
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) => self.skip_statement(),
            }
        }
        if self.eat("}") {
            return Ok(Block { statements });
        }
        self.fail_unclosed(open)
    }

    fn fail_unclosed<T>(&mut self, open: Span) -> Parsed<T> {
        let token = self.token();
        let found = if self.at_end() { "the end of the program" } else { "a declaration" };
        let message = format!("expected `}}`, found {found}");
        self.fail(
            Diagnostic::new(token.span, message, "a `}` is missing before this").note(open, "to match this"),
        )
    }

    /// The body of an `if` or a loop: a block or a single statement.
    fn body(&mut self) -> Parsed<Block> {
        if self.at("{") {
            return self.nested(Self::braced_block);
        }
        if self.at(";") {
            let message = "this `;` is the whole body";
            let help = "write `{ }` or `skip;` for a body that does nothing";
            return self.fail(Diagnostic::new(self.token().span, message, "an empty body").help(help));
        }
        Ok(Block { statements: vec![self.nested(Self::statement)?] })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.token().span;
        let TokenKind::Fixed(keyword) = self.token().kind else { return self.simple_statement(start) };
        match keyword {
            "{" => {
                let block = self.nested(Self::braced_block)?;
                Ok(Statement { kind: StatementKind::Block(block), span: start.to(self.previous_span()) })
            }
            "atomic" => {
                self.advance();
                let block = self.nested(Self::braced_block)?;
                Ok(Statement { kind: StatementKind::Atomic(block), span: start.to(self.previous_span()) })
            }
            "if" => self.conditional(start),
            "while" => {
                self.advance();
                let condition = self.expression()?;
                let span = start.to(self.previous_span());
                let body = self.body()?;
                Ok(Statement { kind: StatementKind::While { condition, body }, span })
            }
            "loop" => {
                self.advance();
                let body = self.body()?;
                Ok(Statement { kind: StatementKind::Loop(body), span: start })
            }
            "for" => self.counting_loop(start),
            _ => self.simple_statement(start),
        }
    }

    fn conditional(&mut self, start: Span) -> Parsed<Statement> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let head = self.token().span;
            self.advance();
            let condition = self.expression()?;
            let span = head.to(self.previous_span());
            arms.push(Arm { condition, body: self.body()?, span });
            if !self.eat("else") {
                break;
            }
            if !self.at("if") {
                otherwise = Some(self.body()?);
                break;
            }
        }
        let span = arms.first().map_or(start, |arm| arm.span);
        Ok(Statement { kind: StatementKind::If { arms, otherwise }, span })
    }

    fn counting_loop(&mut self, start: Span) -> Parsed<Statement> {
        self.advance();
        let closing = self.eat("(").then_some(")");
        let variable = self.new_name("the loop variable")?;
        self.expect("in", "and a range such as `0..N`")?;
        let low = self.expression()?;
        self.expect("..", "and the upper bound")?;
        let high = self.expression()?;
        if let Some(close) = closing {
            self.expect(close, "after the range")?;
        }
        let span = start.to(self.previous_span());
        let body = self.body()?;
        Ok(Statement { kind: StatementKind::For { variable, low, high, body }, span })
    }

    fn simple_statement(&mut self, start: Span) -> Parsed<Statement> {
        let kind = self.simple_kind()?;
        let span = start.to(self.previous_span());
        self.end_of_statement()?;
        Ok(Statement { kind, span })
    }

    fn simple_kind(&mut self) -> Parsed<StatementKind> {
        let TokenKind::Fixed(keyword) = self.token().kind else { return self.expression_statement() };
        match keyword {
            "let" => self.local(),
            "break" | "continue" | "skip" => {
                self.advance();
                Ok(match keyword {
                    "break" => StatementKind::Break,
                    "continue" => StatementKind::Continue,
                    _ => StatementKind::Skip,
                })
            }
            "return" => {
                self.advance();
                let bare = self.at(";") || self.at("}");
                Ok(StatementKind::Return(if bare { None } else { Some(self.expression()?) }))
            }
            "spawn" => {
                self.advance();
                Ok(StatementKind::Spawn(self.expression()?))
            }
            "join" => {
                self.advance();
                Ok(StatementKind::Join(self.expression()?))
            }
            "else" | "in" | ")" | "]" | "," | "=" => self.fail_expected("a statement"),
            ";" => {
                let message = "there is nothing before this `;`";
                let help = "remove it, or write `skip;` for a statement that does nothing";
                self.fail(Diagnostic::new(self.token().span, message, "an empty statement").help(help))
            }
            _ => self.expression_statement(),
        }
    }

    fn local(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let name = self.new_name("the variable")?;
        let length = self.length()?;
        let initial = self.initial()?;
        Ok(StatementKind::Let { name, length, initial })
    }

    /// An assignment, `x++`, `x--` or a call.
    fn expression_statement(&mut self) -> Parsed<StatementKind> {
        let place = self.expression()?;
        let TokenKind::Fixed(symbol) = self.token().kind else { return Ok(StatementKind::Evaluate(place)) };
        if let "++" | "--" = symbol {
            let value = Expr { kind: ExprKind::Int(1), span: self.token().span, height: 1 };
            self.advance();
            let op = if symbol == "++" { BinaryOp::Add } else { BinaryOp::Sub };
            return Ok(StatementKind::Assign { place, op: Some(op), value });
        }
        let op = match assignment(symbol) {
            None => return Ok(StatementKind::Evaluate(place)),
            Some(Assignment::Plain) => None,
            Some(Assignment::Compound(op)) => Some(op),
        };
        self.advance();
        let value = self.expression()?;
        if self.at("=") {
            let message = "an assignment has no value";
            let help = "assign to one variable after the other, in statements of their own";
            return self.fail(Diagnostic::new(self.token().span, message, "a second assignment").help(help));
        }
        Ok(StatementKind::Assign { place, op, value })
    }
}

/// The kinds of assignments.
enum Assignment {
    /// `=`
    Plain,
    /// `+=` and its like.
    Compound(BinaryOp),
}

/// The kind of assignment that a symbol stands for, if any.
fn assignment(symbol: &str) -> Option<Assignment> {
    Some(Assignment::Compound(match symbol {
        "=" => return Some(Assignment::Plain),
        "+=" => BinaryOp::Add,
        "-=" => BinaryOp::Sub,
        "*=" => BinaryOp::Mul,
        "/=" => BinaryOp::Div,
        "%=" => BinaryOp::Rem,
        "&=" => BinaryOp::BitAnd,
        "|=" => BinaryOp::BitOr,
        "^=" => BinaryOp::BitXor,
        "<<=" => BinaryOp::Shl,
        ">>=" => BinaryOp::Shr,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use crate::ast::DeclarationKind;
    use crate::diagnostic::Diagnostics;
    use crate::{lexer, parser};

    /// The texts that the spans of the statements cover.
    fn covered(body: &str) -> Vec<String> {
        let text = format!("thread t {{ {body} }}");
        let mut diagnostics = Diagnostics::default();
        let tokens = lexer::tokens(&text, &mut diagnostics);
        let declarations = parser::parse(&text, &tokens, &mut diagnostics);
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let DeclarationKind::Thread { body, .. } = &declarations[0].kind else { return Vec::new() };
        body.statements.iter().map(|statement| statement.span.text(&text).to_string()).collect()
    }

    #[test]
    fn a_simple_statement_covers_its_text_without_the_semicolon() {
        assert_eq!(covered("let v = 1; x[0] += (v); lock(m)"), ["let v = 1", "x[0] += (v)", "lock(m)"]);
        assert_eq!(covered("x++; return; spawn w[1];"), ["x++", "return", "spawn w[1]"]);
    }

    #[test]
    fn a_statement_with_a_body_covers_its_head() {
        let text = "if (x == 0) y = 1; else y = 2; while x { skip; } for i in 0..N { } loop { break }";
        assert_eq!(covered(text), ["if (x == 0)", "while x", "for i in 0..N", "loop"]);
    }

    #[test]
    fn a_block_covers_all_of_itself() {
        assert_eq!(covered("atomic { x = 1; } { y = 2 }"), ["atomic { x = 1; }", "{ y = 2 }"]);
    }
}
