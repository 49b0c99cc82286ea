//! The choice of an algorithm: by what the program does, and by short probes.
//!
//! Which equivalence pays is hard to see from a program and easy to see from an exploration. So the candidates explore in
//! turn, with limits on the number of executions that grow; the first to come to an end is chosen. If none does, the text of the
//! program decides: [`Algorithm::Observers`] explores fewer executions than `optimal` only if threads replace values
//! that others have written. Everything depends on counts, never on time, so that the choice is always the same.

use crate::{Algorithm, Exploration, Limits, Program, Silent, Stop, explore};

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

impl Reason {
    /// Why to choose the algorithm of a probe, if that came to an end.
    pub fn of<F>(found: &Exploration<F>) -> Option<Reason> {
        let executions = found.statistics.executions();
        match found.stop {
            None => Some(Reason::Finished { executions }),
            Some(Stop::Violation) => Some(Reason::Violation { executions }),
            Some(_) => None,
        }
    }

    fn executions(self) -> u64 {
        match self {
            Reason::Finished { executions } | Reason::Violation { executions } => executions,
            Reason::OnlyOne | Reason::FloatingWrites | Reason::NothingToGain => 0,
        }
    }
}

/// Chooses one of the candidates for a program that all of them can explore.
pub fn choose<P: Program>(program: P, candidates: &[(Algorithm, u64)], limits: Limits) -> (Choice, P) {
    let mut at_hand = Some(program);
    let chosen = choose_by(candidates, |algorithm, executions| {
        let limits = Limits { executions: Some(executions), ..limits };
        let (found, explored) = explore(at_hand.take()?, algorithm, limits, &mut Silent);
        at_hand = Some(explored);
        Reason::of(&found)
    });
    let program = at_hand.expect("a probe gives the program back");
    let choice = chosen.unwrap_or_else(|| {
        let may_float = candidates.iter().any(|(a, _)| *a == Algorithm::Observers);
        match may_float && program.has_floating_locations() {
            true => Choice { algorithm: Algorithm::Observers, reason: Reason::FloatingWrites },
            false => Choice { algorithm: Algorithm::Optimal, reason: Reason::NothingToGain },
        }
    });
    (choice, program)
}

/// Chooses the candidate that comes to an end at the least price, if one does. A probe explores so many executions, and says what speaks
/// for its algorithm then.
pub fn choose_by(
    candidates: &[(Algorithm, u64)],
    mut probe: impl FnMut(Algorithm, u64) -> Option<Reason>,
) -> Option<Choice> {
    if let [(algorithm, _)] = candidates {
        return Some(Choice { algorithm: *algorithm, reason: Reason::OnlyOne });
    }
    ROUNDS.into_iter().find_map(|executions| {
        let ended = candidates.iter().filter_map(|&(algorithm, cost)| {
            let reason = probe(algorithm, executions)?;
            Some((cost * reason.executions().max(1), Choice { algorithm, reason }))
        });
        ended.min_by_key(|(price, _)| *price).map(|(_, choice)| choice)
    })
}
