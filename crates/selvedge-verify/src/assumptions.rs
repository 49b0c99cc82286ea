//! The assumptions that a program makes itself, apart from those that stand for its end.
//!
//! A translated program stops at an assumption that is literally `false` where C ends the program: that is no assumption of
//! the user's.

use crate::model;
use selvedge_claim::Terms;
use selvedge_claim::terms::{Allocation, Unsought, Vacuity, Wakeups};
use selvedge_explore::{Program as _, ThreadStatus};
use selvedge_interp::Interpreter;
use selvedge_ir::{Expr, InstrKind, Program, Span};
use selvedge_trace::ThreadId;
use selvedge_translate::Premises;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was written in a language of ours.
    Model,
    /// It was translated from C.
    Translated(Premises),
}

impl Origin {
    /// The terms of a claim about a program that comes from here. Data races, leaks and overflow are no part of a translated one.
    pub fn terms(self, program: &Program, vacuity: Vacuity) -> Terms {
        let terms = model::terms(program, vacuity);
        let Origin::Translated(premises) = self else { return terms };
        let is_default = !premises.options.only_errors;
        let unsought = Unsought {
            races: is_default && program.thread_count() > 1,
            leaks: is_default && premises.allocates,
            overflow: is_default,
            uninitialised: is_default,
            arbitrary_values: is_default && premises.has_arbitrary_values,
            ..Unsought::default()
        };
        let wakeups = match premises.options.spurious_wakeups {
            true => Wakeups::Spurious,
            false => Wakeups::OnlySignalled,
        };
        let allocation = premises.allocates.then_some(Allocation::NeverFails);
        Terms { unsought, allocation, wakeups: terms.wakeups.map(|_| wakeups), ..terms }
    }
}

/// The statements of a program that assume something.
pub struct Assumptions {
    spans: Vec<Span>,
}

impl Assumptions {
    /// The assumptions of a program.
    pub fn of(program: &Program, origin: Origin) -> Assumptions {
        let blocks = program.functions.iter().flat_map(|function| &function.blocks);
        let is_own = |condition: &Expr| origin == Origin::Model || *condition != Expr::Bool(false);
        let spans = blocks.flat_map(|block| &block.instrs).filter_map(|instr| match &instr.kind {
            InstrKind::Assume(condition) if is_own(condition) => Some(instr.span),
            _ => None,
        });
        Assumptions { spans: spans.collect() }
    }

    /// Whether the program makes none.
    pub fn are_none(&self) -> bool {
        self.spans.is_empty()
    }

    /// Whether one of them has stopped a thread.
    pub fn stop(&self, program: &Interpreter) -> bool {
        let threads = (0..program.thread_count()).map(ThreadId::at);
        let mut dropped = threads.filter(|&thread| program.status(thread) == ThreadStatus::Dropped);
        dropped.any(|thread| self.spans.contains(&program.next_statement(thread)))
    }
}
