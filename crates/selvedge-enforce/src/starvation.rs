//! Threads that a schedule starves, from the graph of all states that it permits.
//!
//! An execution is fair if every thread that is enabled infinitely often makes a step infinitely often [Metzler2020, definition 10]. In a
//! finite graph there is an unfair execution if and only if some thread is enabled in a state of a strongly connected component, with a
//! cycle, of the graph without the steps of that thread. Nothing here is shared with the prover.

use selvedge_trace::ThreadId;

/// The states that a schedule permits, and the steps between them.
#[derive(Debug, Default)]
pub struct StateGraph {
    threads: usize,
    /// For each state, the threads that are enabled, whether they are permitted or not.
    enabled: Vec<Vec<ThreadId>>,
    /// For each state, whether other orders of events were left out there.
    leaves_out_orders: Vec<bool>,
    /// For each state, the steps from there.
    steps: Vec<Vec<(ThreadId, u32)>>,
}

/// Whether the executions of a graph are fair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// No execution leaves a thread behind for ever.
    Fair,
    /// This thread could go on again and again, but executions can go on for ever without it.
    Starved(ThreadId),
    /// All that were looked at are, but executions that were left out need not be.
    Undecided,
}

impl StateGraph {
    /// A graph without states, for so many threads.
    pub fn new(threads: usize) -> StateGraph {
        StateGraph { threads, ..StateGraph::default() }
    }

    /// Adds a state.
    pub fn add(&mut self, enabled: Vec<ThreadId>, leaves_out_orders: bool) -> u32 {
        self.enabled.push(enabled);
        self.leaves_out_orders.push(leaves_out_orders);
        self.steps.push(Vec::new());
        self.steps.len() as u32 - 1
    }

    /// Adds a step of a thread from one state to another.
    pub fn step(&mut self, from: u32, thread: ThreadId, to: u32) {
        let steps = &mut self.steps[from as usize];
        if !steps.contains(&(thread, to)) {
            steps.push((thread, to));
        }
    }

    /// Whether all executions are fair.
    pub fn fairness(&self) -> Fairness {
        let all: Vec<u32> = (0..self.steps.len() as u32).collect();
        let mut fairness = Fairness::Fair;
        for component in self.components(&all, None) {
            for thread in (0..self.threads).map(ThreadId::at) {
                for cycle in self.components(&component, Some(thread)) {
                    let is_enabled = |&state: &u32| self.enabled[state as usize].contains(&thread);
                    if cycle.iter().any(is_enabled) {
                        return Fairness::Starved(thread);
                    }
                    if cycle.iter().any(|&state| self.leaves_out_orders[state as usize]) {
                        fairness = Fairness::Undecided;
                    }
                }
            }
        }
        fairness
    }

    /// The strongly connected components with a cycle, of the graph of these states without the steps of a thread (Tarjan's algorithm).
    fn components(&self, states: &[u32], without: Option<ThreadId>) -> Vec<Vec<u32>> {
        let mut search = Components {
            graph: self,
            without,
            place: vec![UNSEEN; self.steps.len()],
            low: vec![0; self.steps.len()],
            stack: Vec::new(),
            found: Vec::new(),
            count: 0,
        };
        search.place.iter_mut().for_each(|place| *place = OUTSIDE);
        states.iter().for_each(|&state| search.place[state as usize] = UNSEEN);
        states.iter().for_each(|&state| search.visit(state));
        search.found
    }
}

const UNSEEN: u32 = u32::MAX;
const OUTSIDE: u32 = u32::MAX - 1;
const DONE: u32 = u32::MAX - 2;

struct Components<'g> {
    graph: &'g StateGraph,
    without: Option<ThreadId>,
    place: Vec<u32>,
    low: Vec<u32>,
    stack: Vec<u32>,
    found: Vec<Vec<u32>>,
    count: u32,
}

impl Components<'_> {
    fn enter(&mut self, state: u32) {
        self.place[state as usize] = self.count;
        self.low[state as usize] = self.count;
        self.count += 1;
        self.stack.push(state);
    }

    fn visit(&mut self, root: u32) {
        if self.place[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        let mut way: Vec<(u32, usize)> = vec![(root, 0)];
        while let Some((state, next)) = way.pop() {
            let Some(&(thread, to)) = self.graph.steps[state as usize].get(next) else {
                self.leave(state);
                if let Some(&(before, _)) = way.last() {
                    self.low[before as usize] = self.low[before as usize].min(self.low[state as usize]);
                }
                continue;
            };
            way.push((state, next + 1));
            if Some(thread) == self.without {
                continue;
            }
            match self.place[to as usize] {
                UNSEEN => {
                    self.enter(to);
                    way.push((to, 0));
                }
                OUTSIDE | DONE => {}
                place => self.low[state as usize] = self.low[state as usize].min(place),
            }
        }
    }

    /// Takes a component from the stack if this state is the first of it.
    fn leave(&mut self, state: u32) {
        if self.low[state as usize] != self.place[state as usize] {
            return;
        }
        let mut component = Vec::new();
        while let Some(member) = self.stack.pop() {
            self.place[member as usize] = DONE;
            component.push(member);
            if member == state {
                break;
            }
        }
        let loops = |&(thread, to): &(ThreadId, u32)| to == state && Some(thread) != self.without;
        if component.len() > 1 || self.graph.steps[state as usize].iter().any(loops) {
            self.found.push(component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(enabled: &[&[usize]], steps: &[(u32, usize, u32)]) -> StateGraph {
        let mut graph = StateGraph::new(2);
        for threads in enabled {
            graph.add(threads.iter().map(|&thread| ThreadId::at(thread)).collect(), false);
        }
        steps.iter().for_each(|&(from, thread, to)| graph.step(from, ThreadId::at(thread), to));
        graph
    }

    #[test]
    fn a_cycle_of_one_thread_starves_another_that_could_go_on() {
        let steps = [(0, 0, 1), (1, 0, 0)];
        assert_eq!(graph(&[&[0], &[0, 1]], &steps).fairness(), Fairness::Starved(ThreadId::at(1)));
        assert_eq!(graph(&[&[0], &[0]], &steps).fairness(), Fairness::Fair);
    }

    #[test]
    fn turns_are_fair_but_a_cycle_within_them_need_not_be() {
        let turns = [(0, 0, 1), (1, 1, 0)];
        assert_eq!(graph(&[&[0, 1], &[0, 1]], &turns).fairness(), Fairness::Fair);
        let more = [(0, 0, 1), (1, 1, 0), (1, 0, 1)];
        assert_eq!(graph(&[&[0, 1], &[0, 1]], &more).fairness(), Fairness::Starved(ThreadId::at(1)));
    }

    #[test]
    fn steps_that_lead_to_an_end_are_fair() {
        assert_eq!(graph(&[&[0, 1], &[0, 1], &[]], &[(0, 0, 1), (1, 0, 2)]).fairness(), Fairness::Fair);
    }
}
