//! Witnesses: executions in which each read observes one of its good writes [ChatterjeePT2019, lemma 4.1].
//!
//! Three ways, the cheapest first.
//!
//! - [`place_read`](AnnotatedOrder::place_read), [`place_in`](AnnotatedOrder::place_in): the latest event is put somewhere into the witness of the order without it.
//! - The construction of lemma 4.1 on a closed order. The root thread goes on whenever it can; when it cannot, leaf threads
//!   go on that it waits for. Between leaf threads that leaves a choice where conflicting events are not ordered; there a write is
//!   preferred that spoils no read that is yet to come, and a read that would observe a bad write is put off.
//! - When that fails, two conflicting events of leaf threads that are not ordered are ordered in either way.
//!
//! Why the second way succeeds on every closed order in which the conflicting events of leaf threads are ordered: it puts an event
//! `a` of the root before an event `b` of a leaf unless `b` is before `a` in the order. Say that a read `r` of `x`
//! observes a bad write `w`, which is then visible to it.
//!
//! - `r` and `w` in the root: rule 1 gives a good write `g` before `r`. It is of a leaf, as `w` is the last write of the root, and
//!   visible, so not before `w`. But it was put before `w`.
//! - `r` in the root, `w` in a leaf: `w` was put before `r`, so it is before `r`. Rule 3 asks for a good visible write after `w`,
//!   or to come after `w`; one of the root would hide `w`, so it is of a leaf, and not before `r`. Good writes of a
//!   root's read are all on one side, so rule 1 gives one of a leaf before `r`, which `w` hides, or which hides `w`.
//! - `r` in a leaf, `w` too: `w` is the last write of leaves before `r`. By rule 3 a good visible write is after `w`: one of
//!   the root, which is not after `r` and so was put before it.
//! - `r` in a leaf, `w` in the root: `w` is the last write of the root that is not after `r`. By rule 2 some good write is not
//!   before `w`; the visible ones of the root are, so it is the last of the leaves before `r`. It was put after `w`.
//!
//! Nowhere does it matter whether `r` writes, too, or accesses other locations.

use super::annotated::{AnnotatedOrder, Part, Read, Seen};
use super::closure::Feasible;
use super::extension::Then;
use super::partial_order::{Inserted, Node};
use selvedge_trace::{LocationId, ThreadId};
use smallvec::SmallVec;

/// Memory for making witnesses, used again and again.
#[derive(Debug, Default)]
pub struct Workbench {
    /// How many events of each thread are placed.
    next: Vec<u32>,
    /// The last write to each location, valid if its number is that of the present witness.
    current: Vec<(u32, Node)>,
    round: u32,
    /// Places where the event may be put.
    places: Vec<bool>,
}

impl Workbench {
    fn begin(&mut self, order: &AnnotatedOrder) {
        self.round += 1;
        self.next.clear();
        self.next.resize(order.order.thread_count(), 0);
        if self.current.len() < order.places.len() {
            self.current.resize(order.places.len(), (0, Node::INITIAL));
        }
    }

    #[inline]
    fn current(&self, location: LocationId) -> Node {
        let (round, node) = self.current[location.0 as usize];
        if round == self.round { node } else { Node::INITIAL }
    }

    fn place(&mut self, order: &AnnotatedOrder, node: Node) {
        self.next[order.order.thread(node).index()] += 1;
        for written in order.writes(node) {
            self.current[written.location.0 as usize] = (self.round, node);
        }
    }
}

impl AnnotatedOrder {
    /// The last place in a witness for an operation that comes after a past, reads one location, and does nothing else or
    /// writes just that. Goes back from the end: between two writes to the location the last place is as good as any.
    pub fn place_read(&self, witness: &[Node], past: &[u32], part: Part, then: Then) -> Option<usize> {
        let good = self.good(part);
        let (mut at, mut earliest) = (witness.len(), 0);
        let mut is_free = true;
        for (i, &other) in witness.iter().enumerate().rev() {
            if self.writes(other).iter().any(|written| written.location == part.location) {
                if is_free && good.contains(&other) {
                    return Some(at);
                }
                at = i;
                // An event that writes must not come between a write and another one that reads it.
                is_free =
                    then == Then::Nothing || self.reads(other).iter().all(|p| p.location != part.location);
            }
            if earliest == 0 && self.order.index(other) < past[self.order.thread(other).index()] {
                earliest = i + 1;
            }
            if at < earliest {
                return None;
            }
        }
        (is_free && good.contains(&Node::INITIAL)).then_some(at)
    }

    /// The last place for the latest event, the last of its thread, in a witness of the order without it.
    pub fn place_in(&self, bench: &mut Workbench, witness: &[Node], node: Node) -> Option<usize> {
        bench.begin(self);
        let past = self.order.past(node);
        bench.places.clear();
        let mut earliest = 0;
        for at in 0..=witness.len() {
            let suits = self.is_satisfied(bench, node);
            bench.places.push(suits);
            if let Some(&other) = witness.get(at) {
                if self.order.index(other) < past[self.order.thread(other).index()] {
                    earliest = at + 1;
                }
                bench.place(self, other);
            }
        }
        if self.writes(node).is_empty() {
            return (earliest..=witness.len()).rev().find(|&at| bench.places[at]);
        }
        self.place_write(bench, witness, node, earliest)
    }

    /// The last place that suits an event and where no read observes what it writes.
    fn place_write(&self, bench: &Workbench, witness: &[Node], node: Node, earliest: usize) -> Option<usize> {
        let writes = self.writes(node);
        let mut observed: SmallVec<[bool; 4]> = SmallVec::from_elem(false, writes.len());
        for at in (earliest..=witness.len()).rev() {
            if let Some(&other) = witness.get(at) {
                for (written, observed) in writes.iter().zip(&mut observed) {
                    if self.writes(other).iter().any(|w| w.location == written.location) {
                        *observed = false;
                    }
                    if self.reads(other).iter().any(|part| part.location == written.location) {
                        *observed = true;
                    }
                }
            }
            if bench.places[at] && !observed.contains(&true) {
                return Some(at);
            }
        }
        None
    }

    /// Whether each read of an event would now observe a good write.
    #[inline]
    fn is_satisfied(&self, bench: &Workbench, node: Node) -> bool {
        self.reads(node).iter().all(|part| self.good(*part).contains(&bench.current(part.location)))
    }

    /// Makes a witness, or finds that there is none. What the closure inserts stays.
    pub fn realize(&mut self, bench: &mut Workbench, root: ThreadId, result: &mut Vec<Node>) -> bool {
        if self.close() == Feasible::No {
            return false;
        }
        if self.linearize(bench, root, result) {
            return true;
        }
        let (a, b) = self.undecided_pair(root).expect("if all leaf conflicts are ordered there is a witness");
        for (first, second) in [(a, b), (b, a)] {
            let mark = self.mark();
            let is_realized =
                self.order.insert(first, second) == Inserted::New && self.realize(bench, root, result);
            self.rollback(mark);
            if is_realized {
                return true;
            }
        }
        false
    }

    /// Makes a witness of a closed order: the construction of lemma 4.1.
    fn linearize(&self, bench: &mut Workbench, root: ThreadId, result: &mut Vec<Node>) -> bool {
        bench.begin(self);
        result.clear();
        while result.len() < self.event_count() {
            let Some(node) = self.choose(bench, root) else { return false };
            bench.place(self, node);
            result.push(node);
        }
        true
    }

    fn choose(&self, bench: &Workbench, root: ThreadId) -> Option<Node> {
        if let Some(node) = self.available(bench, root.index()) {
            return Some(node);
        }
        let next_of_root = self.order.chain(root.index()).get(bench.next[root.index()] as usize);
        let needed = next_of_root.and_then(|&next| {
            let past = self.order.past(next);
            self.choose_leaf(bench, root, |thread| bench.next[thread] < past[thread])
        });
        needed.or_else(|| self.choose_leaf(bench, root, |_| true))
    }

    /// The next event of one of some leaf threads, such that as few reads as possible are spoilt.
    fn choose_leaf(&self, bench: &Workbench, root: ThreadId, filter: impl Fn(usize) -> bool) -> Option<Node> {
        let mut best = None;
        for thread in (0..self.order.thread_count()).filter(|&t| t != root.index() && filter(t)) {
            if let Some(node) = self.available(bench, thread) {
                let spoilt = self.spoilt(bench, node);
                if spoilt == 0 {
                    return Some(node);
                }
                if best.is_none_or(|(fewest, _)| spoilt < fewest) {
                    best = Some((spoilt, node));
                }
            }
        }
        best.map(|(_, node)| node)
    }

    /// The next event of a thread, if all before it is placed and it would observe good writes.
    fn available(&self, bench: &Workbench, thread: usize) -> Option<Node> {
        let node = *self.order.chain(thread).get(bench.next[thread] as usize)?;
        let mut past = self.order.past(node).iter().zip(&bench.next).enumerate();
        let is_free = past.all(|(t, (&needed, &placed))| needed <= placed + u32::from(t == thread));
        (is_free && self.is_satisfied(bench, node)).then_some(node)
    }

    /// The number of reads yet to come that could observe a good write now, and could not after this event.
    fn spoilt(&self, bench: &Workbench, node: Node) -> usize {
        let mut count = 0;
        for written in self.writes(node) {
            let current = bench.current(written.location);
            for &Read { node: read, part } in &self.place(written.location).reads {
                let is_to_come =
                    self.order.index(read) >= bench.next[self.order.thread(read).index()] && read != node;
                let good = self.good(self.part(part));
                if is_to_come && good.contains(&current) && !good.contains(&node) {
                    count += 1;
                }
            }
        }
        count
    }

    /// Two conflicting events of leaf threads that are not ordered, where their order decides what a read observes; those
    /// that concern a read with an undecided choice between good and bad writes first.
    fn undecided_pair(&self, root: ThreadId) -> Option<(Node, Node)> {
        let is_leaf = |node: Node| node != Node::INITIAL && self.order.thread(node) != root;
        let is_open = |a: Node, b: Node| a != b && !self.order.is_before(a, b) && !self.order.is_before(b, a);
        let mut visible: SmallVec<[Seen; 8]> = SmallVec::new();
        let parts = self.places.iter().flat_map(|place| &place.reads);
        for &Read { node: read, part } in parts {
            let part = self.part(part);
            let good = self.good(part);
            self.visible(read, part.location, &mut visible);
            let is_good = |seen: &&Seen| good.contains(&seen.write);
            for bad in visible.iter().filter(|seen| !is_good(seen) && is_leaf(seen.write)) {
                for good in visible.iter().filter(|seen| is_good(seen) && is_leaf(seen.write)) {
                    if is_open(good.write, bad.write) {
                        return Some((good.write, bad.write));
                    }
                }
                if is_leaf(read) && is_open(read, bad.write) {
                    return Some((read, bad.write));
                }
            }
        }
        self.any_open_pair(&is_leaf, &is_open)
    }

    /// Any two conflicting events of leaf threads that are not ordered.
    fn any_open_pair(
        &self,
        is_leaf: &dyn Fn(Node) -> bool,
        is_open: &dyn Fn(Node, Node) -> bool,
    ) -> Option<(Node, Node)> {
        for place in &self.places {
            let writes =
                || place.writes.iter().flat_map(|(_, writes)| writes).copied().filter(|&w| is_leaf(w));
            let reads = || place.reads.iter().map(|read| read.node).filter(|&r| is_leaf(r));
            for a in writes() {
                if let Some(b) = writes().chain(reads()).find(|&b| is_open(a, b)) {
                    return Some((a, b));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::annotated::Value;
    use super::super::annotated::examples::{Figure5, X, Y, Z};
    use super::*;
    use crate::sampling::Stream;

    const ROOT: ThreadId = ThreadId(0);

    fn witness(order: &mut AnnotatedOrder) -> Option<Vec<Node>> {
        let mut result = Vec::new();
        order.realize(&mut Workbench::default(), ROOT, &mut result).then_some(result)
    }

    /// Figure 5b: the root goes on whenever it can.
    #[test]
    fn the_closed_order_of_the_paper_has_the_witness_of_lemma_4_1() {
        let mut figure = Figure5::with_reads(&[X, Y, Z]);
        let found = witness(&mut figure.order);
        let Figure5 { first_y, good_y, good_x, read_x, bad_z, good_z, read_y, bad_y, read_z, last_z, .. } =
            figure;
        let expected = [first_y, good_y, good_x, read_x, bad_z, good_z, read_y, bad_y, read_z, last_z];
        assert_eq!(found, Some(expected.to_vec()));
    }

    /// A location that three writes change, two of one thread; the next operation is that of a third thread.
    fn three_writes() -> (AnnotatedOrder, [Node; 3]) {
        let mut order = AnnotatedOrder::of_threads(3);
        let nodes = [order.write(0, X), order.write(1, X), order.write(0, X)];
        (order, nodes)
    }

    #[test]
    fn a_read_is_placed_as_late_as_a_good_write_is_there() {
        let (mut order, w) = three_writes();
        let mut place = |good: &[Node], past: [u32; 3]| {
            let part = order.part_with(X, good);
            order.place_read(&w, &past, part, Then::Nothing)
        };
        assert_eq!(place(&[w[2]], [0, 0, 0]), Some(3));
        assert_eq!(place(&[w[1]], [0, 0, 0]), Some(2));
        assert_eq!(place(&[w[0], w[1]], [0, 0, 0]), Some(2));
        assert_eq!(place(&[Node::INITIAL], [0, 0, 0]), Some(0));
        assert_eq!(place(&[], [0, 0, 0]), None);
    }

    #[test]
    fn a_read_is_not_placed_before_what_it_comes_after() {
        let (mut order, w) = three_writes();
        let mut place = |good: &[Node], past: [u32; 3]| {
            let part = order.part_with(X, good);
            order.place_read(&w, &past, part, Then::Nothing)
        };
        assert_eq!(place(&[w[1]], [1, 1, 0]), Some(2));
        assert_eq!(place(&[w[1]], [2, 0, 0]), None);
        assert_eq!(place(&[Node::INITIAL], [1, 0, 0]), None);
    }

    #[test]
    fn what_writes_is_not_placed_between_a_write_and_who_observes_it() {
        let mut order = AnnotatedOrder::of_threads(3);
        let first = order.write(0, X);
        let second = order.read(1, X, &[first]);
        order.add_write(second, X, Value::Number(2));
        let part = order.part_with(X, &[first]);
        let place = |then: Then| order.place_read(&[first, second], &[0, 0, 0], part, then);
        assert_eq!(place(Then::Nothing), Some(1));
        assert_eq!(place(Then::Write), None);
    }

    #[test]
    fn an_event_is_placed_where_it_spoils_no_read() {
        let mut order = AnnotatedOrder::of_threads(3);
        let good = order.write(0, X);
        let read = order.read(1, X, &[good]);
        let late = order.write(2, X);
        let place = |witness: &[Node]| order.place_in(&mut Workbench::default(), witness, late);
        assert_eq!(place(&[good, read]), Some(2));
        let mut order = AnnotatedOrder::of_threads(3);
        let good = order.write(0, X);
        let read = order.read(1, X, &[good]);
        let after = order.event(0);
        let late = order.read(2, X, &[Node::INITIAL]);
        order.order.insert(after, late);
        assert_eq!(order.place_in(&mut Workbench::default(), &[good, read, after], late), None);
    }

    /// Small random orders of three threads.
    struct Random(Stream);

    impl Random {
        fn below(&mut self, bound: usize) -> usize {
            self.0.below(bound)
        }

        /// Up to nine events; every read has some good writes, those of the root all of one side.
        fn order(&mut self) -> AnnotatedOrder {
            let plan: Vec<(u32, LocationId, bool)> = (0..3 + self.below(7))
                .map(|_| (self.below(3) as u32, [X, Y][self.below(2)], self.below(2) == 0))
                .collect();
            let mut order = AnnotatedOrder::of_threads(3);
            for &(thread, location, reads) in &plan {
                if !reads {
                    order.write(thread, location);
                    continue;
                }
                let wants_own = self.below(2) == 0;
                let is_of_side =
                    |writer: Option<u32>| thread != ROOT.0 || wants_own == (writer == Some(ROOT.0));
                let writes = plan.iter().enumerate().filter(|(_, event)| event.1 == location && !event.2);
                let writes = writes.map(|(i, event)| (Node(i as u32), Some(event.0)));
                let all = writes.chain([(Node::INITIAL, None)]).filter(|(_, writer)| is_of_side(*writer));
                let good: Vec<Node> = all.map(|(node, _)| node).filter(|_| self.below(2) == 0).collect();
                order.read(thread, location, &good);
            }
            order
        }
    }

    /// Whether a sequence of events, as far as it goes, lets each read observe a good write.
    fn is_valid(order: &AnnotatedOrder, sequence: &[Node]) -> bool {
        let observes_good = |(i, &node): (usize, &Node)| {
            order.reads(node).iter().all(|part| {
                let writes_it = |&&w: &&Node| order.writes(w).iter().any(|w| w.location == part.location);
                let observed = sequence[..i].iter().rev().find(writes_it).copied().unwrap_or(Node::INITIAL);
                order.good(*part).contains(&observed)
            })
        };
        sequence.iter().enumerate().all(observes_good)
    }

    /// By trying all sequences.
    fn has_witness(order: &AnnotatedOrder, sequence: &mut Vec<Node>) -> bool {
        if !is_valid(order, sequence) {
            return false;
        }
        if sequence.len() == order.event_count() {
            return true;
        }
        for node in (0..order.event_count() as u32).map(Node) {
            let is_next = !sequence.contains(&node)
                && (0..order.event_count() as u32)
                    .map(Node)
                    .all(|b| !order.order.is_before(b, node) || sequence.contains(&b));
            if is_next {
                sequence.push(node);
                let found = has_witness(order, sequence);
                sequence.pop();
                if found {
                    return true;
                }
            }
        }
        false
    }

    #[test]
    fn a_witness_is_found_exactly_if_there_is_one() {
        let mut random = Random(Stream::new(1));
        let mut found = 0;
        for _ in 0..2000 {
            let mut order = random.order();
            let exists = has_witness(&order, &mut Vec::new());
            let witness = witness(&mut order);
            assert_eq!(witness.is_some(), exists, "{order:?}");
            if let Some(witness) = witness {
                assert_eq!(witness.len(), order.event_count());
                let is_ordered = |w: &[Node]| !order.order.is_before(w[1], w[0]);
                assert!(is_valid(&order, &witness) && witness.windows(2).all(is_ordered), "{order:?}");
                found += 1;
            }
        }
        assert!((200..1800).contains(&found), "{found}");
    }
}
