//! Accesses to memory that fail: why there is nothing to access.

use super::access::Found;
use super::{Outcome, Run};
use crate::failure::{CutReason, FailureKind};
use crate::memory::{Fault, ObjectId, Sharing};
use crate::names;
use selvedge_trace::AccessKind;

impl Run<'_> {
    /// The failure of an operation that needs bytes which are not there, after it has found others.
    #[cold]
    pub fn missing(&mut self, address: u64, size: u64) -> Outcome {
        let id = match self.state.memory.access(address, size) {
            Ok(id) => id,
            Err(fault) => return self.memory_fault(fault, address, size),
        };
        let object = *self.state.memory.object(id);
        if object.sharing == Sharing::Shared && self.is_concurrent() {
            if let Err(outcome) = self.gate_once() {
                return outcome;
            }
            let at = object.start + (address - object.base) as usize;
            self.note(&Found { id, at, address, size, visible: true }, AccessKind::Read);
        }
        let what = names::describe_object(self.code, &self.state.memory, id);
        self.fail(FailureKind::UseAfterFree(what))
    }

    #[cold]
    pub fn hidden(&mut self, id: ObjectId) -> Outcome {
        let what = names::describe_object(self.code, &self.state.memory, id);
        self.give_up(CutReason::HiddenAddress(what))
    }

    #[cold]
    pub fn memory_fault(&mut self, fault: Fault, address: u64, size: u64) -> Outcome {
        match fault {
            Fault::Null => self.fail(FailureKind::NullDereference),
            Fault::Wild => self.fail(FailureKind::WildDereference),
            Fault::Outside(id) => {
                let object = self.state.memory.object(id);
                let offset = (address - object.base) as i64;
                let what = names::describe_object(self.code, &self.state.memory, id);
                let length = object.size;
                let what = format!("{size} bytes at offset {offset} of {what}, which has {length} bytes");
                self.fail(FailureKind::OutOfBounds(what))
            }
        }
    }
}
