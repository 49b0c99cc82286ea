//! Conditions, loops, and ways out of them.

use selvedge_ir::{
    ArrayId, BinaryOp, BlockId, Expr as IrExpr, InstrKind, Place as IrPlace, RegisterId, Span,
    TerminatorKind, Type,
};

use super::{Grouping, Lowering};
use crate::limits;
use crate::typed::{Arm, Expr, Statement};

/// Where `break` and `continue` go.
#[derive(Clone, Copy, Debug)]
pub struct LoopExit {
    /// Behind the loop.
    after: BlockId,
    /// To its next round.
    next: BlockId,
    /// Whether the loop as a whole is inside an atomic region, which then must not end.
    grouping: Grouping,
}

/// The two ways to leave the body of a loop.
#[derive(Clone, Copy, Debug)]
pub enum Exit {
    /// `break`
    Break,
    /// `continue`
    Continue,
}

impl Lowering {
    /// The value of a condition that the next terminator branches on. If it has effects, they and all its reads of
    /// shared memory are one transition, and the branch is local.
    fn condition(&mut self, mut condition: Expr, span: Span) -> IrExpr {
        self.choose(&mut condition, span);
        match condition.effects {
            true => self.one_transition(span, |lowering| {
                let value = lowering.value(&condition, span);
                lowering.put_aside(value, condition.ty, span)
            }),
            false => self.value(&condition, span),
        }
    }

    /// `if … else if … else …`
    pub fn conditional(&mut self, arms: Vec<Arm>, otherwise: Vec<Statement>, span: Span) {
        let done = self.graph.new_block();
        for arm in arms {
            let condition = self.condition(arm.condition, arm.span);
            let (then, next) = (self.graph.new_block(), self.graph.new_block());
            self.graph.terminate(TerminatorKind::Branch { condition, then, otherwise: next }, arm.span);
            self.graph.enter(then);
            self.statements(arm.body);
            self.graph.terminate(TerminatorKind::Goto(done), arm.span);
            self.graph.enter(next);
        }
        self.statements(otherwise);
        self.graph.continue_in(done, span);
    }

    /// `while condition { … }`
    pub fn while_loop(&mut self, condition: Expr, body: Vec<Statement>, span: Span) {
        let (head, then, after) = (self.graph.new_block(), self.graph.new_block(), self.graph.new_block());
        self.graph.continue_in(head, span);
        let condition = self.condition(condition, span);
        self.graph.terminate(TerminatorKind::Branch { condition, then, otherwise: after }, span);
        self.graph.enter(then);
        self.body(body, LoopExit { after, next: head, grouping: self.grouping });
        self.graph.terminate(TerminatorKind::Goto(head), span);
        self.graph.enter(after);
    }

    /// `loop { … }`
    pub fn endless_loop(&mut self, body: Vec<Statement>, span: Span) {
        let (head, after) = (self.graph.new_block(), self.graph.new_block());
        self.graph.continue_in(head, span);
        self.body(body, LoopExit { after, next: head, grouping: self.grouping });
        self.graph.terminate(TerminatorKind::Goto(head), span);
        self.graph.enter(after);
    }

    /// `for variable in low..high { … }`
    pub fn counting_loop(
        &mut self,
        variable: RegisterId,
        mut bounds: [Expr; 2],
        body: Vec<Statement>,
        span: Span,
    ) {
        bounds.iter_mut().for_each(|bound| self.choose(bound, span));
        let [low, high] = bounds;
        let high = self.one_transition(span, |lowering| {
            let low = lowering.value(&low, span);
            lowering.emit(InstrKind::Assign { target: IrPlace::Register(variable), value: low }, span);
            match high.constant {
                Some(constant) => IrExpr::Int(constant),
                None => {
                    let high = lowering.value(&high, span);
                    lowering.store(high, Type::Int, span)
                }
            }
        });
        self.count(variable, high, span, |lowering, exit| lowering.body(body, exit));
    }

    /// Gives an array its initial values again: one by one, or by a loop if there are many equal ones.
    pub fn reset(&mut self, array: ArrayId, span: Span) {
        let initial = self.arrays[array.index()].initial.clone();
        let ty = self.arrays[array.index()].ty;
        let constant = |value: i64| match ty {
            Type::Int => IrExpr::Int(value),
            Type::Bool => IrExpr::Bool(value != 0),
        };
        let equal = initial.windows(2).all(|pair| pair[0] == pair[1]);
        if initial.len() <= limits::UNROLLED_ELEMENTS || !equal {
            for (index, value) in (0..).zip(initial) {
                let target = IrPlace::Element { array, index: IrExpr::Int(index) };
                self.emit(InstrKind::Assign { target, value: constant(value) }, span);
            }
            return;
        }
        let counter = self.temporary(Type::Int);
        let (start, end) = (IrExpr::Int(0), IrExpr::Int(initial.len() as i64));
        self.emit(InstrKind::Assign { target: IrPlace::Register(counter), value: start }, span);
        self.count(counter, end, span, |lowering, _| {
            let target = IrPlace::Element { array, index: IrExpr::Register(counter) };
            lowering.emit(InstrKind::Assign { target, value: constant(initial[0]) }, span);
        });
    }

    /// Repeats `body` while `counter < high`, with `counter` one higher each time.
    fn count(
        &mut self,
        counter: RegisterId,
        high: IrExpr,
        span: Span,
        body: impl FnOnce(&mut Self, LoopExit),
    ) {
        let (head, then) = (self.graph.new_block(), self.graph.new_block());
        let (next, after) = (self.graph.new_block(), self.graph.new_block());
        self.graph.continue_in(head, span);
        let condition = binary(BinaryOp::Lt, IrExpr::Register(counter), high);
        self.graph.terminate(TerminatorKind::Branch { condition, then, otherwise: after }, span);
        self.graph.enter(then);
        body(self, LoopExit { after, next, grouping: self.grouping });
        self.graph.continue_in(next, span);
        let value = binary(BinaryOp::Add, IrExpr::Register(counter), IrExpr::Int(1));
        self.emit(InstrKind::Assign { target: IrPlace::Register(counter), value }, span);
        self.graph.terminate(TerminatorKind::Goto(head), span);
        self.graph.enter(after);
    }

    fn body(&mut self, body: Vec<Statement>, exit: LoopExit) {
        self.loops.push(exit);
        self.statements(body);
        self.loops.pop();
    }

    /// `break` or `continue`
    pub fn leave_body(&mut self, way: Exit, span: Span) {
        let Some(exit) = self.loops.last().copied() else { return };
        if exit.grouping == Grouping::Separate {
            self.end_region(span);
        }
        let target = match way {
            Exit::Break => exit.after,
            Exit::Continue => exit.next,
        };
        self.graph.terminate(TerminatorKind::Goto(target), span);
    }

    /// Ends the atomic region on this path, if one is open.
    pub fn end_region(&mut self, span: Span) {
        if self.grouping == Grouping::Grouped {
            self.emit(InstrKind::AtomicEnd, span);
        }
    }
}

fn binary(op: BinaryOp, left: IrExpr, right: IrExpr) -> IrExpr {
    IrExpr::Binary { op, left: Box::new(left), right: Box::new(right) }
}
