//! Expressions. Those without effects become expressions of the IR as they are; effects become instructions before
//! the one that uses their value, in the order of evaluation, with `&&`, `||` and `?:` still lazy.

use selvedge_ir::{BinaryOp, Expr as IrExpr, InstrKind, Place as IrPlace, Span, TerminatorKind, Type};

use super::Lowering;
use crate::typed::{Expr, ExprKind};

impl Lowering {
    /// Chooses the values of all `nondet` in an expression now, and puts the chosen ones in their place.
    pub fn choose(&mut self, expr: &mut Expr, span: Span) {
        if !expr.chooses {
            return;
        }
        for part in expr.kind.parts_mut() {
            self.choose(part, span);
        }
        expr.chooses = false;
        if let ExprKind::Choose { low, high } = &expr.kind {
            let (low, high) = (self.value(low, span), self.value(high, span));
            let target = self.temporary(Type::Int);
            self.emit(InstrKind::Choose { target, low, high }, span);
            expr.kind = ExprKind::Register(target);
        }
    }

    /// The value of an expression without `nondet`; its effects are emitted.
    pub fn value(&mut self, expr: &Expr, span: Span) -> IrExpr {
        match &expr.kind {
            ExprKind::Constant(value) if expr.ty == Type::Bool => IrExpr::Bool(*value != 0),
            ExprKind::Constant(value) => IrExpr::Int(*value),
            ExprKind::SelfIndex => IrExpr::SelfIndex,
            ExprKind::Register(register) => IrExpr::Register(*register),
            ExprKind::Element { array, index } => {
                IrExpr::Element { array: *array, index: Box::new(self.value(index, span)) }
            }
            ExprKind::Load { object, index } => {
                IrExpr::Load { object: *object, index: Box::new(self.value(index, span)) }
            }
            ExprKind::Unary { op, operand } => {
                IrExpr::Unary { op: *op, operand: Box::new(self.value(operand, span)) }
            }
            ExprKind::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } if right.effects => {
                self.lazy_logic(*op, left, right, span)
            }
            ExprKind::Binary { op, left, right } => {
                let [left, right] = self.values([left, right], span).map(Box::new);
                IrExpr::Binary { op: *op, left, right }
            }
            ExprKind::Conditional { condition, then, otherwise } if then.effects || otherwise.effects => {
                self.lazy_conditional(condition, [then, otherwise], span)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let [condition, then, otherwise] =
                    self.values([condition, then, otherwise], span).map(Box::new);
                IrExpr::Select { condition, then, otherwise }
            }
            ExprKind::Effect(effect) => {
                let result = self.temporary(expr.ty);
                self.effect(effect, Some(result), span);
                IrExpr::Register(result)
            }
            ExprKind::Choose { .. } => {
                let mut chosen = expr.clone();
                self.choose(&mut chosen, span);
                self.value(&chosen, span)
            }
        }
    }

    /// The values of several expressions, evaluated in order: one that reads shared memory is put aside before the
    /// effects of a later one.
    pub fn values<const COUNT: usize>(&mut self, exprs: [&Expr; COUNT], span: Span) -> [IrExpr; COUNT] {
        let mut position = 0;
        exprs.map(|expr| {
            position += 1;
            let value = self.value(expr, span);
            match exprs[position..].iter().any(|later| later.effects) {
                true => self.put_aside(value, expr.ty, span),
                false => value,
            }
        })
    }

    /// A value that later effects do not change: itself, or a register that holds it.
    pub fn put_aside(&mut self, value: IrExpr, ty: Type, span: Span) -> IrExpr {
        match value.reads_shared() {
            true => self.store(value, ty, span),
            false => value,
        }
    }

    /// A new register that holds the value.
    pub fn store(&mut self, value: IrExpr, ty: Type, span: Span) -> IrExpr {
        let register = self.temporary(ty);
        self.emit(InstrKind::Assign { target: IrPlace::Register(register), value }, span);
        IrExpr::Register(register)
    }

    /// `left && right` or `left || right` with effects in `right`, by control flow.
    fn lazy_logic(&mut self, op: BinaryOp, left: &Expr, right: &Expr, span: Span) -> IrExpr {
        let left = self.value(left, span);
        let register = self.temporary(Type::Bool);
        self.emit(InstrKind::Assign { target: IrPlace::Register(register), value: left }, span);
        let (more, done) = (self.graph.new_block(), self.graph.new_block());
        let (then, otherwise) = if op == BinaryOp::And { (more, done) } else { (done, more) };
        let condition = IrExpr::Register(register);
        self.graph.terminate(TerminatorKind::Branch { condition, then, otherwise }, span);
        self.graph.enter(more);
        let right = self.value(right, span);
        self.emit(InstrKind::Assign { target: IrPlace::Register(register), value: right }, span);
        self.graph.continue_in(done, span);
        IrExpr::Register(register)
    }

    /// `condition ? then : otherwise` with effects in one of the two, by control flow.
    fn lazy_conditional(&mut self, condition: &Expr, values: [&Expr; 2], span: Span) -> IrExpr {
        let condition = self.value(condition, span);
        let register = self.temporary(values[0].ty);
        let blocks = [self.graph.new_block(), self.graph.new_block()];
        let done = self.graph.new_block();
        let [then, otherwise] = blocks;
        self.graph.terminate(TerminatorKind::Branch { condition, then, otherwise }, span);
        for (block, value) in blocks.into_iter().zip(values) {
            self.graph.enter(block);
            let value = self.value(value, span);
            self.emit(InstrKind::Assign { target: IrPlace::Register(register), value }, span);
            self.graph.terminate(TerminatorKind::Goto(done), span);
        }
        self.graph.enter(done);
        IrExpr::Register(register)
    }
}
