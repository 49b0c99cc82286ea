//! Loops inside loops: the thread may wait in any of them.
//!
//! `while (!try_take(&x));` waits though `try_take` has a loop of its own. So when a thread comes to the head of a loop, what it did
//! since it was at the heads of others is not forgotten: these are the *enclosing* loops of [`Spin`], each with what was read and written from
//! its head on until the thread came to the next one. What happens in an inner loop is handed on when its next round begins, and when the thread
//! is back at the head of the outer one. Rounds that were waited for to no avail are not: they change nothing.
//!
//! For what is concluded it does not matter which loops are inside which: they are states in which the thread was, one after the other, and if it is in
//! one of them again without an effect, it goes in circles. So any of them may be forgotten. What must not be kept is a loop that was
//! left and entered again, because what the callers hold may be different.

use super::Run;
use super::access::Found;
use super::spin::MOST_WRITES;
use crate::code::{Op, Pc};
use crate::state::Spin;
use std::sync::Arc;

/// The most loops around one that are remembered.
const MOST_LOOPS: usize = 4;

/// The most different reads of a round with other loops in it that are remembered.
const MOST_READS: usize = 32;

impl Run<'_> {
    /// Before the first round: what was seen in rounds of before is of no interest to those that come.
    pub fn begin_loop(&mut self, place: (Pc, u32)) {
        let spin = &self.state.threads[self.thread].spin;
        let is_known = loops(spin).any(|spin| spin.head == Some(place));
        if !is_known && spin.rounds.0 != Some(place) {
            return;
        }
        let kept = self.without(spin, place).map_or_else(Spin::default, Arc::unwrap_or_clone);
        let rounds = if kept.rounds.0 == Some(place) { (None, 0) } else { kept.rounds };
        self.state.set_spin(self.thread, Spin { rounds, ..kept });
    }

    /// The loops of a thread but for one, if any are left.
    fn without(&self, spin: &Spin, place: (Pc, u32)) -> Option<Arc<Spin>> {
        let outer = spin.enclosing.as_ref();
        if spin.head.is_none() || spin.head == Some(place) {
            return self.handed_on(outer?, spin);
        }
        let enclosing = outer.and_then(|outer| self.without(outer, place));
        Some(Arc::new(Spin { enclosing, ..spin.clone() }))
    }

    /// Back at the head of a loop: hands on to it what was done in loops inside it.
    pub fn leave_inner_loops(&mut self, place: (Pc, u32)) {
        let spin = &self.state.threads[self.thread].spin;
        if !loops(spin).any(|spin| spin.head == Some(place)) {
            return;
        }
        let mut outer = spin.enclosing.as_ref().and_then(|outer| self.handed_on(outer, spin));
        while let Some(inner) = outer.take_if(|spin| spin.head != Some(place)) {
            outer = inner.enclosing.as_ref().and_then(|outer| self.handed_on(outer, &inner));
        }
        let spin = outer.map_or_else(Spin::default, Arc::unwrap_or_clone);
        self.state.set_spin(self.thread, spin);
    }

    /// The loops around one at whose head the thread is, when a round begins there.
    pub fn enclosing(&self, place: (Pc, u32)) -> Option<Arc<Spin>> {
        let spin = &self.state.threads[self.thread].spin;
        spin.head?;
        if spin.head == Some(place) {
            return self.handed_on(spin.enclosing.as_ref()?, spin);
        }
        if !self.has_left(spin, place) {
            let is_deep = loops(spin).nth(MOST_LOOPS - 1).is_some();
            let enclosing = spin.enclosing.clone().filter(|_| !is_deep);
            return Some(Arc::new(Spin { enclosing, ..spin.clone() }));
        }
        let mut outer = self.handed_on(spin.enclosing.as_ref()?, spin)?;
        while self.has_left(&outer, place) {
            outer = self.handed_on(outer.enclosing.as_ref()?, &outer)?;
        }
        Some(outer)
    }

    /// Whether the thread has left a loop for certain when it is at the head of another one.
    fn has_left(&self, spin: &Spin, (pc, depth): (Pc, u32)) -> bool {
        let Some((head, its_depth)) = spin.head else { return true };
        let end = match self.code.ops[head as usize] {
            Op::LoopHead { head } => self.code.loops[head as usize].end,
            _ => head,
        };
        its_depth > depth || its_depth == depth && !(head..end).contains(&pc)
    }

    /// A loop with what was done in one inside it; nothing if that is too much to remember.
    fn handed_on(&self, outer: &Arc<Spin>, inner: &Spin) -> Option<Arc<Spin>> {
        if inner.head.is_none() || inner.reads.is_empty() && inner.writes.is_empty() {
            return Some(outer.clone());
        }
        let mut outer = Spin::clone(outer);
        for read in &inner.reads {
            if !outer.reads.contains(read) {
                outer.reads.push(*read);
            }
        }
        for write in inner.writes.iter().filter(|write| !self.state.memory.is_later(write.0, outer.fresh)) {
            let overlaps = |other: &&(u64, u8, u64)| {
                other.0 < write.0 + u64::from(write.1) && write.0 < other.0 + u64::from(other.1)
            };
            match outer.writes.iter().find(overlaps) {
                Some(first) if (first.0, first.1) == (write.0, write.1) => {}
                None if outer.writes.len() < MOST_WRITES => outer.writes.push(*write),
                _ => return None,
            }
        }
        (outer.reads.len() <= MOST_READS).then(|| Arc::new(outer))
    }

    /// Notes that a round has an effect on an object: on loops that were begun before the object was made it has none.
    pub fn note_effect_on(&mut self, found: &Found) {
        if found.visible {
            return self.note_effect();
        }
        let spin = &self.state.threads[self.thread].spin;
        let mut outer = spin.enclosing.as_ref().and_then(|outer| self.handed_on(outer, spin));
        while let Some(inner) = outer.take_if(|spin| !self.state.memory.is_younger(found.id, spin.fresh)) {
            outer = inner.enclosing.as_ref().and_then(|outer| self.handed_on(outer, &inner));
        }
        match outer {
            Some(outer) => self.state.set_spin(self.thread, Arc::unwrap_or_clone(outer)),
            None => self.note_effect(),
        }
    }
}

/// Whether a round can have read all that it read at the end, too. If not, something has changed already, and there is nothing to wait for.
pub fn is_steady(spin: &Spin) -> bool {
    let differ = |a: &(u64, u8, u64), b: &(u64, u8, u64)| (a.0, a.1) == (b.0, b.1) && a.2 != b.2;
    !spin.reads.iter().enumerate().any(|(i, a)| spin.reads[..i].iter().any(|b| differ(a, b)))
}

/// A loop and those around it, from the inside.
fn loops(spin: &Spin) -> impl Iterator<Item = &Spin> {
    std::iter::successors(Some(spin), |spin| spin.enclosing.as_deref())
}
