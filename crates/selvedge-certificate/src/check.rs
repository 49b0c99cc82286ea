//! The checker: every claim of a certificate is proved again.

use crate::blocks::{Passage, passages};
use crate::certificate::{Certificate, Claim, fingerprint};
use crate::graph::{cycles_among, cycles_without};
use crate::swap::Blocks;
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Answer, Options, Solver, SolverError, Stopped, Term, Terms, parse};
use selvedge_symbolic::{BuildError, LocationKind, System, Target, Unsupported};
use std::collections::BTreeMap;

/// Why a certificate is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// It proves nothing.
    #[error("the certificate is wrong: {0}")]
    Wrong(String),
    /// The solver does not know.
    #[error("the solver cannot tell whether the certificate is right: {0}")]
    Unknown(String),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The program cannot be translated.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// The translation was given up.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Nodes.
    pub nodes: usize,
    /// Edges.
    pub edges: usize,
    /// Coverings.
    pub coverings: usize,
    /// Questions to the solver.
    pub queries: u64,
}

type Check<T = ()> = Result<T, CheckError>;

/// Checks a certificate against a program.
///
/// # Errors
/// When it is wrong, or that cannot be decided.
pub fn check(program: &selvedge_ir::Program, certificate: &Certificate, options: Options) -> Check<Checked> {
    if certificate.program != fingerprint(program) {
        return wrong("it is about another program");
    }
    let mut terms = Terms::new();
    let patience = options.patience.clone();
    let system = System::new(program, &mut terms, &patience)?;
    let solver = Solver::start(options)?;
    let mut checker = Checker {
        passages: Vec::new(),
        interior: Vec::new(),
        labels: Vec::new(),
        parents: Vec::new(),
        certificate,
        system,
        terms,
        solver,
        done: Checked::default(),
    };
    checker.shape()?;
    checker.read_labels()?;
    checker.root()?;
    for node in 0..certificate.nodes.len() {
        patience.watch()?;
        checker.node(node)?;
    }
    match certificate.claim {
        Claim::SomeSchedules => checker.fairness()?,
        Claim::AllSchedules => checker.steps_end()?,
    }
    checker.done.queries = checker.solver.queries();
    Ok(checker.done)
}

impl From<BuildError> for CheckError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Unsupported(what) => what.into(),
            BuildError::Stopped(why) => why.into(),
        }
    }
}

fn wrong<T>(what: impl Into<String>) -> Check<T> {
    Err(CheckError::Wrong(what.into()))
}

struct Checker<'c> {
    certificate: &'c Certificate,
    system: System,
    terms: Terms,
    solver: Solver,
    passages: Vec<Vec<Passage>>,
    interior: Vec<Vec<bool>>,
    labels: Vec<Vec<Term>>,
    /// The node before each, with the thread and the transition from there.
    parents: Vec<Option<(usize, usize, usize)>>,
    done: Checked,
}

impl Checker<'_> {
    /// Numbers are in range, the edges make a tree, and interior places are interior.
    fn shape(&mut self) -> Check {
        let (nodes, threads) = (&self.certificate.nodes, &self.system.threads);
        self.parents = vec![None; nodes.len()];
        if nodes.is_empty() {
            return wrong("it has no nodes");
        }
        for (number, node) in nodes.iter().enumerate() {
            let in_range =
                |(thread, &place): (usize, &u32)| (place as usize) < threads[thread].locations.len();
            if node.places.len() != threads.len() || !node.places.iter().enumerate().all(in_range) {
                return wrong(format!("node {number} stands nowhere"));
            }
            if node.expanded.iter().chain(&node.skipped).any(|&thread| thread >= threads.len()) {
                return wrong(format!("node {number} has threads that do not exist"));
            }
            for &(thread, transition, child) in &node.edges {
                let is_there = thread < threads.len()
                    && transition < self.system.location(&node.places, thread).transitions.len()
                    && child < nodes.len()
                    && child > number;
                if !is_there || self.parents[child].is_some() {
                    return wrong(format!("the edges of node {number} make no tree"));
                }
                self.parents[child] = Some((number, thread, transition));
            }
            if node.covered_by.is_some_and(|by| by >= nodes.len()) {
                return wrong(format!("node {number} is covered by none"));
            }
        }
        self.passages = passages(&self.system, &self.terms);
        self.interior = threads.iter().map(|thread| vec![false; thread.locations.len()]).collect();
        for &(thread, place) in &self.certificate.interior {
            match self.passages.get(thread).and_then(|places| places.get(place)) {
                Some(Passage::Passable | Passage::Committed) => self.interior[thread][place] = true,
                _ => return wrong(format!("others must be let in at place {place} of thread {thread}")),
            }
        }
        for (number, thread) in threads.iter().enumerate() {
            let is_torn = |place: usize| {
                let location = &thread.locations[place];
                location.kind == LocationKind::Internal && !location.may_open && !self.interior[number][place]
            };
            if let Some(place) = (0..thread.locations.len()).find(|&place| is_torn(place)) {
                return wrong(format!(
                    "place {place} of thread {number} is in the middle of what is one step"
                ));
            }
        }
        Ok(())
    }

    fn read_labels(&mut self) -> Check {
        let names: BTreeMap<String, _> =
            self.system.variables.iter().map(|v| (v.name.clone(), v.variable)).collect();
        if names.len() != self.system.variables.len() {
            return wrong("the names of the variables are ambiguous");
        }
        for (number, node) in self.certificate.nodes.iter().enumerate() {
            let mut label = Vec::new();
            for text in &node.label {
                match parse::term(&mut self.terms, text, &|name| names.get(name).copied()) {
                    Some(term) => label.push(term),
                    None => return wrong(format!("the label of node {number} cannot be read: {text}")),
                }
            }
            self.labels.push(label);
        }
        Ok(())
    }

    /// Demands that formulas contradict each other.
    fn contradict(&mut self, formulas: &[Term], what: &dyn Fn() -> String) -> Check {
        let all = self.terms.and(formulas.iter().copied());
        if all == self.terms.no() {
            return Ok(());
        }
        let conjuncts = self.terms.conjuncts(all);
        let asked = self.terms.propagated(conjuncts);
        match self.solver.check(&self.terms, &asked)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => wrong(what()),
            Answer::Unknown => Err(CheckError::Unknown(what())),
        }
    }

    fn root(&mut self) -> Check {
        if self.certificate.nodes[0].places != self.system.start() || self.parents[0].is_some() {
            return wrong("the first node is not the beginning");
        }
        let state: Substitution = self.system.variables.iter().map(|v| (v.variable, v.initial)).collect();
        for conjunct in self.labels[0].clone() {
            let first = self.terms.substitute(conjunct, &state);
            let negated = self.terms.not(first);
            self.contradict(&[negated], &|| {
                "the label of the root does not hold at the beginning".to_owned()
            })?;
        }
        Ok(())
    }

    fn goes_on(&self, node: usize) -> Option<usize> {
        let places = &self.certificate.nodes[node].places;
        (0..places.len()).find(|&thread| self.interior[thread][places[thread] as usize])
    }

    fn node(&mut self, number: usize) -> Check {
        self.done.nodes += 1;
        if number > 0 && self.parents[number].is_none() {
            return wrong(format!("nothing leads to node {number}"));
        }
        let node = &self.certificate.nodes[number];
        if let Some(by) = node.covered_by {
            return self.covering(number, by);
        }
        let running = |&thread: &usize| self.system.is_running(&node.places, thread);
        let threads: Vec<usize> = (0..node.places.len()).filter(running).collect();
        let forced = self.goes_on(number);
        let required: Vec<usize> = match (self.certificate.claim, forced) {
            (_, Some(thread)) => vec![thread],
            (Claim::AllSchedules, None) => threads.clone(),
            (Claim::SomeSchedules, None) => Vec::new(),
        };
        for thread in required {
            if !node.expanded.contains(&thread) && !node.skipped.contains(&thread) {
                return wrong(format!("thread {thread} is not expanded at node {number}"));
            }
        }
        if node.expanded.iter().any(|&thread| forced.is_some_and(|forced| forced != thread)) {
            return wrong(format!("somebody else goes on at node {number}"));
        }
        for &thread in &node.skipped {
            if self.certificate.claim == Claim::SomeSchedules || !self.may_skip(number, thread) {
                return wrong(format!("thread {thread} must not be skipped at node {number}"));
            }
        }
        if node.edges.iter().any(|edge| !node.expanded.contains(&edge.0)) {
            return wrong(format!("node {number} has edges of threads that are not expanded"));
        }
        for &thread in &node.expanded {
            if !threads.contains(&thread) {
                return wrong(format!("thread {thread} does not run at node {number}"));
            }
            self.expansion(number, thread)?;
        }
        self.waiting(number, &threads)
    }

    fn covering(&mut self, number: usize, by: usize) -> Check {
        self.done.coverings += 1;
        let (node, other) = (&self.certificate.nodes[number], &self.certificate.nodes[by]);
        if node.places != other.places || other.covered_by.is_some() {
            return wrong(format!("node {number} cannot be covered by node {by}"));
        }
        if !node.edges.is_empty() || !node.expanded.is_empty() || !node.skipped.is_empty() {
            return wrong(format!("node {number} is covered and goes on"));
        }
        for &thread in &other.skipped {
            if !self.may_skip(number, thread) {
                return wrong(format!(
                    "node {by}, which skips thread {thread}, covers node {number}, which must not"
                ));
            }
        }
        for conjunct in self.labels[by].clone() {
            if self.labels[number].contains(&conjunct) {
                continue;
            }
            let mut formulas = self.labels[number].clone();
            formulas.push(self.terms.not(conjunct));
            self.contradict(&formulas, &|| format!("node {number} is not covered by node {by}"))?;
        }
        Ok(())
    }

    /// Every transition of a thread leads to a node whose label follows, or is impossible.
    fn expansion(&mut self, number: usize, thread: usize) -> Check {
        let node = &self.certificate.nodes[number];
        let ways: Vec<usize> = self.system.transitions(&node.places, thread).map(|(way, _)| way).collect();
        if node.edges.iter().any(|&(t, way, _)| t == thread && !ways.contains(&way)) {
            return wrong(format!("an edge of node {number} cannot be taken where the other threads stand"));
        }
        for way in ways {
            let transition = self.system.location(&node.places, thread).transitions[way].clone();
            let mut taken = self.labels[number].clone();
            taken.push(transition.guard);
            let edge = node.edges.iter().find(|edge| (edge.0, edge.1) == (thread, way));
            match (&transition.target, edge) {
                (Target::Blocked, None) => {}
                (Target::Location(_), Some(&(_, _, child))) => {
                    self.done.edges += 1;
                    let after = self.system.after(&node.places, thread, &transition);
                    if after.as_ref() != Some(&self.certificate.nodes[child].places) {
                        return wrong(format!("the edge from node {number} to node {child} leads elsewhere"));
                    }
                    for conjunct in self.labels[child].clone() {
                        let before = self.terms.substitute(conjunct, &transition.updates);
                        if taken.contains(&before) {
                            continue;
                        }
                        let mut formulas = taken.clone();
                        formulas.push(self.terms.not(before));
                        let what = || format!("the label of node {child} does not follow from node {number}");
                        self.contradict(&formulas, &what)?;
                    }
                }
                (Target::Location(_), None) => {
                    let what = || format!("a step of thread {thread} at node {number} is missing");
                    self.contradict(&taken, &what)?;
                }
                (Target::Failed(..) | Target::Diverged, None) => {
                    let what = || format!("thread {thread} can fail at node {number}");
                    self.contradict(&taken, &what)?;
                }
                (_, Some(_)) => return wrong(format!("an edge of node {number} leads nowhere")),
            }
        }
        Ok(())
    }

    /// A thread can go on, or none has to.
    fn waiting(&mut self, number: usize, running: &[usize]) -> Check {
        let node = &self.certificate.nodes[number];
        let who = match self.certificate.claim {
            Claim::AllSchedules => running,
            Claim::SomeSchedules => &node.expanded[..],
        };
        if !self.system.counts_as_deadlock(&node.places) && self.certificate.claim == Claim::AllSchedules {
            return Ok(());
        }
        if running.is_empty() {
            return Ok(());
        }
        let mut formulas = self.labels[number].clone();
        let places = node.places.clone();
        let all: &[usize] = if self.system.counts_as_deadlock(&places) { who } else { running };
        let threads = all.to_vec();
        let blocked: Vec<Term> =
            threads.iter().map(|&thread| self.system.blocked(&mut self.terms, &places, thread)).collect();
        if !self.system.counts_as_deadlock(&places) {
            // Beside a thread that was stopped by an assumption the others may rest, but only if none can go on.
            let enabled = self.terms.and(blocked);
            formulas.push(self.terms.not(enabled));
            let permitted: Vec<Term> = node
                .expanded
                .iter()
                .map(|&thread| self.system.blocked(&mut self.terms, &places, thread))
                .collect();
            formulas.extend(permitted);
        } else {
            formulas.extend(blocked);
        }
        self.contradict(&formulas, &|| format!("all that may go on at node {number} can be blocked"))
    }

    fn may_skip(&self, node: usize, thread: usize) -> bool {
        let blocks = Blocks {
            certificate: self.certificate,
            system: &self.system,
            terms: &self.terms,
            interior: &self.interior,
            parents: &self.parents,
        };
        blocks.may_skip(node, thread)
    }

    /// No cycle stays in the middle of a step: the other threads are not let in there.
    fn steps_end(&self) -> Check {
        let is_committed = |node: usize| {
            let places = &self.certificate.nodes[node].places;
            self.goes_on(node)
                .is_some_and(|thread| self.passages[thread][places[thread] as usize] == Passage::Committed)
        };
        match cycles_among(self.certificate, &is_committed).first() {
            Some(cycle) => {
                wrong(format!("a thread may go on for ever at node {} while nobody is let in", cycle[0]))
            }
            None => Ok(()),
        }
    }

    /// On every cycle, every thread that may be enabled makes a step.
    fn fairness(&mut self) -> Check {
        for thread in 0..self.system.threads.len() {
            for cycle in cycles_without(self.certificate, thread) {
                for node in cycle {
                    let places = self.certificate.nodes[node].places.clone();
                    if !self.system.is_running(&places, thread) {
                        continue;
                    }
                    let blocked = self.system.blocked(&mut self.terms, &places, thread);
                    let mut formulas = self.labels[node].clone();
                    formulas.push(self.terms.not(blocked));
                    let what = || {
                        format!(
                            "a cycle through node {node} leaves out thread {thread}, which may be enabled"
                        )
                    };
                    self.contradict(&formulas, &what)?;
                }
            }
        }
        Ok(())
    }
}
