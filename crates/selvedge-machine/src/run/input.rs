//! Nondeterministic values: decisions of the search.

use super::{Run, Step};
use crate::failure::CutReason;

impl Run<'_> {
    /// Takes one of so many alternatives. The decision is a visible operation of its own, or part of an atomic section.
    pub fn decide(&mut self, count: u32) -> Step<u32> {
        self.note_effect();
        self.gate_once()?;
        if self.has_decided {
            let what = "two nondeterministic decisions in one atomic section".to_owned();
            return Err(self.give_up(CutReason::Unsupported(what)));
        }
        if self.atomic > 0 || !self.footprint.accesses().is_empty() {
            self.vary();
        }
        self.has_decided = true;
        self.alternatives = count;
        Ok(self.choice.min(count - 1))
    }

    /// A permit is needed, unless the present operation has had it.
    pub fn gate_once(&mut self) -> Step {
        match self.permits == 0 && !self.committed {
            true => Ok(()),
            false => self.gate(),
        }
    }

    pub fn input_bool(&mut self) -> Step<u64> {
        self.decide(2).map(u64::from)
    }

    /// A value of so many bits that is decided when it matters.
    pub fn input_word(&mut self, bits: u8) -> Step<u64> {
        self.note_effect();
        self.new_symbol(bits)
    }
}
