//! Loops that go round without effect: the thread waits until something that it read has changed.
//!
//! At the head of a loop the machine notes the slots that matter there, and then what is read. When the thread comes back
//! with the same slots, and nothing was written but memory of its own that holds what it held before, another round can only do the same,
//! as long as nobody changes what was read. So the thread waits for that. A loop with a single visible operation that only reads when it goes on
//! is treated as one operation that waits: its useless rounds do not happen at all.
//!
//! If only what counts is different, which the loop itself never looks at, and the round read what the one before did, then there may be any number of
//! such rounds, and after each the thread is in another state. So no search comes to an end; executions with many of them are cut.
//!
//! A mutex that is taken in a round and given back is no effect, if the program never asks whether a mutex is held: without the round others would do the
//! same, at most sooner.
//!
//! A loop may have others inside it: see [`nesting`](super::nesting).

use super::access::Found;
use super::nesting::is_steady;
use super::{Outcome, Run, Step};
use crate::code::{CONSTANT, LoopHead, Slot};
use crate::failure::CutReason;
use crate::state::{Control, Spin, SpinList};
use selvedge_trace::{AccessKind, Blocking};
use smallvec::SmallVec;

/// The most variables of its own that a thread may write in a round that counts as one without effect.
pub const MOST_WRITES: usize = 4;

/// The size of what is noted as written to a mutex that a round has taken and not given back.
pub const TAKEN: u8 = 0;

impl Run<'_> {
    pub fn loop_head(&mut self, control: &Control, slots: &[u64], head: u32) -> Step {
        if !self.is_concurrent() || self.atomic > 0 {
            return Ok(());
        }
        let place = (control.pc - 1, control.depth);
        let key = Some(place);
        let spin = &self.state.threads[self.thread].spin;
        if spin.waits && spin.head == key {
            return self.end_spin();
        }
        let is_innermost = spin.head == key;
        if !is_innermost && spin.enclosing.is_some() {
            self.leave_inner_loops(place);
        }
        let spin = &self.state.threads[self.thread].spin;
        let at = |slot: u32| if slot >= CONSTANT { slot - CONSTANT } else { control.base + slot } as usize;
        let LoopHead { steering, counting, .. } = &self.code.loops[head as usize];
        let (steered, counted) = spin.held.split_at(spin.held.len().min(steering.len()));
        let are_same =
            |now: &[Slot], held: &[u64]| now.iter().zip(held).all(|(slot, held)| slots[at(*slot)] == *held);
        let is_local = spin.arrival == control.arrival;
        let goes_round = spin.head == key
            && (is_innermost || is_steady(spin))
            && (is_local || !spin.reads.is_empty())
            && are_same(steering, steered)
            && spin.writes.iter().all(|write| self.holds(*write));
        if goes_round && are_same(counting, counted) {
            // Who comes from a wait inside the loop waits at the head, for more may have been read in the round.
            if self.awaiting && is_innermost {
                return Err(Outcome::Blocked);
            }
            if is_local {
                // The round was local: nobody else can end the loop.
                return Err(self.give_up(CutReason::Endless));
            }
            let spin = Spin { waits: true, ..spin.clone() };
            self.state.set_spin(self.thread, spin);
            return Err(Outcome::Arrived);
        }
        let held = steering.iter().chain(counting).map(|slot| slots[at(*slot)]).collect();
        let fresh = self.state.memory.next_address(self.thread + 1);
        let rounds = if spin.rounds.0 == key { spin.rounds.1 + 1 } else { 0 };
        let arrival = control.arrival;
        let enclosing = self.enclosing(place);
        let mut next =
            Spin { head: key, held, fresh, rounds: (key, rounds), arrival, enclosing, ..Spin::default() };
        if goes_round && !is_local {
            next.counted = spin.counted + u32::from(spin.before == spin.reads);
            next.before = spin.reads.clone();
        }
        if rounds > self.longest_loop.0 {
            *self.longest_loop = (rounds, self.code.users_place(control.pc - 1, control.called_from));
        }
        let counted = next.counted;
        self.state.set_spin(self.thread, next);
        match self.options.patience {
            Some(patience) if counted >= patience && self.options.unroll.is_none() => {
                Err(self.give_up(CutReason::Counted(patience)))
            }
            _ => Ok(()),
        }
    }

    /// Notes that the round of a loop writes to an object that was there before. It is no effect if the memory is the thread's own
    /// and in the end holds what it held at the head.
    pub fn note_write_in_loop(&mut self, found: &Found) {
        let spin = &self.state.threads[self.thread].spin;
        let (address, size) = (found.address, found.size as u8);
        if spin.writes.iter().any(|write| (write.0, write.1) == (address, size)) {
            return;
        }
        let overlaps =
            |write: &(u64, u8, u64)| write.0 < address + found.size && address < write.0 + u64::from(write.1);
        let is_own = !found.visible
            && found.size <= 8
            && spin.writes.len() < MOST_WRITES
            && !spin.writes.iter().any(overlaps)
            && self.state.is_plain()
            && self.state.memory.unwritten(found.at, found.size as usize) == 0;
        if !is_own {
            return self.note_effect_on(found);
        }
        let before = self.state.memory.load(found.at, found.size as usize);
        self.state.add_to_spin(self.thread, SpinList::Writes, (address, size, before));
    }

    /// Whether memory of the thread's own holds a value.
    fn holds(&self, (address, size, value): (u64, u8, u64)) -> bool {
        if size == TAKEN {
            return false;
        }
        let found = self.find_again(address, u64::from(size));
        found.is_some_and(|found| self.state.memory.load(found.at, usize::from(size)) == value)
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
