//! Speculation and restart: programs take for granted what almost always holds, and the search begins again when it does not.
//!
//! A program that speculates watches its executions. As long as none refutes a speculation, the search is as right as one that took
//! nothing for granted, and faster. When one does, nothing that was explored is complete: the search begins again without that speculation. Each
//! restart gives up at least one, so there are few.

use crate::{Program, Stop};

/// A program that speculates.
pub trait Speculates: Program {
    /// What it takes for granted.
    type Speculations;

    /// The speculations to begin again with, if an execution has refuted one.
    fn refuted(&self) -> Option<Self::Speculations>;
}

/// The end of an attempt to explore a program under speculations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt<T, S> {
    /// Its result counts.
    Stands(T),
    /// An execution has refuted a speculation. Begin again with these.
    Refuted(S),
}

impl<T, S> Attempt<T, S> {
    /// The end of a search that was over for this reason. One that was stopped early claims nothing about the executions that it
    /// did not explore, so its result counts even if a speculation was refuted.
    pub fn of(result: T, stop: Option<Stop>, refuted: Option<S>) -> Self {
        match refuted {
            Some(speculations) if matches!(stop, None | Some(Stop::Sampled)) => {
                Attempt::Refuted(speculations)
            }
            _ => Attempt::Stands(result),
        }
    }
}

/// Attempts to explore a program until no speculation is refuted.
///
/// # Errors
/// Those of an attempt.
pub fn restart_while_refuted<T, S, E>(
    first: S,
    mut attempt: impl FnMut(S) -> Result<Attempt<T, S>, E>,
) -> Result<T, E> {
    let mut speculations = first;
    loop {
        match attempt(speculations)? {
            Attempt::Stands(result) => return Ok(result),
            Attempt::Refuted(corrected) => speculations = corrected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_made_until_one_stands() {
        let mut attempts = Vec::new();
        let result = restart_while_refuted(3, |speculations: u32| {
            attempts.push(speculations);
            Ok::<_, ()>(match speculations.checked_sub(1) {
                None => Attempt::Stands("nothing left"),
                Some(fewer) => Attempt::Refuted(fewer),
            })
        });
        assert_eq!((result, attempts), (Ok("nothing left"), vec![3, 2, 1, 0]));
    }

    #[test]
    fn an_error_ends_the_attempts() {
        let result = restart_while_refuted(3, |speculations: u32| match speculations {
            2 => Err("two"),
            _ => Ok(Attempt::<(), u32>::Refuted(speculations - 1)),
        });
        assert_eq!(result, Err("two"));
    }
}
