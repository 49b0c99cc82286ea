//! Calls and returns: frames on the stack of a thread.

use super::{Outcome, Run, Step};
use crate::code::{Call, CompiledFunction, NO_SLOT, Slot, TEMPORARY};
use crate::state::Control;

/// Calls that may be nested before the thread counts as diverged.
const MAX_DEPTH: u32 = 10_000;

/// Slots between two frames: the return address, the base of the caller, and where the result goes.
const LINK: Slot = 3;

impl Run<'_> {
    pub(super) fn call(&mut self, control: &mut Control, slots: &mut Vec<i64>, call: Call) -> Step {
        if control.depth >= MAX_DEPTH {
            return Err(Outcome::Diverged);
        }
        let callee: &CompiledFunction = &self.code.functions[call.function as usize];
        let base = control.base + call.frame + LINK;
        let start = self.code.temporaries + base;
        if slots.len() < (start + callee.frame) as usize {
            slots.resize((start + callee.frame) as usize, 0);
        }
        self.set(slots, start - 3, i64::from(control.pc));
        self.set(slots, start - 2, i64::from(control.base));
        self.set(slots, start - 1, i64::from(call.result));
        for parameter in 0..callee.parameters {
            let value = slots[(call.arguments - TEMPORARY + parameter) as usize];
            self.set(slots, start + parameter, value);
        }
        for (slot, &value) in (start + callee.parameters..).zip(&callee.initial) {
            self.set(slots, slot, value);
        }
        *control = Control { pc: callee.entry, base, depth: control.depth + 1, ..*control };
        Ok(())
    }

    pub(super) fn ret(&mut self, control: &mut Control, slots: &mut [i64], value: Slot) -> Step {
        if control.depth == 0 {
            return Err(Outcome::Ended);
        }
        let start = self.code.temporaries + control.base;
        let link = |i: u32| slots[(start - LINK + i) as usize] as u32;
        let (pc, base, result) = (link(0), link(1), link(2));
        if result != NO_SLOT && value != NO_SLOT {
            let from = if value >= TEMPORARY { value - TEMPORARY } else { start + value };
            let value = slots[from as usize];
            self.set(slots, self.code.temporaries + base + result, value);
        }
        *control = Control { pc, base, depth: control.depth - 1, ..*control };
        Ok(())
    }
}
