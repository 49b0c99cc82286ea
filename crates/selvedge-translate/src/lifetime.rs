//! How long local variables live: until their function returns, and nobody may use them afterwards.

use crate::facts::{ContextId, ContextKey, ObjectKey};
use crate::refusal::Done;
use crate::thread::Thread;
use crate::value::{Pointer, Value};

impl Thread<'_, '_> {
    /// Notes a local variable of another thread that is used here.
    pub fn note_borrowed(&mut self, object: ObjectKey) {
        if let ObjectKey::Local(context, _) = object
            && self.run.owner(context) != self.number
        {
            self.run.facts.borrow(object);
        }
    }

    /// Whether there may be other threads.
    pub fn may_others_run(&self) -> bool {
        self.number > 0 || !self.state.running.is_empty() || self.run.facts.others_spawn
    }

    /// Other threads must not use the variables of a call that is over.
    pub fn check_locals(&mut self) -> Done {
        let context = self.state.top().context;
        let is_shared = self.run.facts.has_shared_locals(context);
        if is_shared && self.may_others_run() {
            return self.refuse("local variables that other threads may use after the function has returned");
        }
        // A variable of the program holds the number of an address, which a later call would make valid again.
        if self.run.facts.is_kept(context) && (is_shared || self.is_call_repeated()) {
            return self.refuse(
                "the address of a local variable that others may find after the function has returned",
            );
        }
        Ok(())
    }

    /// Whether the call at hand may be made again in the same context: in a loop that is not unrolled.
    fn is_call_repeated(&self) -> bool {
        let callers = &self.state.frames[..self.state.frames.len() - 1];
        callers.iter().any(|frame| {
            let loops = self.run.analyses.get(&frame.function).into_iter().flat_map(|a| &a.loops);
            let mut around = loops.filter(|l| l.blocks.contains(&frame.block));
            around.any(|l| !frame.rounds.iter().any(|(head, _)| *head == l.head))
        })
    }

    /// A call is over: addresses of its variables, also in its result, lead nowhere, even if it is made again.
    pub fn bury(&mut self, context: ContextId, result: Option<Value>) -> Option<Value> {
        let over = self.run.facts.context(ContextKey::Over { call: context });
        let values = self.state.frames.iter_mut().flat_map(|frame| frame.values.values_mut());
        values.chain(self.state.cells.values_mut()).for_each(|value| rename(value, context, over));
        result.map(|mut value| {
            rename(&mut value, context, over);
            value
        })
    }
}

/// Makes addresses of the variables of a context those of another.
fn rename(value: &mut Value, context: ContextId, to: ContextId) {
    match value {
        Value::Pointer(Pointer { object: Some(ObjectKey::Local(owner, _)), .. }) if *owner == context => {
            *owner = to;
        }
        Value::Parts(parts) => parts.iter_mut().for_each(|part| rename(part, context, to)),
        _ => {}
    }
}
