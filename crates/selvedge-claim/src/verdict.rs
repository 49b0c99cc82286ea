//! The verdict: what an exploration says about a program.

use selvedge_explore::{Exploration, Statistics, Stop};

/// What an exploration says about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Verdict {
    /// Everything was explored and nothing is wrong.
    Verified,
    /// Something is wrong.
    Violation,
    /// Nothing wrong was found, but not everything was explored.
    Inconclusive,
}

impl Verdict {
    /// The verdict of an exploration.
    pub fn of<F>(exploration: &Exploration<F>) -> Verdict {
        match exploration {
            Exploration { violations, .. } if !violations.is_empty() => Verdict::Violation,
            Exploration { stop: Some(_), .. } => Verdict::Inconclusive,
            Exploration { statistics, .. } if statistics.cut > 0 => Verdict::Inconclusive,
            Exploration { statistics, .. } if saw_no_end(statistics) => Verdict::Inconclusive,
            _ => Verdict::Verified,
        }
    }

    /// The exit code of a program that ends with this verdict.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Verified => 0,
            Verdict::Violation => 1,
            Verdict::Inconclusive => 3,
        }
    }
}

/// Whether no execution came to its end. Every program has one that does, so such a search has shown nothing.
pub fn saw_no_end(statistics: &Statistics) -> bool {
    statistics.maximal() + statistics.at_known_state + statistics.over_bound + statistics.cut == 0
}

/// Whether every execution that came to its end did so at a false assumption.
pub fn is_vacuous(statistics: &Statistics) -> bool {
    let Statistics { complete, deadlocked, failed, endless, assume_blocked, .. } = *statistics;
    assume_blocked > 0 && complete + deadlocked + failed + endless == 0
}

/// The origin of the limits, and so their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Options {
    /// Options of a command.
    CommandLine,
    /// Methods of a builder.
    Library,
}

/// The option or event that ended a search early, in words.
pub fn why_stopped(stop: Stop, options: Options) -> &'static str {
    match (stop, options) {
        (Stop::Violation, _) => "stopped at the first violation",
        (Stop::Executions, Options::CommandLine) => "stopped by --max-executions",
        (Stop::Executions, Options::Library) => "stopped by max_executions",
        (Stop::Time, Options::CommandLine) => "stopped by --max-time",
        (Stop::Time, Options::Library) => "stopped by max_time",
        (Stop::Interrupted, _) => "stopped by an interrupt",
        (Stop::Sampled, _) => "a sample: not exhaustive",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Violation;

    fn exploration() -> Exploration<u32> {
        let statistics = Statistics { complete: 1, ..Statistics::default() };
        Exploration { violations: Vec::new(), statistics, stop: None }
    }

    #[test]
    fn a_search_that_saw_no_execution_to_its_end_shows_nothing() {
        let nothing = Exploration { statistics: Statistics::default(), ..exploration() };
        assert_eq!(Verdict::of(&nothing), Verdict::Inconclusive);
    }

    #[test]
    fn a_finished_search_without_violation_verifies() {
        assert_eq!(Verdict::of(&exploration()), Verdict::Verified);
    }

    #[test]
    fn a_cut_execution_makes_the_verdict_inconclusive() {
        let mut cut = exploration();
        cut.statistics.cut = 1;
        assert_eq!(Verdict::of(&cut), Verdict::Inconclusive);
    }

    #[test]
    fn a_search_that_stopped_early_is_inconclusive() {
        let stopped = Exploration { stop: Some(Stop::Time), ..exploration() };
        assert_eq!(Verdict::of(&stopped), Verdict::Inconclusive);
    }

    #[test]
    fn a_violation_outweighs_everything_else() {
        let mut found = exploration();
        found.statistics.cut = 1;
        found.stop = Some(Stop::Interrupted);
        found.violations.push(Violation { failure: 7, schedule: Vec::new() });
        assert_eq!(Verdict::of(&found), Verdict::Violation);
    }
}
