//! Iterations, each of which finds a counterexample or a larger set of schedules that are safe, free of deadlock and fair
//! [Metzler2020, algorithm 3].
//!
//! | paper | here |
//! |---|---|
//! | Main | the caller of `Schedules::iteration`, until it has enough: `selvedge prove` |
//! | Iteration | `Schedules::iteration` |
//! | New_Schedule_Start | `Schedules::new_schedule_start`: the first node in breadth-first order with a thread that could be let go on as well |
//! | Schedule_Thread | `Schedules::schedule_thread`: round robin, the next thread at a jump back; one that an unfair cycle would leave out comes first |
//! | Check_Enabledness | `Schedules::check_enabledness`, before a thread is expanded and not after |
//! | Backtrack | `Schedules::backtrack` |
//! | Close with fair(c) | `Schedules::close`, [`fairness`](crate::fairness) |
//! | Expand_Thread, Refine, Skip (algorithm 7) | [`Tree::expand_thread`], [`Tree::refine`], [`Tree::skip`] |
//! | the heuristic that covers eagerly | [`forced_covering`](crate::forced_covering) |
//! | Remove_Error_Paths | `Schedules::remove_error_path`, when the path is found |
//! | the transformation of algorithm 6 | [`Tree::left_out`] in `Schedules::close`, when the covering would be made |
//!
//! DIVERGENCES. The tree of schedules is not the tree of the complete search: the latter may close unfair cycles, and has to, or it would
//! not end. A thread that can fail at a node is banned there before it is expanded, so that the tree has no error paths to be
//! removed in the end. A covering is accepted only if *every* cycle that it closes is fair on its own, not only
//! those that a fair execution environment would take; so trees are independently fair from the beginning and need not be
//! transformed by algorithm 6 in the end. Where no single thread is always ready, several
//! are expanded of which always one is. An `assume` on shared variables is taken as declared synchronisation
//! (section 4.5.4): a thread is let go on only where the assumption is certain to hold. A thread that goes round a loop alone, at places
//! where blocks or local code let nobody in, is made to let others in at the head of the loop, and the search begins again.

use crate::complete::Checked;
use crate::context::{Prover, Stop};
use crate::counterexample::Counterexample;
use crate::refine::{Refined, Wrong};
use crate::tree::{NodeId, Tree};
use selvedge_smt::{Answer, Term};
use selvedge_symbolic::{Place, System, Target};
use std::collections::{BTreeSet, VecDeque};

/// What an iteration has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The tree is an incomplete verification result, larger than before.
    Larger,
    /// A schedule that is not permitted leads to an error.
    Counterexample(Counterexample),
    /// There is nothing left to add, or nothing to begin with.
    None,
}

/// Schedules that are safe, free of deadlock and fair.
#[derive(Clone, Debug)]
pub struct Schedules {
    /// The tree: what is expanded is permitted.
    pub tree: Tree,
    /// Whether the tree permits an execution for every input.
    pub is_realizable: bool,
    found: VecDeque<Counterexample>,
    seen: BTreeSet<Vec<(u32, u32)>>,
    begun: bool,
}

/// Unfair cycles, for each thread, after which another way is tried.
const PATIENCE: usize = 4;

/// Whether a node is covered.
enum Closed {
    /// The node is covered.
    Covered,
    /// It is not. Cycles that coverings would have closed leave out these threads.
    Open(Vec<usize>),
    /// It is not, and there have been too many cycles that leave out the same thread.
    Hopeless,
    /// Others have been let in at a loop that one thread went round alone; the search begins again.
    Opened,
}

/// What can be done at a node.
enum Scheduled {
    /// These threads are let go on.
    Threads(Vec<usize>),
    /// Nothing needs to be done: all have ended.
    End,
    /// The node does not count any more.
    Gone,
    /// Whichever thread goes on, something can go wrong.
    Losing,
}

/// Whether a thread can go on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ready {
    Always,
    Sometimes,
    Gone,
}

impl Schedules {
    /// No schedules yet.
    pub fn new(prover: &mut Prover) -> Schedules {
        prover.close_all_but(&[]);
        Schedules {
            tree: Tree::new(prover),
            is_realizable: false,
            found: VecDeque::new(),
            seen: BTreeSet::new(),
            begun: false,
        }
    }

    /// Looks for more schedules.
    ///
    /// # Errors
    /// When a limit is reached, or the solver fails or does not know; the schedules of earlier iterations are then
    /// no longer in the tree, so keep a copy.
    pub fn iteration(&mut self, prover: &mut Prover) -> Result<Progress, Stop> {
        if let Some(found) = self.found.pop_front() {
            return Ok(Progress::Counterexample(found));
        }
        // Another search may have opened other places.
        prover.close_all_but(&self.tree.opened);
        let is_extended = !self.begun || (self.is_realizable && self.new_schedule_start(prover)?);
        self.begun = true;
        while let Some(id) = self.tree.todo.pop() {
            prover.watch()?;
            let node = self.tree.node(id);
            if node.dead || node.covered_by.is_some() || !node.expanded.is_empty() {
                continue;
            }
            let scheduled = match self.close(prover, id)? {
                Closed::Covered => continue,
                Closed::Open(left_out) => self.schedule_thread(prover, id, &left_out)?,
                Closed::Hopeless => Scheduled::Losing,
                Closed::Opened => {
                    self.tree = Tree::new(prover);
                    continue;
                }
            };
            match scheduled {
                Scheduled::Threads(threads) => {
                    for thread in threads {
                        self.tree.expand_thread(prover, id, thread)?;
                    }
                }
                Scheduled::End | Scheduled::Gone => {}
                Scheduled::Losing => {
                    if !self.backtrack(prover, id)? {
                        self.is_realizable = false;
                        return Ok(self.found.pop_front().map_or(Progress::None, Progress::Counterexample));
                    }
                }
            }
        }
        if !is_extended {
            return Ok(self.found.pop_front().map_or(Progress::None, Progress::Counterexample));
        }
        self.is_realizable = true;
        Ok(Progress::Larger)
    }

    /// Counterexamples that were found on the way and not reported yet.
    pub fn counterexamples(&mut self) -> impl Iterator<Item = Counterexample> {
        self.found.drain(..)
    }

    /// Covers a node if that closes no unfair cycle.
    fn close(&mut self, prover: &mut Prover, id: NodeId) -> Result<Closed, Stop> {
        let mut left_out = Vec::new();
        for other in self.tree.candidates(id) {
            if !self.tree.entails(prover, id, other)? {
                continue;
            }
            let threads = self.tree.left_out(prover, id, other)?;
            if threads.is_empty() {
                self.tree.cover(id, other);
                return Ok(Closed::Covered);
            }
            if !self.is_realizable && self.open_loop(prover, id, other) {
                return Ok(Closed::Opened);
            }
            left_out.extend(threads);
        }
        // A round of all threads may have come by here once for each of them.
        let most = self.tree.node(id).places.len() + 1;
        for other in self.tree.forcing_candidates(prover, id, most) {
            let is_fair = self.tree.left_out(prover, id, other)?.is_empty();
            if is_fair && self.tree.force(prover, id, other)? {
                self.tree.cover(id, other);
                return Ok(Closed::Covered);
            }
            if self.tree.node(id).dead {
                return Ok(Closed::Covered);
            }
        }
        // Going round again and again without some thread leads nowhere.
        let count = self.tree.node(id).places.len();
        let is_hopeless =
            (0..count).any(|t| left_out.iter().filter(|&&out| out == t).count() > PATIENCE * count);
        Ok(if is_hopeless { Closed::Hopeless } else { Closed::Open(left_out) })
    }

    /// Lets others in at the head of a loop that a thread goes round alone, if it can be done.
    fn open_loop(&self, prover: &mut Prover, id: NodeId, head: NodeId) -> bool {
        let places = &self.tree.node(id).places;
        let Some(thread) = prover.movers.must_go_on(places) else { return false };
        let mut present = id;
        while present != head {
            match self.tree.node(present).parent {
                Some((parent, edge)) if edge.thread == thread => present = parent,
                _ => return false,
            }
        }
        prover.open(thread, places[thread] as usize)
    }

    /// Expands one more thread at the first node where that is possible.
    fn new_schedule_start(&mut self, prover: &mut Prover) -> Result<bool, Stop> {
        let mut todo = VecDeque::from([Tree::ROOT]);
        while let Some(id) = todo.pop_front() {
            let node = self.tree.node(id);
            todo.extend(node.children.iter().map(|child| child.1));
            let places = node.places.clone();
            if node.covered_by.is_some()
                || node.expanded.is_empty()
                || prover.movers.must_go_on(&places).is_some()
            {
                continue;
            }
            for thread in 0..places.len() {
                let node = self.tree.node(id);
                let is_possible = prover.system.is_running(&places, thread)
                    && !node.expanded.contains(&thread)
                    && !node.banned.contains(&thread)
                    && !self.tree.skip(prover, id, thread);
                if is_possible
                    && self.tree.may_be_enabled(prover, id, thread)?
                    && self.permit(prover, id, thread)?
                {
                    self.tree.expand_thread(prover, id, thread)?;
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether a thread can be let go on at a node beside those that can already; bans it if not.
    fn permit(&mut self, prover: &mut Prover, id: NodeId, thread: usize) -> Result<bool, Stop> {
        let broken = self.broken_assumptions(prover, id, thread);
        let keeps = match self.exclude(prover, id, broken)? {
            Ready::Always => matches!(self.failures(prover, id, thread)?, Checked::Fine),
            Ready::Sometimes | Ready::Gone => false,
        };
        if !keeps {
            self.tree.node_mut(id).banned.insert(thread);
        }
        Ok(keeps)
    }

    /// Which thread, or threads, go on at a node.
    fn schedule_thread(
        &mut self,
        prover: &mut Prover,
        id: NodeId,
        left_out: &[usize],
    ) -> Result<Scheduled, Stop> {
        let places = self.tree.node(id).places.clone();
        let mut order = self.order(prover, id);
        // A thread that was left out comes first, but for one that is in the middle of what it does.
        let busy = self.in_the_middle(prover, id);
        order.sort_by_key(|thread| (Some(*thread) != busy, !left_out.contains(thread)));
        if order.is_empty() {
            return Ok(Scheduled::End);
        }
        let mut sometimes = Vec::new();
        for thread in order {
            if self.tree.node(id).banned.contains(&thread) {
                continue;
            }
            match self.check_enabledness(prover, id, thread)? {
                Ready::Gone => return Ok(Scheduled::Gone),
                Ready::Sometimes if !self.tree.may_be_enabled(prover, id, thread)? => continue,
                Ready::Sometimes => sometimes.push(thread),
                Ready::Always => match self.failures(prover, id, thread)? {
                    Checked::Fine => return Ok(Scheduled::Threads(vec![thread])),
                    Checked::Gone => return Ok(Scheduled::Gone),
                    Checked::Wrong(found) => self.remove_error_path(found, id, thread),
                },
            }
        }
        self.several(prover, id, &places, sometimes)
    }

    /// Several threads of which one is always ready, when no single one is.
    fn several(
        &mut self,
        prover: &mut Prover,
        id: NodeId,
        places: &[u32],
        candidates: Vec<usize>,
    ) -> Result<Scheduled, Stop> {
        let mut threads = Vec::new();
        let wanted = candidates.len();
        for thread in candidates {
            let broken = self.broken_assumptions(prover, id, thread);
            if self.exclude(prover, id, broken)? != Ready::Always {
                continue;
            }
            match self.failures(prover, id, thread)? {
                Checked::Fine => threads.push(thread),
                Checked::Gone => return Ok(Scheduled::Gone),
                Checked::Wrong(found) => self.remove_error_path(found, id, thread),
            }
        }
        let blocked: Vec<Term> =
            threads.iter().map(|&t| prover.system.blocked(&mut prover.terms, places, t)).collect();
        let all_blocked = prover.terms.and(blocked);
        let may_rest = !prover.system.counts_as_deadlock(places)
            && self.tree.node(id).banned.is_empty()
            && threads.len() == wanted;
        Ok(match self.exclude_with(prover, id, all_blocked)? {
            (Ready::Gone, _) => Scheduled::Gone,
            (Ready::Always, _) => Scheduled::Threads(threads),
            (Ready::Sometimes, _) if may_rest && threads.is_empty() => Scheduled::End,
            (Ready::Sometimes, _) if may_rest => Scheduled::Threads(threads),
            (Ready::Sometimes, found) => {
                self.report_deadlock(prover, id, found)?;
                Scheduled::Losing
            }
        })
    }

    /// The threads that can be scheduled, the preferred one first.
    fn order(&self, prover: &Prover, id: NodeId) -> Vec<usize> {
        let node = self.tree.node(id);
        if let Some(thread) = prover.movers.must_go_on(&node.places) {
            return vec![thread];
        }
        let count = node.places.len();
        let first = match (self.in_the_middle(prover, id), node.parent) {
            (Some(thread), _) => thread,
            (None, Some((_, edge))) => edge.thread + 1,
            (None, None) => 0,
        };
        let round = (0..count).map(|step| (first + step) % count);
        round.filter(|&thread| prover.system.is_running(&node.places, thread)).collect()
    }

    /// The thread that made the last step, unless that closed a loop.
    fn in_the_middle(&self, prover: &Prover, id: NodeId) -> Option<usize> {
        let (parent, edge) = self.tree.node(id).parent?;
        let before = &self.tree.node(parent).places;
        let transition = &prover.system.location(before, edge.thread).transitions[edge.transition];
        (!transition.jumps_back).then_some(edge.thread)
    }

    /// Whether a thread neither has to wait nor breaks declared synchronisation at a node.
    fn check_enabledness(&mut self, prover: &mut Prover, id: NodeId, thread: usize) -> Result<Ready, Stop> {
        let places = self.tree.node(id).places.clone();
        let blocked = prover.system.blocked(&mut prover.terms, &places, thread);
        let broken = self.broken_assumptions(prover, id, thread);
        let waits = prover.terms.or([blocked, broken]);
        self.exclude(prover, id, waits)
    }

    /// The condition under which a thread's next step finds an assumption on shared variables false.
    fn broken_assumptions(&self, prover: &mut Prover, id: NodeId, thread: usize) -> Term {
        let places = self.tree.node(id).places.clone();
        let is_shared = |variable: &selvedge_smt::Variable| {
            let number = prover.system.numbers.get(variable);
            number.is_some_and(|&n| !matches!(prover.system.variables[n].place, Place::Slot { .. }))
        };
        let guards: Vec<Term> = prover
            .system
            .transitions(&places, thread)
            .filter(|(_, t)| t.target == Target::Location(System::DROPPED) && t.input.is_none())
            .filter(|(_, t)| prover.terms.variables_of([t.guard]).iter().any(is_shared))
            .map(|(_, t)| t.guard)
            .collect();
        prover.terms.or(guards)
    }

    /// Whether a condition can be excluded at a node, strengthening labels if need be.
    fn exclude(&mut self, prover: &mut Prover, id: NodeId, condition: Term) -> Result<Ready, Stop> {
        self.exclude_with(prover, id, condition).map(|(ready, _)| ready)
    }

    fn exclude_with(
        &mut self,
        prover: &mut Prover,
        id: NodeId,
        condition: Term,
    ) -> Result<(Ready, Option<Counterexample>), Stop> {
        let mut formulas = self.tree.premises(id);
        formulas.push(condition);
        if prover.check(formulas)? == Answer::Unsat {
            return Ok((Ready::Always, None));
        }
        Ok(match self.tree.refine(prover, id, Wrong::Condition(condition))? {
            Refined::Possible(found) => (Ready::Sometimes, Some(found)),
            Refined::Refuted if self.tree.node(id).dead => (Ready::Gone, None),
            Refined::Refuted => (Ready::Always, None),
        })
    }

    fn failures(&mut self, prover: &mut Prover, id: NodeId, thread: usize) -> Result<Checked, Stop> {
        self.tree.failures(prover, id, thread)
    }

    /// Removes the path to an error before it is part of the tree: the thread must not go on at this node. Remembers the counterexample.
    fn remove_error_path(&mut self, found: Counterexample, id: NodeId, thread: usize) {
        self.tree.node_mut(id).banned.insert(thread);
        self.remember(found);
    }

    fn remember(&mut self, found: Counterexample) {
        let key = found.schedule.iter().map(|decision| (decision.thread.0, decision.choice)).collect();
        if self.seen.insert(key) {
            self.found.push_back(found);
        }
    }

    /// Remembers a deadlock, if it is one of the program and not of what is left to choose from.
    fn report_deadlock(
        &mut self,
        prover: &mut Prover,
        id: NodeId,
        found: Option<Counterexample>,
    ) -> Result<(), Stop> {
        let places = self.tree.node(id).places.clone();
        if found.is_none()
            || !prover.system.counts_as_deadlock(&places)
            || prover.movers.must_go_on(&places).is_some()
        {
            return Ok(());
        }
        let running: Vec<usize> =
            (0..places.len()).filter(|&t| prover.system.is_running(&places, t)).collect();
        let blocked: Vec<Term> =
            running.into_iter().map(|t| prover.system.blocked(&mut prover.terms, &places, t)).collect();
        let deadlock = prover.terms.and(blocked);
        if let (Ready::Sometimes, Some(found)) = self.exclude_with(prover, id, deadlock)? {
            self.remember(found);
        }
        Ok(())
    }

    /// Takes back the choice that led to a node. Returns whether another one is left somewhere.
    fn backtrack(&mut self, prover: &mut Prover, id: NodeId) -> Result<bool, Stop> {
        let Some((parent, edge)) = self.tree.node(id).parent else { return Ok(false) };
        let node = self.tree.node_mut(parent);
        node.banned.insert(edge.thread);
        node.expanded.remove(&edge.thread);
        let (gone, kept) =
            std::mem::take(&mut node.children).into_iter().partition(|(e, _)| e.thread == edge.thread);
        node.children = kept;
        let gone: Vec<_> = gone;
        for (_, child) in gone {
            self.tree.bury(child);
        }
        let rest: Vec<usize> = self.tree.node(parent).expanded.iter().copied().collect();
        if !rest.is_empty() {
            let places = self.tree.node(parent).places.clone();
            let blocked: Vec<Term> =
                rest.iter().map(|&t| prover.system.blocked(&mut prover.terms, &places, t)).collect();
            let mut formulas = self.tree.premises(parent);
            formulas.extend(blocked);
            if prover.check(formulas)? == Answer::Unsat {
                return Ok(true);
            }
        }
        self.tree.prune_below(parent);
        self.tree.todo.push(parent);
        Ok(true)
    }
}
