//! The scope of a claim: what was covered, in one line.
//!
//! A verdict without its scope is worth little, so the two are always printed together.

use crate::Verdict;
use crate::verdict::why_stopped;
use selvedge_explore::{Algorithm, Exploration, Limits, Promise, Statistics, Stop};

/// The memory model under which programs run.
const MEMORY_MODEL: &str = "under sequential consistency";

/// What an exploration with `algorithm` and `limits` covered, and the verdict. The reasons why executions were cut are
/// told if they are known.
pub fn scope<F>(
    algorithm: Algorithm,
    limits: &Limits,
    exploration: &Exploration<F>,
    cuts: &[String],
) -> String {
    let statistics = &exploration.statistics;
    match Verdict::of(exploration) {
        Verdict::Verified => {
            let everything = everything(algorithm.promise(), statistics);
            format!("verified: {everything} {MEMORY_MODEL}{}", assumptions(statistics))
        }
        Verdict::Violation => violation(algorithm, exploration),
        Verdict::Inconclusive => {
            let reasons = reasons(limits, exploration, cuts);
            let explored = counted(statistics.executions(), "execution");
            format!("inconclusive: {explored} explored {MEMORY_MODEL}, {reasons}")
        }
    }
}

/// A number with its noun, in singular or plural.
pub fn counted(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    }
}

fn everything(promise: Promise, statistics: &Statistics) -> String {
    let all = |number: u64, noun: &str| match number {
        1 => format!("the only {noun}"),
        _ => format!("all {number} {noun}s"),
    };
    match promise {
        Promise::EveryInterleaving => all(statistics.maximal(), "interleaving"),
        Promise::EveryTrace => {
            format!("every Mazurkiewicz trace (in {})", counted(statistics.maximal(), "execution"))
        }
        Promise::EveryTraceOnce | Promise::Optimal => all(statistics.maximal(), "Mazurkiewicz trace"),
    }
}

fn assumptions(statistics: &Statistics) -> String {
    match statistics.assume_blocked {
        0 => String::new(),
        dropped if dropped == statistics.maximal() => {
            "; but every execution ends at a false assumption, so nothing was checked to its end".to_owned()
        }
        1 => "; 1 of them ends at a false assumption".to_owned(),
        dropped => format!("; {dropped} of them end at a false assumption"),
    }
}

fn violation<F>(algorithm: Algorithm, exploration: &Exploration<F>) -> String {
    let (statistics, found) = (&exploration.statistics, exploration.violations.len() as u64);
    let executions = counted(statistics.executions(), "execution");
    match exploration.stop {
        Some(Stop::Violation) => {
            format!("violation: found in execution {}, {MEMORY_MODEL}", statistics.executions())
        }
        Some(stop) => {
            let violations = counted(found, "violation");
            format!("violation: {violations} found in {executions} {MEMORY_MODEL}, {}", why_stopped(stop))
        }
        None => {
            let cut = if statistics.cut > 0 { "; some executions were cut" } else { "" };
            let violations = counted(found, "violation");
            let everything = everything(algorithm.promise(), statistics);
            format!("violation: {violations} found, explored {everything} {MEMORY_MODEL}{cut}")
        }
    }
}

fn reasons<F>(limits: &Limits, exploration: &Exploration<F>, cuts: &[String]) -> String {
    let mut reasons: Vec<String> =
        exploration.stop.iter().map(|&stop| why_stopped(stop).to_owned()).collect();
    let cut = exploration.statistics.cut;
    if cut > 0 {
        let them = match (cut, exploration.statistics.executions()) {
            (1, 1) => "it was".to_owned(),
            (1, _) => "1 of them was".to_owned(),
            _ => format!("{cut} of them were"),
        };
        let depth = limits.depth;
        reasons.push(match exploration.statistics.longest >= depth as u64 {
            true => format!("{them} cut after {depth} operations (--max-depth)"),
            false if !cuts.is_empty() => format!("{them} cut: {}", cuts.join("; ")),
            false => format!("{them} cut at a limit: 1000000 local jumps between two steps, 10000 nested calls, or 2^32 - 1 choices"),
        });
    }
    reasons.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_explore::Violation;

    fn finished(statistics: Statistics) -> Exploration<u32> {
        Exploration { violations: Vec::new(), statistics, stop: None }
    }

    fn scope_of(algorithm: Algorithm, exploration: &Exploration<u32>) -> String {
        scope(algorithm, &Limits::default(), exploration, &[])
    }

    #[test]
    fn the_claim_counts_what_the_algorithm_promises() {
        let done = finished(Statistics { complete: 120, sleep_set_blocked: 7, ..Statistics::default() });
        let claims = [
            (Algorithm::Optimal, "verified: all 120 Mazurkiewicz traces under sequential consistency"),
            (Algorithm::Source, "verified: all 120 Mazurkiewicz traces under sequential consistency"),
            (
                Algorithm::DporWithoutSleep,
                "verified: every Mazurkiewicz trace (in 120 executions) under sequential consistency",
            ),
            (Algorithm::Exhaustive, "verified: all 120 interleavings under sequential consistency"),
        ];
        for (algorithm, claim) in claims {
            assert_eq!(scope_of(algorithm, &done), claim);
        }
    }

    #[test]
    fn executions_dropped_by_assumptions_are_named() {
        let done = finished(Statistics { complete: 3, assume_blocked: 12, ..Statistics::default() });
        let claim = scope_of(Algorithm::Optimal, &done);
        assert!(claim.contains("all 15 ") && claim.ends_with("; 12 of them end at a false assumption"));
    }

    #[test]
    fn a_claim_about_nothing_says_so() {
        let done = finished(Statistics { assume_blocked: 12, ..Statistics::default() });
        assert!(scope_of(Algorithm::Optimal, &done).ends_with("nothing was checked to its end"));
    }

    #[test]
    fn a_limit_is_named_by_its_option() {
        let statistics = Statistics { complete: 1000, ..Statistics::default() };
        let stopped = Exploration { stop: Some(Stop::Executions), ..finished(statistics) };
        assert_eq!(
            scope_of(Algorithm::Optimal, &stopped),
            "inconclusive: 1000 executions explored under sequential consistency, stopped by --max-executions"
        );
    }

    #[test]
    fn cut_executions_are_counted() {
        let cut = finished(Statistics { complete: 1, cut: 3, longest: 100_000, ..Statistics::default() });
        let claim = scope_of(Algorithm::Optimal, &cut);
        assert!(claim.ends_with("3 of them were cut after 100000 operations (--max-depth)"), "{claim}");
        let endless = finished(Statistics { cut: 1, longest: 7, ..Statistics::default() });
        let claim = scope_of(Algorithm::Optimal, &endless);
        assert!(claim.ends_with("it was cut at a limit: 1000000 local jumps between two steps, 10000 nested calls, or 2^32 - 1 choices"), "{claim}");
    }

    #[test]
    fn a_violation_says_when_it_was_found() {
        let mut found = finished(Statistics { complete: 4, failed: 1, ..Statistics::default() });
        found.violations.push(Violation { failure: 0, schedule: Vec::new() });
        found.stop = Some(Stop::Violation);
        let claim = "violation: found in execution 5, under sequential consistency";
        assert_eq!(scope_of(Algorithm::Optimal, &found), claim);
        found.stop = None;
        let claim =
            "violation: 1 violation found, explored all 5 Mazurkiewicz traces under sequential consistency";
        assert_eq!(scope_of(Algorithm::Optimal, &found), claim);
    }
}
