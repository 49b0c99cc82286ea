//! C and C++ programs of the corpus: compiled once, then run under every algorithm.
//!
//! Headers are as those of the [corpus](crate::corpus), with `verdict: inconclusive` for programs of which only a part can
//! be explored, `flags:` for options of `selvedge check`, and `cflags:` for clang. With `SELVEDGE_BLESS=1` the
//! headers are rewritten with what is found.

use selvedge_explore::plan::{Chosen, Extent};
use selvedge_explore::{
    AfterViolation, Algorithm, Attempt, End, Exploration, Limits, Monitor, Path as Execution, Plan, Promise,
    Speculates, Violation, explore, replay, restart_while_refuted,
};
use selvedge_llvm::{Module, clang};
use selvedge_machine::failure::CutReason;
use selvedge_machine::{Addresses, Failure, Machine, Options, Reuse};
use selvedge_report::Verdict;
use selvedge_report::terms::{Vacuity, Wakeups};
use selvedge_trace::Trace;
use selvedge_verify::c::question::left_shifts;
use selvedge_verify::{CheckC, EvidenceInC, MoreChecks, Native, Question, Silent, VerifyError, verify};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

pub use selvedge_verify::c::question::telling;

/// More executions than any program of the corpus may have.
const LIMIT: u64 = 30_000;

/// A program of the corpus.
struct Subject {
    native: Native,
    question: Question,
}

/// What a program does, or is expected to do.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Findings {
    verdict: String,
    traces: u64,
}

/// A program of C as a machine.
///
/// # Errors
/// In words, why clang or we do not accept it.
pub fn machine(path: &Path, cflags: &[String], options: Options) -> Result<Machine, String> {
    let native = Native::load(path, None, cflags, options.left_shifts);
    native.and_then(|native| native.machine(options)).map_err(|error| error.to_string())
}

/// The verdict of `selvedge check` on a program of C within so many executions. A violation comes with what is wrong.
///
/// # Errors
/// In words, why clang or we do not accept it.
pub fn verdict_of(
    path: &Path,
    cflags: &[String],
    question: &Question,
    executions: u64,
) -> Result<(Verdict, Option<Failure>), String> {
    let native = Native::load(path, None, cflags, left_shifts(question.checks(), path));
    let native = native.map_err(|error| error.to_string())?;
    let limits = Limits { executions: Some(executions), ..Limits::default() };
    let found = found(&native, question, Algorithm::Optimal, limits).map_err(|error| error.to_string())?;
    let first = found.1.exploration.violations.into_iter().next();
    Ok((found.0, first.map(|violation| violation.failure)))
}

/// The verdict of `selvedge check` under an algorithm, and what it rests on.
fn found(
    native: &Native,
    question: &Question,
    algorithm: Algorithm,
    limits: Limits,
) -> Result<(Verdict, EvidenceInC), VerifyError> {
    let plan = Plan::new(Some(Chosen::Named(algorithm)), limits, Extent::Whole);
    let plan = plan.expect("there is no bound that an algorithm does not know");
    let outcome = verify(CheckC { native, question, plan, root: None }, &mut Silent)?;
    Ok((outcome.verdict, outcome.evidence))
}

/// Explores a program of C with a monitor for each attempt, and begins again when an execution refutes a speculation.
///
/// # Errors
/// When the machine does not know something that the program needs.
pub fn explore_with<M: Monitor<Machine> + Default>(
    native: &Native,
    options: Options,
    algorithm: Algorithm,
    limits: Limits,
) -> Result<(Exploration<Failure>, Machine, M), VerifyError> {
    restart_while_refuted(options, |options| {
        let mut monitor = M::default();
        let (exploration, machine) = explore(native.machine(options)?, algorithm, limits, &mut monitor);
        let (stop, refuted) = (exploration.stop, machine.refuted());
        Ok(Attempt::of((exploration, machine, monitor), stop, refuted))
    })
}

/// A program of C as the module that clang makes of it.
///
/// # Errors
/// In words, why clang or we do not accept it.
pub fn module(path: &Path, cflags: &[String]) -> Result<Module, String> {
    let text = clang::compile(path, None, cflags).map_err(|error| error.to_string())?;
    selvedge_llvm::read(&text).map_err(|error| error.to_string())
}

/// The limits of the corpus.
fn limits() -> Limits {
    let after_violation = AfterViolation::KeepGoing;
    Limits { executions: Some(LIMIT), after_violation, ..Limits::default() }
}

impl Subject {
    /// What `selvedge check` finds under an algorithm, replayed.
    fn explored(&self, algorithm: Algorithm) -> Result<Findings, String> {
        let (verdict, evidence) = match found(&self.native, &self.question, algorithm, limits()) {
            Err(VerifyError::NotObserved { .. } | VerifyError::NotPreserved { .. }) => {
                return Ok(Findings { verdict: UNTOLD.to_owned(), traces: 0 });
            }
            other => other.map_err(|error| error.to_string())?,
        };
        let EvidenceInC { machine, exploration, .. } = evidence;
        for Violation { failure, schedule } in &exploration.violations {
            let replayed = replay(machine.again(), schedule, failure);
            replayed.map_err(|error| format!("{}: {failure:?}: {error}", algorithm.name()))?;
        }
        let traces = exploration.statistics.maximal();
        Ok(Findings { verdict: told(verdict, &exploration, &machine), traces })
    }

    /// What brute force finds, and its traces.
    fn brute_force(&self) -> Result<(Findings, HashSet<Trace>), String> {
        let algorithm = Algorithm::Exhaustive;
        let options = self.question.options(algorithm, self.native.path());
        let explored = explore_with(&self.native, options, algorithm, limits());
        let (exploration, machine, Traces(traces)) = explored.map_err(|error| error.to_string())?;
        let verdict = match Verdict::of(&exploration) {
            Verdict::Verified if !machine.cuts().is_empty() => Verdict::Inconclusive,
            verdict => verdict,
        };
        let maximal = exploration.statistics.maximal();
        Ok((Findings { verdict: told(verdict, &exploration, &machine), traces: maximal }, traces))
    }

    /// Compares the algorithms that may explore more or fewer executions than there are traces.
    fn check_others(&self, reference: &Findings) -> Result<(), String> {
        use Algorithm::{ClassicBounded, DporWithoutSleep, LazyStateful, NidhuggBounded, SourceBounded};
        for algorithm in [
            Algorithm::Observers,
            LazyStateful,
            DporWithoutSleep,
            ClassicBounded,
            NidhuggBounded,
            SourceBounded,
        ] {
            let found = self.explored(algorithm)?;
            let is_comparable = found.traces < LIMIT && found.verdict != UNTOLD;
            if is_comparable && found.verdict != reference.verdict {
                return Err(format!("{} finds {found:?}, source {reference:?}", algorithm.name()));
            }
        }
        Ok(())
    }

    /// Compares the algorithms that ask what is observed.
    fn check_observers(&self, reference: &Findings) -> Result<(), String> {
        for algorithm in [Algorithm::DataCentric, Algorithm::ValueCentric] {
            let found = self.explored(algorithm)?;
            if found.verdict.contains(UNTOLD) {
                continue;
            }
            if found.verdict != reference.verdict || found.traces > reference.traces {
                return Err(format!("{} finds {found:?}, source {reference:?}", algorithm.name()));
            }
        }
        Ok(())
    }
}

/// What the verdict says when an algorithm refuses an operation of the program, or what is looked for.
const UNTOLD: &str = "untold";

/// A verdict as headers write it.
fn told(verdict: Verdict, exploration: &Exploration<Failure>, machine: &Machine) -> String {
    if machine.cuts().iter().any(|cut| matches!(cut.reason, CutReason::Untold(_))) {
        return UNTOLD.to_owned();
    }
    match verdict {
        Verdict::Violation => {
            let kinds: BTreeSet<&str> =
                exploration.violations.iter().map(|violation| violation.failure.kind.name()).collect();
            format!("violation {}", kinds.into_iter().collect::<Vec<_>>().join(", "))
        }
        Verdict::Inconclusive => "inconclusive".to_owned(),
        Verdict::Verified => "verified".to_owned(),
    }
}

/// Collects the traces of all executions.
#[derive(Default)]
struct Traces(HashSet<Trace>);

impl Monitor<Machine> for Traces {
    fn execution(&mut self, path: &Execution<Machine>, end: End) {
        if end != End::SleepSetBlocked {
            self.0.insert(Trace::of(&path.order));
        }
    }

    fn looks_at_order(&self) -> bool {
        true
    }
}

/// Runs a program under every algorithm and compares with its header, and brute force with all of them.
///
/// # Errors
/// In words, what is not as expected.
pub fn run(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let cflags: Vec<String> = values(&text, "cflags").map(str::to_owned).collect();
    let question = question(&text)?;
    let native = Native::load(path, None, &cflags, left_shifts(question.checks(), path));
    let subject = Subject { native: native.map_err(|error| error.to_string())?, question };
    let reference = subject.explored(Algorithm::Source)?;
    if std::env::var_os("SELVEDGE_BLESS").is_some() {
        bless(path, &text, &reference)?;
    } else {
        let expected = Findings {
            verdict: value(&text, "verdict").unwrap_or("").to_owned(),
            traces: value(&text, "traces").and_then(|n| n.parse().ok()).unwrap_or(0),
        };
        if reference != expected {
            return Err(format!("found {reference:?}, expected {expected:?}"));
        }
    }
    if reference.verdict == "inconclusive" {
        return Ok(());
    }
    for algorithm in Algorithm::ALL {
        if matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal) {
            let found = subject.explored(algorithm)?;
            if found != reference {
                return Err(format!("{} finds {found:?}, source {reference:?}", algorithm.name()));
            }
        }
    }
    subject.check_others(&reference)?;
    subject.check_observers(&reference)?;
    let (found, traces) = subject.brute_force()?;
    let is_complete = found.traces < LIMIT;
    if is_complete && (found.verdict != reference.verdict || traces.len() as u64 != reference.traces) {
        return Err(format!(
            "brute force finds {} in {} traces, source {reference:?}",
            found.verdict,
            traces.len()
        ));
    }
    Ok(())
}

fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let line =
        text.lines().filter_map(|line| line.strip_prefix("//@ ")).find(|line| line.starts_with(key))?;
    line[key.len()..].strip_prefix(':').map(str::trim)
}

fn values<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    value(text, key).unwrap_or("").split_whitespace()
}

/// The question that the flags of a program ask.
fn question(text: &str) -> Result<Question, String> {
    let mut question = Question { vacuity: Vacuity::Allowed, ..Question::default() };
    let mut words = values(text, "flags");
    while let Some(word) = words.next() {
        match word {
            "--unroll" => question.unroll = words.next().and_then(|n| n.parse().ok()),
            "--spurious-wakeups" => question.wakeups = Wakeups::Spurious,
            "--no-reuse" => question.reuse = Reuse::Excluded,
            "--fixed-addresses" => question.addresses = Addresses::Fixed,
            "--check" => question.more.push(match words.next() {
                Some("races") => MoreChecks::Races,
                Some("leaks") => MoreChecks::Leaks,
                Some("overflow") => MoreChecks::Overflow,
                Some("uninitialised") => MoreChecks::Uninitialised,
                other => return Err(format!("--check {other:?}")),
            }),
            other => return Err(format!("unknown flag {other}")),
        }
    }
    Ok(question)
}

/// Rewrites the header of a program.
fn bless(path: &Path, text: &str, found: &Findings) -> Result<(), String> {
    let line = |line: &str| match line.strip_prefix("//@ ").and_then(|l| l.split_once(':')) {
        Some(("verdict", _)) => format!("//@ verdict: {}\n", found.verdict),
        Some(("traces", _)) => format!("//@ traces: {}\n", found.traces),
        _ => format!("{line}\n"),
    };
    let text: String = text.lines().map(line).collect();
    std::fs::write(path, text).map_err(|error| error.to_string())
}
