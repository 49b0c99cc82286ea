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
