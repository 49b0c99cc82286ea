//! Nondeterministic values: decisions of the search.

use super::{Run, Step, arithmetic};
use crate::failure::CutReason;

/// The most values of one input that are tried one by one.
pub const MOST_VALUES: u64 = 1024;

impl Run<'_> {
    /// Takes one of so many alternatives.
    pub fn decide(&mut self, count: u32) -> Step<u32> {
        self.note_effect();
        self.gate()?;
        if self.atomic > 0 {
            if self.alternatives > 1 {
                let what = "two nondeterministic values in one atomic section".to_owned();
                return Err(self.give_up(CutReason::Unsupported(what)));
            }
            self.vary();
        }
        self.alternatives = count;
        Ok(self.choice.min(count - 1))
    }

    pub fn input_bool(&mut self) -> Step<u64> {
        self.decide(2).map(u64::from)
    }

    /// A value of so many bits that matters only as far as the program looks at it.
    pub fn input_word(
        &mut self,
        bits: u8,
        control: &crate::state::Control,
        slots: &[u64],
        result: u32,
    ) -> Step<u64> {
        if bits <= 8 {
            return self.decide(1 << bits).map(u64::from);
        }
        if self.atomic == 0 && self.permits == 0 {
            self.note_effect();
            return Err(super::Outcome::Arrived);
        }
        match self.values_of_interest(bits, control, slots, result) {
            Some(values) if !values.is_empty() => {
                let choice = self.decide(values.len() as u32)?;
                Ok(arithmetic::masked(values[choice as usize], bits))
            }
            _ => Err(self.give_up(CutReason::ManyValues)),
        }
    }

    /// The values that have to be tried, if they are few.
    fn values_of_interest(
        &mut self,
        _bits: u8,
        _control: &crate::state::Control,
        _slots: &[u64],
        _result: u32,
    ) -> Option<Vec<u64>> {
        None
    }
}
