//! Statements, one transition each.

use selvedge_ir::{BinaryOp, Expr, InstrKind, Place, Span, TerminatorKind};

use super::Lowering;
use crate::dlang::ast::{self, Access, Branches, Condition, Statement, StatementKind};

impl Lowering<'_, '_> {
    /// The statements of a block, one after the other.
    pub fn block(&mut self, block: &[Statement]) {
        for statement in block {
            self.copied = 0;
            self.statement(statement);
        }
    }

    fn statement(&mut self, Statement { kind, span }: &Statement) {
        match kind {
            StatementKind::Assignment { target, value } => self.assignment(target, value, *span),
            StatementKind::CompSwap { target, expected, desired } => {
                self.comp_swap(target, [expected, desired], *span);
            }
            StatementKind::Indexer(indexer) => self.indexer(indexer, *span),
            StatementKind::Conditional { condition, branches: None } => self.read(condition, *span),
            StatementKind::Conditional { condition, branches: Some(branches) } => {
                self.conditional(condition, branches, *span);
            }
            StatementKind::Loop { condition, block } => self.while_loop(condition, block, *span),
        }
    }

    fn assignment(&mut self, target: &Access, value: &ast::Expr, span: Span) {
        let value = self.value(value);
        if let Some(target) = self.target(target) {
            self.emit(InstrKind::Assign { target, value }, span);
        }
    }

    fn comp_swap(&mut self, target: &Access, values: [&ast::Expr; 2], span: Span) {
        let Some(place) = self.target(target) else { return };
        let [expected, desired] = values.map(|value| self.value(value));
        if let Place::Shared { object, index } = place {
            return self
                .emit(InstrKind::CompareExchange { result: None, object, index, expected, desired }, span);
        }
        // No other thread sees the target, so this is an assignment.
        let old = self.load(target);
        let (left, right) = (Box::new(old.clone()), Box::new(expected));
        let condition = Box::new(Expr::Binary { op: BinaryOp::Eq, left, right });
        let value = Expr::Select { condition, then: Box::new(desired), otherwise: Box::new(old) };
        self.emit(InstrKind::Assign { target: place, value }, span);
    }

    /// A condition without branches: it reads what it names, and nothing follows from it.
    fn read(&mut self, condition: &Condition, span: Span) {
        let value = self.condition(condition);
        let target = Place::Register(self.outcome());
        self.emit(InstrKind::Assign { target, value }, span);
    }

    fn conditional(&mut self, condition: &Condition, branches: &Branches, span: Span) {
        let condition = self.condition(condition);
        let (then, otherwise) = (self.graph.new_block(), self.graph.new_block());
        let end = self.graph.new_block();
        self.graph.terminate(TerminatorKind::Branch { condition, then, otherwise }, span);
        for (entry, block) in [(then, &branches.then), (otherwise, &branches.otherwise)] {
            self.graph.enter(entry);
            self.block(block);
            self.graph.terminate(TerminatorKind::Goto(end), span);
        }
        self.graph.enter(end);
    }

    fn while_loop(&mut self, condition: &Condition, block: &[Statement], span: Span) {
        let (head, body, end) = (self.graph.new_block(), self.graph.new_block(), self.graph.new_block());
        self.graph.continue_in(head, span);
        let condition = self.condition(condition);
        self.graph.terminate(TerminatorKind::Branch { condition, then: body, otherwise: end }, span);
        self.graph.enter(body);
        self.block(block);
        self.graph.terminate(TerminatorKind::Goto(head), span);
        self.graph.enter(end);
    }
}
