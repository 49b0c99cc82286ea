//! Finding trace prefixes of a program in C: shorter and shorter beginnings of an execution such that every continuation is safe.
//!
//! The search is one for violations that [follows](selvedge_explore::admissible) the safe admissible trace prefix. Each prefix that is handed on permits every
//! execution that those before permitted, also when the search begins again because an execution refuted a speculation: then prefixes of another
//! first execution are held back until one is a beginning of what was handed on. That a speculation may still be refuted later does no harm to a
//! prefix: it would have been refuted by an execution below the prefix, all of which are explored.
//!
//! *Inputs.* A prefix holds for all inputs, so it must not contain a choice of an input: nothing is handed on before everything that follows
//! the state before the first input is explored. A choice of the scheduler, which waiting thread is woken or whether a time limit expires, may be in a prefix.

use super::admissible_trace::{AdmissibleTrace, Continuation};
use super::check::{CheckC, EvidenceInC};
use super::first_execution;
use crate::{Monitor, Outcome, Task, VerifyError};
use selvedge_explore::admissible::Outside;
use selvedge_explore::{Path, Speculates, Statistics};
use selvedge_machine::Machine;
use selvedge_machine::failure::CutReason;
use selvedge_schedule::prefix::{Prefix, PrefixEvent, Rest};
use selvedge_trace::Decision;
use std::io;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// A program in C or C++ whose trace prefixes are to be found.
pub struct FindPrefix<'t> {
    /// The program and how it is explored.
    pub check: CheckC<'t>,
    /// The least time between two prefixes that are handed on; the last is always handed on.
    pub interval: Duration,
    /// Takes the prefixes, each shorter than the one before.
    pub sink: &'t mut dyn FnMut(&Prefix) -> io::Result<()>,
}

/// What was found.
pub struct EvidenceOfPrefix {
    /// What the search for violations has found.
    pub found: EvidenceInC,
    /// The prefixes.
    pub prefixes: Prefixes,
}

/// The prefixes that were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefixes {
    /// There are some.
    Found {
        /// The size of the first admissible trace.
        first: Size,
        /// The size of the prefix that was handed on last.
        last: Size,
    },
    /// There is none: no complete execution is safe, or the search has not found one.
    NoSafeExecution,
    /// There is none for all inputs: something unsafe follows an input that comes before.
    NoneForAllInputs,
    /// There is none of which it is certain: something depends on uninitialised memory or on the number of an address.
    InDoubt,
}

/// The size of a prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// How many events.
    pub events: usize,
    /// How many orders between events of different threads have to be enforced.
    pub orders: usize,
}

impl Size {
    /// The size of a prefix.
    pub fn of(prefix: &Prefix) -> Size {
        let orders = prefix.events.iter().map(|event| event.after.len()).sum();
        Size { events: prefix.events.len(), orders }
    }
}

impl Task for FindPrefix<'_> {
    type Evidence = EvidenceOfPrefix;

    fn decide(self, monitor: &mut dyn Monitor) -> Result<Outcome<EvidenceOfPrefix>, VerifyError> {
        let prepared = self.check.prepare(monitor)?;
        let algorithm = prepared.plan.algorithm;
        if self.check.question.property.is_some() {
            return Err(VerifyError::PrefixOfProperty);
        }
        if !algorithm.follows_prefixes() || prepared.plan.is_bounded() {
            return Err(VerifyError::NoPrefixes { algorithm: algorithm.name() });
        }
        let fingerprint = self.check.native.text().map_or("0".repeat(64), selvedge_llvm::fingerprint);
        let guide = first_execution::choose(prepared.machine());
        let mut watch = Watch {
            guide,
            monitor,
            task: &self.check,
            fingerprint,
            interval: self.interval,
            sink: self.sink,
            trace: None,
            pending: None,
            first: None,
            last: None,
            written: None,
            obstacle: Prefixes::NoSafeExecution,
            error: None,
        };
        let outcome = self.check.conclude(prepared, &mut watch)?;
        watch.hand_on();
        let Outcome { verdict, evidence: found } = outcome;
        let prefixes = watch.prefixes();
        match watch.error {
            Some(error) => Err(VerifyError::PrefixNotTaken(error)),
            None => Ok(Outcome { verdict, evidence: EvidenceOfPrefix { found, prefixes } }),
        }
    }
}

/// The monitor of the search.
struct Watch<'w> {
    /// The execution to begin with.
    guide: Vec<Decision>,
    monitor: &'w mut dyn Monitor,
    task: &'w CheckC<'w>,
    fingerprint: String,
    interval: Duration,
    sink: &'w mut dyn FnMut(&Prefix) -> io::Result<()>,
    trace: Option<AdmissibleTrace>,
    /// A prefix that is to be handed on.
    pending: Option<(usize, Continuation)>,
    first: Option<Size>,
    /// The prefix that was handed on last, and when.
    last: Option<Prefix>,
    written: Option<Instant>,
    /// Why there is none yet.
    obstacle: Prefixes,
    error: Option<io::Error>,
}

impl Watch<'_> {
    fn prefixes(&self) -> Prefixes {
        match (self.first, &self.last) {
            (Some(first), Some(last)) => Prefixes::Found { first, last: Size::of(last) },
            _ => self.obstacle,
        }
    }

    fn is_due(&self) -> bool {
        self.written.is_none_or(|written| written.elapsed() >= self.interval)
    }

    fn prefix_of(&self, length: usize, continuation: &Continuation) -> Option<Prefix> {
        let module = self.task.native.module();
        Some(self.trace.as_ref()?.prefix(length, continuation, module, self.fingerprint.clone()))
    }

    /// Hands on what is pending, if it permits all that was permitted before.
    fn hand_on(&mut self) {
        let Some((length, continuation)) = self.pending.take() else { return };
        let Some(prefix) = self.prefix_of(length, &continuation) else { return };
        let is_longer = self.last.as_ref().is_some_and(|last| !is_beginning(&prefix, last));
        if is_longer || self.error.is_some() {
            return;
        }
        self.error = (self.sink)(&prefix).err();
        (self.last, self.written) = (Some(prefix), Some(Instant::now()));
    }
}

impl selvedge_explore::Monitor<Machine> for Watch<'_> {
    fn follows_prefix(&self) -> bool {
        true
    }

    fn guide(&self) -> Vec<Decision> {
        self.guide.clone()
    }

    fn admissible(&mut self, path: &Path<Machine>) {
        // What is pending belongs to the trace of the search before.
        self.hand_on();
        let trace = AdmissibleTrace::of(path);
        let length = trace.len();
        self.trace = Some(trace);
        if self.first.is_none() {
            self.first = self.prefix_of(length, &Continuation::default()).as_ref().map(Size::of);
        }
    }

    fn prefix(&mut self, path: &Path<Machine>, length: usize, outside: &Outside) {
        let machine = &path.program;
        let has_input = self.trace.as_ref().is_none_or(|trace| length > trace.before_inputs());
        if is_in_doubt(machine) || machine.refuted().is_some() {
            self.obstacle = Prefixes::InDoubt;
        } else if has_input {
            self.obstacle = Prefixes::NoneForAllInputs;
        } else {
            self.pending = Some((length, Continuation::of(outside, machine)));
            if self.is_due() {
                self.hand_on();
            }
        }
    }

    fn progress(&mut self, statistics: &Statistics, fraction: f64) -> ControlFlow<()> {
        if self.is_due() {
            self.hand_on();
        }
        match self.error {
            Some(_) => ControlFlow::Break(()),
            None => self.monitor.progress(statistics, fraction),
        }
    }
}

/// Whether an execution has gone on though the answer was in doubt.
fn is_in_doubt(machine: &Machine) -> bool {
    let goes_on = |reason: &CutReason| matches!(reason, CutReason::Unwritten | CutReason::AddressNumber);
    machine.cuts().iter().any(|cut| goes_on(&cut.reason))
}

/// Whether a prefix is a beginning of another one: it permits whatever that permits.
fn is_beginning(shorter: &Prefix, longer: &Prefix) -> bool {
    let key = |prefix: &Prefix, event: &PrefixEvent| {
        let instruction = &prefix.instructions[event.instruction];
        let thread = &prefix.threads[event.thread].name;
        (
            thread.clone(),
            instruction.function.clone(),
            instruction.ordinal,
            event.part,
            event.time,
            event.choice,
        )
    };
    let known: Vec<_> = longer.events.iter().map(|event| key(longer, event)).collect();
    let position = |event: &PrefixEvent| known.iter().position(|other| *other == key(shorter, event));
    let positions: Option<Vec<usize>> = shorter.events.iter().map(position).collect();
    let Some(positions) = positions else { return false };
    let is_same = |(event, place): (&PrefixEvent, &usize)| {
        let mut after: Vec<usize> = event.after.iter().map(|e| positions[*e]).collect();
        after.sort_unstable();
        after == longer.events[*place].after
    };
    // The events of a thread are ordered anyway, so those that are kept must be its first.
    let is_kept = |place: usize| positions.contains(&place);
    let are_first = positions.iter().all(|&place| {
        (0..place)
            .all(|earlier| longer.events[earlier].thread != longer.events[place].thread || is_kept(earlier))
    });
    are_first
        && shorter.events.iter().zip(&positions).all(is_same)
        && (shorter.rest == Rest::Free || shorter.events.len() == longer.events.len())
}
