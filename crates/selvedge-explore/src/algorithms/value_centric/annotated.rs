//! Annotated partial orders [ChatterjeePT2019, section 4.1]: events, an order between them, and for each read the writes
//! that it may observe.
//!
//! | paper | here |
//! |---|---|
//! | `X`, `TO` | the events, the chains of the order |
//! | `P` | [`AnnotatedOrder::order`] |
//! | `val` | [`Value`] of each write |
//! | `GoodW(r)` | [`AnnotatedOrder::good`] |
//! | `VisibleW_P(r)` | [`AnnotatedOrder::visible`] |
//!
//! An event may read and write several locations, and one location in both ways; each location that it reads is a
//! [`Part`] of its own. The order may leave conflicting events of leaf threads unordered.

#[cfg(test)]
pub(super) mod examples;

use super::partial_order::{Node, OrderMark, PartialOrder};
use selvedge_trace::{Decision, LocationId, ThreadId};
use smallvec::SmallVec;
use std::ops::Range;

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

/// Neighbours in one of the lists of an annotated order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    start: u32,
    end: u32,
}

impl Stretch {
    fn at_end_of<T>(list: &[T]) -> Stretch {
        let end = list.len() as u32;
        Stretch { start: end, end }
    }

    /// The places of the neighbours.
    #[inline]
    pub fn numbers(self) -> Range<u32> {
        self.start..self.end
    }

    /// The neighbours.
    #[inline]
    pub fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.start as usize..self.end as usize]
    }
}

/// A location that an event reads, and the writes that it may observe there.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The location.
    pub location: LocationId,
    /// The [good writes](AnnotatedOrder::good).
    pub good: Stretch,
}

/// A location that an event writes.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// The location.
    pub location: LocationId,
    /// What the write leaves there.
    pub effect: Effect,
}

/// What a write leaves at a location.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    /// What is there afterwards.
    pub value: Value,
    /// How many read-modify-write operations have to observe just this write.
    pub takers: u32,
}

/// An event: what it reads, writes and posts are stretches of lists for all events.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The decision that performs it.
    decision: Decision,
    /// What it reads.
    pub reads: Stretch,
    /// What it writes.
    pub writes: Stretch,
    /// Where it posts.
    posts: Stretch,
}

/// A read of a location.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The event.
    pub node: Node,
    /// Which part of what events read: see [`AnnotatedOrder::part`].
    pub part: u32,
}

/// The events that access a location.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The writes of each thread that has one, in its order.
    pub writes: Vec<(ThreadId, SmallVec<[Node; 4]>)>,
    /// The reads.
    pub reads: Vec<Read>,
    /// What is waited for: posts, and writes.
    pub posts: Vec<Node>,
    /// How many of these are posts.
    pub post_count: u32,
    /// What is there at the beginning, once that was asked for.
    pub initial: Option<Value>,
    /// How many read-modify-write operations have to observe just that.
    initial_takers: u32,
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

/// Events with their order and what each read may observe. Only the latest event changes in what it accesses, so the lists of
/// what events access grow and shrink at their ends.
#[derive(Debug, Default)]
pub struct AnnotatedOrder {
    /// The order.
    pub order: PartialOrder,
    /// By location.
    pub places: Vec<Place>,
    /// The good writes of all parts, those of extensions included. The caller that adds them takes away what is no longer needed.
    pub good_writes: Vec<Node>,
    /// The events.
    pub(super) events: Vec<Event>,
    parts: Vec<Part>,
    /// What they write.
    pub(super) written: Vec<Written>,
    posted: Vec<LocationId>,
    /// Parts to which the rules of the closure are yet to be applied.
    pub(super) waiting: Vec<Read>,
    /// For each part, whether it is among them.
    pub(super) waits: Vec<bool>,
}

impl AnnotatedOrder {
    /// The number of events.
    pub fn event_count(&self) -> usize {
        self.events.len()
    }

    /// The decision that performs an event.
    #[inline]
    pub fn decision(&self, node: Node) -> Decision {
        self.events[node.index()].decision
    }

    /// What an event reads.
    #[inline]
    pub fn reads(&self, node: Node) -> &[Part] {
        self.events[node.index()].reads.of(&self.parts)
    }

    /// A part of what events read.
    #[inline]
    pub fn part(&self, part: u32) -> Part {
        self.parts[part as usize]
    }

    /// What an event writes.
    #[inline]
    pub fn writes(&self, node: Node) -> &[Written] {
        self.events[node.index()].writes.of(&self.written)
    }

    /// The good writes of a part.
    #[inline]
    pub fn good(&self, part: Part) -> &[Node] {
        part.good.of(&self.good_writes)
    }

    /// A part whose good writes are to be added, one by one, with [`add_good`](AnnotatedOrder::add_good).
    pub fn new_part(&self, location: LocationId) -> Part {
        Part { location, good: Stretch::at_end_of(&self.good_writes) }
    }

    /// Adds a good write to the latest part.
    pub fn add_good(&mut self, part: &mut Part, write: Node) {
        self.good_writes.push(write);
        part.good.end += 1;
    }

    /// The place of a location.
    #[inline]
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
        self.events.push(Event {
            decision,
            reads: Stretch::at_end_of(&self.parts),
            writes: Stretch::at_end_of(&self.written),
            posts: Stretch::at_end_of(&self.posted),
        });
        self.order.push(decision.thread)
    }

    /// Lets the latest event read a location.
    ///
    /// # Panics
    /// When others post to it: posts are taken to be observed, not read.
    pub fn add_read(&mut self, node: Node, part: Part) {
        let number = self.parts.len() as u32;
        self.parts.push(part);
        self.waits.push(false);
        self.events[node.index()].reads.end += 1;
        let place = self.place_mut(part.location);
        assert!(place.post_count == 0, "what is posted is not read");
        place.reads.push(Read { node, part: number });
        self.order.note_change(node);
    }

    /// Lets the latest event write a location.
    pub fn add_write(&mut self, node: Node, location: LocationId, value: Value) {
        let thread = self.order.thread(node);
        self.written.push(Written { location, effect: Effect { value, takers: 0 } });
        self.events[node.index()].writes.end += 1;
        let place = self.place_mut(location);
        match place.writes.iter_mut().find(|(t, _)| *t == thread) {
            Some((_, writes)) => writes.push(node),
            None => place.writes.push((thread, SmallVec::from_slice(&[node]))),
        }
        place.posts.push(node);
        if let Some(takers) = self.takers_of_observed(node, location) {
            *takers += 1;
        }
        self.order.note_change(node);
    }

    /// The number of reads that have to observe the write that an event, which writes a location, has to observe there.
    fn takers_of_observed(&mut self, node: Node, location: LocationId) -> Option<&mut u32> {
        let part = self.reads(node).iter().find(|part| part.location == location)?;
        let &[only] = self.good(*part) else { return None };
        if only == Node::INITIAL {
            return Some(&mut self.places[location.0 as usize].initial_takers);
        }
        let Event { writes, .. } = self.events[only.index()];
        let written = &mut self.written[writes.start as usize..writes.end as usize];
        written.iter_mut().find(|w| w.location == location).map(|w| &mut w.effect.takers)
    }

    /// What a write leaves at a location.
    pub fn effect(&self, write: Node, location: LocationId) -> Effect {
        if write == Node::INITIAL {
            let place = &self.places[location.0 as usize];
            let value = place.initial.unwrap_or(Value::Of(Node::INITIAL));
            return Effect { value, takers: place.initial_takers };
        }
        let mut writes = self.writes(write).iter();
        let unknown = Effect { value: Value::Of(write), takers: 0 };
        writes.find(|w| w.location == location).map_or(unknown, |w| w.effect)
    }

    /// Lets the latest event post to a location.
    ///
    /// # Panics
    /// When it is read.
    fn add_post(&mut self, node: Node, location: LocationId) {
        self.posted.push(location);
        self.events[node.index()].posts.end += 1;
        let place = self.place_mut(location);
        assert!(place.reads.is_empty(), "what is posted is not read");
        place.posts.push(node);
        place.post_count += 1;
    }

    /// Takes back what the latest event writes and posts.
    fn remove_effects(&mut self, node: Node) {
        let thread = self.order.thread(node);
        let Event { writes, posts, .. } = self.events[node.index()];
        for i in writes.numbers() {
            let location = self.written[i as usize].location;
            if let Some(takers) = self.takers_of_observed(node, location) {
                *takers -= 1;
            }
            let place = &mut self.places[location.0 as usize];
            place.posts.pop();
            if let Some((_, writes)) = place.writes.iter_mut().find(|(t, _)| *t == thread) {
                writes.pop();
            }
        }
        for i in posts.numbers() {
            let place = &mut self.places[self.posted[i as usize].0 as usize];
            place.posts.pop();
            place.post_count -= 1;
        }
        self.written.truncate(writes.start as usize);
        self.posted.truncate(posts.start as usize);
        let event = &mut self.events[node.index()];
        (event.writes.end, event.posts.end) = (writes.start, posts.start);
    }

    /// Says what the latest event really wrote and posted, now that it was performed.
    pub fn set_effects(&mut self, node: Node, writes: &[(LocationId, Value)], posts: &[LocationId]) {
        let Event { writes: known, posts: posted, .. } = self.events[node.index()];
        let known = &mut self.written[known.start as usize..];
        let as_foreseen = posts.is_empty()
            && posted == Stretch::at_end_of(&self.posted)
            && known.iter().map(|w| w.location).eq(writes.iter().map(|w| w.0));
        if as_foreseen {
            known.iter_mut().zip(writes).for_each(|(known, written)| known.effect.value = written.1);
            return;
        }
        self.remove_effects(node);
        writes.iter().for_each(|&(location, value)| self.add_write(node, location, value));
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
            let Event { reads, .. } = self.events[node.index()];
            for i in reads.numbers() {
                self.places[self.parts[i as usize].location.0 as usize].reads.pop();
            }
            self.parts.truncate(reads.start as usize);
            self.waits.truncate(reads.start as usize);
            self.events.pop();
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

    /// Shows how many events of each thread are before the next one of a thread, which comes after the posts to some locations.
    pub fn with_past<R>(
        &self,
        thread: ThreadId,
        observed: &[LocationId],
        show: impl FnOnce(&[u32]) -> R,
    ) -> R {
        let last = self.order.chain(thread.index()).last();
        if let (Some(&last), []) = (last, observed) {
            return show(self.order.past(last));
        }
        let mut past: SmallVec<[u32; 16]> = SmallVec::from_elem(0, self.order.thread_count());
        let places = observed.iter().filter_map(|location| self.places.get(location.0 as usize));
        for &before in places.flat_map(|place| &place.posts).chain(last) {
            past.iter_mut()
                .zip(self.order.past(before))
                .for_each(|(mine, other)| *mine = (*mine).max(*other));
        }
        show(&past)
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
