//! Memory that is freed.
//!
//! Freed memory is known by the way on which the translation is: an access to it, or a second `free`, is an error. So no other thread may use it
//! at the same time, nor be started afterwards. Where the address of a freed block is compared with that of another, the two might
//! be the same; that is refused.

use crate::facts::ObjectKey;
use crate::refusal::{Done, Stop};
use crate::thread::{Next, Thread};
use crate::value::{Pointer, Value};
use selvedge_llvm::instruction::{Call, Instruction};

impl Thread<'_, '_> {
    /// `free`: an error unless the address is null or that of a block that was allocated and not freed.
    pub fn free(&mut self, instruction: &Instruction, call: &Call) -> Done<Next> {
        let address = self.argument(call, 0)?;
        let object = match &address {
            Value::Pointer(Pointer { object: Some(object), constant, terms }) if terms.is_empty() => {
                match self.run.facts.heap.contains_key(object) && *constant == 0 {
                    true => *object,
                    false => return Ok(self.undefined()),
                }
            }
            value if value.known() == Some(0) => return self.result(instruction, Value::int(32, 0)),
            value if self.is_uninitialised(value) => return Ok(self.undefined()),
            _ => return self.refuse("memory that is freed by a computed address"),
        };
        if self.state.freed.contains(&object) {
            return Ok(self.undefined());
        }
        // To free a block is to use it, too.
        if self.state.spawned {
            self.run.facts.use_block(object, self.number);
        }
        if self.may_others_run() && self.run.facts.is_used_by_others(object, self.number) {
            return self.refuse("memory that is freed when other threads may use it");
        }
        if self.run.facts.freed.insert(object) {
            self.run.facts.is_new = true;
            return Err(Stop::Restart);
        }
        self.state.freed.insert(object);
        self.result(instruction, Value::int(32, 0))
    }

    /// Notes that this thread uses a block, which must not have been freed. What only loads or stores is told to be wrong before it comes here.
    pub fn note_block(&mut self, object: ObjectKey) -> Done {
        if self.state.spawned {
            self.run.facts.use_block(object, self.number);
        }
        match self.state.freed.contains(&object) {
            true => self.refuse("an operation on freed memory"),
            false => Ok(()),
        }
    }

    /// Refuses to start a thread that may use memory which is known to be freed here, but not there.
    pub fn check_freed_for_others(&self) -> Done {
        let is_used = |object: &&ObjectKey| self.run.facts.is_used_by_others(**object, self.number);
        match self.state.freed.iter().find(is_used) {
            Some(_) => self.refuse("starting a thread that may use memory which was freed"),
            None => Ok(()),
        }
    }

    /// Refuses to compare addresses of different blocks that may be the same because one of them was freed before the other was allocated.
    pub fn check_reuse(&self, x: &Pointer, y: &Pointer) -> Done {
        let facts = &self.run.facts;
        let is_block =
            |pointer: &Pointer| pointer.object.is_some_and(|object| facts.heap.contains_key(&object));
        let is_freed = |pointer: &Pointer| pointer.object.is_some_and(|object| facts.freed.contains(&object));
        match is_block(x) && is_block(y) && (is_freed(x) || is_freed(y)) {
            true => self.refuse("a comparison of the addresses of freed memory"),
            false => Ok(()),
        }
    }
}
