//! The end of the program, assertions and assumptions.

use super::{Extent, Outcome, Run, Step};
use crate::code::{Assumes, AssumptionKind, AssumptionReach, Callee};
use crate::failure::{CutReason, FailureKind};
use crate::machine::cells;
use crate::memory::Kind;
use selvedge_trace::{AccessKind, Blocking, LocationId};

impl Run<'_> {
    /// Notes a function to be called, with an argument, when the program ends.
    pub fn at_exit(&mut self, function: u64, argument: u64) -> Step<u64> {
        if self.is_concurrent() {
            self.gate_once()?;
            let location = self.locations.keys();
            self.footprint.record(LocationId(location), AccessKind::Write);
        }
        let count = self.state.cell(cells::AT_EXIT) as usize;
        if count == cells::MAX_EXIT_FUNCTIONS {
            let what = format!("more than {count} functions to be called at the end");
            return Err(self.give_up(CutReason::Unsupported(what)));
        }
        self.publish(argument);
        self.state.set_cell(cells::EXIT_FUNCTIONS + 2 * count, function);
        self.state.set_cell(cells::EXIT_FUNCTIONS + 2 * count + 1, argument);
        self.state.set_cell(cells::AT_EXIT, count as u64 + 1);
        Ok(0)
    }

    /// Takes the function that was noted last, with its argument, if it is one that does something.
    pub fn next_exit_function(&mut self) -> Option<(u64, u64)> {
        while let Some(last) = (self.state.cell(cells::AT_EXIT) as usize).checked_sub(1) {
            self.state.set_cell(cells::AT_EXIT, last as u64);
            let function = self.state.cell(cells::EXIT_FUNCTIONS + 2 * last);
            let argument = self.state.cell(cells::EXIT_FUNCTIONS + 2 * last + 1);
            let does_nothing = match self.code.function_addresses.get(&function) {
                Some(Callee::Builtin(builtin)) => builtin.is_nothing(),
                _ => false,
            };
            if !does_nothing {
                return Some((function, argument));
            }
        }
        None
    }

    /// Notes a function to be called, with an argument, when the thread ends: a variable of its own is to be destroyed.
    pub fn at_end_of_thread(&mut self, function: u64, argument: u64) -> Step<u64> {
        self.note_effect();
        let last = cells::of(self.thread, cells::AT_END);
        let id = self.create(24, Kind::Library)?;
        let note = *self.state.memory.object(id);
        for (i, word) in [function, argument, self.state.cell(last)].into_iter().enumerate() {
            self.state.store(note.start + 8 * i, 8, word);
        }
        self.state.set_cell(last, note.base);
        Ok(0)
    }

    /// Takes the function that was noted last for the end of the thread.
    pub fn next_end_function(&mut self) -> Option<(u64, u64)> {
        let last = cells::of(self.thread, cells::AT_END);
        let note = self.state.cell(last);
        let (function, argument) = (self.peek(note)?, self.peek(note + 8)?);
        self.state.set_cell(last, self.peek(note + 16)?);
        Some((function, argument))
    }

    /// `_exit`: the program ends, and nobody has to wait for the others any more. What they do meanwhile they could as well
    /// have done before; they do not join the thread that has ended the program.
    pub fn exit(&mut self) -> Step<u64> {
        self.state.set_cell(cells::EXITED, 1);
        Err(Outcome::Exited)
    }

    /// `_exit`, unless the thread waits instead: see `lower/assumptions.rs`.
    pub fn exit_or_wait(&mut self) -> Step<u64> {
        if self.waits_instead() && !self.options.checks.leaks {
            return Err(Outcome::Blocked);
        }
        self.exit()
    }

    pub fn abort(&mut self, how: &str) -> Step<u64> {
        if !self.options.checks.aborts {
            return self.exit_or_wait();
        }
        Err(self.fail(FailureKind::Abort(how.to_owned())))
    }

    pub fn assert_fail(&mut self, condition: u64) -> Step<u64> {
        let text = self.text_at(condition).unwrap_or_default();
        Err(self.fail(FailureKind::Assertion(text)))
    }

    /// Whether a thread that finds a condition false waits until it holds.
    pub fn waits_instead(&self) -> bool {
        self.assuming || self.section_assumes && self.atomic > 0
    }

    /// Lets an atomic section wait for its assumptions, and for those that come next if it only reads.
    pub fn begin_assuming(&mut self, pc: u32) {
        let Assumes { kind, reach } = self.code.assumes[pc as usize];
        // A decision about an input belongs to an operation of its own.
        if kind == AssumptionKind::None || self.atomic > 0 || self.committed || !self.state.is_plain() {
            return;
        }
        self.section_assumes = true;
        self.may_wait(Blocking::Guard);
        self.vary();
        if reach == AssumptionReach::After {
            self.awaiting = self.extent == Extent::Look;
            self.assuming = self.awaiting;
        }
    }

    /// `__VERIFIER_assume`: a thread that comes here with what it has just read does not read it before the assumption holds.
    pub fn assume(&mut self, condition: u64) -> Step<u64> {
        match condition {
            0 if self.waits_instead() => return Err(Outcome::Blocked),
            0 => return Err(Outcome::Dropped),
            _ => {}
        }
        if self.assuming && self.atomic == 0 {
            (self.awaiting, self.assuming) = (false, false);
            self.done()?;
        }
        Ok(0)
    }

    /// The text at an address, for messages.
    pub fn text_at(&self, address: u64) -> Option<String> {
        let id = self.state.memory.find(address)?;
        let object = self.state.memory.object(id);
        let offset = address.checked_sub(object.base)?;
        let bytes = self
            .state
            .memory
            .bytes
            .get(object.start + offset as usize..object.start + object.size as usize)?;
        let end = bytes.iter().position(|b| *b == 0)?;
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}
