//! Annotated partial orders [ChatterjeePT2019, section 4.1]: events, an order between them, and for each read the writes
//! that it may observe.
//!
//! | paper | here |
//! |---|---|
//! | `X`, `TO` | [`AnnotatedOrder::events`], the chains of the order |
//! | `P` | [`AnnotatedOrder::order`] |
//! | `val` | [`Value`] of each write |
//! | `GoodW(r)` | [`Part::good`] |
//! | `VisibleW_P(r)` | [`AnnotatedOrder::visible`] |
//!
//! An event may read and write several locations, and one location in both ways; each location that it reads is a
//! [`Part`] of its own. The order may leave conflicting events of leaf threads unordered.

use super::partial_order::{Node, OrderMark, PartialOrder};
use selvedge_trace::{Decision, LocationId, ThreadId};
use smallvec::SmallVec;

/// What a write leaves behind, as far as a read can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// A mutex that is free.
    Free,
    /// A mutex that was taken.
    Held(Node),
    /// Something that the program does not tell: taken to differ from what every other write leaves.
    Of(Node),
}

/// A location that an event reads, and the writes that it may observe there.
#[derive(Clone, Debug)]
pub struct Part {
    /// The location.
    pub location: LocationId,
    /// The good writes.
    pub good: SmallVec<[Node; 4]>,
}

/// A location that an event writes.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The location.
    pub location: LocationId,
    /// What is there afterwards.
    pub value: Value,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// The decision that performs it.
    pub decision: Decision,
    /// A number that no other event of the search has.
    pub stamp: u64,
    /// What it reads.
    pub reads: SmallVec<[Part; 1]>,
    /// What it writes.
    pub writes: SmallVec<[Written; 1]>,
    /// The locations to which it posts.
    pub posts: SmallVec<[LocationId; 1]>,
}

/// The events that access a location.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The writes of each thread that has one, in its order.
    pub writes: Vec<(ThreadId, SmallVec<[Node; 4]>)>,
    /// The reads: events and which of their parts.
    pub reads: Vec<(Node, u32)>,
    /// What is waited for: posts, and writes.
    pub posts: Vec<Node>,
    /// How many of these are posts.
    pub post_count: u32,
    /// What is there at the beginning, once somebody has asked.
    pub initial: Option<Value>,
    /// Whether it is a mutex, as far as has been seen.
    pub is_mutex: bool,
}

/// A write that a read may observe.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// The write.
    pub write: Node,
    /// Whether it is before the read already.
    pub is_before: bool,
}

/// Events with their order and what each read may observe.
#[derive(Debug, Default)]
pub struct AnnotatedOrder {
    /// The order.
    pub order: PartialOrder,
    /// The events.
    pub events: Vec<Event>,
    /// By location.
    pub places: Vec<Place>,
    stamp: u64,
}

impl AnnotatedOrder {
    /// The place of a location.
    pub fn place_mut(&mut self, location: LocationId) -> &mut Place {
        let index = location.0 as usize;
        if index >= self.places.len() {
            self.places.resize_with(index + 1, Place::default);
        }
        &mut self.places[index]
    }

    /// The place of a location that is accessed by some event.
    #[inline]
    pub fn place(&self, location: LocationId) -> &Place {
        &self.places[location.0 as usize]
    }

    /// Adds an event that accesses nothing at the end of its thread.
    pub fn push(&mut self, decision: Decision) -> Node {
        let node = self.order.push(decision.thread);
        self.stamp += 1;
        self.events.push(Event {
            decision,
            stamp: self.stamp,
            reads: SmallVec::new(),
            writes: SmallVec::new(),
            posts: SmallVec::new(),
        });
        node
    }

    /// Lets the latest event read a location.
    ///
    /// # Panics
    /// When others post to it: posts are taken to be observed, not read.
    pub fn add_read(&mut self, node: Node, part: Part) {
        let location = part.location;
        let number = self.events[node.index()].reads.len() as u32;
        self.events[node.index()].reads.push(part);
        let place = self.place_mut(location);
        assert!(place.post_count == 0, "what is posted is not read");
        place.reads.push((node, number));
        self.order.note_change(node);
    }

    /// Lets the latest event write a location.
    pub fn add_write(&mut self, node: Node, written: Written) {
        let thread = self.order.thread(node);
        self.events[node.index()].writes.push(written);
        let place = self.place_mut(written.location);
        match place.writes.iter_mut().find(|(t, _)| *t == thread) {
            Some((_, writes)) => writes.push(node),
            None => place.writes.push((thread, SmallVec::from_slice(&[node]))),
        }
        place.posts.push(node);
        self.order.note_change(node);
    }

    /// Lets the latest event post to a location.
    ///
    /// # Panics
    /// When somebody reads it.
    pub fn add_post(&mut self, node: Node, location: LocationId) {
        self.events[node.index()].posts.push(location);
        let place = self.place_mut(location);
        assert!(place.reads.is_empty(), "what is posted is not read");
        place.posts.push(node);
        place.post_count += 1;
    }

    /// Takes back what the latest event writes and posts.
    fn remove_effects(&mut self, node: Node) {
        let thread = self.order.thread(node);
        let event = &mut self.events[node.index()];
        for written in std::mem::take(&mut event.writes) {
            let place = &mut self.places[written.location.0 as usize];
            place.posts.pop();
            if let Some((_, writes)) = place.writes.iter_mut().find(|(t, _)| *t == thread) {
                writes.pop();
            }
        }
        for location in std::mem::take(&mut event.posts) {
            let place = &mut self.places[location.0 as usize];
            place.posts.pop();
            place.post_count -= 1;
        }
    }

    /// Says what the latest event really wrote and posted, now that it was performed.
    pub fn set_effects(&mut self, node: Node, writes: &[Written], posts: &[LocationId]) {
        self.remove_effects(node);
        writes.iter().for_each(|&written| self.add_write(node, written));
        posts.iter().for_each(|&location| self.add_post(node, location));
    }

    /// Remembers the present state.
    pub fn mark(&self) -> OrderMark {
        self.order.mark()
    }

    /// Goes back to a marked state.
    pub fn rollback(&mut self, mark: OrderMark) {
        while self.events.len() > mark.node_count() {
            let node = Node(self.events.len() as u32 - 1);
            self.remove_effects(node);
            let event = self.events.pop().expect("there is an event");
            for part in &event.reads {
                self.places[part.location.0 as usize].reads.pop();
            }
        }
        self.order.rollback(mark);
    }

    /// The writes that are not hidden from a read of a location: those unordered with it, and those before it with no other
    /// write in between.
    pub fn visible(&self, read: Node, location: LocationId, visible: &mut SmallVec<[Seen; 8]>) {
        visible.clear();
        let thread = self.order.thread(read);
        let (past, future) = (self.order.past(read), self.order.future(read));
        for (writer, writes) in &self.place(location).writes {
            let is_own = *writer == thread;
            let bound = past[writer.index()] - u32::from(is_own);
            let count = writes.partition_point(|&w| self.order.index(w) < bound);
            if count > 0 {
                visible.push(Seen { write: writes[count - 1], is_before: true });
            }
            if !is_own {
                let limit = future[writer.index()];
                let unordered = writes[count..].iter().take_while(|w| self.order.index(**w) < limit);
                visible.extend(unordered.map(|&write| Seen { write, is_before: false }));
            }
        }
        self.remove_hidden(visible);
    }

    /// The writes that an event would see that comes after these numbers of events of each thread, as its thread's next.
    pub fn visible_after(&self, past: &[u32], location: LocationId, visible: &mut SmallVec<[Seen; 8]>) {
        visible.clear();
        let Some(place) = self.places.get(location.0 as usize) else {
            visible.push(Seen { write: Node::INITIAL, is_before: true });
            return;
        };
        for (writer, writes) in &place.writes {
            let count = writes.partition_point(|&w| self.order.index(w) < past[writer.index()]);
            if count > 0 {
                visible.push(Seen { write: writes[count - 1], is_before: true });
            }
            visible.extend(writes[count..].iter().map(|&write| Seen { write, is_before: false }));
        }
        self.remove_hidden(visible);
    }

    /// Keeps those of the last writes of each thread that no other one hides; with none of them there is the initial value.
    fn remove_hidden(&self, visible: &mut SmallVec<[Seen; 8]>) {
        if !visible.iter().any(|seen| seen.is_before) {
            visible.insert(0, Seen { write: Node::INITIAL, is_before: true });
            return;
        }
        let mut i = 0;
        while i < visible.len() {
            let write = visible[i].write;
            let hides = |other: &Seen| other.is_before && self.order.is_before(write, other.write);
            if visible[i].is_before && visible.iter().any(hides) {
                visible.remove(i);
            } else {
                i += 1;
            }
        }
    }
}
