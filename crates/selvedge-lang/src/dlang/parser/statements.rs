//! Blocks and statements.

use super::Grammar;
use crate::diagnostic::Diagnostic;
use crate::dlang::ast::{Access, Branches, Indexer, Statement, StatementKind};
use crate::parser::{Parsed, Reported};
use crate::token::TokenKind;

/// The keywords that begin a statement.
const STARTS: [&str; 5] = ["if", "while", "indexer", "comp-swap", "cas"];

impl Grammar<'_> {
    /// `statement+` up to the token that ends it, which is not read.
    pub fn block(&mut self, end: &str) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        while statements.is_empty() || !self.cursor.at(end) {
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) if self.cursor.at_end() => return Err(Reported),
                Err(Reported) => {
                    self.skip_statement();
                    if self.at_block_end() {
                        break;
                    }
                }
            }
        }
        Ok(statements)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.cursor.token().span;
        match self.cursor.token().kind {
            TokenKind::Fixed("if") => self.conditional(),
            TokenKind::Fixed("while") => self.while_loop(),
            TokenKind::Fixed("indexer" | "comp-swap" | "cas") | TokenKind::Name => {
                let kind = self.atomic_statement()?;
                Ok(Statement { kind, span: start.to(self.cursor.previous_span()) })
            }
            _ => self.cursor.fail_expected("a statement"),
        }
    }

    fn atomic_statement(&mut self) -> Parsed<StatementKind> {
        if self.cursor.eat("indexer") {
            return Ok(StatementKind::Indexer(Box::new(self.indexer()?)));
        }
        if self.cursor.eat("comp-swap") || self.cursor.eat("cas") {
            return self.comp_swap();
        }
        let target = self.access()?;
        if self.cursor.at("=") {
            let message = "assignments are written `:=`";
            return self.cursor.fail(Diagnostic::new(self.cursor.token().span, message, "write `:=`"));
        }
        self.cursor.expect(":=", "and a value")?;
        Ok(StatementKind::Assignment { target, value: self.int_expr()? })
    }

    /// `( target , int_expr , int_expr )`
    fn comp_swap(&mut self) -> Parsed<StatementKind> {
        self.cursor.expect("(", "and what to compare")?;
        let target = self.access()?;
        self.cursor.expect(",", "and the expected value")?;
        let expected = self.int_expr()?;
        self.cursor.expect(",", "and the new value")?;
        let desired = self.int_expr()?;
        self.cursor.expect(")", "after the arguments")?;
        Ok(StatementKind::CompSwap { target, expected, desired })
    }

    /// `( max , size , m , w , h , target , nprocs )`, each with or without its name and `=` before it.
    fn indexer(&mut self) -> Parsed<Indexer> {
        self.cursor.expect("(", "and the arguments")?;
        let max = self.argument("max", Self::var)?;
        let size = self.argument("size", Self::var)?;
        let m = self.argument("m", Self::var)?;
        let w = self.argument("w", Self::var)?;
        let h = self.argument("h", Self::var)?;
        let target = self.argument("target", Self::access)?;
        self.label("nprocs")?;
        let nprocs = self.number("the number `nprocs`")?;
        self.cursor.expect(")", "after the arguments")?;
        Ok(Indexer { max, size, m, w, h, target, nprocs })
    }

    fn argument(&mut self, label: &str, parse: impl FnOnce(&mut Self) -> Parsed<Access>) -> Parsed<Access> {
        self.label(label)?;
        let argument = parse(self)?;
        self.cursor.expect(",", &format!("after the argument `{label}`"))?;
        Ok(argument)
    }

    fn var(&mut self) -> Parsed<Access> {
        Ok(Access { name: self.name("a variable")?, index: None })
    }

    fn label(&mut self, label: &str) -> Parsed<()> {
        if !self.ahead(1, "=") {
            return Ok(());
        }
        if self.lexed.word(self.cursor.position) != label {
            return self.cursor.fail_expected(&format!("the argument `{label}`"));
        }
        self.cursor.advance();
        self.cursor.advance();
        Ok(())
    }

    /// `if bool_expr (then { block } (else { block })?)?`
    fn conditional(&mut self) -> Parsed<Statement> {
        let start = self.cursor.token().span;
        self.cursor.advance();
        let condition = self.bool_expr()?;
        let span = start.to(self.cursor.previous_span());
        let mut branches = None;
        let (has_then, has_block) = (self.cursor.eat("then"), self.cursor.at("{"));
        if has_block && !has_then {
            // Reported, and taken for what was meant.
            let _: Parsed<()> = self.cursor.fail_expected("`then` before the block");
        }
        if has_block || has_then {
            let then = self.braced_block()?;
            let otherwise = if self.cursor.eat("else") { self.braced_block()? } else { Vec::new() };
            branches = Some(Branches { then, otherwise });
        }
        Ok(Statement { kind: StatementKind::Conditional { condition, branches }, span })
    }

    /// `while bool_expr { block }`
    fn while_loop(&mut self) -> Parsed<Statement> {
        let start = self.cursor.token().span;
        self.cursor.advance();
        let condition = self.bool_expr()?;
        let span = start.to(self.cursor.previous_span());
        let block = self.braced_block()?;
        Ok(Statement { kind: StatementKind::Loop { condition, block }, span })
    }

    fn braced_block(&mut self) -> Parsed<Vec<Statement>> {
        self.cursor.expect("{", "and a block")?;
        let block = self.nested(|grammar| grammar.block("}"))?;
        self.cursor.expect("}", "at the end of the block")?;
        Ok(block)
    }

    /// Skips to the beginning of a statement or the end of a block.
    fn skip_statement(&mut self) {
        let start = self.cursor.position;
        while !self.cursor.at_end() && !self.at_block_end() {
            if self.cursor.position > start && self.at_statement() {
                return;
            }
            self.cursor.advance();
        }
    }

    fn at_block_end(&self) -> bool {
        self.cursor.at_end() || self.cursor.at("}") || self.at_process_end()
    }

    /// Whether a statement begins here, as far as can be told without reading it.
    fn at_statement(&self) -> bool {
        let is_assignment = self.cursor.token().kind == TokenKind::Name && self.ahead(1, ":=");
        is_assignment || STARTS.iter().any(|start| self.cursor.at(start))
    }
}
