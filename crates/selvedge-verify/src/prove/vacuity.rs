//! Vacuity: whether a proof is about any execution that gets past its assumptions.
//!
//! A witness is an execution that ends, or goes on for long, without a false assumption. Random executions find most; where inputs have to be
//! just right, a walk takes back the steps that lead to a false assumption, or the solver makes one of a path to a leaf of the proof. Without a witness a proof is not shown as one.

use super::session::Session;
use crate::assumptions::Assumptions;
use selvedge_explore::{Algorithm, End, Limits, Monitor, Path, Program as _, ThreadStatus, explore};
use selvedge_impact::refine::{Refined, Wrong};
use selvedge_impact::{Counterexample, NodeId, Stop, Tree};
use selvedge_interp::Interpreter;
use selvedge_trace::{Decision, Footprint, ThreadId};

/// Random executions that are tried.
const EXECUTIONS: u64 = 300;
/// Steps after which an execution without a false assumption is a witness.
const LONG: usize = 1000;
/// Steps of a walk that takes steps back.
const WALK: usize = 50_000;
/// Values of an input that such a walk tries, from each end.
const VALUES: u32 = 32;
/// Leaves of a proof to which a path is looked for.
const LEAVES: usize = 64;
/// The effort that may be spent on that.
const EFFORT: u64 = 1000;

/// Looks for an execution that gets past its assumptions.
struct Witness<'a> {
    assumptions: &'a Assumptions,
    is_found: bool,
}

impl Monitor<Interpreter> for Witness<'_> {
    fn execution(&mut self, path: &Path<Interpreter>, end: End) {
        self.is_found |= end != End::SleepSetBlocked && !self.assumptions.stop(&path.program);
    }
}

impl Session<'_> {
    /// Why a proof shows nothing, if it does.
    pub fn vacuity(&mut self) -> Option<&'static str> {
        if self.task.program.thread_count() == 0 {
            return Some("the program has no threads, so nothing was proved");
        }
        let assumptions = Assumptions::of(self.task.program, self.task.origin);
        if assumptions.are_none()
            || self.runs_past(&assumptions)
            || self.walks_past(&assumptions)
            || self.is_satisfiable(&assumptions)
        {
            return None;
        }
        Some("no execution was found that gets past its assumptions, so nothing may have been proved")
    }

    /// Whether a random execution gets past the assumptions.
    fn runs_past(&self, assumptions: &Assumptions) -> bool {
        let mut witness = Witness { assumptions, is_found: false };
        for algorithm in [Algorithm::Random, Algorithm::Optimal] {
            let executions = Some(EXECUTIONS);
            let limits = Limits { executions, depth: LONG, time: self.left(), ..Limits::default() };
            explore(Interpreter::new(self.task.program), algorithm, limits, &mut witness);
        }
        witness.is_found
    }

    /// Whether a walk gets past the assumptions, which takes back each step after which one of them is false.
    fn walks_past(&self, assumptions: &Assumptions) -> bool {
        let mut interpreter = Interpreter::new(self.task.program);
        let mut footprint = Footprint::default();
        let mut path = vec![(interpreter.mark(), alternatives(&mut interpreter, 0))];
        for _ in 0..WALK / interpreter.thread_count().max(1) {
            let depth = path.len();
            let Some((mark, left)) = path.last_mut() else { return false };
            interpreter.rollback(*mark);
            let Some(decision) = left.pop() else {
                path.pop();
                continue;
            };
            interpreter.step(decision, &mut footprint);
            if assumptions.stop(&interpreter) {
                continue;
            }
            let next = alternatives(&mut interpreter, depth);
            if next.is_empty() || depth >= LONG {
                return true;
            }
            path.push((interpreter.mark(), next));
        }
        false
    }

    /// Whether the solver finds a path through the proof that gets past the assumptions.
    fn is_satisfiable(&mut self, assumptions: &Assumptions) -> bool {
        let Some(mut tree) = self.proof.clone() else { return false };
        self.prover.allow(EFFORT);
        let leaves: Vec<NodeId> = tree.living().filter(|&id| tree.node(id).children.is_empty()).collect();
        for leaf in leaves.into_iter().take(LEAVES) {
            match self.path_to(&mut tree, leaf) {
                Ok(Some(path)) if self.gets_past(&path, assumptions) => return true,
                Ok(_) => {}
                Err(_) => return false,
            }
        }
        false
    }

    /// A path to a leaf, if there is one.
    fn path_to(&mut self, tree: &mut Tree, leaf: NodeId) -> Result<Option<Counterexample>, Stop> {
        if tree.node(leaf).dead {
            return Ok(None);
        }
        let always = self.prover.terms.and(Vec::new());
        match tree.refine(&mut self.prover, leaf, Wrong::Condition(always))? {
            Refined::Possible(path) => Ok(Some(path)),
            Refined::Refuted => Ok(None),
        }
    }

    /// Whether no assumption is false on a path, when it is performed by the interpreter.
    fn gets_past(&self, path: &Counterexample, assumptions: &Assumptions) -> bool {
        let mut interpreter = Interpreter::new(self.task.program);
        let mut footprint = Footprint::default();
        for &decision in &path.schedule {
            if !interpreter.is_enabled(decision.thread) {
                return false;
            }
            interpreter.step(decision, &mut footprint);
        }
        let is_failed = |thread| interpreter.status(ThreadId::at(thread)) == ThreadStatus::Failed;
        !(0..interpreter.thread_count()).any(is_failed) && !assumptions.stop(&interpreter)
    }
}

/// The steps that can be taken, the last first: threads take turns, and of an input the values at its ends are tried.
fn alternatives(interpreter: &mut Interpreter, turn: usize) -> Vec<Decision> {
    let threads = interpreter.thread_count();
    let mut found = Vec::new();
    for number in 0..threads {
        let thread = ThreadId::at((turn + number) % threads);
        if interpreter.is_enabled(thread) {
            let choices = interpreter.choices(thread);
            let (least, most) = (0..choices.min(VALUES), choices.saturating_sub(VALUES).max(VALUES)..choices);
            found.extend(least.chain(most).map(|choice| Decision { thread, choice }));
        }
    }
    found.reverse();
    found
}
