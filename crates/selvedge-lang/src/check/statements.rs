//! Statements.

use selvedge_ir::{BinaryOp, Span, Type};

use super::names::Use;
use super::{Checker, Code};
use crate::ast::{self, Block, Name};
use crate::constants;
use crate::diagnostic::Diagnostic;
use crate::scope::{LocalKind, Outcome};
use crate::typed::{Arm, Expr, ExprKind, Place, Statement, StatementKind, Synchronisation};

impl Checker<'_, '_> {
    /// Checks a statement and appends what it means: no statement, one or several.
    pub fn statement(&mut self, statement: &ast::Statement, out: &mut Vec<Statement>) {
        let span = statement.span;
        let kind = match &statement.kind {
            ast::StatementKind::Let { name, length, initial } => {
                return self.local(name, length.as_ref(), initial.as_ref(), span, out);
            }
            ast::StatementKind::Block(block) => return out.extend(self.block(block)),
            ast::StatementKind::Skip => None,
            ast::StatementKind::Assign { place, op: None, value } => self.assign(place, value, span, out),
            ast::StatementKind::Assign { place, op: Some(op), value } => self.update(place, *op, value),
            ast::StatementKind::Evaluate(expr) => self.evaluate(expr, span),
            ast::StatementKind::If { arms, otherwise } => {
                self.conditional_statement(arms, otherwise.as_ref())
            }
            ast::StatementKind::While { condition, body } => {
                let condition = self.condition(condition);
                let body = self.loop_body(body);
                condition.map(|condition| StatementKind::While { condition, body })
            }
            ast::StatementKind::Loop(body) => Some(StatementKind::Loop(self.loop_body(body))),
            ast::StatementKind::For { variable, low, high, body } => self.counting(variable, low, high, body),
            ast::StatementKind::Break => self.leave("break", StatementKind::Break, span),
            ast::StatementKind::Continue => self.leave("continue", StatementKind::Continue, span),
            ast::StatementKind::Return(value) => self.leave_function(value.as_ref(), span, out),
            ast::StatementKind::Atomic(block) => self.atomic_block(block, span),
            ast::StatementKind::Spawn(thread) => self.spawn(thread, span),
            ast::StatementKind::Join(thread) => self.join(thread, span),
        };
        out.extend(kind.map(|kind| Statement { kind, span }));
    }

    fn block(&mut self, block: &Block) -> Vec<Statement> {
        let mut statements = Vec::new();
        self.scopes.enter();
        for statement in &block.statements {
            self.statement(statement, &mut statements);
        }
        self.scopes.leave();
        statements
    }

    fn loop_body(&mut self, block: &Block) -> Vec<Statement> {
        self.loops += 1;
        let statements = self.block(block);
        self.loops -= 1;
        statements
    }

    fn assign(
        &mut self,
        place: &ast::Expr,
        value: &ast::Expr,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        let target = self.place(place);
        let value = match Self::as_call(value) {
            Some(call) => {
                let result = self.call_for_value(call, span, out)?;
                Expr::new(ExprKind::Register(result), Type::Int)
            }
            None => self.expression(value)?,
        };
        let (target, ty) = target?;
        Some(StatementKind::Assign { target, value: value.convert(ty) })
    }

    fn update(&mut self, place: &ast::Expr, op: BinaryOp, value: &ast::Expr) -> Option<StatementKind> {
        let target = self.place(place);
        let symbol = op.symbol();
        if let Some((_, Type::Bool)) = target {
            return self.fail(constants::needs_integers(symbol, place.span, None));
        }
        let source = value;
        let value = self.integer(source, symbol)?;
        self.check_divisor(op, source, &value)?;
        let (target, _) = target?;
        Some(StatementKind::Update { target, op, value })
    }

    fn place(&mut self, expr: &ast::Expr) -> Option<(Place, Type)> {
        match Use::of(expr) {
            Some(used) => self.named_place(used),
            None => {
                let message = "only a variable or an element of an array can be assigned to";
                self.fail(Diagnostic::new(expr.span, message, "cannot be assigned to"))
            }
        }
    }

    fn evaluate(&mut self, expr: &ast::Expr, span: Span) -> Option<StatementKind> {
        if let ast::ExprKind::Call { callee, arguments } = &expr.kind {
            return self.call_statement(callee, arguments, span);
        }
        let help = match &expr.kind {
            ast::ExprKind::Binary { op: BinaryOp::Eq, .. } => "to assign, write `=`; to check, `assert(…)`",
            _ => "assign it to a variable, or remove it",
        };
        let message = "this value is not used";
        self.fail(Diagnostic::new(expr.span, message, "has no effect").help(help))
    }

    fn conditional_statement(
        &mut self,
        arms: &[ast::Arm],
        otherwise: Option<&Block>,
    ) -> Option<StatementKind> {
        let mut checked = Vec::new();
        for arm in arms {
            let condition = self.condition(&arm.condition);
            let body = self.block(&arm.body);
            checked.push(condition.map(|condition| Arm { condition, body, span: arm.span }));
        }
        let otherwise = otherwise.map(|block| self.block(block)).unwrap_or_default();
        let arms = checked.into_iter().collect::<Option<Vec<Arm>>>()?;
        Some(StatementKind::If { arms, otherwise })
    }

    fn counting(
        &mut self,
        variable: &Name,
        low: &ast::Expr,
        high: &ast::Expr,
        body: &Block,
    ) -> Option<StatementKind> {
        let (low, high) = (self.integer(low, ".."), self.integer(high, ".."));
        self.scopes.enter();
        let register = self.register(&variable.text, Type::Int);
        self.declare(variable, LocalKind::Counter(register));
        let body = self.loop_body(body);
        self.scopes.leave();
        Some(StatementKind::For { variable: register, low: low?, high: high?, body })
    }

    fn leave(&mut self, word: &str, kind: StatementKind, span: Span) -> Option<StatementKind> {
        if self.loops > 0 {
            return Some(kind);
        }
        let message = format!("`{word}` outside of a loop");
        self.fail(
            Diagnostic::new(span, message, "there is no loop around this")
                .help("to end the thread or function, use `return`"),
        )
    }

    fn leave_function(
        &mut self,
        value: Option<&ast::Expr>,
        span: Span,
        out: &mut Vec<Statement>,
    ) -> Option<StatementKind> {
        match (self.code, value) {
            (Code::Function, Some(value)) => {
                let value = match Self::as_call(value) {
                    Some(call) => {
                        let result = self.call_for_value(call, span, out)?;
                        Expr::new(ExprKind::Register(result), Type::Int)
                    }
                    None => self.expression(value)?.convert(Type::Int),
                };
                Some(StatementKind::Return(Some(value)))
            }
            (Code::Function, None) if self.outcome == Outcome::Value => {
                let message = "this function returns a value elsewhere, but not here";
                self.fail(
                    Diagnostic::new(span, message, "a value is missing")
                        .help("write `return 0;` or another value"),
                )
            }
            (Code::Thread | Code::Finally, Some(value)) => {
                let message = "only functions return values";
                let help = "store the result in a shared variable, or write `return;`";
                self.fail(Diagnostic::new(value.span, message, "nobody receives this").help(help))
            }
            (_, None) => Some(StatementKind::Return(None)),
        }
    }

    fn atomic_block(&mut self, block: &Block, span: Span) -> Option<StatementKind> {
        if self.code == Code::Finally {
            let head = Span::new(span.start, span.start + "atomic".len() as u32);
            return self.fail_in_finally("atomic", head);
        }
        self.atomic.push(span);
        let body = self.block(block);
        self.atomic.pop();
        Some(StatementKind::Atomic(body))
    }

    fn spawn(&mut self, thread: &ast::Expr, span: Span) -> Option<StatementKind> {
        self.permitted("spawn", span)?;
        let thread = self.thread(thread, "spawn")?;
        self.whole.spawned.insert(thread.id);
        Some(StatementKind::Synchronise(Synchronisation::Spawn(thread)))
    }

    fn join(&mut self, thread: &ast::Expr, span: Span) -> Option<StatementKind> {
        self.permitted("join", span)?;
        let thread = self.thread(thread, "join")?;
        Some(StatementKind::Synchronise(Synchronisation::Join(thread)))
    }
}
