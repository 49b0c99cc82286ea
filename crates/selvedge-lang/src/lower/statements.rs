//! Statements.

use selvedge_ir::{
    BinaryOp, Expr as IrExpr, FunctionId, InstrKind, Place as IrPlace, RegisterId, Span, TerminatorKind, Type,
};

use super::loops::Exit;
use super::{Grouping, Lowering};
use crate::typed::{Expr, ExprKind, Place, Statement, StatementKind};

impl Lowering {
    /// Lowers statements in order.
    pub fn statements(&mut self, statements: Vec<Statement>) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// Lowers a statement.
    pub fn statement(&mut self, statement: Statement) {
        let span = statement.span;
        match statement.kind {
            StatementKind::Assign { target, value } => self.assign(target, value, span),
            StatementKind::Update { target, op, value } => self.update(target, op, value, span),
            StatementKind::Evaluate(expr) => self.evaluate(expr, span),
            StatementKind::Call { result, function, arguments } => {
                self.call(result, function, arguments, span)
            }
            StatementKind::Reset(array) => self.reset(array, span),
            StatementKind::Synchronise(operation) => self.synchronise(operation, span),
            StatementKind::Assert(condition) => self.claim(InstrKind::Assert, condition, span),
            StatementKind::Assume(condition) => self.claim(InstrKind::Assume, condition, span),
            StatementKind::Await(condition) => self.claim(InstrKind::Await, condition, span),
            StatementKind::If { arms, otherwise } => self.conditional(arms, otherwise, span),
            StatementKind::While { condition, body } => self.while_loop(condition, body, span),
            StatementKind::Loop(body) => self.endless_loop(body, span),
            StatementKind::For { variable, low, high, body } => {
                self.counting_loop(variable, [low, high], body, span);
            }
            StatementKind::Break => self.leave_body(Exit::Break, span),
            StatementKind::Continue => self.leave_body(Exit::Continue, span),
            StatementKind::Return(value) => self.leave_function(value, span),
            StatementKind::Atomic(body) => self.atomic(body, span),
        }
    }

    fn assign(&mut self, mut target: Place, mut value: Expr, span: Span) {
        self.choose(&mut value, span);
        self.choose_index(&mut target, span);
        match (&target, &value.kind) {
            (Place::Register(register), ExprKind::Effect(effect))
                if self.registers[register.index()].ty == value.ty =>
            {
                return self.one_transition(span, |lowering| lowering.effect(effect, Some(*register), span));
            }
            _ => {}
        }
        self.one_transition(span, |lowering| {
            let (target, value) = match target {
                Place::Register(register) => (IrPlace::Register(register), lowering.value(&value, span)),
                Place::Element { array, index } => {
                    let [value, index] = lowering.values([&value, &index], span);
                    (IrPlace::Element { array, index }, value)
                }
                Place::Shared { object, index } => {
                    let [value, index] = lowering.values([&value, &index], span);
                    (IrPlace::Shared { object, index }, value)
                }
            };
            lowering.emit(InstrKind::Assign { target, value }, span);
        });
    }

    /// `target op= value`: the index once, then the old value, then `value`.
    fn update(&mut self, mut target: Place, op: BinaryOp, mut value: Expr, span: Span) {
        self.choose_index(&mut target, span);
        self.choose(&mut value, span);
        self.one_transition(span, |lowering| {
            let (target, old) = lowering.target_and_value(target, &value, span);
            let right = lowering.value(&value, span);
            let value = IrExpr::Binary { op, left: Box::new(old), right: Box::new(right) };
            lowering.emit(InstrKind::Assign { target, value }, span);
        });
    }

    fn target_and_value(&mut self, target: Place, value: &Expr, span: Span) -> (IrPlace, IrExpr) {
        let index = match &target {
            Place::Register(register) => return (IrPlace::Register(*register), IrExpr::Register(*register)),
            Place::Element { index, .. } | Place::Shared { index, .. } => self.value(index, span),
        };
        let index = if value.effects { self.put_aside(index, Type::Int, span) } else { index };
        let (place, old) = match target {
            Place::Shared { object, .. } => {
                let old = IrExpr::Load { object, index: Box::new(index.clone()) };
                (IrPlace::Shared { object, index }, old)
            }
            Place::Element { array, .. } => {
                let old = IrExpr::Element { array, index: Box::new(index.clone()) };
                (IrPlace::Element { array, index }, old)
            }
            Place::Register(register) => (IrPlace::Register(register), IrExpr::Register(register)),
        };
        let old = if value.effects { self.put_aside(old, Type::Int, span) } else { old };
        (place, old)
    }

    fn choose_index(&mut self, place: &mut Place, span: Span) {
        if let Place::Element { index, .. } | Place::Shared { index, .. } = place {
            self.choose(index, span);
        }
    }

    fn evaluate(&mut self, mut expr: Expr, span: Span) {
        self.choose(&mut expr, span);
        self.one_transition(span, |lowering| match &expr.kind {
            ExprKind::Effect(effect) => lowering.effect(effect, None, span),
            _ => drop(lowering.value(&expr, span)),
        });
    }

    /// Effects in arguments are one transition, the call itself is then local.
    fn call(
        &mut self,
        result: Option<RegisterId>,
        function: FunctionId,
        mut arguments: Vec<Expr>,
        span: Span,
    ) {
        arguments.iter_mut().for_each(|argument| self.choose(argument, span));
        let effects = arguments.iter().any(|argument| argument.effects);
        let arguments = self.one_transition(span, |lowering| {
            let mut values = Vec::new();
            for argument in &arguments {
                let value = lowering.value(argument, span);
                values.push(if effects { lowering.put_aside(value, argument.ty, span) } else { value });
            }
            values
        });
        self.emit(InstrKind::Call { result, function, arguments }, span);
    }

    fn claim(&mut self, claim: fn(IrExpr) -> InstrKind, mut condition: Expr, span: Span) {
        self.choose(&mut condition, span);
        self.one_transition(span, |lowering| {
            let condition = lowering.value(&condition, span);
            lowering.emit(claim(condition), span);
        });
    }

    fn leave_function(&mut self, value: Option<Expr>, span: Span) {
        let value = value.map(|mut value| {
            self.choose(&mut value, span);
            self.one_transition(span, |lowering| {
                let result = lowering.value(&value, span);
                lowering.put_aside(result, value.ty, span)
            })
        });
        self.end_region(span);
        self.graph.terminate(TerminatorKind::Return(value), span);
    }

    fn atomic(&mut self, body: Vec<Statement>, span: Span) {
        if self.grouping == Grouping::Grouped {
            return self.statements(body);
        }
        self.emit(InstrKind::AtomicBegin, span);
        self.grouping = Grouping::Grouped;
        self.statements(body);
        self.grouping = Grouping::Separate;
        self.emit(InstrKind::AtomicEnd, span);
    }
}
