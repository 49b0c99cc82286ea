//! Accesses to memory that fail: why there is nothing to access.

use super::{Outcome, Run};
use crate::failure::{CutReason, FailureKind};
use crate::memory::{Fault, ObjectId};
use crate::names;

impl Run<'_> {
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
