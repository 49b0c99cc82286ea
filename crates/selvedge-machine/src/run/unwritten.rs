//! Values that nobody wrote: where they go, and where something depends on them.
//!
//! Memory that nobody wrote holds nobody knows what. The machine reads it as 0 and goes on, with a mark for every bit of the
//! value. To copy such a value is nothing. A branch or an address that depends on it is undefined behaviour, and a failure where that is looked
//! for. Elsewhere, and when the library depends on it, the answer is in doubt: a violation that is found is one for that content, but nothing is
//! verified. Marks spread by bits, so that fields of a few bits and the padding of structures raise no doubts.

use super::access::Found;
use super::marks::{Marks, Source};
use super::{Run, Step};
use crate::code::Op;
use crate::failure::{Cut, CutReason, FailureKind};
use crate::names;
use crate::state::{Control, State};

/// The bits of words that nobody wrote.
struct Unwritten<'a> {
    state: &'a State,
    thread: usize,
}

impl Source<u64> for Unwritten<'_> {
    fn of_slot(&self, slot: usize) -> u64 {
        self.state.mark_of(self.thread, slot)
    }

    fn of_bytes(&self, found: &Found) -> u64 {
        self.state.memory.unwritten(found.at, found.size as usize)
    }
}

impl Run<'_> {
    /// Notes why the answer is in doubt, though the run goes on.
    #[cold]
    pub fn doubt(&mut self, reason: CutReason, pc: u32) {
        let place = self.code.users_place(pc, self.called_from);
        self.cuts.insert(Cut { reason, place });
    }

    /// A branch or an address depends on an uninitialised value: a failure where undefined behaviour is looked for, unless it may be the compiler
    /// that has moved a branch to where the program has none (it freezes what that depends on).
    #[cold]
    fn depends(&mut self, what: &str, pc: u32) -> Step {
        if self.options.checks.undefined && !self.code.freezes {
            return Err(self.fail(FailureKind::UninitialisedUse(what.to_owned())));
        }
        self.doubt(CutReason::Unwritten, pc);
        Ok(())
    }

    /// Notes that the value of the last load, in a slot, is in part one that nobody wrote.
    #[cold]
    pub fn mark_loaded(&mut self, slot: usize) {
        let bits = std::mem::take(&mut self.unwritten);
        self.state.set_mark(self.thread, slot, bits);
    }

    /// Bytes on which the library depends must have been written.
    pub fn check_written(&mut self, found: &Found) -> Step {
        if !self.state.memory.is_unwritten(found.at, found.size as usize) {
            return Ok(());
        }
        if self.options.checks.uninitialised {
            let name =
                names::describe(self.code, self.module, &self.state.memory, found.address, found.size).0;
            return Err(self.fail(FailureKind::Uninitialised(name)));
        }
        self.doubt(CutReason::Unwritten, self.present);
        Ok(())
    }

    /// What will be marked after an instruction. What depends on marked bits now is noted.
    pub fn foresee(&mut self, op: Op, control: &Control, slots: &[u64]) -> Step<Marks<u64>> {
        let source = Unwritten { state: self.state, thread: self.thread };
        let marks = self.spread(op, control, slots, &source);
        if marks.uses.branch {
            self.depends("a branch", control.pc - 1)?;
        }
        if marks.uses.address {
            self.depends("an address", control.pc - 1)?;
        }
        if marks.uses.other {
            self.doubt(CutReason::Unwritten, control.pc - 1);
        }
        Ok(marks)
    }

    /// Sets the marks after an instruction that was performed.
    pub fn apply(&mut self, marks: Marks<u64>, control: &Control) {
        let thread = self.thread;
        self.unwritten = 0;
        if let Some(gone) = marks.gone {
            self.state.clear_marks(thread, gone);
        }
        for (found, bits) in marks.bytes {
            self.state.set_unwritten(found.at, found.size as usize, bits);
        }
        for (slot, bits) in marks.slots {
            self.state.set_mark(thread, slot, bits);
        }
        for (slot, bits) in marks.parameters {
            self.state.set_mark(thread, (control.base + slot) as usize, bits);
        }
    }
}
