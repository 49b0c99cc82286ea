//! Vector clocks of synchronisation, for the detection of data races.
//!
//! This order is weaker than the order of the explored trace: it holds only what the orderings that the user wrote
//! guarantee. A release store begins a release sequence, which read-modify-writes continue and plain stores end; an
//! acquire load synchronises with it; fences work as in the standard. Locks, channels, joins and the like
//! release and acquire. The clocks exist only in executions of programs that use tracked cells.

use super::operation::Place;
use selvedge_trace::{LocationId, ThreadId};
use std::sync::atomic::Ordering;

type Clock = Vec<u32>;

/// The clocks of one execution.
#[derive(Debug, Default)]
pub struct Clocks {
    threads: Vec<ThreadClocks>,
    locations: Vec<Clock>,
    /// The latest write of each thread to an atomic, for loads that are not synchronised.
    writes: Vec<Vec<AtomicWrite>>,
}

/// A write to an atomic.
#[derive(Clone, Copy, Debug)]
pub struct AtomicWrite {
    /// The writer.
    pub thread: ThreadId,
    /// Its own time.
    pub time: u32,
    /// Where it is in the source.
    pub place: Place,
}

#[derive(Debug, Default)]
struct ThreadClocks {
    /// What happened before the present moment.
    now: Clock,
    /// What relaxed loads have seen, for the next acquire fence.
    seen: Clock,
    /// What had happened at the last release fence.
    fenced: Clock,
}

impl Clocks {
    /// Forgets everything; the main thread begins.
    pub fn reset(&mut self) {
        for thread in &mut self.threads {
            thread.now.clear();
            thread.seen.clear();
            thread.fenced.clear();
        }
        self.locations.iter_mut().for_each(Clock::clear);
        self.writes.iter_mut().for_each(Vec::clear);
        self.tick(ThreadId(0));
    }

    /// A thread begins: everything its parent did so far happens before.
    pub fn spawn(&mut self, parent: ThreadId, child: ThreadId) {
        let mut now = std::mem::take(&mut self.thread(child).now);
        now.clone_from(&self.thread(parent).now);
        self.thread(child).now = now;
        self.tick(child);
        self.tick(parent);
    }

    /// The own time of a thread.
    pub fn time(&mut self, thread: ThreadId) -> u32 {
        entry(&self.thread(thread).now, thread)
    }

    /// Whether what a thread did at its own time `time` happened before the present moment of another.
    pub fn has_seen(&mut self, observer: ThreadId, thread: ThreadId, time: u32) -> bool {
        observer == thread || entry(&self.thread(observer).now, thread) >= time
    }

    /// What was released at a location happens before what the thread does next.
    pub fn acquire(&mut self, thread: ThreadId, location: LocationId) {
        let released = std::mem::take(self.location(location));
        join(&mut self.thread(thread).now, &released);
        *self.location(location) = released;
    }

    /// What the thread did happens before what follows an acquisition at the location.
    pub fn release(&mut self, thread: ThreadId, location: LocationId) {
        let mut released = std::mem::take(self.location(location));
        join(&mut released, &self.thread(thread).now);
        *self.location(location) = released;
        self.tick(thread);
    }

    /// An atomic load, or the reading half of a read-modify-write.
    pub fn load(&mut self, thread: ThreadId, location: LocationId, ordering: Ordering) {
        let released = std::mem::take(self.location(location));
        let clocks = self.thread(thread);
        match acquires(ordering) {
            true => join(&mut clocks.now, &released),
            false => join(&mut clocks.seen, &released),
        }
        *self.location(location) = released;
    }

    /// An atomic store: it ends the release sequence that was there.
    pub fn store(&mut self, thread: ThreadId, location: LocationId, ordering: Ordering) {
        self.location(location).clear();
        self.read_modify_write(thread, location, ordering);
    }

    /// The writing half of a read-modify-write: it continues the release sequence that is there.
    pub fn read_modify_write(&mut self, thread: ThreadId, location: LocationId, ordering: Ordering) {
        let mut released = std::mem::take(self.location(location));
        let clocks = self.thread(thread);
        match releases(ordering) {
            true => join(&mut released, &clocks.now),
            false => join(&mut released, &clocks.fenced),
        }
        *self.location(location) = released;
        if releases(ordering) {
            self.tick(thread);
        }
    }

    /// Remembers a write to an atomic, before its effect on the clocks.
    pub fn note_write(&mut self, thread: ThreadId, location: LocationId, place: Place) {
        let time = self.time(thread);
        let index = location.0 as usize;
        if self.writes.len() <= index {
            self.writes.resize_with(index + 1, Vec::new);
        }
        let write = AtomicWrite { thread, time, place };
        let writes = &mut self.writes[index];
        match writes.iter_mut().find(|known| known.thread == thread) {
            Some(known) => *known = write,
            None => writes.push(write),
        }
    }

    /// A write to an atomic that nothing orders before the present moment of a thread.
    pub fn unseen_write(&mut self, observer: ThreadId, location: LocationId) -> Option<AtomicWrite> {
        let writes = self.writes.get(location.0 as usize).cloned()?;
        writes.into_iter().find(|write| !self.has_seen(observer, write.thread, write.time))
    }

    /// A fence.
    pub fn fence(&mut self, thread: ThreadId, ordering: Ordering) {
        let clocks = self.thread(thread);
        if acquires(ordering) {
            join(&mut clocks.now, &clocks.seen);
        }
        if releases(ordering) {
            clocks.fenced.clone_from(&clocks.now);
            self.tick(thread);
        }
    }

    fn tick(&mut self, thread: ThreadId) {
        let now = &mut self.thread(thread).now;
        if now.len() <= thread.index() {
            now.resize(thread.index() + 1, 0);
        }
        now[thread.index()] += 1;
    }

    fn thread(&mut self, thread: ThreadId) -> &mut ThreadClocks {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, ThreadClocks::default);
        }
        &mut self.threads[thread.index()]
    }

    fn location(&mut self, location: LocationId) -> &mut Clock {
        let index = location.0 as usize;
        if self.locations.len() <= index {
            self.locations.resize_with(index + 1, Clock::default);
        }
        &mut self.locations[index]
    }
}

fn acquires(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

fn releases(ordering: Ordering) -> bool {
    matches!(ordering, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

fn entry(clock: &Clock, thread: ThreadId) -> u32 {
    clock.get(thread.index()).copied().unwrap_or(0)
}

fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: ThreadId = ThreadId(0);
    const B: ThreadId = ThreadId(1);
    const X: LocationId = LocationId(3);

    /// Whether what A did before storing is seen by B after loading.
    fn is_seen(store: Ordering, load: Ordering, between: impl FnOnce(&mut Clocks)) -> bool {
        let mut clocks = Clocks::default();
        clocks.reset();
        clocks.spawn(A, B);
        let time = clocks.time(A);
        clocks.store(A, X, store);
        between(&mut clocks);
        clocks.load(B, X, load);
        clocks.has_seen(B, A, time)
    }

    #[test]
    fn only_a_release_and_an_acquire_synchronise() {
        assert!(is_seen(Ordering::Release, Ordering::Acquire, |_| {}));
        assert!(is_seen(Ordering::SeqCst, Ordering::SeqCst, |_| {}));
        assert!(!is_seen(Ordering::Relaxed, Ordering::Acquire, |_| {}));
        assert!(!is_seen(Ordering::Release, Ordering::Relaxed, |_| {}));
    }

    #[test]
    fn a_release_sequence_goes_on_through_a_read_modify_write_and_ends_at_a_store() {
        let relaxed = Ordering::Relaxed;
        assert!(is_seen(Ordering::Release, Ordering::Acquire, |c| c.read_modify_write(B, X, relaxed)));
        assert!(!is_seen(Ordering::Release, Ordering::Acquire, |c| c.store(ThreadId(2), X, relaxed)));
    }

    #[test]
    fn fences_make_relaxed_accesses_synchronise() {
        let mut clocks = Clocks::default();
        clocks.reset();
        clocks.spawn(A, B);
        let time = clocks.time(A);
        clocks.fence(A, Ordering::Release);
        clocks.store(A, X, Ordering::Relaxed);
        clocks.load(B, X, Ordering::Relaxed);
        assert!(!clocks.has_seen(B, A, time));
        clocks.fence(B, Ordering::Acquire);
        assert!(clocks.has_seen(B, A, time));
    }

    #[test]
    fn what_happens_after_a_spawn_is_not_seen_by_the_child() {
        let mut clocks = Clocks::default();
        clocks.reset();
        let before = clocks.time(A);
        clocks.spawn(A, B);
        let after = clocks.time(A);
        assert!(clocks.has_seen(B, A, before) && !clocks.has_seen(B, A, after));
    }
}
