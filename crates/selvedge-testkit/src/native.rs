//! C and C++ programs of the corpus: compiled once, then run under every algorithm.
//!
//! Headers are as those of the [corpus](crate::corpus), with `verdict: inconclusive` for programs of which only a part can
//! be explored, `flags:` for options of `selvedge check`, and `cflags:` for clang. With `SELVEDGE_BLESS=1` the
//! headers are rewritten with what is found.

use selvedge_explore::{
    AfterViolation, Algorithm, End, Exploration, Limits, Monitor, Path as Execution, Promise, Silent,
    Violation, explore, replay,
};
use selvedge_llvm::{Module, clang};
use selvedge_machine::failure::CutReason;
use selvedge_machine::{
    Addresses, Checks, Failure, LeftShifts, Machine, Options, Promotion, Reuse, Telling, lower,
};
use selvedge_report::report::Run;
use selvedge_report::{Terms, Verdict, scope};
use selvedge_trace::Trace;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// More executions than any program of the corpus may have.
const LIMIT: u64 = 30_000;

/// A program of the corpus.
struct Native {
    module: Arc<Module>,
    options: Options,
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
    let native = Native { module: Arc::new(module(path, cflags)?), options };
    native.machine()
}

/// The verdict of `selvedge check` on a program of C within so many executions: the search begins again when an execution refutes what the
/// machine speculated, and what was cut, or is vacuous, is not verified. A violation comes with what is wrong.
///
/// # Errors
/// In words, why clang or we do not accept it.
pub fn verdict_of(
    path: &Path,
    cflags: &[String],
    options: Options,
    executions: u64,
) -> Result<(Verdict, Option<Failure>), String> {
    let mut native = Native { module: Arc::new(module(path, cflags)?), options };
    let limits = Limits { executions: Some(executions), ..Limits::default() };
    loop {
        let (exploration, machine) = explore(native.machine()?, Algorithm::Optimal, limits, &mut Silent);
        if let (Some(options), None) = (machine.corrected(), exploration.stop) {
            native.options = options;
            continue;
        }
        let (algorithm, terms) = (Algorithm::Optimal, Terms::default());
        let run = Run { algorithm, limits, reached: None, elapsed: Duration::ZERO, terms };
        let cuts: Vec<String> = machine.cuts().iter().map(|cut| cut.reason.message()).collect();
        let verdict = scope::verdict(&run, &exploration, &cuts);
        return Ok((verdict, exploration.violations.into_iter().next().map(|violation| violation.failure)));
    }
}

/// What operations have to tell an algorithm.
pub fn telling(algorithm: Algorithm) -> Telling {
    match algorithm.asks_what_is_observed() {
        true => Telling::Observations,
        false => Telling::Order,
    }
}

/// A program of C as the module that clang makes of it.
///
/// # Errors
/// In words, why clang or we do not accept it.
pub fn module(path: &Path, cflags: &[String]) -> Result<Module, String> {
    let text = clang::compile(path, None, cflags).map_err(|error| error.to_string())?;
    selvedge_llvm::read(&text).map_err(|error| error.to_string())
}

impl Native {
    fn machine(&self) -> Result<Machine, String> {
        let code = lower::lower(&self.module, &self.options).map_err(|error| error.to_string())?;
        Ok(Machine::new(self.module.clone(), Arc::new(code), self.options))
    }

    fn explored<M: Monitor<Machine> + Default>(&self, algorithm: Algorithm) -> Result<(Findings, M), String> {
        let limits = Limits {
            executions: Some(LIMIT),
            after_violation: AfterViolation::KeepGoing,
            ..Limits::default()
        };
        let options = Options { telling: telling(algorithm), ..self.options };
        let native = Native { module: self.module.clone(), options };
        let mut monitor = M::default();
        let (exploration, machine) = explore(native.machine()?, algorithm, limits, &mut monitor);
        if let Some(options) = machine.corrected() {
            let corrected = Native { module: self.module.clone(), options };
            return corrected.explored(algorithm);
        }
        for Violation { failure, schedule } in &exploration.violations {
            let replayed = replay(machine.again(), schedule, failure);
            replayed.map_err(|error| format!("{}: {failure:?}: {error}", algorithm.name()))?;
        }
        let (verdict, traces) = (verdict(&exploration, &machine), exploration.statistics.maximal());
        Ok((Findings { verdict, traces }, monitor))
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
            let (found, Silent) = self.explored(algorithm)?;
            let is_complete = found.traces < LIMIT;
            if is_complete && found.verdict != reference.verdict {
                return Err(format!("{} finds {found:?}, source {reference:?}", algorithm.name()));
            }
        }
        Ok(())
    }

    /// Compares the algorithms that ask what is observed.
    fn check_observers(&self, reference: &Findings) -> Result<(), String> {
        let Checks { races, leaks, .. } = self.options.checks;
        for algorithm in [Algorithm::DataCentric, Algorithm::ValueCentric] {
            if races || leaks {
                continue;
            }
            let (found, Silent) = self.explored(algorithm)?;
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

/// What the verdict says when an operation cannot be told.
const UNTOLD: &str = "untold";

fn verdict(exploration: &Exploration<Failure>, machine: &Machine) -> String {
    let kinds: BTreeSet<&str> = exploration.violations.iter().map(|v| v.failure.kind.name()).collect();
    let kinds: Vec<&str> = kinds.into_iter().collect();
    if machine.cuts().iter().any(|cut| matches!(cut.reason, CutReason::Untold(_))) {
        return UNTOLD.to_owned();
    }
    match (
        kinds.is_empty(),
        !machine.cuts().is_empty() || exploration.statistics.cut > 0 || exploration.stop.is_some(),
    ) {
        (false, _) => format!("violation {}", kinds.join(", ")),
        (true, true) => "inconclusive".to_owned(),
        (true, false) => "verified".to_owned(),
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
    let options = options(&text)?;
    let tests = if options.checks.overflow { &clang::SHIFT_TESTS[..] } else { &[] };
    let cflags: Vec<String> = tests.iter().map(|flag| flag.to_string()).chain(cflags).collect();
    let native = Native { module: Arc::new(module(path, &cflags)?), options };
    let (reference, Silent) = native.explored(Algorithm::Source)?;
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
            let (found, Silent) = native.explored(algorithm)?;
            if found != reference {
                return Err(format!("{} finds {found:?}, source {reference:?}", algorithm.name()));
            }
        }
    }
    native.check_others(&reference)?;
    native.check_observers(&reference)?;
    let (found, Traces(traces)) = native.explored(Algorithm::Exhaustive)?;
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

fn options(text: &str) -> Result<Options, String> {
    let mut options = Options::default();
    let mut words = values(text, "flags");
    while let Some(word) = words.next() {
        match word {
            "--unroll" => options.unroll = words.next().and_then(|n| n.parse().ok()),
            "--spurious-wakeups" => options.spurious_wakeups = true,
            "--no-reuse" => options.reuse = Reuse::Excluded,
            "--fixed-addresses" => options.addresses = Addresses::Fixed,
            "--check" => match words.next() {
                Some("races") => options.checks.races = true,
                Some("leaks") => options.checks.leaks = true,
                Some("overflow") => {
                    options.checks.overflow = true;
                    options.left_shifts = LeftShifts::Instrumented;
                }
                Some("uninitialised") => {
                    options.checks.uninitialised = true;
                    options.promotion = Promotion::Memory;
                }
                other => return Err(format!("--check {other:?}")),
            },
            other => return Err(format!("unknown flag {other}")),
        }
    }
    Ok(options)
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
