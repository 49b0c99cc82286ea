//! Nondeterministic values: decisions of the search.

use super::{Run, Step};
use crate::code::{AccessMode, Call};
use crate::failure::CutReason;
use crate::machine::cells;
use selvedge_trace::AccessKind;

/// By how much a clock goes on, in nanoseconds: more than anybody waits.
const MUCH_TIME: u64 = 1_000_000 * 1_000_000_000;

/// The decisions of one operation. An atomic section may take several, and what comes later may depend on what came before.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// What to decide, in order; after that always the first alternative.
    pub script: Vec<u32>,
    /// What was decided, each with the number of alternatives.
    pub taken: Vec<(u32, u32)>,
    /// Whether there are too many ways to go: then the first decision gives up.
    pub too_many: bool,
}

impl Decisions {
    /// To begin with a decision.
    pub fn beginning_with(choice: u32) -> Decisions {
        // Most operations decide nothing, and need no memory for it.
        let script = if choice == 0 { Vec::new() } else { vec![choice] };
        Decisions { script, ..Decisions::default() }
    }

    /// Takes one of so many alternatives.
    pub fn take(&mut self, count: u32) -> u32 {
        let planned = self.script.get(self.taken.len()).copied().unwrap_or(0);
        let choice = planned.min(count.max(1) - 1);
        self.taken.push((choice, count.max(1)));
        choice
    }

    /// Plans the decisions that come after those that were taken, in lexicographic order; whether there are any.
    pub fn advance(&mut self) -> bool {
        let Some(last) = self.taken.iter().rposition(|(choice, count)| choice + 1 < *count) else {
            return false;
        };
        self.script.clear();
        self.script.extend(self.taken[..=last].iter().map(|taken| taken.0));
        self.script[last] += 1;
        self.taken.clear();
        true
    }
}

impl Run<'_> {
    /// Takes one of so many alternatives. The decision is a visible operation of its own, or part of an atomic section.
    pub fn decide(&mut self, count: u32) -> Step<u32> {
        self.note_effect();
        self.gate_once()?;
        if self.decisions.too_many {
            return Err(self.give_up(CutReason::ManyValues));
        }
        if self.atomic > 0 || !self.footprint.accesses().is_empty() {
            self.vary();
        }
        self.has_decided = true;
        Ok(self.decisions.take(count))
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

    /// The time of a C++ clock in nanoseconds: as late as before, or much later. So every wait may take too long or not.
    pub fn clock(&mut self) -> Step<u64> {
        if self.decide(2)? == 1 {
            self.advance_clock();
        }
        Ok(self.state.cell(cells::of(self.thread, cells::CLOCK)) + MUCH_TIME)
    }

    /// Lets the clock of this thread go on by much.
    pub fn advance_clock(&mut self) {
        let cell = cells::of(self.thread, cells::CLOCK);
        self.state.set_cell(cell, self.state.cell(cell) + MUCH_TIME);
    }

    /// The time, which may be any, stored as well if there is where to.
    pub fn time(&mut self, to: u64) -> Step<u64> {
        let bits = self.pointer_bits();
        let time = self.input_word(bits)?;
        if to != 0 {
            self.store(to, bits, time, AccessMode::Plain)?;
        }
        Ok(time)
    }

    /// The time in seconds and parts of a second.
    pub fn time_of_day(&mut self, to: u64, call: &Call) -> Step<u64> {
        let (bits, size) = (self.pointer_bits(), self.pointer_bytes());
        let seconds = self.input_word(bits)?;
        let parts = if call.name.starts_with("clock") { 1_000_000_000 } else { 1_000_000 };
        let parts = self.new_symbol_within(parts - 1, bits)?;
        for (place, value) in [(to, seconds), (to + size, parts)] {
            let found = self.find(place, size)?;
            self.note(&found, AccessKind::Write);
            self.touch(&found, true, AccessMode::Plain)?;
            self.write(&found, value);
        }
        Ok(0)
    }

    /// A value of so many bits that is decided when it matters.
    pub fn input_word(&mut self, bits: u8) -> Step<u64> {
        self.note_effect();
        self.new_symbol(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_that_depend_on_earlier_ones_are_enumerated_in_order() {
        let mut decisions = Decisions::default();
        let mut all = Vec::new();
        loop {
            let first = decisions.take(3);
            let second = if first == 1 { decisions.take(2) } else { 0 };
            all.push((first, second));
            if !decisions.advance() {
                break;
            }
        }
        assert_eq!(all, [(0, 0), (1, 0), (1, 1), (2, 0)]);
    }
}
