//! The safe admissible trace prefix, followed while a search runs [Metzler2020, section 5.1.3, algorithm 4].
//!
//! The first complete execution without a violation is the first admissible trace. When a depth-first search goes back from a state of
//! it, everything that can follow that state is explored; if nothing of it is unsafe, the events that lead to the state are a safe prefix
//! (definition 31): all their linearisations lead to that state. So constraints disappear from the end, one event after the other,
//! until there are none, or until the search goes back from a state below which something is unsafe: then none of the states before is safe either.
//!
//! | paper | here |
//! |---|---|
//! | `G`, the verification status | the path, with [`Admissible`] |
//! | `o_adm` | the first [`length`](Admissible::length) events of the first complete execution without a violation |
//! | `safe_G(s)` | the search goes back from `s`, and `s` is not among the first `unsafe_states` states of the path |
//! | `deadlock-free_G(o)` | the same: a deadlock is unsafe, and the events of a prefix come from an execution, so none of them waits in vain |
//!
//! *Unsafe* is every violation, deadlocks included, and every execution that was cut: what follows is not known. An execution that is dropped
//! at a false assumption is not unsafe, nor one that is sleep-set blocked.
//!
//! *Sleep sets.* What sleeps in a state was explored elsewhere: the sleeping decision `p` was explored from an earlier state, and everything since is
//! independent of it, so what begins with `p` here is equivalent to something that was explored there. That suffices for a search for violations. It does not suffice
//! here if something unsafe was found after `p` there: it may be reached from this state, too. So a decision below which something unsafe was
//! found is not put to sleep in the states that follow ([`Below::Unsafe`]); it is only known to be explored in its own state, so that it is not
//! begun again there. Sleep sets may be smaller than they could be without any loss: they only save work. Now let the search go back from a state
//! `s` below which nothing unsafe was found, and let `w` be an execution from `s` to an end. If no equivalent of `w` was explored below `s`, then `w` is equivalent to
//! `p.w'` for a `p` that sleeps in `s`. It was put to sleep in an earlier state `r`, with nothing unsafe below `r.p`, and the events `u` from `r` to `s` are independent
//! of it: `u.p.w'` is equivalent to `p.u.w'` from `r`. By induction on the order in which states are left, what follows `r.p` is safe, and so is `w`.
//!
//! That everything is explored below a state, up to what sleeps there, when the search goes back from it, is what the proofs of the algorithms with
//! sleep sets, backtrack sets and wakeup trees show for each state. It is not so where a bound or a coarser equivalence is used, or where an algorithm
//! explores the executions in another order; those [do not follow prefixes](crate::Algorithm::follows_prefixes).
//!
//! *Outside.* What comes after the prefix is everything that was performed and taken back before: which instructions, and which of them
//! [race](selvedge_trace::HappensBefore::races), that is, are not ordered by anything but the conflict itself.

use selvedge_trace::{EventId, HappensBefore};
use std::collections::BTreeSet;

/// Whether something below a state is unsafe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Below {
    /// Nothing is known to be.
    Safe,
    /// Something is.
    Unsafe,
}

/// The events that were performed and are not among those of a prefix, by their instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outside {
    /// The instructions.
    pub sites: BTreeSet<u32>,
    /// Those among them of which an event races with another one.
    pub raced: BTreeSet<u32>,
}

/// A change of the prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is as it was.
    None,
    /// It is shorter by its last event.
    Shorter,
    /// It cannot become shorter any more.
    Final,
}

/// What is known of the prefix.
#[derive(Clone, Debug, Default)]
pub struct Admissible {
    /// The number of events, if there is a prefix.
    length: Option<usize>,
    /// Whether the search has left the first admissible trace for good.
    is_settled: bool,
    /// How many of the states of the path, from the first on, have something unsafe below them.
    unsafe_states: usize,
    /// The instruction of each event of the path, with the instructions in races of which it is the earlier event.
    events: Vec<(u32, Vec<u32>)>,
    outside: Outside,
}

impl Admissible {
    /// The number of events of the prefix, if there is one.
    pub fn length(&self) -> Option<usize> {
        self.length
    }

    /// What comes after it.
    pub fn outside(&self) -> &Outside {
        &self.outside
    }

    /// Follows an event.
    pub fn enter(&mut self, e: EventId, site: u32, order: &HappensBefore) {
        self.events.truncate(e.index());
        self.events.push((site, Vec::new()));
        for &earlier in order.races(e) {
            let (own, raced) = &mut self.events[earlier.index()];
            let own = *own;
            raced.extend([own, site].into_iter().filter(|site| !raced.contains(site)).collect::<Vec<_>>());
        }
    }

    /// Notes that something is unsafe in the state after so many events.
    pub fn note_unsafe(&mut self, length: usize) {
        self.unsafe_states = self.unsafe_states.max(length + 1);
    }

    /// Notes that an execution of that length is complete, and safe. Returns whether it is the first.
    pub fn note_safe(&mut self, length: usize) -> bool {
        let is_first = self.length.is_none() && self.unsafe_states <= length;
        if is_first {
            self.length = Some(length);
        }
        is_first
    }

    /// Whether there is a prefix that cannot become shorter.
    pub fn is_final(&self) -> bool {
        self.is_settled || self.length.is_some_and(|length| length > 0 && length <= self.unsafe_states)
    }

    /// Whether something is unsafe below the state after so many events.
    pub fn below(&self, length: usize) -> Below {
        if length < self.unsafe_states { Below::Unsafe } else { Below::Safe }
    }

    /// Everything that follows the state after so many events is explored.
    pub fn complete(&mut self, length: usize) -> Change {
        match self.length {
            Some(prefix) if self.is_settled || length >= prefix => Change::None,
            Some(_) if self.below(length) == Below::Safe => {
                self.length = Some(length);
                Change::Shorter
            }
            Some(_) => {
                self.is_settled = true;
                Change::Final
            }
            None => Change::None,
        }
    }

    /// Follows the path one event back, from the state after so many.
    pub fn leave(&mut self, length: usize) {
        self.unsafe_states = self.unsafe_states.min(length);
        if let Some((site, raced)) = self.events.pop() {
            self.outside.sites.insert(site);
            self.outside.raced.extend(raced);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Performs so many events.
    fn entered(events: usize) -> Admissible {
        let mut admissible = Admissible::default();
        let order = &mut HappensBefore::new(1);
        for site in 0..events {
            let decision = selvedge_trace::Decision { thread: selvedge_trace::ThreadId(0), choice: 0 };
            let e = order.push(decision, &selvedge_trace::Footprint::default());
            admissible.enter(e, site as u32, order);
        }
        admissible
    }

    #[test]
    fn a_prefix_becomes_shorter_up_to_what_is_unsafe() {
        let mut admissible = entered(3);
        assert!(admissible.note_safe(3) && !admissible.note_safe(3));
        assert_eq!(admissible.complete(3), Change::None);
        admissible.leave(3);
        assert_eq!((admissible.complete(2), admissible.length()), (Change::Shorter, Some(2)));
        admissible.leave(2);
        // Another event leads from the first state to something unsafe.
        admissible.note_unsafe(2);
        assert!(admissible.is_final());
        assert_eq!((admissible.below(2), admissible.complete(1)), (Below::Unsafe, Change::Final));
        assert_eq!(admissible.length(), Some(2));
        assert_eq!(admissible.outside().sites, BTreeSet::from([1, 2]));
    }

    #[test]
    fn what_is_unsafe_beside_a_state_is_not_below_it() {
        let mut admissible = entered(2);
        admissible.note_unsafe(2);
        assert!(!admissible.note_safe(2));
        admissible.leave(2);
        assert_eq!((admissible.below(1), admissible.below(2)), (Below::Unsafe, Below::Safe));
        assert!(admissible.note_safe(2) && admissible.is_final());
    }
}
