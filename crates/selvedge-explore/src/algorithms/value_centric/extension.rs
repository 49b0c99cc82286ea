//! Ways to go on: an operation of a thread, and which writes it is to observe.

use super::annotated::{AnnotatedOrder, Effect, Part, Seen, Value};
use super::next::Outcome;
use super::partial_order::Node;
use selvedge_trace::{LocationId, ThreadId};
use smallvec::SmallVec;

/// What is to become of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The operation is performed.
    Perform,
    /// It has to wait, at the end of an execution.
    Wait,
}

/// Whether what an operation observes was considered before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Novelty {
    /// What it observes was considered before.
    Old,
    /// What it observes was not considered before.
    New,
}

/// An extension from a node of the search.
#[derive(Clone, Debug)]
pub struct Extension {
    /// The thread whose operation it is.
    pub thread: ThreadId,
    /// What is to become of it.
    pub goal: Goal,
    /// The alternative that it takes, once decided.
    pub choice: Option<u32>,
    /// The number of alternatives, if those after the one that it takes are still to be tried.
    pub alternatives: u32,
    /// What it observes, as far as decided.
    pub parts: Parts,
    /// Whether some of that is new.
    pub novelty: Novelty,
    /// What the operation does then, if that is known.
    pub outcome: Option<Outcome>,
    /// Other threads that wait at the end, and what they observe.
    pub waiting: Vec<(ThreadId, Parts)>,
    /// Where in the witness of the node the operation can be performed.
    pub fit: Fit,
    /// The length of the list of good writes when it was made.
    pub good_writes: usize,
}

/// Where in a witness an operation can be performed such that all others observe what they did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It was not tried.
    Unknown,
    /// At a place.
    At(usize),
    /// Nowhere.
    Nowhere,
}

/// What an operation observes.
pub type Parts = SmallVec<[Part; 2]>;

impl Extension {
    /// The operation of a thread, nothing decided.
    pub fn new(thread: ThreadId, goal: Goal, novelty: Novelty, order: &AnnotatedOrder) -> Extension {
        Extension {
            thread,
            goal,
            choice: None,
            alternatives: 0,
            parts: SmallVec::new(),
            novelty,
            outcome: None,
            waiting: Vec::new(),
            fit: Fit::Unknown,
            good_writes: order.good_writes.len(),
        }
    }

    /// The same with the next alternative, if there is one. This one then has none: there may be billions, so they are made one by one.
    pub fn next_alternative(&mut self) -> Option<Extension> {
        let next = self.choice? + 1;
        let alternatives = std::mem::take(&mut self.alternatives);
        (next < alternatives).then(|| Extension { choice: Some(next), alternatives, ..self.clone() })
    }

    /// The same with one more location decided.
    pub fn with_part(&self, part: Part) -> Extension {
        let mut parts = Parts::from_slice(&self.parts);
        parts.push(part);
        Extension { parts, waiting: self.waiting.clone(), ..*self }
    }

    /// Whether it is decided what the operation observes at a location.
    pub fn decides(&self, location: LocationId) -> bool {
        self.parts.iter().any(|part| part.location == location)
    }
}

/// Writes that an operation may observe without telling them apart: what tells them from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Whether they were considered before.
    pub novelty: Novelty,
    /// The side, where that matters: whether they are of the thread of the operation.
    side: Option<bool>,
    /// What they leave.
    pub value: Value,
}

/// The writes that an operation may observe, in groups.
#[derive(Debug, Default)]
pub struct Groups {
    /// The groups, in the order of their first writes.
    pub groups: Vec<Group>,
    writes: Vec<(Node, usize)>,
}

impl Groups {
    /// The writes of a group.
    pub fn writes(&self, group: usize) -> impl Iterator<Item = Node> {
        self.writes.iter().filter(move |(_, g)| *g == group).map(|(write, _)| *write)
    }

    fn add(&mut self, write: Node, group: Group) {
        let number = self.groups.iter().position(|known| *known == group).unwrap_or(self.groups.len());
        if number == self.groups.len() {
            self.groups.push(group);
        }
        self.writes.push((write, number));
    }
}

/// Which writes the next operation of a thread can observe, and how they are grouped.
pub struct Candidates<'c> {
    /// The thread of the operation.
    pub thread: ThreadId,
    /// The root thread, if the side matters for the reads of its thread.
    pub root: Option<ThreadId>,
    /// The causally-happens-before map: how many events of each thread have been considered.
    pub chb: Option<&'c [u32]>,
    /// The locations after whose posts it comes.
    pub observed: &'c [LocationId],
    /// What else it does at the location.
    pub then: Then,
    /// What it waits for there.
    pub until: Until,
}

/// What an operation does at a location once it has read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Then {
    /// Nothing, as far as is known.
    Nothing,
    /// It writes it: read-modify-write operations observe different writes.
    Write,
}

/// What an operation waits for at a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Nothing that is known.
    Whatever,
    /// A mutex must be free.
    Free,
}

impl Candidates<'_> {
    /// The candidate writes of a location, grouped by what tells them apart.
    pub fn group(&self, order: &AnnotatedOrder, location: LocationId, groups: &mut Groups) {
        let mut visible: SmallVec<[Seen; 8]> = SmallVec::new();
        order.with_past(self.thread, self.observed, |past| order.visible_after(past, location, &mut visible));
        groups.groups.clear();
        groups.writes.clear();
        for Seen { write, .. } in visible {
            let Effect { value, takers } = order.effect(write, location);
            let is_taken = self.then == Then::Write && takers > 0;
            if is_taken || self.until == Until::Free && matches!(value, Value::Held(_)) {
                continue;
            }
            let novelty = self.novelty(order, write);
            let side = (self.root == Some(self.thread))
                .then(|| write != Node::INITIAL && order.order.thread(write) == self.thread);
            groups.add(write, Group { novelty, side, value });
        }
    }

    fn novelty(&self, order: &AnnotatedOrder, write: Node) -> Novelty {
        let Some(chb) = self.chb else { return Novelty::New };
        if write == Node::INITIAL {
            return Novelty::Old;
        }
        let count = chb.get(order.order.thread(write).index()).copied().unwrap_or(0);
        if order.order.index(write) < count { Novelty::Old } else { Novelty::New }
    }
}

#[cfg(test)]
mod tests {
    use super::super::annotated::examples::{X, Y};
    use super::*;

    /// Figure 6 of the paper: the events of the trace, the first one at 1.
    fn figure_6() -> (AnnotatedOrder, [Node; 10]) {
        let mut order = AnnotatedOrder::of_threads(3);
        let mut e = [Node::INITIAL; 10];
        e[1] = order.write(0, X);
        e[2] = order.write(1, Y);
        e[3] = order.write(1, X);
        e[4] = order.read(1, Y, &[e[2]]);
        e[5] = order.write(1, X);
        e[6] = order.read(2, Y, &[e[2]]);
        e[7] = order.write(2, X);
        e[8] = order.read(2, X, &[e[7]]);
        e[9] = order.write(2, X);
        (order, e)
    }

    /// The writes of `x` that the next read of a thread can observe, and that were not considered.
    fn new_candidates(order: &AnnotatedOrder, thread: u32, chb: Option<&[u32]>) -> Vec<Node> {
        let candidates = Candidates {
            thread: ThreadId(thread),
            root: None,
            chb,
            observed: &[],
            then: Then::Nothing,
            until: Until::Whatever,
        };
        let mut groups = Groups::default();
        candidates.group(order, X, &mut groups);
        let is_new = |&group: &usize| groups.groups[group].novelty == Novelty::New;
        (0..groups.groups.len()).filter(is_new).flat_map(|group| groups.writes(group)).collect()
    }

    /// Figure 6, where the map has for the read of the first thread: nothing but what comes before any read in the first thread, e4 in
    /// the second, e6 in the third. Here it has the number of events up to the read that follows.
    #[test]
    fn candidates_are_the_writes_that_were_not_considered() {
        let (order, e) = figure_6();
        assert_eq!(new_candidates(&order, 0, Some(&[1, 4, 2])), [e[9]]);
    }

    /// The second read of Figure 6, with an empty map. The paper has e7, too, and leaves it to the closure to find that e9 hides it.
    #[test]
    fn without_a_map_all_visible_writes_are_candidates() {
        let (order, e) = figure_6();
        assert_eq!(new_candidates(&order, 2, None), [e[1], e[3], e[5], e[9]]);
    }

    #[test]
    fn with_all_events_considered_there_is_no_candidate() {
        let (order, _) = figure_6();
        assert_eq!(new_candidates(&order, 0, Some(&[1, 4, 4])), []);
    }

    #[test]
    fn writes_of_one_value_come_together_but_the_root_knows_its_own() {
        let (order, e) = figure_6();
        let groups_of = |root: Option<ThreadId>| {
            let candidates = Candidates {
                thread: ThreadId(0),
                root,
                chb: None,
                observed: &[],
                then: Then::Nothing,
                until: Until::Whatever,
            };
            let mut groups = Groups::default();
            candidates.group(&order, X, &mut groups);
            (0..groups.groups.len()).map(|group| groups.writes(group).collect()).collect::<Vec<Vec<Node>>>()
        };
        assert_eq!(groups_of(Some(ThreadId(1))), [vec![e[1], e[3], e[5], e[7], e[9]]]);
        assert_eq!(groups_of(Some(ThreadId(0))), [vec![e[1]], vec![e[3], e[5], e[7], e[9]]]);
    }
}
