//! A partial order over the events of a few threads, closed under transitivity at all times, with undo.
//!
//! The events of a thread are a chain, so the past of an event is one number for each thread: how many events of it
//! come before. The future likewise: the first event of each thread that comes after. Inserting an ordering visits just
//! the events whose past or future grows, and every change is logged, so that going back costs what going there cost
//! and no order is ever copied.

use selvedge_trace::ThreadId;
use smallvec::SmallVec;

/// An event of the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node(pub u32);

impl Node {
    /// The event that wrote the initial values: before all others and of no thread.
    pub const INITIAL: Node = Node(u32::MAX);

    /// Its place in tables of events.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What became of an ordering that was to be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inserted {
    /// The ordering was there before.
    Known,
    /// The ordering was added.
    New,
    /// It cannot be: the opposite is there.
    Cycle,
}

/// Where an event stands: its thread and its place in the chain of that thread.
#[derive(Clone, Copy, Debug)]
struct Position {
    thread: ThreadId,
    index: u32,
}

/// No event of a thread comes after.
const NEVER: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
enum Change {
    Before(Node, u32, u32),
    After(Node, u32, u32),
}

/// A state of the order to go back to.
#[derive(Clone, Copy, Debug, Default)]
pub struct OrderMark {
    nodes: usize,
    log: usize,
    changed: usize,
    settled: usize,
}

impl OrderMark {
    /// Whether orderings were inserted before that whose consequences had not been drawn.
    pub fn is_stale(self) -> bool {
        self.settled < self.changed
    }

    /// The number of events at that time.
    pub fn node_count(self) -> usize {
        self.nodes
    }
}

/// A partial order with a chain for each thread.
#[derive(Debug)]
pub struct PartialOrder {
    threads: usize,
    positions: Vec<Position>,
    chains: Vec<SmallVec<[Node; 8]>>,
    /// For each event and thread: the number of events of the thread that are before it; its own thread includes itself.
    before: Vec<u32>,
    /// For each event and thread: the first event of the thread that is after it; in its own thread, itself.
    after: Vec<u32>,
    /// Events whose past or future has grown, or that have changed in other ways.
    changed: Vec<Node>,
    /// How many of them have been [looked at](PartialOrder::next_changed).
    settled: usize,
    /// For each event, where it is among `changed`, if it waits there to be looked at.
    queued: Vec<u32>,
    log: Vec<Change>,
}

/// For how many events there is room from the start: most searches have short executions, and few of them.
pub const ROOM: usize = 64;

impl Default for PartialOrder {
    fn default() -> PartialOrder {
        PartialOrder {
            threads: 0,
            positions: Vec::with_capacity(ROOM),
            chains: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            changed: Vec::with_capacity(ROOM),
            settled: 0,
            queued: Vec::with_capacity(ROOM),
            log: Vec::with_capacity(ROOM),
        }
    }
}

impl PartialOrder {
    /// Makes room for that many threads.
    pub fn grow(&mut self, threads: usize) {
        if threads <= self.threads {
            return;
        }
        let restride = |rows: &mut Vec<u32>, old: usize, filler: u32| {
            let events = (rows.len() / old.max(1)).max(ROOM);
            let mut wider = Vec::with_capacity(events * threads);
            for row in rows.chunks(old.max(1)) {
                wider.extend_from_slice(row);
                wider.resize(wider.len() + threads - old, filler);
            }
            *rows = wider;
        };
        restride(&mut self.before, self.threads, 0);
        restride(&mut self.after, self.threads, NEVER);
        self.chains.resize(threads, SmallVec::new());
        self.threads = threads;
    }

    /// The number of threads.
    pub fn thread_count(&self) -> usize {
        self.threads
    }

    /// The events of a thread.
    #[inline]
    pub fn chain(&self, thread: usize) -> &[Node] {
        &self.chains[thread]
    }

    /// The thread of an event.
    #[inline]
    pub fn thread(&self, node: Node) -> ThreadId {
        self.positions[node.index()].thread
    }

    /// The place of an event in its thread.
    #[inline]
    pub fn index(&self, node: Node) -> u32 {
        self.positions[node.index()].index
    }

    /// For each thread, how many of its events are before an event, itself included.
    #[inline]
    pub fn past(&self, node: Node) -> &[u32] {
        &self.before[node.index() * self.threads..][..self.threads]
    }

    /// For each thread, the first of its events that is after an event.
    #[inline]
    pub fn future(&self, node: Node) -> &[u32] {
        &self.after[node.index() * self.threads..][..self.threads]
    }

    /// Whether `a` comes before `b`, and is not `b`.
    #[inline]
    pub fn is_before(&self, a: Node, b: Node) -> bool {
        if a == b || b == Node::INITIAL {
            return false;
        }
        if a == Node::INITIAL {
            return true;
        }
        let Position { thread, index } = self.positions[a.index()];
        self.before[b.index() * self.threads + thread.index()] > index
    }

    /// Adds an event at the end of its thread, after nothing but that thread's events.
    pub fn push(&mut self, thread: ThreadId) -> Node {
        let node = Node(self.positions.len() as u32);
        let chain = &mut self.chains[thread.index()];
        let index = chain.len() as u32;
        match chain.last() {
            Some(previous) => {
                let row = previous.index() * self.threads;
                self.before.extend_from_within(row..row + self.threads);
            }
            None => self.before.resize(self.before.len() + self.threads, 0),
        }
        self.after.resize(self.after.len() + self.threads, NEVER);
        let row = node.index() * self.threads + thread.index();
        self.before[row] = index + 1;
        self.after[row] = index;
        chain.push(node);
        self.positions.push(Position { thread, index });
        self.queued.push(u32::MAX);
        node
    }

    /// Notes that there is something new about an event.
    #[inline]
    pub fn note_change(&mut self, node: Node) {
        let place = self.queued[node.index()] as usize;
        let waits = place >= self.settled && self.changed.get(place) == Some(&node);
        if !waits {
            self.queued[node.index()] = self.changed.len() as u32;
            self.changed.push(node);
        }
    }

    /// The next event about which there is something new.
    pub fn next_changed(&mut self) -> Option<Node> {
        let node = self.changed.get(self.settled).copied();
        self.settled += usize::from(node.is_some());
        node
    }

    /// Inserts an ordering and all that follow by transitivity.
    pub fn insert(&mut self, a: Node, b: Node) -> Inserted {
        if a == Node::INITIAL || self.is_before(a, b) {
            return Inserted::Known;
        }
        if a == b || self.is_before(b, a) {
            return Inserted::Cycle;
        }
        let past: SmallVec<[u32; 16]> = SmallVec::from_slice(self.past(a));
        let future: SmallVec<[u32; 16]> = SmallVec::from_slice(self.future(b));
        for (thread, &first) in future.iter().enumerate() {
            for i in first as usize..self.chains[thread].len() {
                if !self.raise(self.chains[thread][i], &past) {
                    break;
                }
            }
        }
        for (thread, &count) in past.iter().enumerate() {
            for i in (0..count as usize).rev() {
                if !self.lower(self.chains[thread][i], &future) {
                    break;
                }
            }
        }
        Inserted::New
    }

    /// Adds a past to that of an event; whether that made a difference.
    fn raise(&mut self, node: Node, past: &[u32]) -> bool {
        let row = node.index() * self.threads;
        let mut changed = false;
        for (thread, &count) in past.iter().enumerate() {
            let known = &mut self.before[row + thread];
            if *known < count {
                self.log.push(Change::Before(node, thread as u32, *known));
                *known = count;
                changed = true;
            }
        }
        if changed {
            self.note_change(node);
        }
        changed
    }

    /// Adds a future to that of an event; whether that made a difference.
    fn lower(&mut self, node: Node, future: &[u32]) -> bool {
        let row = node.index() * self.threads;
        let mut changed = false;
        for (thread, &first) in future.iter().enumerate() {
            let known = &mut self.after[row + thread];
            if *known > first {
                self.log.push(Change::After(node, thread as u32, *known));
                *known = first;
                changed = true;
            }
        }
        if changed {
            self.note_change(node);
        }
        changed
    }

    /// Remembers the present state.
    pub fn mark(&self) -> OrderMark {
        OrderMark {
            nodes: self.positions.len(),
            log: self.log.len(),
            changed: self.changed.len(),
            settled: self.settled,
        }
    }

    /// Goes back to a marked state.
    pub fn rollback(&mut self, mark: OrderMark) {
        for change in self.log.drain(mark.log..).rev() {
            match change {
                Change::Before(node, thread, count) => {
                    self.before[node.index() * self.threads + thread as usize] = count;
                }
                Change::After(node, thread, first) => {
                    self.after[node.index() * self.threads + thread as usize] = first;
                }
            }
        }
        for position in self.positions.drain(mark.nodes..) {
            self.chains[position.thread.index()].pop();
        }
        self.before.truncate(mark.nodes * self.threads);
        self.after.truncate(mark.nodes * self.threads);
        self.queued.truncate(mark.nodes);
        self.changed.truncate(mark.changed);
        self.settled = mark.settled;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_chains() -> (PartialOrder, Vec<Node>) {
        let mut order = PartialOrder::default();
        order.grow(2);
        let nodes = [0, 0, 1, 1].map(|thread| order.push(ThreadId(thread)));
        (order, nodes.to_vec())
    }

    #[test]
    fn what_follows_by_transitivity_is_there_at_once() {
        let (mut order, n) = two_chains();
        assert_eq!(order.insert(n[1], n[2]), Inserted::New);
        assert!(order.is_before(n[0], n[3]) && order.is_before(n[0], n[2]) && !order.is_before(n[3], n[0]));
        assert_eq!(order.insert(n[0], n[3]), Inserted::Known);
        assert_eq!(order.insert(n[3], n[0]), Inserted::Cycle);
        assert_eq!(order.future(n[0])[1], 0);
    }

    #[test]
    fn going_back_restores_the_order() {
        let (mut order, n) = two_chains();
        let mark = order.mark();
        order.insert(n[0], n[3]);
        let last = order.push(ThreadId(1));
        order.insert(n[1], last);
        order.rollback(mark);
        assert!(!order.is_before(n[0], n[3]));
        assert_eq!(
            (order.positions.len(), order.past(n[3]), order.future(n[0])),
            (4, &[0, 2][..], &[0, NEVER][..])
        );
    }

    #[test]
    fn room_for_more_threads_keeps_the_order() {
        let (mut order, n) = two_chains();
        order.insert(n[0], n[2]);
        order.grow(3);
        let third = order.push(ThreadId(2));
        order.insert(n[3], third);
        assert!(order.is_before(n[0], third) && !order.is_before(n[1], third));
    }
}
