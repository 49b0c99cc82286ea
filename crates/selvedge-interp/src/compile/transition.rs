//! What is known of transitions before they are run: whether they are visible, may wait, and vary.

use crate::code::{Alternatives, Visible, WaitsForAssumptions, WhenReady};
use selvedge_ir::{BinaryOp, BlockId, Expr, Function, InstrKind, Place, TerminatorKind};
use selvedge_trace::{Blocking, Variation};
use std::collections::BTreeSet;

/// A transition that never waits and whose footprint is fixed.
pub const PLAIN: Visible = Visible {
    readiness: WhenReady::Always,
    blocking: Blocking::Never,
    variation: Variation::Fixed,
    locations: Variation::Fixed,
    alternatives: Alternatives::One,
    assumptions: WaitsForAssumptions::Never,
};

/// A transition that never waits and whose footprint depends on shared memory.
pub const VARYING: Visible =
    Visible { variation: Variation::Varying, locations: Variation::Varying, ..PLAIN };

/// A transition that waits for a condition that only trying it tells.
pub const GUARDED: Visible = Visible { readiness: WhenReady::Try, blocking: Blocking::Guard, ..VARYING };

/// A transition that waits for something it observes.
pub const OBSERVING: Visible = Visible { readiness: WhenReady::Try, ..PLAIN };

/// Whether the footprint of evaluating an expression, or whether that fails, depends on shared memory. Constants
/// are folded already.
fn varies(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        found |= match part {
            Expr::Load { index, .. } | Expr::Element { index, .. } => index.reads_shared(),
            Expr::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
                left.reads_shared() && matters(right)
            }
            Expr::Binary {
                op: BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, right, ..
            } => right.reads_shared(),
            Expr::Select { condition, then, otherwise } => {
                condition.reads_shared() && (matters(then) || matters(otherwise))
            }
            _ => false,
        };
    });
    found
}

/// Whether it makes a difference to the footprint that an expression is evaluated: it reads shared memory, or it may
/// fail, and then what comes after it is not accessed.
fn matters(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |part| {
        found |= match part {
            Expr::Load { .. } | Expr::Element { .. } => true,
            Expr::Binary {
                op: BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr, right, ..
            } => !matches!(**right, Expr::Int(1..64)),
            _ => false,
        };
    });
    found
}

/// The kind of a transition that evaluates these expressions, of which `indices` decide where it writes.
pub fn evaluating(values: &[&Expr], indices: &[&Expr]) -> Visible {
    let varying = values.iter().any(|e| varies(e)) || indices.iter().any(|e| e.reads_shared());
    if varying { VARYING } else { PLAIN }
}

/// The kind of the transition that an atomic region is, beginning after an instruction of a block.
pub fn region(function: &Function, block: BlockId, first: usize) -> Visible {
    let mut summary = Region::default();
    let mut seen = BTreeSet::from([block]);
    let mut todo = vec![(block, first)];
    while let Some((block, first)) = todo.pop() {
        let block = &function.blocks[block.index()];
        let rest = &block.instrs[first..];
        let inside = rest.iter().take_while(|instr| instr.kind != InstrKind::AtomicEnd);
        let count = inside.map(|instr| summary.add(&instr.kind)).count();
        if count < rest.len() {
            continue;
        }
        match &block.terminator.kind {
            TerminatorKind::Goto(next) => todo.extend(seen.insert(*next).then_some((*next, 0))),
            TerminatorKind::Branch { then, otherwise, .. } => {
                summary.varies = true;
                todo.extend([*then, *otherwise].into_iter().filter(|b| seen.insert(*b)).map(|b| (b, 0)));
            }
            TerminatorKind::Return(_) => {}
        }
    }
    summary.visible()
}

/// What the instructions of an atomic region amount to.
#[derive(Default)]
struct Region {
    waits: bool,
    varies: bool,
}

impl Region {
    fn add(&mut self, instr: &InstrKind) {
        match instr {
            InstrKind::Assign { target, value } => {
                self.value(value);
                match target {
                    Place::Register(_) => {}
                    Place::Element { index, .. } | Place::Shared { index, .. } => self.index(index),
                }
            }
            InstrKind::Rmw { index, operand, .. } => {
                self.value(operand);
                self.index(index);
            }
            InstrKind::Unlock(mutex) => self.index(&mutex.index),
            InstrKind::Lock(_) | InstrKind::Await(_) => self.waits = true,
            _ => self.varies = true,
        }
    }

    /// Registers may have been loaded within the region, so every index that is not constant may vary.
    fn index(&mut self, index: &Expr) {
        self.varies |= !matches!(index, Expr::Int(_));
    }

    fn value(&mut self, value: &Expr) {
        value.walk(&mut |part| match part {
            Expr::Load { index, .. } | Expr::Element { index, .. } => self.index(index),
            Expr::Select { .. } => self.varies = true,
            Expr::Binary { op, right, .. } => match op {
                BinaryOp::And | BinaryOp::Or => self.varies = true,
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr => self.index(right),
                _ => {}
            },
            _ => {}
        });
    }

    fn visible(&self) -> Visible {
        match (self.waits, self.varies) {
            (true, _) => GUARDED,
            (false, true) => VARYING,
            (false, false) => PLAIN,
        }
    }
}
