//! Refinement: an error path is possible, or its nodes get labels that exclude it [Metzler2020, algorithm 7, Refine].

use crate::context::{Prover, Stop};
use crate::counterexample::{Counterexample, Taken};
use crate::interpolate::{Facts, Link, sequence_interpolant};
use crate::tree::{Edge, NodeId, Tree};
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Answer, Core, Term, Variable};

/// What a step of a path counts as, in nodes that are looked at: its formulas are put into the terms of the beginning.
const VISITS_OF_STEP: usize = 32;

/// What became of an error path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refined {
    /// The path is feasible.
    Possible(Counterexample),
    /// It cannot, and the labels say so.
    Refuted,
}

/// What goes wrong at the end of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// A transition fails.
    Transition(Edge),
    /// A condition holds that must not.
    Condition(Term),
}

/// A path as a formula.
struct PathFormula {
    steps: Vec<Taken>,
    links: Vec<Link>,
    /// The condition of each step in terms of the inputs.
    constraints: Vec<Term>,
    inputs: Vec<Variable>,
}

impl Tree {
    /// Finds out whether something can go wrong at a node on the path from the root. If not, strengthens the labels.
    ///
    /// # Errors
    /// When the solver fails or does not know.
    pub fn refine(&mut self, prover: &mut Prover, id: NodeId, wrong: Wrong) -> Result<Refined, Stop> {
        let refined = self.refine_by(prover, id, wrong, Facts::Any)?;
        refined.ok_or_else(|| Stop::Unknown("no interpolant was found for a path".to_owned()))
    }

    /// Does so by facts of some kind only; nothing, and labels as before, if they do not suffice.
    pub(crate) fn refine_by(
        &mut self,
        prover: &mut Prover,
        id: NodeId,
        wrong: Wrong,
        facts: Facts,
    ) -> Result<Option<Refined>, Stop> {
        let formula = self.path_formula(prover, id, wrong);
        prover.visit(formula.links.len() * VISITS_OF_STEP)?;
        let last = match contradiction(prover, &formula)? {
            Contradiction::None => {
                let is_deadlock = matches!(wrong, Wrong::Condition(_));
                let mut steps = formula.steps.clone();
                if is_deadlock {
                    steps.pop();
                }
                let (terms, solver) = prover.solver()?;
                let model = solver.model(terms, &formula.constraints, &formula.inputs)?;
                let values = model
                    .map_err(|_| Stop::Unknown("the solver changed its mind about a path".to_owned()))?;
                let found = Counterexample::of(prover, &steps, &values, is_deadlock);
                return Ok(Some(Refined::Possible(found)));
            }
            Contradiction::At(last) => last,
        };
        prover.effort.refinements += 1;
        let Some(interpolants) =
            sequence_interpolant(prover, &formula.links[..=last], &formula.constraints, facts)?
        else {
            return Ok(None);
        };
        let mut path: Vec<NodeId> = self.path(id).into_iter().map(|(node, _)| node).collect();
        path.push(id);
        for (&node, conjuncts) in path.iter().zip(&interpolants) {
            self.strengthen(prover, node, conjuncts)?;
        }
        if let Some(&impossible) = path.get(last + 1) {
            self.cut(impossible);
        }
        Ok(Some(Refined::Refuted))
    }

    fn path_formula(&self, prover: &mut Prover, id: NodeId, wrong: Wrong) -> PathFormula {
        let mut formula =
            PathFormula { steps: Vec::new(), links: Vec::new(), constraints: Vec::new(), inputs: Vec::new() };
        let mut state: Substitution =
            prover.system.variables.iter().map(|v| (v.variable, v.initial)).collect();
        for (node, edge) in self.path(id) {
            state = self.append(prover, &mut formula, node, edge, state);
        }
        match wrong {
            Wrong::Transition(edge) => {
                self.append(prover, &mut formula, id, edge, state);
            }
            Wrong::Condition(condition) => {
                let constraint = prover.terms.substitute(condition, &state);
                formula.constraints.push(constraint);
                let places = self.node(id).places.clone();
                let edge = Edge { thread: 0, transition: 0 };
                formula.steps.push(Taken { places, edge, state: state.clone(), input: None });
                let premises = self.premises(id);
                let updates = Substitution::new();
                formula.links.push(Link { premises, state, guard: condition, updates, input: None });
            }
        }
        formula
    }

    /// Appends a step; returns the state after it.
    fn append(
        &self,
        prover: &mut Prover,
        formula: &mut PathFormula,
        node: NodeId,
        edge: Edge,
        state: Substitution,
    ) -> Substitution {
        let places = self.node(node).places.clone();
        let transition = prover.system.location(&places, edge.thread).transitions[edge.transition].clone();
        let mut by = state.clone();
        let input = transition.input.as_ref().map(|(variable, _)| {
            let fresh = prover.input(formula.steps.len());
            by.insert(*variable, prover.terms.var(fresh));
            formula.inputs.push(fresh);
            fresh
        });
        formula.constraints.push(prover.terms.substitute(transition.guard, &by));
        let mut after = state.clone();
        for (&variable, &value) in &transition.updates {
            after.insert(variable, prover.terms.substitute(value, &by));
        }
        formula.steps.push(Taken { places, edge, state: state.clone(), input });
        formula.links.push(Link {
            premises: self.premises(node),
            state,
            guard: transition.guard,
            updates: transition.updates,
            input: transition.input.map(|(variable, _)| variable),
        });
        after
    }
}

/// Whether the constraints of a path contradict each other.
enum Contradiction {
    None,
    /// Those up to this one do.
    At(usize),
}

fn contradiction(prover: &mut Prover, formula: &PathFormula) -> Result<Contradiction, Stop> {
    let no = prover.terms.no();
    if let Some(position) = formula.constraints.iter().position(|&constraint| constraint == no) {
        return Ok(Contradiction::At(position));
    }
    if prover.check(formula.constraints.clone())? == Answer::Sat {
        return Ok(Contradiction::None);
    }
    let (terms, solver) = prover.solver()?;
    match solver.core(terms, &[], &formula.constraints)? {
        Core::Unsat(core) => Ok(Contradiction::At(core.last().copied().unwrap_or(0))),
        Core::Sat => Ok(Contradiction::None),
        Core::Unknown => {
            Err(Stop::Unknown("the solver does not know whether a path can be taken".to_owned()))
        }
    }
}
