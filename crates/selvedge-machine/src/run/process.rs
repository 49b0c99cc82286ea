//! The end of the program, assertions and assumptions.

use super::{Outcome, Run, Step};
use crate::failure::FailureKind;
use crate::machine::cells;

impl Run<'_> {
    /// `exit`: the thread ends, and nobody has to wait for the others any more. What they do meanwhile they could as well
    /// have done before.
    pub fn exit(&mut self) -> Step<u64> {
        self.state.set_cell(cells::EXITED, 1);
        Err(Outcome::Ended)
    }

    pub fn abort(&mut self, how: &str) -> Step<u64> {
        if !self.options.checks.aborts {
            return self.exit();
        }
        Err(self.fail(FailureKind::Abort(how.to_owned())))
    }

    pub fn assert_fail(&mut self, condition: u64) -> Step<u64> {
        let text = self.text_at(condition).unwrap_or_default();
        Err(self.fail(FailureKind::Assertion(text)))
    }

    pub fn assume(&mut self, condition: u64) -> Step<u64> {
        match condition {
            0 => Err(Outcome::Dropped),
            _ => Ok(0),
        }
    }

    pub fn assume_or_abort(&mut self, condition: u64) -> Step<u64> {
        match condition {
            0 => Err(Outcome::Dropped),
            _ => Ok(0),
        }
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
