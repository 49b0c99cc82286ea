//! Oracle for safe trace prefixes: from where a prefix leads, every continuation in every order is tried by brute force.
//!
//! A prefix must be safe, and it must not be longer than it has to be: when the search says that it cannot become shorter because of a
//! violation, the state before its last event must have an unsafe continuation.

use crate::oracle::Check;
use selvedge_explore::admissible::Outside;
use selvedge_explore::{
    Algorithm, Explorable, Limits, Monitor, Path, Program, Stop, ThreadStatus, WaitingForEver, explore,
};
use selvedge_trace::{Decision, Footprint, ThreadId};

/// The algorithms that follow prefixes.
pub fn algorithms() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| algorithm.follows_prefixes())
}

/// There are too many continuations to try them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

/// What brute force finds from a state on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Continuations {
    /// Whether one is unsafe: it fails, is cut, or ends in a deadlock.
    pub has_unsafe: bool,
    /// Whether one goes to its end.
    pub has_complete: bool,
}

/// Tries every continuation from the present state, in at most so many steps.
///
/// # Errors
/// When it takes more.
pub fn continuations<P: Program>(program: &mut P, steps: &mut usize) -> Result<Continuations, TooMany> {
    if !program.failures().is_empty() {
        return Ok(Continuations { has_unsafe: true, has_complete: false });
    }
    let threads = (0..program.thread_count()).map(ThreadId::at);
    let enabled: Vec<ThreadId> = threads.filter(|&t| program.is_enabled(t)).collect();
    if enabled.is_empty() {
        return Ok(end(program));
    }
    let mut found = Continuations::default();
    for thread in enabled {
        for choice in 0..program.choices(thread) {
            *steps = steps.checked_sub(1).ok_or(TooMany)?;
            let mark = program.mark();
            program.step(Decision { thread, choice }, &mut Footprint::default());
            let below = continuations(program, steps);
            program.rollback(mark);
            let below = below?;
            found.has_unsafe |= below.has_unsafe;
            found.has_complete |= below.has_complete;
        }
    }
    Ok(found)
}

/// How an execution ends that ends in the present state.
fn end<P: Program>(program: &P) -> Continuations {
    let threads = (0..program.thread_count()).map(ThreadId::at);
    let statuses: Vec<(ThreadId, ThreadStatus)> = threads.map(|t| (t, program.status(t))).collect();
    let is = |wanted: ThreadStatus| statuses.iter().any(|(_, status)| *status == wanted);
    let waits = |why: WaitingForEver| {
        statuses.iter().any(|(t, s)| *s == ThreadStatus::Running && program.waiting_for_ever(*t) == why)
    };
    let is_dropped = is(ThreadStatus::Dropped) || waits(WaitingForEver::FalseAssumption);
    let is_over = waits(WaitingForEver::EndOfProgram) || !program.counts_as_deadlock();
    let is_deadlock = is(ThreadStatus::Running) && !is_dropped && !is_over;
    let has_unsafe = is(ThreadStatus::Failed) || is(ThreadStatus::Diverged) || is_deadlock;
    Continuations { has_unsafe, has_complete: !has_unsafe && !is_dropped }
}

/// What a search reports of prefixes.
#[derive(Clone, Debug, Default)]
struct Reported {
    first: Vec<Decision>,
    lengths: Vec<usize>,
}

impl<P: Program> Monitor<P> for Reported {
    fn follows_prefix(&self) -> bool {
        true
    }

    fn admissible(&mut self, path: &Path<P>) {
        self.first = path.schedule();
    }

    fn prefix(&mut self, path: &Path<P>, length: usize, _outside: &Outside) {
        assert_eq!(path.schedule()[..], self.first[..length], "the path begins with the prefix");
        self.lengths.push(length);
    }
}

/// Holds the prefixes that each algorithm reports to brute force. What passes counts the prefixes that are kept by a violation.
pub fn check_all<P: Explorable>(program: impl Fn() -> P, steps: usize) -> Check {
    let (mut kept, mut has_unsafe) = (0, false);
    for algorithm in algorithms() {
        match check(&program, algorithm, steps) {
            Ok(Kept { by_violation, has_violations }) => {
                kept += usize::from(by_violation);
                has_unsafe |= has_violations;
            }
            Err(Wrong::TooMany) => return Check::TooLarge,
            Err(Wrong::Message(message)) => return Check::Wrong(format!("{}: {message}", algorithm.name())),
        }
    }
    Check::Passed(kept + usize::from(has_unsafe))
}

/// What became of the prefixes of one search.
struct Kept {
    by_violation: bool,
    has_violations: bool,
}

enum Wrong {
    TooMany,
    Message(String),
}

impl From<TooMany> for Wrong {
    fn from(_: TooMany) -> Wrong {
        Wrong::TooMany
    }
}

fn check<P: Explorable>(program: &impl Fn() -> P, algorithm: Algorithm, steps: usize) -> Result<Kept, Wrong> {
    let wrong = |message: String| Err(Wrong::Message(message));
    let mut truth = program();
    truth.restart();
    let all = continuations(&mut truth, &mut steps.clone())?;
    let limits = Limits { executions: Some(steps as u64), ..Limits::default() };
    let mut reported = Reported::default();
    let (exploration, _) = explore(program(), algorithm, limits, &mut reported);
    if exploration.stop.is_some_and(|stop| stop != Stop::Violation) {
        return Err(Wrong::TooMany);
    }
    let Reported { first, lengths } = reported;
    if all.has_complete == lengths.is_empty() {
        return wrong(format!("{} prefixes, complete executions: {}", lengths.len(), all.has_complete));
    }
    for (&length, expected) in lengths.iter().zip((0..=first.len()).rev()) {
        if length != expected {
            return wrong(format!("{length} events come after {}", expected + 1));
        }
        if after(&mut truth, &first[..length], steps)?.has_unsafe {
            return wrong(format!("what follows {length} of {} events is unsafe", first.len()));
        }
    }
    let last = lengths.last().copied().unwrap_or(0);
    if last > 0 && !after(&mut truth, &first[..last - 1], steps)?.has_unsafe {
        return wrong(format!("{last} events are left though one fewer would do"));
    }
    let has_violations = !exploration.violations.is_empty();
    if all.has_unsafe != (has_violations || exploration.statistics.cut > 0) {
        return wrong(format!("{} violations", exploration.violations.len()));
    }
    Ok(Kept { by_violation: last > 0, has_violations })
}

/// What follows so many decisions.
fn after<P: Program>(
    program: &mut P,
    decisions: &[Decision],
    steps: usize,
) -> Result<Continuations, TooMany> {
    program.restart();
    for &decision in decisions {
        program.step(decision, &mut Footprint::default());
    }
    let found = continuations(program, &mut steps.clone());
    program.restart();
    found
}
