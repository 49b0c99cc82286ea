//! The frame of the algorithms with wakeup trees: where they stand, and what they explore next.

use crate::checkpoint::SavedState;
use crate::frames::sleep_set::SleepSets;
use crate::frames::wakeup_tree::{Branches, WakeupTrees};
use crate::search::Level;
use crate::{Checkpoint, Excursions, Search};
use selvedge_trace::Decision;

/// A state on the path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    /// What remains to be explored.
    pub branches: Branches,
    /// How many branches have been explored.
    pub explored: u32,
    /// The thread that was picked freely, with the latest of its choices.
    pub free: Option<Decision>,
}

/// The states on the path with their sleep sets and wakeup trees.
#[derive(Debug, Default)]
pub struct WakeupSearch {
    /// The states before each event, and the present one.
    pub nodes: Vec<Node>,
    /// What is asleep in each.
    pub sleep: SleepSets,
    /// The trees of all.
    pub trees: WakeupTrees,
}

impl WakeupSearch {
    /// Forgets everything. Returns for how many states or branches there is room.
    pub fn clear(&mut self) -> usize {
        self.nodes.clear();
        self.sleep.clear();
        self.trees.clear().max(self.nodes.capacity())
    }

    /// The present state.
    ///
    /// # Panics
    /// Before the search has begun.
    pub fn node(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("there is a node for the present state")
    }

    /// The next decision at the present state, with the tree to follow after it.
    pub fn next<P: Excursions>(&mut self, search: &mut Search<P>) -> Option<(Decision, Branches)> {
        if search.at_depth_limit() {
            return None;
        }
        let Node { explored, free, .. } = *self.node();
        if let Some(Decision { thread, choice }) = free {
            let mut others = choice + 1..search.path.program.choices(thread);
            let awake = others.find(|&choice| !self.sleep.contains(Decision { thread, choice }));
            if let Some(choice) = awake {
                let decision = Decision { thread, choice };
                self.node().free = Some(decision);
                return Some((decision, Branches::default()));
            }
        }
        let node = self.nodes.last_mut().expect("there is a node for the present state");
        let branch = self.trees.take_first(&mut node.branches);
        if branch.is_some() || explored > 0 {
            return branch;
        }
        let guided = search.guided().filter(|&decision| !self.sleep.contains(decision));
        let decision = guided.or_else(|| self.sleep.next_awake(&mut search.path, None));
        self.node().free = decision;
        decision.map(|d| (d, Branches::default()))
    }

    /// Goes back over the last event, which the sleep sets have left already.
    pub fn back<P: Excursions>(&mut self, search: &mut Search<P>) {
        self.nodes.pop();
        self.node().explored += 1;
        search.path.pop();
    }

    /// Everything that is left to do.
    pub fn checkpoint<P: Excursions>(&self, search: &Search<P>) -> Checkpoint {
        let state = |(position, node): (usize, &Node)| SavedState {
            explored: node.explored,
            free: node.free,
            sleepers: self.sleep.saved(position),
            branches: self.trees.saved(node.branches),
        };
        Checkpoint::of(search, self.nodes.iter().enumerate().map(state).collect())
    }

    /// Adds a state from data; the sleep sets have entered it already.
    pub fn restore(&mut self, state: &SavedState) {
        self.sleep.restore(&state.sleepers);
        let branches = self.trees.restore(&state.branches);
        self.nodes.push(Node { branches, explored: state.explored, free: state.free });
    }

    /// How far the exploration of each state on the path is.
    pub fn levels(&self) -> impl Iterator<Item = Level> {
        let below = &self.nodes[..self.nodes.len() - 1];
        below.iter().map(|node| {
            let explored = node.explored as usize;
            Level { explored, known: explored + 1 + self.trees.len(node.branches) }
        })
    }
}
