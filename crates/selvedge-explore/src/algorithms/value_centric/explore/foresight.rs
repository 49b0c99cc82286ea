//! Which nodes are in vain: the use of [`prospects`](super::super::prospects) in the search.

use super::super::annotated::Written;
use super::super::next::{Next, Operation, reads, writes};
use super::super::partial_order::Node;
use super::super::prospects::{Considered, EVERYTHING};
use super::Exploration;
use crate::Program;
use selvedge_trace::{Access, Blocking, LocationId, ThreadId};
use smallvec::SmallVec;

impl<P: Program> Exploration<'_, '_, P> {
    fn place(&self, thread: ThreadId) -> u32 {
        let threads = self.annotated.order.thread_count();
        if thread.index() < threads { self.annotated.order.chain(thread.index()).len() as u32 } else { 0 }
    }

    /// Whether a thread may yet come to a place at which it writes a location.
    fn is_ahead(&self, thread: ThreadId, location: LocationId, place: u32) -> bool {
        let here = self.place(thread);
        place >= here
            && match self.next.get(thread.index()) {
                Some(Next::Over) => false,
                Some(Next::Branching(operation)) if place == here => operation.may_write(location),
                _ => true,
            }
    }

    fn note(&mut self, thread: ThreadId, location: LocationId, place: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.prospects.note(&mut self.writers, thread, location, place);
        }
    }

    /// Notes what an event wrote.
    pub(super) fn foresee(&mut self, node: Node, written: &[Written]) {
        let (thread, place) = (self.annotated.order.thread(node), self.annotated.order.index(node));
        written.iter().for_each(|written| self.note(thread, written.location, place));
    }

    /// Notes what an operation writes that was tried in some way.
    pub(super) fn foresee_writes(&mut self, node: Node, accesses: &[Access]) {
        let (thread, place) = (self.annotated.order.thread(node), self.annotated.order.index(node));
        let writing = accesses.iter().filter(|access| writes(access.kind));
        writing.for_each(|access| self.note(thread, access.location, place));
    }

    /// Notes that the next operation of a thread may write a location.
    pub(super) fn foresee_write(&mut self, thread: ThreadId, location: LocationId) {
        self.note(thread, location, self.place(thread));
    }

    /// Notes what an operation may write that could not be tried in some way. One that accesses the same in every state is seen
    /// when it is performed in another way.
    pub(super) fn foresee_failure(&mut self, thread: ThreadId, operation: &Operation) {
        if operation.is_adaptive {
            let place = self.place(thread);
            match operation.has_fixed_locations {
                true => {
                    operation.accesses.iter().for_each(|access| self.note(thread, access.location, place))
                }
                false => self.note(thread, EVERYTHING, place),
            }
        }
    }

    /// Notes that all threads may do anything: the execution is cut.
    pub(super) fn foresee_all(&mut self) {
        (0..self.next.len()).for_each(|thread| self.note(ThreadId::at(thread), EVERYTHING, u32::MAX - 1));
    }

    /// Notes what an operation writes that waits for a mutex, and so may never be performed.
    pub(super) fn foresee_waiting(&mut self, thread: ThreadId, next: &Next) {
        if let Next::Branching(operation) = next
            && operation.blocking == Blocking::Acquire
        {
            let place = self.place(thread);
            match operation.has_fixed_locations {
                true => {
                    let writing = operation.accesses.iter().filter(|access| writes(access.kind));
                    writing.for_each(|access| self.note(thread, access.location, place));
                }
                false => self.note(thread, EVERYTHING, place),
            }
        }
    }

    /// The next operation of a thread, now that the node has gone on with it in every way.
    pub(super) fn considered(&mut self, thread: ThreadId) -> Box<Considered> {
        let Next::Branching(operation) = &self.next[thread.index()] else { return Box::default() };
        let blocking = operation.blocking;
        let reading = operation.accesses.iter().filter(|access| reads(access.kind));
        let reading: SmallVec<[LocationId; 2]> = reading.map(|access| access.location).collect();
        // Others may wait for a mutex already, and for ever if the operation takes it.
        for other in 0..self.next.len() {
            if other == thread.index() || !self.next[other].acquires() {
                continue;
            }
            let next = std::mem::replace(&mut self.next[other], Next::Idle);
            self.foresee_waiting(ThreadId::at(other), &next);
            self.next[other] = next;
        }
        let threads = 0..self.annotated.order.thread_count();
        let counts = threads.map(|t| self.annotated.order.chain(t).len() as u32).collect();
        let frame = self.frame();
        let is_certain = match blocking {
            Blocking::Never => true,
            Blocking::Guard => false,
            Blocking::Acquire => frame.is_performed,
        };
        frame.is_performed = false;
        let mut locations = std::mem::take(&mut frame.locations);
        let prospects = std::mem::take(&mut frame.prospects);
        frame.past_prospects.merge(&prospects);
        locations.extend(reading);
        Box::new(Considered { counts, locations, prospects, is_certain })
    }

    /// What follows if an operation observes what has been considered is below another node.
    pub(super) fn drop_considered(&mut self, thread: ThreadId) {
        let mut prospects = std::mem::take(&mut self.frame().prospects);
        if let Some(considered) = &self.chb[thread.index()] {
            prospects.merge_some(&considered.prospects, &self.writers, |writer, location, place| {
                self.is_ahead(writer, location, place)
            });
        }
        self.frame().prospects = prospects;
    }

    /// Whether an operation that has been considered may yet observe something else, if some threads can go on.
    fn may_wake(&self, thread: ThreadId, considered: &Considered, goes_on: &[bool]) -> bool {
        let is_new = |&(writer, ref written): &(ThreadId, SmallVec<[Node; 4]>)| {
            let count = considered.counts.get(writer.index()).copied().unwrap_or(0);
            writer != thread && written.last().is_some_and(|&last| self.annotated.order.index(last) >= count)
        };
        let places = &self.annotated.places;
        let mut places = considered.locations.iter().filter_map(|location| places.get(location.0 as usize));
        places.any(|place| place.writes.iter().any(is_new))
            || considered.prospects.promise(
                &self.writers,
                &considered.locations,
                |writer, location, place| {
                    let goes_on = goes_on.get(writer.index()).copied().unwrap_or(true);
                    writer != thread && goes_on && self.is_ahead(writer, location, place)
                },
            )
    }

    /// Whether the present node is in vain: some operations that have been considered have no more prospects, or wait for each
    /// other.
    pub(super) fn is_in_vain(&mut self) -> bool {
        if !self.search.path.program.can_be_foreseen() {
            return false;
        }
        let mut goes_on = std::mem::take(&mut self.goes_on);
        goes_on.clear();
        goes_on.extend(self.chb.iter().map(|c| !c.as_ref().is_some_and(|c| c.is_certain)));
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (thread, considered) in self.chb.iter().enumerate() {
                if let Some(considered) = considered
                    && !goes_on[thread]
                    && self.may_wake(ThreadId::at(thread), considered, &goes_on)
                {
                    goes_on[thread] = true;
                    has_changed = true;
                }
            }
        }
        for thread in (0..goes_on.len()).filter(|&thread| !goes_on[thread]) {
            self.drop_considered(ThreadId::at(thread));
        }
        let is_in_vain = goes_on.contains(&false);
        self.goes_on = goes_on;
        is_in_vain
    }
}
