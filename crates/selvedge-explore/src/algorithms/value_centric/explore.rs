//! The recursion of VC-DPOR [ChatterjeePT2019, algorithms 5 to 7 and remark 3], on a stack of its own.

mod adaptive;
mod extending;
mod foresight;
mod outcome;

use super::annotated::{AnnotatedOrder, Value};
use super::extension::{Extension, Fit, Goal, Groups, Novelty};
use super::next::{Effects, Next, Numbers, Operations, performed};
use super::partial_order::{Node, OrderMark, ROOM};
use super::pool::Pool;
use super::prospects::{Considered, Prospects, Writers};
use super::realize::Workbench;
use super::root::default_root;
use crate::search::Level;
use crate::{Observations, Search};
use selvedge_trace::{Access, AccessKind, Decision, Footprint, LocationId, ThreadId};
use smallvec::SmallVec;

/// A node of the recursion: an annotated partial order `Q` with a witness.
#[derive(Default)]
struct Frame {
    /// The state of the order to which extensions are added.
    mark: OrderMark,
    /// Where its witness begins in the list of witnesses.
    witness: usize,
    /// The threads whose operations have been looked at.
    cursor: usize,
    /// Where its extensions with the operation of the present thread begin in the list of extensions.
    extensions: usize,
    /// Whether it led anywhere: to another node or the end of an execution.
    leads_on: bool,
    /// Whether the operation of the present thread was performed.
    is_performed: bool,
    /// What the operation of the present thread may read.
    locations: SmallVec<[LocationId; 2]>,
    /// Whether [`drop_considered`](Exploration::drop_considered) was called for the present thread.
    has_dropped: bool,
    /// What was seen to happen when the operation of the present thread is performed.
    prospects: Prospects,
    /// The same for the threads before.
    past_prospects: Prospects,
    start: Lengths,
}

/// The lengths of lists when a node was begun, to which they are cut when it is left.
#[derive(Clone, Copy, Default)]
struct Lengths {
    next_log: usize,
    chb_log: usize,
    operations: usize,
    considered: usize,
    good_writes: usize,
}

struct Exploration<'s, 'm, P: Observations> {
    search: &'s mut Search<'m, P>,
    annotated: AnnotatedOrder,
    bench: Workbench,
    root: ThreadId,
    numbers: Numbers,
    frames: Pool<Frame>,
    /// The witnesses of all frames, one after the other.
    witnesses: Vec<Node>,
    /// The extensions of all frames, one after the other.
    extensions: Vec<Extension>,
    /// The events on the path.
    executed: Vec<Node>,
    /// What each thread does next.
    next: Vec<Next>,
    next_log: Vec<(usize, Next)>,
    operations: Operations,
    /// The causally-happens-before map `C`, for the next operation of each thread: which of those considered it is.
    chb: Vec<Option<usize>>,
    chb_log: Vec<(usize, Option<usize>)>,
    considered: Pool<Considered>,
    writers: Writers,
    /// What the operation that is looked at may observe: memory that is used again and again.
    groups: Groups,
    /// Which threads can go on: memory that is used again and again.
    goes_on: Vec<bool>,
    /// The witness that is being made.
    witness: Vec<Node>,
    footprint: Footprint,
}

/// The latest event of the order, and its place in the witness.
#[derive(Clone, Copy)]
struct Added {
    node: Node,
    at: usize,
}

/// Explores one execution of each class. Without a root thread it is the first that another one spawns, or else the first.
pub fn run_with<P: Observations>(search: &mut Search<P>, numbers: Numbers) {
    let root = search.limits().root;
    let root = root.unwrap_or_else(|| default_root(&mut search.path.program));
    let numbers = if search.path.program.contents_tell_all() { numbers } else { Numbers::DoNotMatter };
    let mut exploration = Exploration {
        search,
        annotated: AnnotatedOrder::default(),
        bench: Workbench::default(),
        root,
        numbers,
        frames: Pool::default(),
        witnesses: Vec::with_capacity(4 * ROOM),
        extensions: Vec::with_capacity(16),
        executed: Vec::with_capacity(ROOM),
        next: Vec::new(),
        next_log: Vec::with_capacity(ROOM),
        operations: Operations::default(),
        chb: Vec::new(),
        chb_log: Vec::with_capacity(ROOM),
        considered: Pool::default(),
        writers: Writers::default(),
        groups: Groups::default(),
        goes_on: Vec::new(),
        witness: Vec::with_capacity(ROOM),
        footprint: Footprint::default(),
    };
    exploration.run();
}

impl<P: Observations> Exploration<'_, '_, P> {
    fn lengths(&self) -> Lengths {
        Lengths {
            next_log: self.next_log.len(),
            chb_log: self.chb_log.len(),
            operations: self.operations.count(),
            considered: self.considered.count(),
            good_writes: self.annotated.good_writes.len(),
        }
    }

    fn run(&mut self) {
        self.grow();
        self.enter(self.lengths());
        while !self.search.stopped() {
            let threads = self.next.len();
            self.search.poll(|_| {
                self.frames
                    .all()
                    .iter()
                    .map(|f| Level::after(f.cursor.min(threads)))
                    .collect::<Vec<_>>()
                    .into_iter()
            });
            let Some(frame) = self.frames.last() else { break };
            match self.extensions.len() > frame.extensions {
                true => self.try_next_extension(),
                false => self.extend_thread(),
            }
        }
    }

    fn grow(&mut self) {
        let threads = self.search.path.program.thread_count().max(self.root.index() + 1);
        self.annotated.order.grow(threads);
        self.next.resize(threads, Next::Idle);
        self.chb.resize(threads, None);
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("an extension belongs to a node")
    }

    fn set_next(&mut self, thread: ThreadId, next: Next) {
        let old = std::mem::replace(&mut self.next[thread.index()], next);
        self.next_log.push((thread.index(), old));
    }

    fn set_chb(&mut self, thread: ThreadId, considered: Option<usize>) {
        let old = std::mem::replace(&mut self.chb[thread.index()], considered);
        self.chb_log.push((thread.index(), old));
    }

    /// Makes the path the first events of the present witness, all of which are events of the node. Since the node was entered,
    /// with its whole witness on the path, only others have come and gone.
    fn go(&mut self, length: usize) {
        let known = self.executed.iter().zip(&self.witness[..length]);
        let common = known.take_while(|(known, node)| known == node).count();
        while self.executed.len() > common {
            self.executed.pop();
            self.search.path.pop();
        }
        self.go_on(common, length);
    }

    /// Performs events of the present witness.
    fn go_on(&mut self, start: usize, end: usize) {
        for i in start..end {
            if self.search.stopped() {
                return;
            }
            self.step(self.witness[i]);
        }
    }

    fn step(&mut self, node: Node) {
        self.executed.push(node);
        self.search.step_unordered(self.annotated.decision(node));
    }

    /// Performs the latest event of the order for the first time and notes what it does.
    fn step_and_learn(&mut self, node: Node) {
        self.step(node);
        let accesses: SmallVec<[Access; 4]> = SmallVec::from_slice(self.search.path.last().1);
        let (written, posts) = performed(&self.search.path.program, node, &accesses, self.numbers);
        self.annotated.set_effects(node, &written, &posts);
        self.foresee(node, &written);
        self.annotated.order_after_observed(node, &Effects::of(&accesses).observed);
        self.note_mutexes(&accesses);
        self.grow();
    }

    fn note_mutexes(&mut self, accesses: &[Access]) {
        let is_of_mutex =
            |kind| matches!(kind, AccessKind::Acquire | AccessKind::Release | AccessKind::Retake);
        for access in accesses.iter().filter(|access| is_of_mutex(access.kind)) {
            self.annotated.place_mut(access.location).is_mutex = true;
        }
    }

    /// Goes on with all that is inevitable, `WExtend`, and makes what is there then a node.
    fn enter(&mut self, start: Lengths) {
        self.write_extend(); // algorithm 5, line 2
        let witness = self.witnesses.len();
        self.witnesses.extend_from_slice(&self.witness);
        let (mark, extensions) = (self.annotated.mark(), self.extensions.len());
        let frame = self.frames.push();
        // All but the memory of the lists is set anew.
        frame.locations.clear();
        frame.prospects.clear();
        frame.past_prospects.clear();
        let Frame { locations, prospects, past_prospects, .. } = std::mem::take(frame);
        *frame = Frame {
            mark,
            witness,
            extensions,
            start,
            locations,
            prospects,
            past_prospects,
            ..Frame::default()
        };
        if self.search.stopped() {
            return;
        }
        if self.search.at_depth_limit() {
            self.foresee_all();
            match self.next.iter().any(|next| matches!(next, Next::Branching(_))) {
                // Threads that wait could have gone on at other places.
                true => self.search.end_cut(),
                false => self.search.end(),
            }
            return self.end();
        }
        let waiting = self.waiting_threads();
        let may_end = waiting.as_ref().is_some_and(|guarded| guarded.is_empty());
        if may_end && self.search.path.next_enabled(None).is_none() {
            self.search.end();
            self.end();
        } else if self.is_in_vain() {
            self.frame().cursor = usize::MAX / 2;
        } else if let Some(&first) = waiting.as_ref().and_then(|guarded| guarded.first()) {
            self.extensions.push(Extension::new(first, Goal::Wait, Novelty::New, &self.annotated));
        }
    }

    /// Makes the present node the last of an execution.
    fn end(&mut self) {
        let frame = self.frame();
        frame.leads_on = true;
        frame.cursor = usize::MAX / 2;
    }

    fn write_extend(&mut self) {
        let mut goes_on = true;
        while goes_on && !self.search.stopped() {
            goes_on = false;
            for thread in 0..self.next.len() {
                let thread = ThreadId::at(thread);
                if self.next[thread.index()] == Next::Idle {
                    self.look(thread);
                }
                while self.next[thread.index()] == Next::Inevitable
                    && !self.search.at_depth_limit()
                    && !self.search.stopped()
                {
                    let node = self.annotated.push(Decision { thread, choice: 0 });
                    self.step_and_learn(node);
                    self.witness.push(node);
                    self.look(thread);
                    goes_on = true;
                }
            }
        }
    }

    /// Finds out what a thread does next.
    fn look(&mut self, thread: ThreadId) {
        let has_begun = !self.annotated.order.chain(thread.index()).is_empty();
        let program = &mut self.search.path.program;
        let next = Next::of(program, thread, has_begun, &mut self.footprint, &mut self.operations);
        if next == self.next[thread.index()] {
            return;
        }
        if let Next::Branching(operation) = next {
            self.foresee_waiting(thread, operation);
            for i in 0..self.operations[operation].accesses.len() {
                let location = self.operations[operation].accesses[i].location;
                let place = self.annotated.place_mut(location);
                // A location without a write holds what it held at the beginning.
                if place.initial.is_none() && place.writes.iter().all(|(_, writes)| writes.is_empty()) {
                    self.set_initial(location);
                }
            }
        }
        self.set_next(thread, next);
    }

    /// The thread at a place in the order in which they are looked at: the root first.
    fn thread_at(&self, cursor: usize) -> Option<ThreadId> {
        let root = self.root.index();
        let thread = match cursor {
            0 => root,
            _ if cursor <= root => cursor - 1,
            _ => cursor,
        };
        (cursor < self.next.len()).then(|| ThreadId::at(thread))
    }

    /// Goes on to the next thread of the node, or back from it.
    fn extend_thread(&mut self) {
        let cursor = self.frame().cursor;
        let is_open = |&cursor: &usize| {
            self.thread_at(cursor).is_none_or(|t| matches!(self.next[t.index()], Next::Branching(_)))
        };
        let next = (cursor..).find(is_open).unwrap_or(cursor);
        let last = cursor.checked_sub(1).and_then(|last| self.thread_at(last));
        let Some(thread) = self.thread_at(next) else {
            last.into_iter().for_each(|last| self.foresee_others_waiting(last));
            return self.leave();
        };
        if let Some(last) = last {
            self.consider(last); // algorithm 6, line 15; 7, line 10
            if self.is_in_vain() {
                return self.leave();
            }
        }
        let good_writes = self.frame().start.good_writes;
        self.annotated.good_writes.truncate(good_writes);
        self.frame().cursor = next + 1;
        let novelty = if self.chb[thread.index()].is_none() { Novelty::New } else { Novelty::Old };
        // Algorithm 5, lines 5 to 7.
        self.extensions.push(Extension::new(thread, Goal::Perform, novelty, &self.annotated));
    }

    fn leave(&mut self) {
        let depth = self.frames.count();
        let [above @ .., frame] = self.frames.all_mut() else { return };
        if !frame.leads_on {
            self.search.end_sleep_set_blocked();
        }
        self.witnesses.truncate(frame.witness);
        for (thread, next) in self.next_log.drain(frame.start.next_log..).rev() {
            self.next[thread] = next;
        }
        for (thread, considered) in self.chb_log.drain(frame.start.chb_log..).rev() {
            self.chb[thread] = considered;
        }
        self.operations.truncate(frame.start.operations);
        self.considered.truncate(frame.start.considered);
        if let Some(parent) = above.last_mut() {
            parent.prospects.merge(&frame.prospects);
            parent.prospects.merge(&frame.past_prospects);
            self.annotated.rollback(parent.mark);
        }
        self.frames.truncate(depth - 1);
    }

    fn give_up(&mut self) {
        let mark = self.frame().mark;
        self.annotated.rollback(mark);
    }

    /// Draws the consequences of the order of the node, for all its extensions that are still to come.
    fn close(&mut self) {
        self.annotated.close();
        self.frame().mark = self.annotated.mark();
    }

    /// Finds out what a location holds at the beginning.
    fn find_initial(&mut self, location: LocationId) {
        let place = self.annotated.place_mut(location);
        if place.is_mutex && self.numbers == Numbers::Matter {
            place.initial = Some(Value::Free);
        }
        if place.initial.is_none() {
            self.go(0);
            self.set_initial(location);
        }
    }

    /// Notes that a location holds what it holds at the beginning.
    fn set_initial(&mut self, location: LocationId) {
        let value = match self.search.path.program.content(location) {
            Some(number) if self.numbers == Numbers::Matter => Value::Number(number),
            _ => Value::Of(Node::INITIAL),
        };
        self.annotated.place_mut(location).initial = Some(value);
    }

    /// `Extend` by the operation of an extension, and `Realize`: leaves a witness of the order with it.
    fn extend(&mut self, extension: &Extension, effects: &Effects) -> Option<Added> {
        let Frame { witness: start, mark, .. } = *self.frame();
        let mut node = self.add(extension, effects);
        let old = &self.witnesses[start..];
        let at = match extension.fit {
            Fit::At(at) => Some(at),
            Fit::Nowhere => None,
            Fit::Unknown if !extension.waiting.is_empty() => None,
            Fit::Unknown => self.annotated.place_in(&mut self.bench, old, node),
        };
        if let Some(at) = at {
            self.witness.clear();
            self.witness.extend_from_slice(&old[..at]);
            self.witness.push(node);
            self.witness.extend_from_slice(&old[at..]);
            return Some(Added { node, at });
        }
        if mark.is_stale() {
            self.annotated.rollback(mark);
            self.close();
            node = self.add(extension, effects);
        }
        if self.annotated.realize(&mut self.bench, self.root, &mut self.witness) {
            let at = self.witness.iter().position(|&n| n == node).expect("it is in the witness");
            return Some(Added { node, at });
        }
        self.give_up();
        None
    }

    /// Adds the operation of an extension, and the threads that wait, to the order.
    fn add(&mut self, extension: &Extension, effects: &Effects) -> Node {
        for (thread, parts) in &extension.waiting {
            let node = self.annotated.push(Decision { thread: *thread, choice: 0 });
            self.put_last(node);
            parts.iter().for_each(|part| self.annotated.add_read(node, *part));
        }
        let decision = Decision { thread: extension.thread, choice: extension.choice.unwrap_or(0) };
        let node = self.annotated.push(decision);
        match extension.goal {
            Goal::Perform => self.annotated.order_after_observed(node, &effects.observed),
            Goal::Wait => self.put_last(node),
        }
        extension.parts.iter().for_each(|part| self.annotated.add_read(node, *part));
        for &location in &effects.written {
            self.annotated.add_write(node, location, Value::Of(node));
        }
        node
    }

    /// Performs the operation of an extension at its place in the witness: the recursive call.
    fn perform(&mut self, Added { node, at }: Added, extension: &Extension) {
        let start = self.lengths();
        self.go(at);
        if self.search.stopped() {
            return;
        }
        self.step_and_learn(node);
        self.go_on(at + 1, self.witness.len());
        if self.search.stopped() {
            return;
        }
        self.frame().leads_on = true;
        self.frame().is_performed = true;
        self.set_chb(extension.thread, None);
        self.look(extension.thread);
        self.enter(start);
    }
}
