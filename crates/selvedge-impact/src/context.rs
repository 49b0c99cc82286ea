//! The program, the solver and what has been learned: everything that trees share.

use crate::symmetry::Symmetry;
use selvedge_smt::{
    Answer, Implications, Options, Patience, Solver, SolverError, Stopped, Term, Terms, Variable,
};
use selvedge_symbolic::intervals::Intervals;
use selvedge_symbolic::movers::{Blocks, Movers};
use selvedge_symbolic::{BuildError, System, Unsupported};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

/// Predicates up to which all are tried everywhere.
const FEW: usize = 40;

/// Nodes and formulas looked at, beside questions, that count as one unit of effort.
const VISITS_OF_EFFORT: u64 = 5000;
/// Work of the solver, in its units, that counts as one more unit of effort: some hundredths of a second.
const WORK_OF_EFFORT: u64 = 50_000;

/// Why a search ended before its end. What has been proved until then still holds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The solver failed.
    #[error("{0}")]
    Solver(SolverError),
    /// The solver, or the search for interpolants, does not know how to go on.
    #[error("{0}")]
    Unknown(String),
    /// The time is over.
    #[error("the time limit was reached")]
    Time,
    /// The tree is too large.
    #[error("the limit of {0} nodes was reached")]
    Nodes(usize),
    /// The effort that was allowed is spent.
    #[error("the effort that was allowed is spent")]
    Effort,
    /// An interrupt ended it.
    #[error("interrupted")]
    Interrupted,
}

impl From<SolverError> for Stop {
    fn from(error: SolverError) -> Self {
        match error {
            SolverError::Stopped(why) => why.into(),
            error => Stop::Solver(error),
        }
    }
}

impl From<Stopped> for Stop {
    fn from(why: Stopped) -> Self {
        match why {
            Stopped::Time => Stop::Time,
            Stopped::Interrupted => Stop::Interrupted,
        }
    }
}

/// How far to go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// When to stop.
    pub deadline: Option<Instant>,
    /// Nodes of one tree.
    pub nodes: usize,
    /// Effort, of the whole life of a prover, after which a search stops: see [`Effort::spent`].
    pub effort: Option<u64>,
    /// Set from outside to stop.
    pub interrupt: Arc<AtomicBool>,
    /// Where others can see how far the search is.
    pub gauge: Arc<Gauge>,
}

/// What a search has done, for its monitor.
#[derive(Debug, Default)]
pub struct Gauge {
    /// Nodes that were made.
    pub nodes: AtomicU64,
    /// Questions to the solver.
    pub queries: AtomicU64,
    /// Error paths that were refuted.
    pub refinements: AtomicU64,
}

impl Limits {
    /// How long to go on.
    pub fn patience(&self) -> Patience {
        Patience { deadline: self.deadline, interrupt: self.interrupt.clone() }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            deadline: None,
            nodes: 200_000,
            effort: None,
            interrupt: Arc::default(),
            gauge: Arc::default(),
        }
    }
}

/// What a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Nodes that were made.
    pub nodes: usize,
    /// Questions to the solver.
    pub queries: u64,
    /// Different predicates in labels, bounds that were known from the beginning not counted.
    pub predicates: usize,
    /// Error paths that were refuted.
    pub refinements: usize,
    /// Nodes and formulas that were looked at without a question.
    pub visits: u64,
    /// Work of the solver, in its own units, as far as it tells.
    pub work: u64,
}

impl Effort {
    /// All of it as one number, in which no time occurs: nodes made and questions asked, and more for what takes long all the same.
    pub fn spent(&self) -> u64 {
        let Effort { nodes, queries, visits, work, .. } = *self;
        nodes as u64 + queries + visits / VISITS_OF_EFFORT + work / WORK_OF_EFFORT
    }
}

/// A program to be proved.
#[derive(Debug)]
pub struct Prover {
    /// All terms.
    pub terms: Terms,
    /// The program.
    pub system: System,
    /// Its interior places.
    pub movers: Movers,
    /// Its bounds.
    pub intervals: Intervals,
    /// The limits.
    pub limits: Limits,
    /// What was done so far.
    pub effort: Effort,
    solver: Solver,
    implications: Implications,
    symmetry: Symmetry,
    seeds: BTreeMap<Vec<u32>, Rc<[Term]>>,
    /// Predicates that were useful at a place before.
    pool: BTreeMap<Vec<u32>, BTreeSet<Term>>,
    predicates: BTreeSet<Term>,
    inputs: Vec<Variable>,
}

/// Why a prover cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// The program has something that is not supported.
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// There is no solver.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The translation was given up.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl From<BuildError> for SetupError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Unsupported(what) => what.into(),
            BuildError::Stopped(why) => why.into(),
        }
    }
}

impl Prover {
    /// Translates a well-formed program and starts a solver.
    ///
    /// # Errors
    /// When the program cannot be translated, the solver not be started, or a limit is reached.
    pub fn new(
        program: &selvedge_ir::Program,
        options: Options,
        blocks: Blocks,
        limits: Limits,
    ) -> Result<Prover, SetupError> {
        let (mut terms, patience) = (Terms::new(), limits.patience());
        let system = System::new(program, &mut terms, &patience)?;
        let movers = Movers::new(&system, &terms, blocks, &patience)?;
        let intervals = Intervals::new(&system, &terms, &movers, &patience)?;
        let symmetry = Symmetry::new(&system, &mut terms, &movers.mutexes);
        let solver = Solver::start(options)?;
        Ok(Prover {
            terms,
            system,
            movers,
            intervals,
            limits,
            effort: Effort::default(),
            solver,
            implications: Implications::default(),
            symmetry,
            seeds: BTreeMap::new(),
            pool: BTreeMap::new(),
            predicates: BTreeSet::new(),
            inputs: Vec::new(),
        })
    }

    /// Allows so much more effort from now on.
    pub fn allow(&mut self, more: u64) {
        self.limits.effort = Some(self.effort.spent() + more);
    }

    /// Lets others in at an interior place from now on, if that is possible. Trees that were made before do not count any more:
    /// their bounds rest on what is interior.
    pub(crate) fn open(&mut self, thread: usize, place: usize) -> bool {
        let is_opened = self.movers.open(&self.system, thread, place);
        if is_opened {
            self.find_bounds();
        }
        is_opened
    }

    /// Makes all places interior again that have been opened, but for these.
    pub(crate) fn close_all_but(&mut self, open: &[(usize, usize)]) {
        if self.movers.opened() == open {
            return;
        }
        self.movers.close_all();
        for &(thread, place) in open {
            self.movers.open(&self.system, thread, place);
        }
        self.find_bounds();
    }

    /// Finds bounds again. When there is no time for that nothing is known of the variables, and the search stops at the next
    /// opportunity.
    fn find_bounds(&mut self) {
        let patience = self.limits.patience();
        self.intervals = Intervals::new(&self.system, &self.terms, &self.movers, &patience)
            .unwrap_or_else(|_| Intervals::unknown(&self.system));
        self.seeds.clear();
    }

    /// Stops if a limit is reached.
    pub(crate) fn watch(&self) -> Result<(), Stop> {
        let Effort { nodes, queries, refinements, .. } = self.effort;
        let gauge = &self.limits.gauge;
        gauge.nodes.store(nodes as u64, Ordering::Relaxed);
        gauge.queries.store(queries, Ordering::Relaxed);
        gauge.refinements.store(refinements as u64, Ordering::Relaxed);
        if self.limits.effort.is_some_and(|most| self.effort.spent() >= most) {
            return Err(Stop::Effort);
        }
        Ok(self.limits.patience().watch()?)
    }

    /// Counts what is looked at, and stops now and then if a limit is reached.
    pub(crate) fn visit(&mut self, count: usize) -> Result<(), Stop> {
        let before = self.effort.visits / VISITS_OF_EFFORT;
        self.effort.visits += count as u64;
        match before < self.effort.visits / VISITS_OF_EFFORT {
            true => self.watch(),
            false => Ok(()),
        }
    }

    /// Whether all formulas can be true together.
    pub(crate) fn check(&mut self, formulas: Vec<Term>) -> Result<Answer, Stop> {
        self.watch()?;
        self.visit(formulas.len())?;
        self.solver.wait_for(self.limits.patience());
        let answer = self.implications.check(&mut self.terms, &mut self.solver, formulas)?;
        self.effort.queries = self.solver.queries();
        self.effort.work = self.solver.work();
        Ok(answer)
    }

    /// Whether the premises certainly imply the conclusion.
    pub(crate) fn implies(&mut self, premises: &[Term], conclusion: Term) -> Result<bool, Stop> {
        if premises.contains(&conclusion) {
            return Ok(true);
        }
        let mut formulas = premises.to_vec();
        formulas.push(self.terms.not(conclusion));
        Ok(self.check(formulas)? == Answer::Unsat)
    }

    /// The solver, for questions that are not remembered.
    pub(crate) fn solver(&mut self) -> Result<(&mut Terms, &mut Solver), Stop> {
        self.watch()?;
        self.solver.wait_for(self.limits.patience());
        self.effort.queries = self.solver.queries() + 1;
        self.effort.work = self.solver.work();
        Ok((&mut self.terms, &mut self.solver))
    }

    /// What is known when all threads stand at these places.
    pub(crate) fn seeds(&mut self, places: &[u32]) -> Rc<[Term]> {
        if let Some(known) = self.seeds.get(places) {
            return known.clone();
        }
        let seeds: Rc<[Term]> =
            self.intervals.invariant(&self.system, &mut self.terms, &self.movers, places).into();
        self.seeds.insert(places.to_vec(), seeds.clone());
        seeds
    }

    /// Predicates that were useful at these places before, or images of them, and, as long as there are few, all that were useful anywhere.
    pub(crate) fn pool(&self, places: &[u32]) -> Vec<Term> {
        let mut pool = self.pool.get(places).cloned().unwrap_or_default();
        if self.predicates.len() <= FEW {
            pool.extend(&self.predicates);
        }
        pool.into_iter().collect()
    }

    /// The first predicates that were useful anywhere, as many as can be tried everywhere.
    pub(crate) fn predicates(&self) -> Vec<Term> {
        self.predicates.iter().copied().take(2 * FEW).collect()
    }

    /// Remembers a predicate that is useful at these places, and its images for symmetric threads.
    pub(crate) fn remember(&mut self, places: &[u32], predicate: Term) {
        if self.predicates.insert(predicate) {
            self.effort.predicates += 1;
        }
        if !self.pool.entry(places.to_vec()).or_default().insert(predicate) {
            return;
        }
        for (places, image) in self.symmetry.images(&mut self.terms, places, predicate) {
            self.pool.entry(places).or_default().insert(image);
        }
    }

    /// The variable that stands for the input of a step of a path.
    pub(crate) fn input(&mut self, step: usize) -> Variable {
        while self.inputs.len() <= step {
            let name = format!("input {}", self.inputs.len());
            self.inputs.push(self.terms.variable(name, selvedge_smt::Sort::Word));
        }
        self.inputs[step]
    }
}
