//! The statement `indexer`: a process of the benchmark indexer [Metzler2014, listing 6.2] in one word.
//!
//! As long as `m < max` it makes the next message and looks for a free element of the table:
//!
//! ```text
//! while m < max {
//!     m := m + 1
//!     w := (m * nprocs) + tid          // tid is the number of the process
//!     h := (w * 7) % size
//!     while not cas(target, 0, w) { h := (h + 1) % size }
//! }
//! ```
//!
//! Only the compare-and-swap touches shared memory. So the whole is a single transition of the process, repeated once
//! for each probe; everything else is local, and `m`, `w` and `h` must be.

use selvedge_ir::{BinaryOp, Expr, InstrKind, Place, RegisterId, Span, TerminatorKind};

use super::Lowering;
use super::expressions::binary;
use crate::diagnostic::Diagnostic;
use crate::dlang::ast::{Access, Indexer};

/// The variables of an `indexer`.
struct Parts {
    max: Expr,
    size: Expr,
    m: RegisterId,
    w: RegisterId,
    h: RegisterId,
}

impl Lowering<'_, '_> {
    pub fn indexer(&mut self, indexer: &Indexer, span: Span) {
        let parts = self.parts(indexer);
        let target = self.table(&indexer.target);
        let (Some(Parts { max, size, m, w, h }), Some(Place::Shared { object, index })) = (parts, target)
        else {
            return;
        };
        let [head, message, probe, next, end] = std::array::from_fn(|_| self.graph.new_block());
        let outcome = self.outcome();
        self.graph.continue_in(head, span);
        let condition = binary(BinaryOp::Lt, Expr::Register(m), max);
        self.graph.terminate(TerminatorKind::Branch { condition, then: message, otherwise: end }, span);

        self.graph.enter(message);
        self.set(m, binary(BinaryOp::Add, Expr::Register(m), Expr::Int(1)), span);
        let first = binary(BinaryOp::Mul, Expr::Register(m), Expr::Int(indexer.nprocs.value));
        let tid = i64::try_from(self.number).unwrap_or(i64::MAX);
        self.set(w, binary(BinaryOp::Add, first, Expr::Int(tid)), span);
        let hash = binary(BinaryOp::Mul, Expr::Register(w), Expr::Int(7));
        self.set(h, binary(BinaryOp::Rem, hash, size.clone()), span);
        self.graph.continue_in(probe, span);

        let (expected, desired) = (Expr::Int(0), Expr::Register(w));
        let result = Some(outcome);
        self.emit(InstrKind::CompareExchange { result, object, index, expected, desired }, span);
        let condition = Expr::Register(outcome);
        self.graph.terminate(TerminatorKind::Branch { condition, then: head, otherwise: next }, span);

        self.graph.enter(next);
        let following = binary(BinaryOp::Add, Expr::Register(h), Expr::Int(1));
        self.set(h, binary(BinaryOp::Rem, following, size), span);
        self.graph.terminate(TerminatorKind::Goto(probe), span);
        self.graph.enter(end);
    }

    fn set(&mut self, register: RegisterId, value: Expr, span: Span) {
        self.emit(InstrKind::Assign { target: Place::Register(register), value }, span);
    }

    fn parts(&mut self, indexer: &Indexer) -> Option<Parts> {
        let bounds = [&indexer.max, &indexer.size].map(|access| self.bound(access));
        let counters = [&indexer.m, &indexer.w, &indexer.h].map(|access| self.counter(access));
        let ([Some(max), Some(size)], [Some(m), Some(w), Some(h)]) = (bounds, counters) else { return None };
        Some(Parts { max, size, m, w, h })
    }

    fn bound(&mut self, access: &Access) -> Option<Expr> {
        let bound = self.load(access);
        if bound.reads_shared() {
            self.refuse(access, "must be `const` or `local` here: the bounds of `indexer` do not change");
            return None;
        }
        Some(bound)
    }

    fn counter(&mut self, access: &Access) -> Option<RegisterId> {
        match self.target(access)? {
            Place::Register(register) => Some(register),
            _ => {
                self.refuse(access, "must be a single `local` variable here: each process has its own");
                None
            }
        }
    }

    fn table(&mut self, access: &Access) -> Option<Place> {
        let place = self.target(access)?;
        if !matches!(place, Place::Shared { .. }) {
            self.refuse(access, "must be shared here: it is the table of all processes");
        }
        Some(place)
    }

    fn refuse(&mut self, access: &Access, why: &str) {
        let message = format!("`{}` {why}", access.name.text);
        let diagnostic = Diagnostic::new(access.name.span, message, "not this");
        let declared = self.whole.variables.get(&access.name.text).map(|variable| variable.span);
        self.whole.report(match declared {
            Some(span) => diagnostic.note(span, "declared here"),
            None => diagnostic,
        });
    }
}
