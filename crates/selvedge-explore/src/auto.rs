//! The choice of an algorithm: by what the program does, and by short probes.
//!
//! Which equivalence pays is hard to see from a program and easy to see from an exploration. So the candidates explore in
//! turn, with limits on the number of executions that grow; the one that comes to an end at the least price is chosen. If none does, it is the one whose executions
//! cost least. Everything depends on counts, never on time, so that the choice is always the same; only a time
//! limit ends probes, after half of it.

use crate::{Algorithm, Explorable, Exploration, Limits, Silent, Stop, explore};
use std::time::Instant;

/// The algorithms to choose from, with what an execution costs, roughly, in units of the first.
pub const CANDIDATES: [(Algorithm, u64); 3] =
    [(Algorithm::Optimal, 1), (Algorithm::Observers, 2), (Algorithm::ValueCentric, 5)];

/// How many executions a candidate may explore in each round.
const ROUNDS: [u64; 4] = [100, 1_000, 10_000, 100_000];

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
    /// It ends after so many executions, some of which were cut.
    Cut {
        /// How many.
        executions: u64,
    },
    /// It finds a violation after so many executions.
    Violation {
        /// How many.
        executions: u64,
    },
    /// No candidate comes to an end soon, and its executions cost least.
    CostsLeast,
}

impl Reason {
    /// Why to choose the algorithm of a probe, if that came to an end. Where executions are cut, those that decide what is observed may
    /// not see what others see.
    pub fn of<F>(algorithm: Algorithm, found: &Exploration<F>) -> Option<Reason> {
        let executions = found.statistics.executions();
        match found.stop {
            None if found.statistics.cut > 0 && algorithm.asks_what_is_observed() => None,
            None if found.statistics.cut > 0 => Some(Reason::Cut { executions }),
            None => Some(Reason::Finished { executions }),
            Some(Stop::Violation) => Some(Reason::Violation { executions }),
            Some(_) => None,
        }
    }

    fn executions(self) -> u64 {
        match self {
            Reason::Finished { executions }
            | Reason::Cut { executions }
            | Reason::Violation { executions } => executions,
            Reason::OnlyOne | Reason::CostsLeast => 0,
        }
    }
}

/// The limits of a probe: so many executions, and what is left of half the time since a moment.
pub fn probe_limits(limits: Limits, executions: u64, started: Instant) -> Limits {
    Limits {
        executions: Some(limits.executions.map_or(executions, |limit| limit.min(executions))),
        time: limits.time.map(|time| (time / 2).saturating_sub(started.elapsed())),
        ..limits
    }
}

/// Chooses one of the candidates for a program that all of them can explore.
pub fn choose<P: Explorable>(program: P, candidates: &[(Algorithm, u64)], limits: Limits) -> (Choice, P) {
    let started = Instant::now();
    let mut at_hand = Some(program);
    let choice = choose_by(candidates, |algorithm, executions| {
        let limits = probe_limits(limits, executions, started);
        let (found, explored) = explore(at_hand.take()?, algorithm, limits, &mut Silent);
        at_hand = Some(explored);
        Reason::of(algorithm, &found)
    });
    (choice, at_hand.expect("a probe gives the program back"))
}

/// Chooses the candidate that comes to an end at the least price; the first, which costs least, if none does. A probe explores so many executions,
/// and says what speaks for its algorithm then. None explores more than would be cheaper than what is known.
pub fn choose_by(
    candidates: &[(Algorithm, u64)],
    mut probe: impl FnMut(Algorithm, u64) -> Option<Reason>,
) -> Choice {
    if let [(algorithm, _)] = candidates {
        return Choice { algorithm: *algorithm, reason: Reason::OnlyOne };
    }
    for round in ROUNDS {
        let mut best: Option<(u64, Choice)> = None;
        for &(algorithm, cost) in candidates {
            let executions = best.map_or(round, |(price, _)| round.min(price / cost));
            if executions > 0
                && let Some(reason) = probe(algorithm, executions)
            {
                let price = cost * reason.executions().max(1);
                if best.is_none_or(|(least, _)| price < least) {
                    best = Some((price, Choice { algorithm, reason }));
                }
            }
        }
        if let Some((_, choice)) = best {
            return choice;
        }
    }
    Choice { algorithm: candidates.first().map_or(Algorithm::Optimal, |c| c.0), reason: Reason::CostsLeast }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The choice if each candidate needs so many executions.
    fn choice(needed: [u64; 3]) -> (Choice, u64) {
        let mut probed = 0;
        let choice = choose_by(&CANDIDATES, |algorithm, executions| {
            let number = CANDIDATES.iter().position(|c| c.0 == algorithm)?;
            probed += executions.min(needed[number]) * CANDIDATES[number].1;
            (needed[number] <= executions).then_some(Reason::Finished { executions: needed[number] })
        });
        (choice, probed)
    }

    #[test]
    fn the_cheapest_that_ends_is_chosen() {
        let finished = |executions| Reason::Finished { executions };
        let chosen = |algorithm, reason| Choice { algorithm, reason };
        assert_eq!(choice([50, 50, 50]).0, chosen(Algorithm::Optimal, finished(50)));
        assert_eq!(choice([1000, 400, 300]).0, chosen(Algorithm::Observers, finished(400)));
        assert_eq!(choice([5000, 5000, 900]).0, chosen(Algorithm::ValueCentric, finished(900)));
        assert_eq!(choice([1 << 40, 1 << 40, 1 << 40]).0, chosen(Algorithm::Optimal, Reason::CostsLeast));
    }

    #[test]
    fn probes_cost_little_more_than_what_is_chosen() {
        // The last round finds that `optimal` needs 20 000, and others get no more than that is worth; the rounds before cost 8 units an execution.
        let (_, probed) = choice([20_000, 1 << 40, 1 << 40]);
        assert!(probed <= 3 * 20_000 + 8 * 11_100);
    }
}
