//! Loops that go round without effect: the thread waits until something that it read has changed.
//!
//! At the head of a loop the machine notes the slots that matter there, and then what is read. When the thread comes back
//! with the same slots and nothing was written, another round can only do the same, as long as nobody changes
//! what was read. So the thread waits for that. A loop with a single visible operation that only reads when it goes on
//! is treated as one operation that waits: its useless rounds do not happen at all.

use super::{Outcome, Run, Step};
use crate::code::CONSTANT;
use crate::state::{Control, Spin};
use selvedge_trace::{AccessKind, Blocking};
use smallvec::SmallVec;

impl Run<'_> {
    pub fn loop_head(&mut self, control: &Control, slots: &[u64], head: u32) -> Step {
        if !self.is_concurrent() || self.atomic > 0 {
            return Ok(());
        }
        let key = Some((control.pc - 1, control.depth));
        let spin = &self.state.threads[self.thread].spin;
        if spin.waits && spin.head == key {
            return self.end_spin();
        }
        let at = |slot: u32| if slot >= CONSTANT { slot - CONSTANT } else { control.base + slot } as usize;
        let live = &self.code.loops[head as usize].live;
        let is_same = spin.head == key
            && !spin.reads.is_empty()
            && live.iter().zip(&spin.held).all(|(slot, held)| slots[at(*slot)] == *held);
        if is_same {
            if self.awaiting {
                return Err(Outcome::Blocked);
            }

            let spin = Spin { waits: true, ..spin.clone() };
            self.state.set_spin(self.thread, spin);
            return Err(Outcome::Arrived);
        }
        let held = live.iter().map(|slot| slots[at(*slot)]).collect();
        let fresh = self.state.memory.next_address(self.thread + 1);
        self.state
            .set_spin(self.thread, Spin { head: key, held, reads: SmallVec::new(), waits: false, fresh });
        Ok(())
    }

    /// The wait for a change of what was read.
    fn end_spin(&mut self) -> Step {
        self.gate()?;
        self.may_wait(Blocking::Guard);
        let spin = self.state.threads[self.thread].spin.clone();
        if !self.has_changed(&spin) {
            return Err(Outcome::Blocked);
        }
        self.state.set_spin(self.thread, Spin { waits: false, reads: SmallVec::new(), ..spin });
        self.done()
    }

    /// Whether something that was read in the present round of a loop has changed.
    pub fn has_changed(&mut self, spin: &Spin) -> bool {
        let mut changed = false;
        for &(address, size, value) in &spin.reads {
            let found = self.find_again(address, u64::from(size));
            let Some(found) = found else {
                self.note_gone(address, u64::from(size));
                changed = true;
                continue;
            };
            self.note(&found, AccessKind::Read);
            changed |= self.state.memory.load(found.at, size as usize) != value;
        }
        changed
    }
}
