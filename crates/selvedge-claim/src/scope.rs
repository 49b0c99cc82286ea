//! The scope of a claim: what was covered, in one line.
//!
//! A verdict without its scope is worth little, so the two are always printed together.

use crate::reservations::Induction;
use crate::terms::{Demand, Threads, Vacuity};
use crate::verdict::{Options, is_vacuous, saw_no_end, why_stopped};
use crate::{Reservations, Run, Terms, Verdict};
use selvedge_explore::bounds::deepening::Reached;
use selvedge_explore::{Bound, BoundKind, BoundPromise, Equivalence, Exploration, Promise, Statistics, Stop};

/// The memory model under which programs run.
pub const MEMORY_MODEL: &str = "under sequential consistency";

/// The verdict of an exploration: what a heuristic leaves out, or what is in doubt for so many known reasons, is not verified.
pub fn verdict<F>(run: &Run, exploration: &Exploration<F>, doubts: usize) -> Verdict {
    match Verdict::of(exploration) {
        Verdict::Verified if doubts > 0 => Verdict::Inconclusive,
        Verdict::Verified if is_heuristic(run) && exploration.statistics.over_bound > 0 => {
            Verdict::Inconclusive
        }
        Verdict::Verified if emptiness(run, &exploration.statistics).is_some() => match run.terms.vacuity {
            Vacuity::Refused => Verdict::Inconclusive,
            Vacuity::Allowed => Verdict::Verified,
        },
        Verdict::Verified if is_short_of_the_property(run, &exploration.statistics) => Verdict::Inconclusive,
        verdict => verdict,
    }
}

/// Why a search without violations shows nothing, if it does.
fn emptiness(run: &Run, statistics: &Statistics) -> Option<&'static str> {
    match run.terms.threads {
        Threads::None => Some("the program has no threads, so nothing was checked"),
        Threads::Some if is_vacuous(statistics) => {
            Some("every execution ends at a false assumption, so nothing was checked to its end")
        }
        Threads::Some => None,
    }
}

/// Whether a property was asked for and executions beyond the bound were left out.
fn is_short_of_the_property(run: &Run, statistics: &Statistics) -> bool {
    run.terms.demand == Demand::Property && bound(run).is_some() && statistics.over_bound > 0
}

fn is_heuristic(run: &Run) -> bool {
    run.algorithm.bound_promise() == Some(BoundPromise::Heuristic)
}

/// The verdict of an exploration with these reservations. A proof by induction decides: it is only there if nothing wrong was found.
pub fn qualified_verdict<F>(run: &Run, exploration: &Exploration<F>, reservations: &Reservations) -> Verdict {
    match reservations.induction() {
        Some(_) => Verdict::Verified,
        None => verdict(run, exploration, reservations.doubts.len()),
    }
}

/// What a run covered, and the verdict. The reasons why executions were cut are named if they are known.
pub fn scope<F>(
    run: &Run,
    options: Options,
    exploration: &Exploration<F>,
    reservations: &Reservations,
) -> String {
    let statistics = &exploration.statistics;
    let mut scope = match qualified_verdict(run, exploration, reservations) {
        Verdict::Verified => match reservations.induction() {
            Some(proof) => by_induction(proof) + &premises(&run.terms),
            None => {
                let claim = claim(run, statistics);
                ["verified: ", &claim, &dropped(run, statistics), &premises(&run.terms)].concat()
                    + &at_once(reservations)
            }
        },
        Verdict::Violation => [violation(run, options, exploration), allowed(&run.terms)].concat(),
        Verdict::Inconclusive => {
            let reasons = reasons(run, options, exploration, &reservations.doubts);
            let explored = counted(statistics.executions(), "execution");
            ["inconclusive: ", &explored, " explored ", MEMORY_MODEL, ", ", &reasons, &assumed(&run.terms)]
                .concat()
        }
    };
    if exploration.violations.is_empty() {
        reservations.noticed.iter().for_each(|clause| scope.extend(["; ", clause]));
    }
    if let Some(schedule) = &reservations.schedule {
        if qualified_verdict(run, exploration, reservations) == Verdict::Verified {
            scope += ", fair";
        }
        scope += &format!(", of what the schedule {} permits and of nothing else", schedule.name);
    }
    scope
}

/// What a proof by induction covers.
fn by_induction(proof: Induction) -> String {
    let (sections, questions) = (counted(proof.sections, "section"), counted(proof.questions, "question"));
    format!("verified: {sections}, by induction with {questions}, for all inputs, {MEMORY_MODEL}")
}

/// The place at which memory is copied or compared in one step, as the end of a line.
fn at_once(reservations: &Reservations) -> String {
    reservations.at_once.as_ref().map_or(String::new(), |place| {
        format!(
            "; what is copied or compared at {place} counts as one step, which matters if it races (--check races)"
        )
    })
}

/// What a claim that nothing is wrong rests on, and what was not looked for, as the end of its line.
pub fn premises(terms: &Terms) -> String {
    assumed(terms) + &unsought(terms)
}

/// The assumptions of a claim, as the end of its line.
pub fn assumed(terms: &Terms) -> String {
    match terms.assumptions()[..] {
        [] => allowed(terms),
        ref assumptions => format!("; assuming that {}{}", listed(assumptions), allowed(terms)),
    }
}

/// What was not looked for, as the end of a line.
fn unsought(terms: &Terms) -> String {
    match terms.not_looked_for()[..] {
        [] => String::new(),
        ref phrases => format!("; not looked for: {}", phrases.join(", ")),
    }
}

/// What was explored that not every system does, as the end of a line.
pub fn allowed(terms: &Terms) -> String {
    match terms.allowances()[..] {
        [] => String::new(),
        ref allowances => format!("; with {}", listed(allowances)),
    }
}

/// Phrases as a list: `a, b and c`.
fn listed(phrases: &[&str]) -> String {
    match phrases {
        [phrases @ .., last] if !phrases.is_empty() => format!("{} and {last}", phrases.join(", ")),
        _ => phrases.concat(),
    }
}

/// What was explored, with the bound if it made a difference.
fn claim(run: &Run, statistics: &Statistics) -> String {
    if let Some(states) = run.terms.states {
        return format!(
            "all {states} states {MEMORY_MODEL}, up to the chance that two have the same 128-bit hash"
        );
    }
    let everything = everything(run.algorithm.promise(), statistics);
    let Some(bound) = bound(run) else { return [&everything, " ", MEMORY_MODEL].concat() };
    let within = within(bound, "at most ");
    let noun = bound.kind.noun();
    match (run.reached, statistics.over_bound) {
        (Some(Reached::Everything { limit }), _) if statistics.bound_unknown == 0 => {
            format!("{everything} {MEMORY_MODEL}; the largest needs {}", counted(limit.into(), noun))
        }
        (_, 0) => {
            format!("{everything} {MEMORY_MODEL}; none needs more than {}", counted(bound.limit.into(), noun))
        }
        _ => format!(
            "{everything} that {} an execution {within}, {MEMORY_MODEL}; those that need more were not explored",
            has(run.algorithm.promise(), statistics)
        ),
    }
}

/// The verb after [`everything`], in singular or plural.
fn has(promise: Promise, statistics: &Statistics) -> &'static str {
    match (promise, statistics.maximal()) {
        (Promise::EveryTrace | Promise::EveryFinalState, _) | (_, 1) => "has",
        _ => "have",
    }
}

/// The bound of a run, or the one that it reached.
pub fn bound(run: &Run) -> Option<Bound> {
    let kind = run.limits.bound.map_or(BoundKind::Preemptions, |bound| bound.kind);
    match run.reached {
        Some(Reached::Everything { limit } | Reached::Violation { limit } | Reached::Stopped { limit }) => {
            Some(Bound { kind, limit })
        }
        Some(Reached::Wanted) | None => run.limits.bound,
    }
}

/// The executions within a bound, in words.
fn within(bound: Bound, how: &str) -> String {
    match bound.limit {
        0 => format!("without {}s", bound.kind.noun()),
        limit => format!("with {how}{}", counted(limit.into(), bound.kind.noun())),
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
        1 => ["the only ", noun].concat(),
        _ => ["all ", &number.to_string(), " ", noun, "s"].concat(),
    };
    match promise {
        Promise::Sample => counted(statistics.maximal(), "execution"),
        Promise::EveryInterleaving => all(statistics.maximal(), "interleaving"),
        Promise::EveryTrace => {
            format!("every Mazurkiewicz trace (in {})", counted(statistics.maximal(), "execution"))
        }
        Promise::EveryFinalState => {
            format!(
                "every final state (in {}, by stored states)",
                counted(statistics.executions(), "execution")
            )
        }
        Promise::EveryClassOnce(equivalence) => {
            format!(
                "every local state of every thread, every failure and deadlock (in {})",
                classes(equivalence, statistics.maximal())
            )
        }
        Promise::EveryTraceOnce | Promise::Optimal => all(statistics.maximal(), "Mazurkiewicz trace"),
    }
}

/// So many executions, of which no two are equivalent. There may be more classes than by values: executions also stand for others that differ in which
/// of several writes of one value was read.
fn classes(equivalence: Equivalence, number: u64) -> String {
    match (equivalence, number) {
        (_, 1) => "one execution".to_owned(),
        (Equivalence::Observers, _) => format!("all {number} observer classes"),
        (Equivalence::Observation, _) => format!("all {number} observation classes"),
        (Equivalence::ValueHappensBefore, _) => {
            format!("{number} executions, no two of them value-happens-before equivalent")
        }
    }
}

/// The executions that a verified program drops.
fn dropped(run: &Run, statistics: &Statistics) -> String {
    if let Some(why) = emptiness(run, statistics) {
        return format!("; but {why}");
    }
    match statistics.assume_blocked {
        0 => String::new(),
        1 => "; 1 of them ends at a false assumption".to_owned(),
        dropped => format!("; {dropped} of them end at a false assumption"),
    }
}

fn violation<F>(run: &Run, options: Options, exploration: &Exploration<F>) -> String {
    let (statistics, found) = (&exploration.statistics, exploration.violations.len() as u64);
    let executions = counted(statistics.executions(), "execution");
    match exploration.stop {
        Some(Stop::Violation) => {
            let within = match (run.reached, bound(run)) {
                (Some(_), Some(bound)) if bound.limit > 0 => {
                    format!(" {}, none with fewer,", within(bound, ""))
                }
                (_, Some(bound)) => format!(" {},", within(bound, "at most ")),
                (_, None) => ",".to_owned(),
            };
            format!("violation: found in execution {}{within} {MEMORY_MODEL}", statistics.executions())
        }
        Some(stop) => {
            let violations = counted(found, "violation");
            format!(
                "violation: {violations} found in {executions} {MEMORY_MODEL}, {}",
                why_stopped(stop, options)
            )
        }
        None => {
            let violations = counted(found, "violation");
            match statistics.cut {
                0 => format!("violation: {violations} found, explored {}", claim(run, statistics)),
                cut => {
                    format!("violation: {violations} found in {executions} {MEMORY_MODEL}, {cut} of them cut")
                }
            }
        }
    }
}

fn reasons<F>(run: &Run, options: Options, exploration: &Exploration<F>, cuts: &[String]) -> String {
    let mut reasons: Vec<String> =
        exploration.stop.iter().map(|&stop| why_stopped(stop, options).to_owned()).collect();
    if let Some(bound) = bound(run) {
        let noun = bound.kind.noun();
        reasons.extend(match (run.reached, bound.limit) {
            (Some(Reached::Stopped { limit: 0 }), _) => Some(format!("among those with no {noun}")),
            (Some(Reached::Stopped { .. }), limit) => Some(format!(
                "among those with {}; all with fewer were explored before",
                counted(limit.into(), noun)
            )),
            _ => None,
        });
        if is_heuristic(run) && exploration.statistics.over_bound > 0 {
            reasons.push(format!(
                "cut at {}: a heuristic, which may miss traces that have an execution within the bound",
                counted(bound.limit.into(), noun)
            ));
        }
    }
    if saw_no_end(&exploration.statistics) && exploration.stop.is_none() {
        reasons.push("none of them to its end: please report this as a mistake of the checker".to_owned());
    }
    let statistics = &exploration.statistics;
    if let (Some(why), None, 0) = (emptiness(run, statistics), exploration.stop, statistics.cut) {
        let option = match options {
            Options::CommandLine => "--allow-vacuous",
            Options::Library => "allow_vacuous",
        };
        reasons.push(format!("but {why} ({option} accepts that)"));
    }
    if let (true, Some(bound)) = (is_short_of_the_property(run, statistics), bound(run)) {
        let within = within(bound, "at most ");
        reasons.push(format!("{within}; the property is about those that need more, too"));
    }
    let cut = exploration.statistics.cut;
    if cut == 0 && !cuts.is_empty() {
        reasons.push(format!("the answer is in doubt: {}", cuts.join("; ")));
    }
    if cut > 0 {
        let them = match (cut, exploration.statistics.executions()) {
            (1, 1) => "it was".to_owned(),
            (1, _) => "1 of them was".to_owned(),
            _ => format!("{cut} of them were"),
        };
        let depth = run.limits.depth;
        let option = match options {
            Options::CommandLine => "--max-depth",
            Options::Library => "max_depth",
        };
        reasons.push(match exploration.statistics.longest >= depth as u64 {
            true => format!("{them} cut after {depth} operations ({option})"),
            false if !cuts.is_empty() => format!("{them} cut: {}", cuts.join("; ")),
            false => format!("{them} cut at a limit: 1000000 local jumps between two steps, 10000 nested calls, or 2^32 - 1 choices"),
        });
    }
    reasons.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Terms;
    use crate::terms::{Allocation, Reuse, Wakeups};
    use selvedge_explore::{Algorithm, Limits, Violation};
    use std::time::Duration;

    fn finished(statistics: Statistics) -> Exploration<u32> {
        Exploration { violations: Vec::new(), statistics, stop: None }
    }

    fn scope_of(algorithm: Algorithm, exploration: &Exploration<u32>) -> String {
        scope_within(algorithm, None, None, exploration)
    }

    fn scope_within(
        algorithm: Algorithm,
        limit: Option<u32>,
        reached: Option<Reached>,
        exploration: &Exploration<u32>,
    ) -> String {
        let bound = limit.map(|limit| Bound { kind: BoundKind::Preemptions, limit });
        let limits = Limits { bound, ..Limits::default() };
        let (elapsed, terms) = (Duration::ZERO, Terms::default());
        let run = Run { algorithm, chosen_because: None, limits, reached, elapsed, terms };
        scope(&run, Options::CommandLine, exploration, &Reservations::default())
    }

    #[test]
    fn doubts_are_not_verified() {
        let done = finished(Statistics { complete: 4, ..Statistics::default() });
        let limits = Limits::default();
        let run = Run {
            chosen_because: None,
            algorithm: Algorithm::Optimal,
            limits,
            reached: None,
            elapsed: Duration::ZERO,
            terms: Terms::default(),
        };
        let doubts = Reservations::of_doubts(vec!["nobody wrote it".to_owned()]);
        assert_eq!(qualified_verdict(&run, &done, &doubts), Verdict::Inconclusive);
        let told = scope(&run, Options::CommandLine, &done, &doubts);
        assert!(told.ends_with("the answer is in doubt: nobody wrote it"), "{told}");
    }

    #[test]
    fn a_claim_within_a_bound_names_it_and_what_was_left_out() {
        let mut done = finished(Statistics { complete: 4, over_bound: 2, ..Statistics::default() });
        assert_eq!(
            scope_within(Algorithm::LazyBounded, Some(1), None, &done),
            "verified: all 4 Mazurkiewicz traces that have an execution with at most 1 preemption, under sequential \
             consistency; those that need more were not explored"
        );
        assert_eq!(
            scope_within(Algorithm::NaiveBounded, Some(1), None, &done),
            "inconclusive: 4 executions explored under sequential consistency, cut at 1 preemption: a heuristic, \
             which may miss traces that have an execution within the bound"
        );
        done.statistics.over_bound = 0;
        assert_eq!(
            scope_within(Algorithm::LazyBounded, Some(5), None, &done),
            "verified: all 4 Mazurkiewicz traces under sequential consistency; none needs more than 5 preemptions"
        );
        assert_eq!(
            scope_within(Algorithm::LazyBounded, None, Some(Reached::Everything { limit: 3 }), &done),
            "verified: all 4 Mazurkiewicz traces under sequential consistency; the largest needs 3 preemptions"
        );
    }

    #[test]
    fn a_search_with_growing_bounds_says_how_far_it_came() {
        let stopped = Exploration {
            stop: Some(Stop::Time),
            ..finished(Statistics { complete: 4, over_bound: 2, ..Statistics::default() })
        };
        let reached = Some(Reached::Stopped { limit: 2 });
        let claim = scope_within(Algorithm::LazyBounded, None, reached, &stopped);
        assert!(
            claim.ends_with("among those with 2 preemptions; all with fewer were explored before"),
            "{claim}"
        );
        let mut found = Exploration { stop: Some(Stop::Violation), ..stopped };
        found.violations.push(Violation { failure: 7, schedule: Vec::new() });
        let reached = Some(Reached::Violation { limit: 1 });
        let claim = scope_within(Algorithm::LazyBounded, None, reached, &found);
        assert!(claim.contains(" with 1 preemption, none with fewer, under"), "{claim}");
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
        let limits = Limits::default();
        let refusing = Run {
            chosen_because: None,
            algorithm: Algorithm::Optimal,
            limits,
            reached: None,
            elapsed: Duration::ZERO,
            terms: Terms::default(),
        };
        assert_eq!(verdict(&refusing, &done, 0), Verdict::Inconclusive);
        let told = scope(&refusing, Options::CommandLine, &done, &Reservations::default());
        assert!(told.starts_with("inconclusive: 12 executions explored"), "{told}");
        assert!(told.ends_with("nothing was checked to its end (--allow-vacuous accepts that)"), "{told}");
        let terms = Terms { vacuity: Vacuity::Allowed, ..Terms::default() };
        let told = scope(&Run { terms, ..refusing }, Options::CommandLine, &done, &Reservations::default());
        assert!(told.starts_with("verified: ") && told.ends_with("nothing was checked to its end"), "{told}");
        let terms = Terms { threads: Threads::None, ..Terms::default() };
        let empty = finished(Statistics { complete: 1, ..Statistics::default() });
        assert_eq!(verdict(&Run { terms, ..refusing }, &empty, 0), Verdict::Inconclusive);
    }

    #[test]
    fn a_property_is_not_verified_within_a_bound_that_leaves_something_out() {
        let bound = Some(Bound { kind: BoundKind::Preemptions, limit: 1 });
        let limits = Limits { bound, ..Limits::default() };
        let terms = Terms { demand: Demand::Property, ..Terms::default() };
        let (algorithm, elapsed) = (Algorithm::LazyBounded, Duration::ZERO);
        let run = Run { algorithm, chosen_because: None, limits, reached: None, elapsed, terms };
        let mut done = finished(Statistics { complete: 4, over_bound: 2, ..Statistics::default() });
        assert_eq!(verdict(&run, &done, 0), Verdict::Inconclusive);
        let told = scope(&run, Options::CommandLine, &done, &Reservations::default());
        assert!(
            told.ends_with("with at most 1 preemption; the property is about those that need more, too"),
            "{told}"
        );
        done.statistics.over_bound = 0;
        assert_eq!(verdict(&run, &done, 0), Verdict::Verified);
    }

    #[test]
    fn a_claim_names_what_it_assumes() {
        let done = finished(Statistics { complete: 4, ..Statistics::default() });
        let terms = Terms {
            allocation: Some(Allocation::NeverFails),
            reuse: Some(Reuse::Never),
            wakeups: Some(Wakeups::OnlySignalled),
            ..Terms::default()
        };
        let (algorithm, limits, elapsed) = (Algorithm::Optimal, Limits::default(), Duration::ZERO);
        let run = Run { algorithm, chosen_because: None, limits, reached: None, elapsed, terms };
        assert_eq!(
            scope(&run, Options::CommandLine, &done, &Reservations::default()),
            "verified: all 4 Mazurkiewicz traces under sequential consistency; assuming that allocation never fails, freed memory is \
             not reused and threads wake up only when signalled"
        );
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
