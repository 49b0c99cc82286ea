//! The choice of an algorithm: by what the program does, and by short probes.
//!
//! Which equivalence pays is hard to see from a program and easy to see from an exploration. So the candidates explore in
//! turn, with limits on the number of executions that grow; the first to come to an end is chosen. If none does, the text of the
//! program decides: [`Algorithm::Observers`] explores fewer executions than `optimal` only if threads replace values
//! that others have written. Everything depends on counts, never on time, so that the choice is always the same.

use crate::{Algorithm, Limits, Program, Silent, Stop, explore};

/// The algorithms to choose from, with what an execution costs, roughly, in units of the first.
pub const CANDIDATES: [(Algorithm, u64); 3] =
    [(Algorithm::Optimal, 1), (Algorithm::Observers, 2), (Algorithm::ValueCentric, 5)];

/// How many executions a candidate may explore in each round.
const ROUNDS: [u64; 3] = [100, 1_000, 10_000];

/// An algorithm, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// Why.
    pub reason: Reason,
}

/// Why an algorithm was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It is the only one that explores all that was asked for.
    OnlyOne,
    /// It explores everything in so many executions.
    Finished {
        /// How many.
        executions: u64,
    },
    /// It finds a violation after so many executions.
    Violation {
        /// How many.
        executions: u64,
    },
    /// No candidate comes to an end soon, and several threads replace the values of the same locations.
    FloatingWrites,
    /// No candidate comes to an end soon, and nothing in the text of the program says that another would than that which costs least.
    NothingToGain,
}

/// Chooses one of the candidates.
pub fn choose<P: Program>(mut program: P, candidates: &[(Algorithm, u64)], limits: Limits) -> (Choice, P) {
    if let [(algorithm, _)] = candidates {
        return (Choice { algorithm: *algorithm, reason: Reason::OnlyOne }, program);
    }
    for executions in ROUNDS {
        let mut best: Option<(u64, Choice)> = None;
        for &(algorithm, cost) in candidates {
            let limits = Limits { executions: Some(executions), ..limits };
            let (found, explored) = explore(program, algorithm, limits, &mut Silent);
            program = explored;
            let executions = found.statistics.executions();
            let reason = match found.stop {
                None => Reason::Finished { executions },
                Some(Stop::Violation) => Reason::Violation { executions },
                Some(_) => continue,
            };
            let price = cost * executions.max(1);
            if best.is_none_or(|(least, _)| price < least) {
                best = Some((price, Choice { algorithm, reason }));
            }
        }
        if let Some((_, choice)) = best {
            return (choice, program);
        }
    }
    let floating =
        candidates.iter().any(|(a, _)| *a == Algorithm::Observers) && program.has_floating_locations();
    let choice = match floating {
        true => Choice { algorithm: Algorithm::Observers, reason: Reason::FloatingWrites },
        false => Choice { algorithm: Algorithm::Optimal, reason: Reason::NothingToGain },
    };
    (choice, program)
}
