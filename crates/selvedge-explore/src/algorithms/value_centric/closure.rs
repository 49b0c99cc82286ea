//! The closure of an annotated partial order [ChatterjeePT2019, section 4.2, algorithms 1 to 4]: orderings that every
//! linearization has in which each read observes one of its good writes.
//!
//! The paper's rules speak of the one minimal and the one maximal write, which exist because conflicting events of leaf
//! threads are ordered. Here they may not be, so the rules are put such that they hold for any order, and come to the paper's
//! where it has them. Let `V` be the writes visible to a read `r`, and `G` the good ones among them. One of `G` will be
//! observed, whatever is added later.
//!
//! 1. What is before all of `G` is before `r`. (Paper: the first of `G` is before `r`.)
//! 2. A bad write that is after all of `G` is after `r`: before `r` it would hide them all.
//! 3. A bad write of `V` that is before `r` is before one of `G`, so if `G` has a last one, it is before that.

use super::annotated::{AnnotatedOrder, Event, Read, Seen};
use super::partial_order::{Inserted, Node};
use selvedge_trace::LocationId;
use smallvec::SmallVec;

/// Whether an annotated partial order may have a linearization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasible {
    /// It may; if conflicting events of leaf threads are ordered, it has.
    Perhaps,
    /// It has none: ⊥ in the paper.
    No,
}

/// What a rule did.
enum Outcome {
    /// The rule holds already.
    Holds,
    /// An ordering was inserted: look at the read again.
    Inserted,
    /// There is no linearization.
    Violated,
}

impl From<Inserted> for Outcome {
    fn from(inserted: Inserted) -> Outcome {
        match inserted {
            Inserted::Known => Outcome::Holds,
            Inserted::New => Outcome::Inserted,
            Inserted::Cycle => Outcome::Violated,
        }
    }
}

impl AnnotatedOrder {
    /// Inserts necessary orderings until all rules hold for all reads: algorithm `Closure`. Only reads are looked at for which
    /// something may have changed: their own past or future, or that of a write that they may observe.
    pub fn close(&mut self) -> Feasible {
        loop {
            while let Some(node) = self.order.next_changed() {
                self.await_rules(node);
            }
            let Some(read) = self.waiting.pop() else { return Feasible::Perhaps };
            self.waits[read.part as usize] = false;
            if let Outcome::Violated = self.apply_rules(read) {
                for read in self.waiting.drain(..) {
                    self.waits[read.part as usize] = false;
                }
                return Feasible::No;
            }
        }
    }

    /// Puts all reads on the list for which something may have changed because there is something new about an event.
    fn await_rules(&mut self, node: Node) {
        let Event { reads, writes, .. } = self.events[node.index()];
        let AnnotatedOrder { order, places, written, waiting, waits, .. } = self;
        let mut wait = |read: Read| {
            if !std::mem::replace(&mut waits[read.part as usize], true) {
                waiting.push(read);
            }
        };
        reads.numbers().for_each(|part| wait(Read { node, part }));
        for location in writes.of(written).iter().map(|written| written.location) {
            let reads = &places[location.0 as usize].reads;
            reads.iter().filter(|read| !order.is_before(read.node, node)).for_each(|read| wait(*read));
        }
    }

    fn apply_rules(&mut self, Read { node: read, part }: Read) -> Outcome {
        let part = self.part(part);
        if let [good] = self.good(part)[..] {
            return self.apply_rules_for_one(read, part.location, good);
        }
        let mut visible = SmallVec::new();
        loop {
            self.visible(read, part.location, &mut visible);
            let good = self.good(part);
            if let [only] = &visible[..] {
                match (good.contains(&only.write), only.is_before) {
                    (true, true) => return Outcome::Holds,
                    (false, _) => return Outcome::Violated,
                    (true, false) => {}
                }
            }
            let (good, bad): (SmallVec<[Seen; 8]>, SmallVec<[Seen; 8]>) =
                visible.iter().copied().partition(|seen| good.contains(&seen.write));
            if good.is_empty() {
                return Outcome::Violated;
            }
            let outcome = match self.rule1(read, &good) {
                Outcome::Holds => self.rules2_and_3(read, &good, &bad),
                outcome => outcome,
            };
            match outcome {
                Outcome::Inserted => {}
                outcome => return outcome,
            }
        }
    }

    /// All rules where there is one good write, which then is the one to be observed: it is before the read, and every other
    /// write is before it or after the read.
    fn apply_rules_for_one(&mut self, read: Node, location: LocationId, good: Node) -> Outcome {
        let AnnotatedOrder { order, places, .. } = self;
        if order.insert(good, read) == Inserted::Cycle {
            return Outcome::Violated;
        }
        for (writer, writes) in &places[location.0 as usize].writes {
            let before_read = order.past(read)[writer.index()];
            let earlier = writes.partition_point(|&w| order.index(w) < before_read && w != read);
            let last_before = writes[..earlier].last().copied().filter(|&w| w != good);
            let not_before_good = match good {
                Node::INITIAL => 0,
                _ => {
                    let after_good = order.future(good)[writer.index()];
                    writes.partition_point(|&w| order.index(w) < after_good || w == good)
                }
            };
            let first_after = writes[not_before_good..].first().copied().filter(|&w| w != read);
            let pairs = [last_before.map(|w| (w, good)), first_after.map(|w| (read, w))];
            for (first, second) in pairs.into_iter().flatten() {
                if second == Node::INITIAL || order.insert(first, second) == Inserted::Cycle {
                    return Outcome::Violated;
                }
            }
        }
        Outcome::Holds
    }

    /// What is before all good writes is before the read.
    fn rule1(&mut self, read: Node, good: &[Seen]) -> Outcome {
        if good.iter().any(|seen| seen.is_before) {
            return Outcome::Holds;
        }
        let mut outcome = Outcome::Holds;
        for thread in 0..self.order.thread_count() {
            let count = good.iter().map(|seen| self.order.past(seen.write)[thread]).min().unwrap_or(0);
            if count > self.order.past(read)[thread] {
                let last = self.order.chain(thread)[count as usize - 1];
                match self.order.insert(last, read) {
                    Inserted::Cycle => return Outcome::Violated,
                    Inserted::New => outcome = Outcome::Inserted,
                    Inserted::Known => {}
                }
            }
        }
        outcome
    }

    fn rules2_and_3(&mut self, read: Node, good: &[Seen], bad: &[Seen]) -> Outcome {
        for seen in bad {
            let outcome = match seen.is_before {
                false => self.rule2(read, good, seen.write),
                true => self.rule3(good, seen.write),
            };
            match outcome {
                Outcome::Holds => {}
                outcome => return outcome,
            }
        }
        Outcome::Holds
    }

    /// A bad write after all good ones is after the read.
    fn rule2(&mut self, read: Node, good: &[Seen], bad: Node) -> Outcome {
        if good.iter().all(|seen| self.order.is_before(seen.write, bad)) {
            return self.order.insert(read, bad).into();
        }
        Outcome::Holds
    }

    /// A bad write before the read is before the last of the good ones.
    fn rule3(&mut self, good: &[Seen], bad: Node) -> Outcome {
        if good.iter().any(|seen| self.order.is_before(bad, seen.write)) {
            return Outcome::Holds;
        }
        let is_last =
            |w: Node| good.iter().all(|seen| seen.write == w || self.order.is_before(seen.write, w));
        match good.iter().find(|seen| is_last(seen.write)) {
            Some(last) => self.order.insert(bad, last.write).into(),
            None => Outcome::Holds,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::annotated::examples::{Figure5, X, Y, Z};
    use super::*;

    /// Figure 5: each step of the closure follows from the one before, and nothing else follows.
    #[test]
    fn the_closure_inserts_the_three_orderings_of_the_paper_one_after_the_other() {
        let closed = |locations: &[LocationId]| {
            let mut figure = Figure5::with_reads(locations);
            assert_eq!(figure.order.close(), Feasible::Perhaps);
            figure
        };
        let with_orderings = |count: usize| {
            let Figure5 { mut order, good_x, read_x, read_y, bad_y, bad_z, good_z, .. } =
                Figure5::with_reads(&[]);
            for (a, b) in [(good_x, read_x), (read_y, bad_y), (bad_z, good_z)].into_iter().take(count) {
                assert_eq!(order.order.insert(a, b), Inserted::New);
            }
            order.pairs()
        };
        assert_eq!(closed(&[X]).order.pairs(), with_orderings(1));
        assert_eq!(closed(&[X, Y]).order.pairs(), with_orderings(2));
        assert_eq!(closed(&[X, Y, Z]).order.pairs(), with_orderings(3));
        assert_eq!(closed(&[Y, Z]).order.pairs(), with_orderings(0));
        assert_eq!(closed(&[X, Z]).order.pairs(), with_orderings(1));
        let Figure5 { order, first_y, good_y, read_z, last_z, .. } = closed(&[X, Y, Z]);
        assert!(!order.order.is_before(first_y, good_y) && !order.order.is_before(good_y, first_y));
        assert!(!order.order.is_before(read_z, last_z) && !order.order.is_before(last_z, read_z));
    }

    /// Figure 4a.
    #[test]
    fn by_rule_1_the_first_good_write_is_before_the_read() {
        let mut order = AnnotatedOrder::of_threads(2);
        let (first, second) = (order.write(1, X), order.write(1, X));
        let read = order.read(0, X, &[first, second]);
        assert_eq!(order.close(), Feasible::Perhaps);
        assert!(order.order.is_before(first, read) && !order.order.is_before(second, read));
        assert!(!order.order.is_before(read, second));
    }

    /// Beyond the paper: good writes that are not ordered.
    #[test]
    fn by_rule_1_what_is_before_all_good_writes_is_before_the_read() {
        let mut order = AnnotatedOrder::of_threads(4);
        let common = order.event(1);
        let (one, other) = (order.write(2, X), order.write(3, X));
        order.order.insert(common, one);
        order.order.insert(common, other);
        let read = order.read(0, X, &[one, other]);
        assert_eq!(order.close(), Feasible::Perhaps);
        assert!(order.order.is_before(common, read));
        assert!(!order.order.is_before(one, read) && !order.order.is_before(other, read));
    }

    /// Figure 4b.
    #[test]
    fn by_rule_2_a_bad_write_after_all_good_ones_is_after_the_read() {
        let mut order = AnnotatedOrder::of_threads(2);
        let (first, second, bad) = (order.write(1, X), order.write(1, X), order.write(1, X));
        let read = order.read(0, X, &[first, second]);
        assert_eq!(order.close(), Feasible::Perhaps);
        assert!(order.order.is_before(read, bad) && !order.order.is_before(read, second));
    }

    #[test]
    fn rule_2_leaves_a_bad_write_alone_that_is_after_one_good_write_only() {
        let mut order = AnnotatedOrder::of_threads(3);
        let (good, bad, other) = (order.write(1, X), order.write(1, X), order.write(2, X));
        let read = order.read(0, X, &[good, other]);
        assert_eq!(order.close(), Feasible::Perhaps);
        assert!(!order.order.is_before(read, bad) && !order.order.is_before(bad, read));
    }

    /// Figure 4c, where the bad write is local to the read.
    #[test]
    fn by_rule_3_a_bad_write_before_the_read_is_before_the_last_good_one() {
        let mut order = AnnotatedOrder::of_threads(2);
        let (first, second) = (order.write(1, X), order.write(1, X));
        let bad = order.write(0, X);
        order.read(0, X, &[first, second]);
        assert_eq!(order.close(), Feasible::Perhaps);
        assert!(order.order.is_before(bad, second));
        assert!(!order.order.is_before(bad, first) && !order.order.is_before(first, bad));
    }

    /// Figure 4c, where the bad write is remote.
    #[test]
    fn by_rule_3_a_remote_bad_write_before_the_read_is_before_the_last_good_one() {
        let mut order = AnnotatedOrder::of_threads(2);
        let (first, second) = (order.write(0, X), order.write(0, X));
        let bad = order.write(1, X);
        let read = order.read(0, X, &[first, second]);
        order.order.insert(bad, read);
        assert_eq!(order.close(), Feasible::Perhaps);
        assert!(order.order.is_before(bad, second) && !order.order.is_before(bad, first));
    }

    #[test]
    fn there_is_no_closure_if_all_good_writes_are_hidden() {
        for count in [1, 2] {
            let mut order = AnnotatedOrder::of_threads(2);
            let good: Vec<Node> = (0..count).map(|_| order.write(1, X)).collect();
            let bad = order.write(1, X);
            let read = order.read(0, X, &good);
            order.order.insert(bad, read);
            assert_eq!(order.close(), Feasible::No, "{count} good writes");
        }
    }

    /// Two threads that both observe initial values although each writes first.
    #[test]
    fn there_is_no_closure_if_the_orderings_are_cyclic() {
        let mut order = AnnotatedOrder::of_threads(2);
        order.write(0, X);
        order.write(1, Y);
        order.read(0, Y, &[Node::INITIAL]);
        let mark = order.mark();
        order.read(1, X, &[Node::INITIAL]);
        assert_eq!(order.close(), Feasible::No);
        order.rollback(mark);
        assert_eq!(order.close(), Feasible::Perhaps);
    }
}
