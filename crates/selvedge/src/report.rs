//! Reports: what a check says about a closure.

use crate::minimizing::{self, Minimization};
use crate::noticed::Noticed;
use crate::reach::Coverage;
use crate::runtime::failure::{Failure, FailureKind};
use crate::runtime::program::Closure;
use crate::telling::steps::{Teller, without_repetition};
use crate::telling::{reason, schedule as schedules};
use selvedge_claim::Run;
use selvedge_claim::page::Statements;
use selvedge_claim::verdict::Options;
use selvedge_claim::{Page, Verdict, scope, table};
use selvedge_explore::{Exploration, Statistics};
use selvedge_trace::Decision;
use std::fmt::{self, Write};
use std::rc::Rc;
use std::time::Duration;

/// What a check says about a closure.
///
/// ```
/// use selvedge::{Checker, Verdict};
/// let report = Checker::new().run(|| { selvedge::thread::spawn(|| panic!("no")); });
/// assert_eq!(report.verdict, Verdict::Violation);
/// assert_eq!(report.violations[0].message, "no");
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// What was covered, in one line: the claim.
    pub scope: String,
    /// The number of executions.
    pub executions: u64,
    /// All counters.
    pub statistics: Statistics,
    /// The violations, replayed; those that differ in kind or place.
    pub violations: Vec<Violation>,
    /// The points of [`reachable!`](crate::reachable) that the check is about or has reached, by their places.
    pub points: Vec<Coverage>,
    /// If the closure is not deterministic: both histories.
    pub divergence: Option<String>,
    /// What the user should know besides: where an execution was cut, and whether nothing is seen of the threads.
    pub warnings: Vec<String>,
    /// How long it took.
    pub elapsed: Duration,
}

/// Something wrong with the checked closure.
///
/// ```
/// use selvedge::{Checker, FailureKind};
/// let report = Checker::new().run(|| { selvedge::thread::spawn(selvedge::thread::park); });
/// let violation = &report.violations[0];
/// assert_eq!(violation.kind, FailureKind::Deadlock);
/// println!("SELVEDGE_REPLAY={}\n{}", violation.schedule, violation.text);
/// ```
#[derive(Clone, Debug)]
pub struct Violation {
    /// What kind of thing.
    pub kind: FailureKind,
    /// What is wrong: the message of the panic, or a line about it.
    pub message: String,
    /// The schedule that leads there, for `SELVEDGE_REPLAY`.
    pub schedule: String,
    /// The counterexample: one column per thread, and the reason.
    pub text: String,
}

impl Report {
    /// Replays the violations, shortened, and draws the conclusions.
    pub(crate) fn new(
        run: &Run,
        exploration: &Exploration<Failure>,
        body: &Rc<dyn Fn()>,
        minimization: Minimization,
    ) -> Report {
        match Violation::all_of(exploration, body, minimization) {
            Ok(told) => Report::conclude(run, exploration, told, &Noticed::so_far()),
            Err(unrepeatable) => Report::diverged(unrepeatable, run.elapsed),
        }
    }

    /// Draws the conclusions when the violations have been replayed.
    pub(crate) fn conclude(
        run: &Run,
        exploration: &Exploration<Failure>,
        violations: Vec<Violation>,
        noticed: &Noticed,
    ) -> Report {
        let reservations = noticed.reservations();
        let scope = scope::scope(run, Options::Library, exploration, &reservations);
        Report {
            verdict: scope::qualified_verdict(run, exploration, &reservations),
            scope,
            executions: exploration.statistics.executions(),
            statistics: exploration.statistics,
            violations,
            points: Vec::new(),
            divergence: noticed.stray.clone(),
            warnings: noticed.warnings.clone(),
            elapsed: run.elapsed,
        }
    }

    /// The report on the replay of one execution.
    pub(crate) fn replayed(violations: Vec<Violation>, elapsed: Duration) -> Report {
        let (verdict, scope) = match violations.is_empty() {
            true => (Verdict::Inconclusive, "replayed: nothing is wrong in this execution"),
            false => (Verdict::Violation, "violation: replayed"),
        };
        Report {
            verdict,
            scope: scope.to_owned(),
            executions: 1,
            statistics: Statistics::default(),
            violations,
            points: Vec::new(),
            divergence: None,
            warnings: Vec::new(),
            elapsed,
        }
    }

    /// The report on a closure that is not deterministic.
    pub(crate) fn diverged(told: String, elapsed: Duration) -> Report {
        Report {
            verdict: Verdict::Inconclusive,
            scope: "inconclusive: the closure is not deterministic".to_owned(),
            executions: 0,
            statistics: Statistics::default(),
            violations: Vec::new(),
            points: Vec::new(),
            divergence: Some(told),
            warnings: Vec::new(),
            elapsed,
        }
    }
}

impl Violation {
    /// Shortens and replays the violations of an exploration and tells them.
    ///
    /// # Errors
    /// In words, when one cannot be repeated.
    pub(crate) fn all_of(
        exploration: &Exploration<Failure>,
        body: &Rc<dyn Fn()>,
        minimization: Minimization,
    ) -> Result<Vec<Violation>, String> {
        let mut violations = exploration.violations.clone();
        minimizing::shorten_all(&mut violations, body, minimization);
        violations.iter().map(|violation| Violation::of(violation, body)).collect()
    }

    /// Replays a violation and tells it.
    ///
    /// # Errors
    /// In words, when it cannot be repeated: then the closure does not always do the same.
    fn of(
        violation: &selvedge_explore::Violation<Failure>,
        body: &Rc<dyn Fn()>,
    ) -> Result<Violation, String> {
        let selvedge_explore::Violation { failure, schedule } = violation;
        let mut teller = Teller::new(Closure::new(Rc::clone(body)));
        if let Err(error) = teller.replay(schedule, failure) {
            return Err(format!(
                "{}\n\nThis was found once and could not be repeated under the same decisions ({error}): the closure is not \
                 deterministic.\nTime, randomness, hash seeds, statics or other threads of the system may be why.",
                reason::headline(failure)
            ));
        }
        let told = Violation::told(failure, schedule, &teller);
        // Not by its destructor: that must not unwind the fibers if this thread of the system seems to panic, as it does while one of
        // them is suspended in the middle of unwinding.
        teller.path.program.abandon();
        Ok(told)
    }

    /// The violation at the end of an execution that was told.
    pub(crate) fn told(failure: &Failure, schedule: &[Decision], teller: &Teller) -> Violation {
        let page = page();
        let (steps, repeated) = match failure.kind {
            FailureKind::Livelock => without_repetition(&teller.steps),
            _ => (teller.steps.as_slice(), 0),
        };
        let mut text = table::table(steps, page);
        if repeated > 0 {
            let _ = writeln!(text, "… and so on: {repeated} more steps that only repeat");
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&reason::reason(failure, &teller.path.program, page));
        let message = match failure.kind {
            FailureKind::Panic => failure.message.clone(),
            _ => reason::headline(failure),
        };
        Violation { kind: failure.kind, message, schedule: schedules::text(schedule), text }
    }
}

fn page() -> Page {
    let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = width.unwrap_or(Page::default().width);
    Page { width, statements: Statements::Whole, ..Page::default() }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut out = String::new();
        for violation in &self.violations {
            let _ = writeln!(out, "\n{}", violation.text);
            if !violation.schedule.is_empty() {
                let _ = writeln!(out, "to replay: SELVEDGE_REPLAY={} cargo test …\n", violation.schedule);
            }
        }
        if let Some(divergence) = &self.divergence {
            let _ = writeln!(out, "\n{divergence}");
        }
        for Coverage { name, place, is_reached } in &self.points {
            let verb = if *is_reached { "reached" } else { "not reached" };
            let _ = writeln!(out, "{verb}: \"{name}\" at {place}");
        }
        for warning in &self.warnings {
            let _ = writeln!(out, "\n{warning}");
        }
        write!(f, "{out}{}", self.scope)
    }
}
