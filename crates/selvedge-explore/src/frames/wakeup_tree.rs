//! Wakeup trees [AbdullaAJS2017, section 6.1].
//!
//! A wakeup tree is an ordered tree of decisions: the beginnings of executions that remain to be explored from a
//! state. Inserting a sequence `v` that is compatible with one already there changes nothing; otherwise it becomes
//! the last branch of the deepest node at which it departs. All trees of a search share one pool of nodes.
//!
//! DIVERGENCES: the branch added is not all of `v` but the part that is needed for the branch to lead to something
//! new: the reversed operation, for every decision that is asleep when the branch is taken something that
//! wakes it, and what happens before these. What follows the shorter branch includes all that follows `v`, so nothing is
//! lost, the decisions asleep at its end are none as before, and trees stay small. Of the rest, the branch keeps what is
//! [idle](Sequence::is_idle): that comes first then, and what will be reversed comes late, where less must be executed again.

use crate::Reversal;
use crate::checkpoint::SavedBranch;
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Access, Decision, EventId, HappensBefore, LocationMask};
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;

/// The branches of a node, first to last.
#[derive(Clone, Copy, Debug)]
pub struct Branches {
    first: u32,
    last: u32,
}

impl Default for Branches {
    fn default() -> Self {
        Branches { first: NONE, last: NONE }
    }
}

#[derive(Debug)]
struct Node {
    decision: Decision,
    mask: LocationMask,
    accesses: SmallVec<[Access; 2]>,
    children: Branches,
    next: u32,
}

/// A sequence of operations to explore.
pub trait Sequence {
    /// The position of its last element, the operation that the sequence is for.
    fn last(&self) -> u32;

    /// The thread of an element, and what the element accesses, as a quick test.
    fn head(&self, i: u32) -> (Decision, LocationMask);

    /// What an element accesses.
    fn accesses(&self, i: u32) -> &[Access];

    /// The same, whatever comes after it.
    fn accesses_alone(&self, i: u32) -> &[Access] {
        self.accesses(i)
    }

    /// Whether an element must come before a later one.
    fn precedes(&self, i: u32, later: u32) -> bool;

    /// Of the remaining elements before one that depends on none of them alone: the position of the first on which it
    /// depends because of what comes after it.
    fn obstacle(&self, _remaining: &[u32], _position: usize) -> Option<usize> {
        None
    }

    /// The event on the path that an element is, if it is one.
    fn event(&self, i: u32) -> Option<EventId>;

    /// Whether nothing is to be reversed at an element that need not be explored here.
    fn is_idle(&self, _i: u32) -> bool {
        false
    }
}

/// The sequence of a reversal.
#[derive(Clone, Copy, Debug)]
pub struct Reversed<'a> {
    /// The reversal.
    pub reversal: &'a Reversal,
    /// The order of its events.
    pub order: &'a HappensBefore,
    /// Events from this one on are explored only as far as they are needed.
    pub end: EventId,
}

impl Sequence for Reversed<'_> {
    fn last(&self) -> u32 {
        self.reversal.sequence.len() as u32
    }

    #[inline]
    fn head(&self, i: u32) -> (Decision, LocationMask) {
        match self.reversal.sequence.get(i as usize) {
            Some(&e) => (self.order.event(e).decision, self.order.event(e).mask),
            None => (self.reversal.decision, self.reversal.mask),
        }
    }

    #[inline]
    fn accesses(&self, i: u32) -> &[Access] {
        match self.reversal.sequence.get(i as usize) {
            Some(&e) => self.order.accesses(e),
            None => &self.reversal.accesses,
        }
    }

    fn precedes(&self, i: u32, later: u32) -> bool {
        let Reversed { reversal, order, .. } = self;
        match reversal.sequence.get(later as usize) {
            Some(&later) => order.happens_before(reversal.sequence[i as usize], later),
            None => {
                let (decision, mask) = self.head(i);
                decision.thread == reversal.decision.thread
                    || mask.may_conflict(reversal.mask) && conflicting(self.accesses(i), &reversal.accesses)
            }
        }
    }

    fn event(&self, i: u32) -> Option<EventId> {
        self.reversal.sequence.get(i as usize).copied()
    }

    fn is_idle(&self, i: u32) -> bool {
        self.event(i).is_some_and(|e| e < self.end && !self.order.is_raced(e))
    }
}

/// The nodes of all wakeup trees of a search.
#[derive(Debug, Default)]
pub struct WakeupTrees {
    nodes: Vec<Node>,
    free: Vec<u32>,
    remaining: Vec<u32>,
    /// Pairs of operations compared so far.
    pub dependency_checks: u64,
}

/// How a branch relates to the sequence that is inserted.
enum WeakInitial {
    /// No execution that continues the sequence can begin with it; the element at this position of what
    /// remains of the sequence is the first to see to that.
    No(usize),
    /// It is the element at this position of what remains of the sequence, and can come first.
    At(usize),
    /// It is independent of all that remains.
    Independent,
}

impl WakeupTrees {
    /// Forgets all trees. Returns for how many nodes there is room.
    pub fn clear(&mut self) -> usize {
        self.nodes.clear();
        self.free.clear();
        self.dependency_checks = 0;
        self.nodes.capacity()
    }

    /// Whether there is a branch.
    pub fn is_empty(&self, branches: Branches) -> bool {
        branches.first == NONE
    }

    /// The number of branches.
    pub fn len(&self, branches: Branches) -> usize {
        let some = |node: u32| (node != NONE).then_some(node);
        std::iter::successors(some(branches.first), |&n| some(self.nodes[n as usize].next)).count()
    }

    /// Removes the first branch: its decision, and the tree to explore after it.
    pub fn take_first(&mut self, branches: &mut Branches) -> Option<(Decision, Branches)> {
        if branches.first == NONE {
            return None;
        }
        let taken = branches.first;
        let node = &mut self.nodes[taken as usize];
        branches.first = node.next;
        if branches.first == NONE {
            branches.last = NONE;
        }
        self.free.push(taken);
        Some((node.decision, std::mem::take(&mut node.children)))
    }

    /// The branches as data.
    pub fn saved(&self, branches: Branches) -> Vec<SavedBranch> {
        let some = |node: u32| (node != NONE).then_some(node);
        let all = std::iter::successors(some(branches.first), |&n| some(self.nodes[n as usize].next));
        all.map(|n| {
            let node = &self.nodes[n as usize];
            let (accesses, children) = (node.accesses.to_vec(), self.saved(node.children));
            SavedBranch { decision: node.decision, accesses, children }
        })
        .collect()
    }

    /// Branches from data.
    pub fn restore(&mut self, saved: &[SavedBranch]) -> Branches {
        let mut branches = Branches::default();
        for branch in saved {
            let children = self.restore(&branch.children);
            let mut mask = LocationMask::default();
            branch.accesses.iter().for_each(|&access| mask.add(access));
            let node = self.node(branch.decision, mask, &branch.accesses);
            self.nodes[node as usize].children = children;
            match std::mem::replace(&mut branches.last, node) {
                NONE => branches.first = node,
                last => self.nodes[last as usize].next = node,
            }
        }
        branches
    }

    /// `insert(v, tree)`: adds a sequence unless a compatible one is there. `needed` says of each
    /// element of the sequence whether it wakes a sleeping decision. Returns which elements decided the matter.
    pub fn insert<S: Sequence>(&mut self, root: &mut Branches, sequence: &S, needed: &mut [bool]) -> Decided {
        let mut remaining = std::mem::take(&mut self.remaining);
        remaining.clear();
        remaining.extend(0..=sequence.last());
        let mut decided = Decided { all_of_sequence: true, latest: 0 };
        let mut parent = NONE;
        loop {
            let branches = if parent == NONE { *root } else { self.nodes[parent as usize].children };
            let found = self.descend(branches, &mut remaining, sequence, needed, &mut decided);
            let Some(branch) = found else {
                retain_needed_and_idle(&mut remaining, sequence, needed);
                remaining.iter().for_each(|&i| decided.note(sequence, i));
                let chain = self.chain(&remaining, sequence);
                let branches = if parent == NONE { root } else { &mut self.nodes[parent as usize].children };
                let last = std::mem::replace(&mut branches.last, chain);
                match last {
                    NONE => branches.first = chain,
                    last => self.nodes[last as usize].next = chain,
                }
                break;
            };
            if self.is_empty(self.nodes[branch as usize].children) {
                break;
            }
            parent = branch;
        }
        self.remaining = remaining;
        decided
    }

    /// The first branch that is a weak initial of the remaining sequence, which then loses it.
    fn descend<S: Sequence>(
        &mut self,
        branches: Branches,
        remaining: &mut Vec<u32>,
        sequence: &S,
        needed: &mut [bool],
        decided: &mut Decided,
    ) -> Option<u32> {
        let mut branch = branches.first;
        while branch != NONE {
            match self.weak_initial(branch, remaining, sequence) {
                WeakInitial::No(position) => {
                    needed[remaining[position] as usize] = true;
                    branch = self.nodes[branch as usize].next;
                }
                WeakInitial::Independent => {
                    decided.all_of_sequence = false;
                    return Some(branch);
                }
                WeakInitial::At(position) => {
                    decided.note(sequence, remaining.remove(position));
                    return Some(branch);
                }
            }
        }
        None
    }

    fn weak_initial<S: Sequence>(&mut self, branch: u32, remaining: &[u32], sequence: &S) -> WeakInitial {
        let node = &self.nodes[branch as usize];
        for (position, &i) in remaining.iter().enumerate() {
            let (decision, mask) = sequence.head(i);
            if decision == node.decision {
                let obstacle = sequence.obstacle(remaining, position);
                return obstacle.map_or(WeakInitial::At(position), WeakInitial::No);
            }
            self.dependency_checks += 1;
            if decision.thread == node.decision.thread
                || mask.may_conflict(node.mask) && conflicting(sequence.accesses(i), &node.accesses)
            {
                return WeakInitial::No(position);
            }
        }
        WeakInitial::Independent
    }

    /// A branch that consists of what remains of the sequence.
    fn chain<S: Sequence>(&mut self, remaining: &[u32], sequence: &S) -> u32 {
        let mut below = Branches::default();
        for &i in remaining.iter().rev() {
            let (decision, mask) = sequence.head(i);
            let node = self.node(decision, mask, sequence.accesses_alone(i));
            self.nodes[node as usize].children = below;
            below = Branches { first: node, last: node };
        }
        below.first
    }

    fn node(&mut self, decision: Decision, mask: LocationMask, accesses: &[Access]) -> u32 {
        let children = Branches::default();
        if let Some(recycled) = self.free.pop() {
            let node = &mut self.nodes[recycled as usize];
            node.accesses.clear();
            node.accesses.extend_from_slice(accesses);
            (node.decision, node.mask, node.children, node.next) = (decision, mask, children, NONE);
            return recycled;
        }
        let accesses = SmallVec::from_slice(accesses);
        self.nodes.push(Node { decision, mask, accesses, children, next: NONE });
        self.nodes.len() as u32 - 1
    }
}

/// Which elements of a sequence decided about its insertion.
#[derive(Clone, Copy, Debug)]
pub struct Decided {
    /// Whether it were elements of the sequence alone, not branches independent of all of it.
    pub all_of_sequence: bool,
    /// The latest event among them.
    pub latest: u32,
}

impl Decided {
    fn note<S: Sequence>(&mut self, sequence: &S, element: u32) {
        if let Some(e) = sequence.event(element) {
            self.latest = self.latest.max(e.0);
        }
    }
}

/// Keeps the operation that the sequence is for, the needed elements and what must come before these, and the idle elements
/// that need nothing else.
fn retain_needed_and_idle<S: Sequence>(remaining: &mut Vec<u32>, sequence: &S, needed: &mut [bool]) {
    needed[sequence.last() as usize] = true;
    for i in (0..remaining.len()).rev() {
        let element = remaining[i];
        let precedes = |&later: &u32| needed[later as usize] && sequence.precedes(element, later);
        if !needed[element as usize] {
            needed[element as usize] = remaining[i + 1..].iter().any(precedes);
        }
    }
    // The first element of each thread that is left out; what must come after one of them is left out as well.
    let mut left_out: SmallVec<[u32; 16]> = SmallVec::new();
    remaining.retain(|&i| {
        let is_kept = needed[i as usize]
            || sequence.is_idle(i) && !left_out.iter().any(|&earlier| sequence.precedes(earlier, i));
        let thread = |i: u32| sequence.head(i).0.thread;
        if !is_kept && !left_out.iter().any(|&earlier| thread(earlier) == thread(i)) {
            left_out.push(i);
        }
        is_kept
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_trace::{AccessKind, EventId, Footprint, LocationId, ThreadId};

    fn footprint(location: u32, kind: AccessKind) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.record(LocationId(location), kind);
        footprint
    }

    fn decision(thread: u32) -> Decision {
        Decision { thread: ThreadId(thread), choice: 0 }
    }

    /// The reversal that keeps some events and then lets a thread access a location.
    fn reversal(sequence: &[EventId], thread: u32, last: &Footprint) -> Reversal {
        Reversal {
            later: None,
            at: EventId(0),
            sequence: sequence.to_vec(),
            decision: decision(thread),
            mask: last.mask(),
            accesses: last.accesses().to_vec(),
        }
    }

    fn insert(trees: &mut WakeupTrees, root: &mut Branches, reversal: &Reversal, order: &HappensBefore) {
        let mut needed = vec![false; reversal.sequence.len() + 1];
        trees.insert(root, &Reversed { reversal, order, end: EventId(0) }, &mut needed);
    }

    #[test]
    fn a_sequence_compatible_with_one_that_is_there_changes_nothing() {
        let order = HappensBefore::new(3);
        let (mut trees, mut root) = (WakeupTrees::default(), Branches::default());
        let read = footprint(0, AccessKind::Read);
        insert(&mut trees, &mut root, &reversal(&[], 1, &read), &order);
        // Another read of the same variable can come after the first.
        insert(&mut trees, &mut root, &reversal(&[], 2, &read), &order);
        assert_eq!(trees.len(root), 1);
        insert(&mut trees, &mut root, &reversal(&[], 2, &footprint(0, AccessKind::Write)), &order);
        assert_eq!(trees.len(root), 2);
        assert_eq!(trees.take_first(&mut root).map(|(taken, _)| taken), Some(decision(1)));
    }

    #[test]
    fn a_branch_holds_only_what_the_reversed_operation_needs() {
        let mut order = HappensBefore::new(4);
        order.push(decision(0), &footprint(0, AccessKind::Write));
        let needed = order.push(decision(1), &footprint(1, AccessKind::Write));
        let idle = order.push(decision(2), &footprint(2, AccessKind::Write));
        let (mut trees, mut root) = (WakeupTrees::default(), Branches::default());
        let mut last = footprint(0, AccessKind::Write);
        last.record(LocationId(1), AccessKind::Read);
        insert(&mut trees, &mut root, &reversal(&[needed, idle], 3, &last), &order);
        let (first, mut below) = trees.take_first(&mut root).expect("a branch");
        assert_eq!(first, decision(1));
        let (second, below) = trees.take_first(&mut below).expect("the reversed operation");
        assert_eq!(second, decision(3));
        assert!(trees.is_empty(below) && trees.is_empty(root));
    }

    #[test]
    fn what_is_idle_comes_first_unless_it_needs_what_is_left_out() {
        let mut order = HappensBefore::new(5);
        order.push(decision(0), &footprint(0, AccessKind::Write));
        let idle = order.push(decision(1), &footprint(1, AccessKind::Write));
        let raced = order.push(decision(2), &footprint(2, AccessKind::Write));
        let after_raced = order.push(decision(2), &footprint(3, AccessKind::Write));
        order.push(decision(3), &footprint(0, AccessKind::Write));
        order.push(decision(4), &footprint(2, AccessKind::Read));
        assert!(order.is_raced(raced) && !order.is_raced(idle) && !order.is_raced(after_raced));
        let (mut trees, mut root) = (WakeupTrees::default(), Branches::default());
        let reversal = reversal(&[idle, raced, after_raced], 3, &footprint(0, AccessKind::Write));
        let sequence = Reversed { reversal: &reversal, order: &order, end: EventId::at(order.len()) };
        trees.insert(&mut root, &sequence, &mut [false; 4]);
        let (first, mut below) = trees.take_first(&mut root).expect("a branch");
        let (second, below) = trees.take_first(&mut below).expect("the reversed operation");
        assert_eq!((first, second), (decision(1), decision(3)));
        assert!(trees.is_empty(below));
    }
}
