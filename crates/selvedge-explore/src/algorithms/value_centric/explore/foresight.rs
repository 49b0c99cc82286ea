//! Which nodes are in vain: the use of [`prospects`](super::super::prospects) in the search.

use super::super::annotated::Value;
use super::super::next::{Next, OperationId, reads, writes};
use super::super::partial_order::Node;
use super::super::prospects::{Considered, EVERYTHING};
use super::Exploration;
use crate::Observations;
use selvedge_trace::{Access, Blocking, LocationId, ThreadId};
use smallvec::SmallVec;

impl<P: Observations> Exploration<'_, '_, P> {
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
                Some(&Next::Branching(operation)) if place == here => {
                    self.operations[operation].may_write(location)
                }
                _ => true,
            }
    }

    fn note(&mut self, thread: ThreadId, location: LocationId, place: u32) {
        if let Some(frame) = self.frames.last_mut() {
            frame.prospects.note(&mut self.writers, thread, location, place);
        }
    }

    /// Notes some of what an operation accesses as something that it may write, or everything if it is not known what it accesses.
    fn note_some(&mut self, thread: ThreadId, id: OperationId, which: impl Fn(&Access) -> bool) {
        let place = self.place(thread);
        let operation = &self.operations[id];
        if !operation.has_fixed_locations {
            return self.note(thread, EVERYTHING, place);
        }
        if let Some(frame) = self.frames.last_mut() {
            for access in operation.accesses.iter().filter(|access| which(access)) {
                frame.prospects.note(&mut self.writers, thread, access.location, place);
            }
        }
    }

    /// Notes what an event wrote.
    pub(super) fn foresee(&mut self, node: Node, written: &[(LocationId, Value)]) {
        let (thread, place) = (self.annotated.order.thread(node), self.annotated.order.index(node));
        written.iter().for_each(|&(location, _)| self.note(thread, location, place));
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
    pub(super) fn foresee_failure(&mut self, thread: ThreadId, operation: OperationId) {
        if self.operations[operation].is_adaptive {
            self.note_some(thread, operation, |_| true);
        }
    }

    /// Notes that all threads may do anything: the execution is cut.
    pub(super) fn foresee_all(&mut self) {
        (0..self.next.len()).for_each(|thread| self.note(ThreadId::at(thread), EVERYTHING, u32::MAX - 1));
    }

    /// Notes what an operation writes that waits for a mutex, and so may never be performed.
    pub(super) fn foresee_waiting(&mut self, thread: ThreadId, operation: OperationId) {
        if self.operations[operation].blocking == Blocking::Acquire {
            self.note_some(thread, operation, |access| writes(access.kind));
        }
    }

    /// Notes what others write that wait for a mutex already, and for ever if the operation of a thread takes it.
    pub(super) fn foresee_others_waiting(&mut self, thread: ThreadId) {
        for other in 0..self.next.len() {
            if let Next::Branching(operation) = self.next[other]
                && other != thread.index()
            {
                self.foresee_waiting(ThreadId::at(other), operation);
            }
        }
    }

    /// Notes in `C` that the node has gone on with the next operation of a thread in every way.
    pub(super) fn consider(&mut self, thread: ThreadId) {
        let Next::Branching(operation) = self.next[thread.index()] else { return };
        self.foresee_others_waiting(thread);
        let operation = &self.operations[operation];
        let depth = self.frames.count();
        let Some(frame) = self.frames.last_mut() else { return };
        let considered = self.considered.push();
        considered.depth = depth;
        considered.is_certain = match operation.blocking {
            Blocking::Never => true,
            Blocking::Guard => false,
            Blocking::Acquire => frame.is_performed,
        };
        considered.counts.clear();
        let chains = (0..self.next.len()).map(|t| self.annotated.order.chain(t).len() as u32);
        considered.counts.extend(chains);
        considered.locations.clear();
        considered.locations.append(&mut frame.locations);
        let reading = operation.accesses.iter().filter(|access| reads(access.kind));
        considered.locations.extend(reading.map(|access| access.location));
        frame.past_prospects.merge(&frame.prospects);
        std::mem::swap(&mut considered.prospects, &mut frame.prospects);
        frame.prospects.clear();
        (frame.is_performed, frame.has_dropped) = (false, false);
        self.set_chb(thread, Some(self.considered.count() - 1));
    }

    /// What follows if the operation of the present thread observes what has been considered is below another node.
    pub(super) fn drop_considered(&mut self, thread: ThreadId) {
        if !std::mem::replace(&mut self.frame().has_dropped, true)
            && let Some(considered) = self.chb[thread.index()]
        {
            self.adopt_prospects(considered);
        }
    }

    /// Adds what may happen if an operation is performed that has been considered at another node.
    fn adopt_prospects(&mut self, considered: usize) {
        let mut prospects = std::mem::take(&mut self.frame().prospects);
        let others = &self.considered[considered].prospects;
        prospects.merge_some(others, &self.writers, |writer, location, place| {
            self.is_ahead(writer, location, place)
        });
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
        if !self.search.path.program.footprints_depend_on_data_only() {
            return false;
        }
        let mut goes_on = std::mem::take(&mut self.goes_on);
        let is_certain = |considered: &usize| self.considered[*considered].is_certain;
        goes_on.clear();
        goes_on.extend(self.chb.iter().map(|considered| !considered.as_ref().is_some_and(is_certain)));
        let mut has_changed = goes_on.contains(&false);
        while has_changed {
            has_changed = false;
            for (thread, considered) in self.chb.iter().enumerate() {
                if let Some(considered) = *considered
                    && !goes_on[thread]
                    && self.may_wake(ThreadId::at(thread), &self.considered[considered], &goes_on)
                {
                    goes_on[thread] = true;
                    has_changed = true;
                }
            }
        }
        let is_in_vain = goes_on.contains(&false);
        if is_in_vain {
            self.adopt_asleep(&goes_on);
        }
        self.goes_on = goes_on;
        is_in_vain
    }

    /// Adds what may happen if the operations of threads are performed that do not go on. Those that were considered at this node
    /// have told.
    fn adopt_asleep(&mut self, goes_on: &[bool]) {
        let depth = self.frames.count();
        for thread in (0..goes_on.len()).filter(|&thread| !goes_on[thread]) {
            if let Some(considered) = self.chb[thread]
                && self.considered[considered].depth != depth
            {
                self.adopt_prospects(considered);
            }
        }
    }
}
