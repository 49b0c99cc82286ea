//! Implications that have been asked already.

use crate::process::SolverError;
use crate::solver::{Answer, Solver};
use crate::term::{Term, Terms};
use std::collections::HashMap;

/// A cache of answers.
#[derive(Debug, Default)]
pub struct Implications {
    known: HashMap<Term, Answer>,
    hits: u64,
}

impl Implications {
    /// How many questions were answered from memory.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    /// Whether the premises, all together, can be true while the conclusion is false.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn refute(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        premises: &[Term],
        conclusion: Term,
    ) -> Result<Answer, SolverError> {
        let negated = terms.not(conclusion);
        let mut formulas = premises.to_vec();
        formulas.push(negated);
        self.check(terms, solver, formulas)
    }

    /// Whether all formulas can be true together.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn check(
        &mut self,
        terms: &mut Terms,
        solver: &mut Solver,
        formulas: Vec<Term>,
    ) -> Result<Answer, SolverError> {
        let all = terms.and(formulas);
        if all == terms.yes() || all == terms.no() {
            return Ok(if all == terms.yes() { Answer::Sat } else { Answer::Unsat });
        }
        if let Some(&answer) = self.known.get(&all) {
            self.hits += 1;
            return Ok(answer);
        }
        let conjuncts = terms.conjuncts(all);
        let asked = terms.propagated(conjuncts);
        let answer = match asked.contains(&terms.no()) {
            true => Answer::Unsat,
            false => solver.check(terms, &asked)?,
        };
        self.known.insert(all, answer);
        Ok(answer)
    }
}
