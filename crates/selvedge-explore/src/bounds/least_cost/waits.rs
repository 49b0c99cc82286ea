//! Waits: which operations of a trace may have to wait, what ends that, and who could go on at an ideal.
//!
//! Tables of the trace, made once for each question. The events that change a location without being [posts](AccessKind::Post) are in
//! a total order, so those of them in an ideal are the first few: what a mutex or a condition depends on is known from their number. That is
//! also why what a condition says at one ideal is remembered for all ideals with the same numbers, and from one question to the next as long
//! as the events stay ([`Waits::forget`]).

use super::Pending;
use selvedge_trace::{
    Access, AccessKind, Blocking, Event, EventId, HappensBefore, LocationId, ThreadId, Variation,
};
use std::collections::HashMap;

/// An operation that waits for good.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// What it waits for.
    pub blocking: Blocking,
    /// Whether what it looks at depends on the state.
    pub variation: Variation,
    /// What it looks at.
    pub accesses: Vec<Access>,
}

/// Who waits for a change of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Waiters {
    #[default]
    None,
    One(u32),
    Several,
}

impl Waiters {
    fn add(&mut self, thread: ThreadId) {
        *self = match *self {
            Waiters::None => Waiters::One(thread.0),
            Waiters::One(known) if known == thread.0 => *self,
            _ => Waiters::Several,
        };
    }

    fn has_other_than(self, thread: ThreadId) -> bool {
        match self {
            Waiters::None => false,
            Waiters::One(known) => known != thread.0,
            Waiters::Several => true,
        }
    }
}

/// What the events of a trace do to one location.
#[derive(Clone, Debug, Default)]
struct Changes {
    /// All that are neither reads nor posts, in their order.
    ordered: Vec<(EventId, AccessKind)>,
    posts: Vec<EventId>,
    waiters: Waiters,
}

/// What a condition depends on: its thread, how many of its events have happened, and how many changes of each location that it reads.
type Condition = (u32, u32, Box<[u32]>);

/// The waits of a trace; keeps its memory from one trace to the next.
#[derive(Debug, Default)]
pub struct Waits {
    changes: Vec<Changes>,
    used: Vec<LocationId>,
    /// Threads with an operation that waits for what depends on the state: any change may matter to it.
    waiters_for_anything: Waiters,
    /// For each event: whether it may end the waiting of another thread, or begin another thread.
    ends_waits: Vec<bool>,
    /// What conditions said.
    conditions: HashMap<Condition, bool>,
    /// The conditions in the order in which they were asked for, with the length of the trace then.
    asked: Vec<(usize, Condition)>,
}

impl Waits {
    /// Makes the tables of a trace.
    pub fn start(&mut self, order: &HappensBefore, pending: Pending) {
        for location in self.used.drain(..) {
            let changes = &mut self.changes[location.0 as usize];
            changes.ordered.clear();
            changes.posts.clear();
            changes.waiters = Waiters::None;
        }
        self.waiters_for_anything = Waiters::None;
        for e in order.events() {
            for access in order.accesses(e) {
                match access.kind {
                    AccessKind::Read | AccessKind::Observe => {}
                    AccessKind::Post => self.at(access.location).posts.push(e),
                    kind => self.at(access.location).ordered.push((e, kind)),
                }
            }
        }
        if let Pending::Waiting(operations) = pending {
            for (thread, operation) in operations.iter().enumerate() {
                if let Some(Waiting { blocking, variation, accesses }) = operation {
                    self.note_waiter(ThreadId::at(thread), *blocking, *variation, accesses);
                }
            }
        }
        self.find_ends(order);
    }

    /// From the last event to the first: only a later operation of another thread can wait for what an event does, for those before it with
    /// which it conflicts have happened before.
    fn find_ends(&mut self, order: &HappensBefore) {
        self.ends_waits.clear();
        self.ends_waits.resize(order.len(), false);
        for e in order.events().rev() {
            let Event { decision, blocking, variation, .. } = *order.event(e);
            let thread = decision.thread;
            let ends = |access: &Access| {
                !access.kind.is_read()
                    && (self.waiters_for_anything.has_other_than(thread)
                        || self.changes[access.location.0 as usize].waiters.has_other_than(thread))
            };
            self.ends_waits[e.index()] = order.accesses(e).iter().any(ends);
            self.note_waiter(thread, blocking, variation, order.accesses(e));
        }
    }

    fn note_waiter(
        &mut self,
        thread: ThreadId,
        blocking: Blocking,
        variation: Variation,
        accesses: &[Access],
    ) {
        if blocking == Blocking::Guard && variation != Variation::Fixed {
            self.waiters_for_anything.add(thread);
        }
        for access in accesses {
            let waits = match access.kind {
                AccessKind::Observe => true,
                AccessKind::Acquire => blocking != Blocking::Never,
                _ => blocking == Blocking::Guard,
            };
            if waits {
                self.at(access.location).waiters.add(thread);
            }
        }
    }

    fn at(&mut self, location: LocationId) -> &mut Changes {
        let at = location.0 as usize;
        if self.changes.len() <= at {
            self.changes.resize(at + 1, Changes::default());
        }
        let changes = &mut self.changes[at];
        let is_new =
            changes.ordered.is_empty() && changes.posts.is_empty() && changes.waiters == Waiters::None;
        if is_new {
            self.used.push(location);
        }
        changes
    }

    /// Whether an event may end another thread's waiting, or begin another thread.
    pub fn ends(&self, e: EventId) -> bool {
        self.ends_waits[e.index()]
    }

    /// Whether an operation could be performed at an ideal, at which not everything has happened that comes before it in the trace: `event` if
    /// it is one, else what a thread waits for at the end. Not for operations that wait for a condition.
    pub fn could_be_performed(
        &self,
        order: &HappensBefore,
        ideal: &[u32],
        (blocking, accesses): (Blocking, &[Access]),
        event: Option<EventId>,
    ) -> bool {
        let is_in = |e: EventId| order.event(e).index <= ideal[order.event(e).thread().index()];
        let is_before = |e: EventId| event.is_none_or(|event| e < event);
        let waits = |access: &Access| {
            let Some(changes) = self.changes.get(access.location.0 as usize) else { return false };
            match access.kind {
                AccessKind::Observe => {
                    let ordered = changes.ordered.iter().map(|&(e, _)| e);
                    ordered.chain(changes.posts.iter().copied()).any(|e| is_before(e) && !is_in(e))
                }
                AccessKind::Acquire if blocking == Blocking::Acquire => {
                    let number = changes.ordered.partition_point(|&(e, _)| is_in(e));
                    let last = number.checked_sub(1).map(|last| changes.ordered[last].1);
                    matches!(last, Some(AccessKind::Acquire | AccessKind::Retake))
                }
                _ => false,
            }
        };
        !accesses.iter().any(waits)
    }

    /// Whether the condition that a thread waits for holds at an ideal: asked only if it is not known.
    pub fn holds(
        &mut self,
        order: &HappensBefore,
        ideal: &[u32],
        thread: ThreadId,
        (variation, accesses): (Variation, &[Access]),
        ask: impl FnOnce() -> bool,
    ) -> bool {
        let is_in = |e: EventId| order.event(e).index <= ideal[order.event(e).thread().index()];
        let number = |access: &Access| match self.changes.get(access.location.0 as usize) {
            Some(changes) if !changes.posts.is_empty() => None,
            Some(changes) => Some(changes.ordered.partition_point(|&(e, _)| is_in(e)) as u32),
            None => Some(0),
        };
        let numbers: Option<Box<[u32]>> = match variation {
            Variation::Fixed => accesses.iter().map(number).collect(),
            Variation::Freeing | Variation::Varying => None,
        };
        let Some(numbers) = numbers else { return ask() };
        let condition = (thread.0, ideal[thread.index()], numbers);
        if let Some(&known) = self.conditions.get(&condition) {
            return known;
        }
        let holds = ask();
        self.asked.push((order.len(), condition.clone()));
        self.conditions.insert(condition, holds);
        holds
    }

    /// Forgets what was asked of traces with more events than these, which are taken back.
    pub fn forget(&mut self, length: usize) {
        while let Some((_, condition)) = self.asked.pop_if(|(asked, _)| *asked > length) {
            self.conditions.remove(&condition);
        }
    }
}
