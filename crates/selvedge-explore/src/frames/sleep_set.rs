//! Sleep sets along the current path [Godefroid1996, chapter 5].
//!
//! A decision goes to sleep at a state when everything that can begin with it has been explored from there. It
//! stays asleep in the states that follow as long as only independent operations are performed, during which
//! its own operation stays the same: so its accesses can be kept from the time when it was explored.
//! The sets of the states on the path are stacked in flat arrays.

use crate::admissible::Below;
use crate::checkpoint::SavedSleeper;
use crate::{Path, Program};
use selvedge_trace::{Access, Decision, EventId, HappensBefore, LocationMask, ThreadId};

/// Decisions that are asleep: an operation of a thread with consecutive choices that all access the same.
#[derive(Clone, Copy, Debug)]
pub struct Sleeper {
    /// The thread.
    pub thread: ThreadId,
    /// What its operation accesses, as a quick test.
    pub mask: LocationMask,
    /// What is known, at the state where it was put to sleep, without comparing.
    known: Known,
    /// The position of the state in which it fell asleep.
    pub since: u32,
    /// Whether it sleeps in the states that follow, too.
    reach: Reach,
    first_choice: u32,
    last_choice: u32,
    start: u32,
    end: u32,
}

impl Sleeper {
    /// Whether the decision is among them.
    #[inline]
    pub fn holds(&self, decision: Decision) -> bool {
        self.thread == decision.thread && (self.first_choice..=self.last_choice).contains(&decision.choice)
    }
}

/// Where a decision sleeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reach {
    /// In its state and those that follow, until something dependent wakes it.
    Onward,
    /// Only in its state: something unsafe was found below it, see [`crate::admissible`].
    ItsState,
}

/// Decisions of which it is known whether they are dependent on an event, if performed in its place.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known {
    dependent: u64,
    independent: u64,
}

impl Known {
    /// Notes a decision.
    pub fn note(&mut self, decision: Decision, is_dependent: bool) {
        match is_dependent {
            true => self.dependent |= bit_of(decision),
            false => self.independent |= bit_of(decision),
        }
    }

    fn is_dependent(self, decision: Decision) -> Option<bool> {
        let bit = bit_of(decision);
        match (self.dependent | self.independent) & bit != 0 {
            true => Some(self.dependent & bit != 0),
            false => None,
        }
    }
}

/// The bit of a thread in a set of first choices; none for other choices and for the threads after the 64th.
fn bit_of(decision: Decision) -> u64 {
    match decision {
        Decision { thread: ThreadId(thread @ 0..64), choice: 0 } => 1 << thread,
        _ => 0,
    }
}

/// The sleep sets of the states before each event of the path, and of the present state.
#[derive(Debug)]
pub struct SleepSets {
    sleepers: Vec<Sleeper>,
    accesses: Vec<Access>,
    frames: Vec<Frame>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    sleepers: u32,
    accesses: u32,
}

impl Default for SleepSets {
    fn default() -> Self {
        SleepSets {
            sleepers: Vec::new(),
            accesses: Vec::new(),
            frames: vec![Frame { sleepers: 0, accesses: 0 }],
        }
    }
}

impl SleepSets {
    /// Makes these the sleep sets of the empty path.
    pub fn clear(&mut self) {
        self.sleepers.clear();
        self.accesses.clear();
        self.frames.truncate(1);
    }

    /// The sleep set of the state before the event at the given position, or of the present state.
    pub fn at(&self, position: usize) -> &[Sleeper] {
        let start = self.frames[position].sleepers as usize;
        let end = self.frames.get(position + 1).map_or(self.sleepers.len(), |next| next.sleepers as usize);
        &self.sleepers[start..end]
    }

    /// The sleep set of the state at a position, as data.
    pub fn saved(&self, position: usize) -> Vec<SavedSleeper> {
        let saved = |sleeper: &Sleeper| SavedSleeper {
            thread: sleeper.thread,
            first_choice: sleeper.first_choice,
            last_choice: sleeper.last_choice,
            since: sleeper.since,
            accesses: self.accesses(sleeper).to_vec(),
        };
        self.at(position).iter().map(saved).collect()
    }

    /// Makes the sleep set of the present state what it was.
    pub fn restore(&mut self, saved: &[SavedSleeper]) {
        if let Some(&Frame { sleepers, accesses }) = self.frames.last() {
            self.sleepers.truncate(sleepers as usize);
            self.accesses.truncate(accesses as usize);
        }
        for sleeper in saved {
            let start = self.accesses.len() as u32;
            self.accesses.extend_from_slice(&sleeper.accesses);
            let mut mask = LocationMask::default();
            sleeper.accesses.iter().for_each(|&access| mask.add(access));
            self.sleepers.push(Sleeper {
                thread: sleeper.thread,
                mask,
                known: Known::default(),
                since: sleeper.since,
                reach: Reach::Onward,
                first_choice: sleeper.first_choice,
                last_choice: sleeper.last_choice,
                start,
                end: self.accesses.len() as u32,
            });
        }
    }

    /// The sleep set of the present state.
    pub fn present(&self) -> &[Sleeper] {
        self.at(self.frames.len() - 1)
    }

    /// What the operation of a sleeper accesses.
    pub fn accesses(&self, sleeper: &Sleeper) -> &[Access] {
        &self.accesses[sleeper.start as usize..sleeper.end as usize]
    }

    /// Whether a decision is asleep in the present state.
    pub fn contains(&self, decision: Decision) -> bool {
        self.present().iter().any(|sleeper| sleeper.holds(decision))
    }

    /// The first enabled decision after `cursor` that is not asleep in the present state, which is that of the path.
    pub fn next_awake<P: Program>(&self, path: &mut Path<P>, cursor: Option<Decision>) -> Option<Decision> {
        let mut next = path.next_enabled(cursor);
        while next.is_some_and(|decision| self.contains(decision)) {
            next = path.next_enabled(next);
        }
        next
    }

    /// The first enabled decision of the threads from the given one on that is not asleep in the present state, which
    /// is that of the path.
    pub fn next_awake_from<P: Program>(&self, path: &mut Path<P>, first: ThreadId) -> Option<Decision> {
        let mut threads = (first.index()..path.order.thread_count()).map(ThreadId::at);
        threads.find_map(|thread| match path.program.is_enabled(thread) {
            true if self.present().is_empty() => Some(Decision { thread, choice: 0 }),
            true => self.first_awake(thread, path.program.choices(thread)),
            false => None,
        })
    }

    /// The first choice of a thread, of those below `choices`, that is not asleep in the present state.
    pub fn first_awake(&self, thread: ThreadId, choices: u32) -> Option<Decision> {
        let mut decision = Decision { thread, choice: 0 };
        while let Some(sleeper) = self.present().iter().find(|sleeper| sleeper.holds(decision)) {
            decision.choice = sleeper.last_choice + 1;
        }
        (decision.choice < choices).then_some(decision)
    }

    /// Follows the event just performed: what is independent of it stays asleep.
    pub fn enter(&mut self, e: EventId, order: &mut HappensBefore) {
        let decision = order.event(e).decision;
        self.enter_where(|sleeper, accesses| {
            let is_dependent = || order.depends(e, sleeper.mask, accesses);
            sleeper.thread != decision.thread
                && !sleeper.known.is_dependent(decision).unwrap_or_else(is_dependent)
        });
    }

    /// Follows an event that leaves asleep what `stays` says, given what its operation accesses.
    pub fn enter_where(&mut self, mut stays: impl FnMut(&Sleeper, &[Access]) -> bool) {
        let start = self.frames.last().map_or(0, |frame| frame.sleepers as usize);
        let end = self.sleepers.len();
        self.frames.push(Frame { sleepers: end as u32, accesses: self.accesses.len() as u32 });
        for i in start..end {
            let sleeper = self.sleepers[i];
            if sleeper.reach == Reach::Onward
                && stays(&sleeper, &self.accesses[sleeper.start as usize..sleeper.end as usize])
            {
                self.sleepers.push(Sleeper { known: Known::default(), ..sleeper });
            }
        }
    }

    /// Goes back to the state before `e`, the last event of the path, and puts its decision to sleep there.
    pub fn leave(&mut self, e: EventId, order: &HappensBefore) {
        let event = order.event(e);
        self.leave_as(event.decision, event.mask, order.accesses(e));
    }

    /// The same; in the states that follow it sleeps only if nothing unsafe was found below it.
    pub fn leave_knowing_below(&mut self, e: EventId, order: &HappensBefore, below: Below) {
        self.leave(e, order);
        if let (Some(last), Below::Unsafe) = (self.sleepers.last_mut(), below) {
            last.reach = Reach::ItsState;
        }
    }

    /// The same; `known` need not be compared with `e` when they are performed there.
    pub fn leave_knowing(&mut self, e: EventId, order: &HappensBefore, known: Known) {
        self.leave(e, order);
        if let Some(last) = self.sleepers.last_mut() {
            last.known = known;
        }
    }

    /// Goes back to the state before the last event and puts a decision that accesses this to sleep there.
    pub fn leave_as(&mut self, decision: Decision, mask: LocationMask, accesses: &[Access]) {
        let frame = self.frames.pop().expect("leave follows enter");
        self.sleepers.truncate(frame.sleepers as usize);
        self.accesses.truncate(frame.accesses as usize);
        let own = self.frames.last().map_or(0, |frame| frame.sleepers as usize);
        let Decision { thread, choice } = decision;
        if let Some(last) = self.sleepers[own..].last_mut()
            && last.thread == thread
            && last.last_choice + 1 == choice
            && self.accesses[last.start as usize..last.end as usize] == *accesses
        {
            last.last_choice = choice;
            return;
        }
        let start = self.accesses.len() as u32;
        self.accesses.extend_from_slice(accesses);
        let end = self.accesses.len() as u32;
        let (first_choice, last_choice) = (choice, choice);
        let since = self.frames.len() as u32 - 1;
        self.sleepers.push(Sleeper {
            thread,
            mask,
            since,
            reach: Reach::Onward,
            known: Known::default(),
            first_choice,
            last_choice,
            start,
            end,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_trace::{AccessKind, Footprint, LocationId};

    fn decision(thread: u32, choice: u32) -> Decision {
        Decision { thread: ThreadId(thread), choice }
    }

    /// Explores an operation that writes `location` at the present state and comes back.
    fn explore(sleep: &mut SleepSets, decision: Decision, location: u32) {
        let mut footprint = Footprint::default();
        footprint.record(LocationId(location), AccessKind::Write);
        sleep.enter_where(|_, _| false);
        sleep.leave_as(decision, footprint.mask(), footprint.accesses());
    }

    #[test]
    fn choices_that_access_the_same_are_one_sleeper() {
        let mut sleep = SleepSets::default();
        for choice in 0..1000 {
            assert_eq!(sleep.first_awake(ThreadId(1), 1001), Some(decision(1, choice)));
            explore(&mut sleep, decision(1, choice), 0);
        }
        assert_eq!(sleep.present().len(), 1);
        assert!(sleep.contains(decision(1, 999)) && !sleep.contains(decision(1, 1000)));
        explore(&mut sleep, decision(1, 1000), 7);
        assert_eq!(sleep.present().len(), 2);
        assert_eq!(sleep.first_awake(ThreadId(1), 1001), None);
    }

    #[test]
    fn a_dependent_event_wakes_and_an_independent_one_does_not() {
        let mut sleep = SleepSets::default();
        explore(&mut sleep, decision(0, 0), 0);
        explore(&mut sleep, decision(1, 0), 1);
        let mut order = HappensBefore::new(3);
        let mut footprint = Footprint::default();
        footprint.record(LocationId(1), AccessKind::Read);
        let e = order.push(decision(2, 0), &footprint);
        sleep.enter(e, &mut order);
        assert!(sleep.contains(decision(0, 0)) && !sleep.contains(decision(1, 0)));
        sleep.leave(e, &order);
        assert!((0..3).all(|thread| sleep.contains(decision(thread, 0))));
    }
}
