//! The corpus: programs that state in their header what is expected of them.
//!
//! Lines that begin with `//@` hold the expectations: `verdict: verified` or `verdict: violation KIND, …`,
//! `traces: N`, `classes: ALGORITHM=N` for an algorithm that explores classes of a coarser equivalence, `define: NAME=VALUE`, and `brute-force: no` for programs too large for it. Every program runs under
//! every algorithm, small ones also within bounds.

use crate::bounded;
use crate::oracle::{self, Check, Findings, Subject};
use selvedge_explore::{Algorithm, End};
use selvedge_interp::Assumptions;
use selvedge_ir::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// More executions than any program of the corpus may have under brute force.
const LIMIT: usize = 200_000;

/// Interleavings up to which the algorithms with bounds are compared with brute force.
const BOUNDED: usize = 2000;

/// What a program is expected to do.
#[derive(Clone, Debug, Default)]
struct Expectation {
    failures: BTreeSet<String>,
    traces: Option<usize>,
    classes: Vec<(Algorithm, usize)>,
    defines: BTreeMap<String, i64>,
    too_large_for_brute_force: bool,
}

/// All programs below a folder, in order.
pub fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|extension| extension == "sel") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Runs a program under every algorithm and compares with its header.
///
/// # Errors
/// In words, what is not as expected.
pub fn run(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expectation = parse(&text)?;
    let name = path.display().to_string();
    let program = selvedge_lang::compile(&name, &text, &expectation.defines)
        .map_err(|diagnostics| format!("does not compile: {diagnostics:?}"))?;
    selvedge_ir::check::check(&program).map_err(|faults| format!("ill-formed: {faults:?}"))?;
    if !expectation.too_large_for_brute_force
        && let Check::Wrong(message) = oracle::check_all(&program, LIMIT)
    {
        return Err(message);
    }
    if !expectation.too_large_for_brute_force
        && let Check::Wrong(message) = bounded::check_all(&program, BOUNDED)
    {
        return Err(message);
    }
    if !expectation.too_large_for_brute_force
        && let Check::Wrong(message) = oracle::check_assumptions(&program, LIMIT)
    {
        return Err(message);
    }
    let exact = [Algorithm::Sleep, Algorithm::Dpor, Algorithm::Source, Algorithm::Optimal];
    let small =
        exact.into_iter().filter(|a| !expectation.too_large_for_brute_force || *a != Algorithm::Sleep);
    small.into_iter().try_for_each(|algorithm| compare(&program, algorithm, &expectation))?;
    expectation.classes.iter().try_for_each(|&(algorithm, classes)| {
        compare(&program, algorithm, &Expectation { traces: Some(classes), ..expectation.clone() })
    })
}

fn compare(program: &Program, algorithm: Algorithm, expectation: &Expectation) -> Result<(), String> {
    let name = algorithm.name();
    let subject = Subject { program, assumptions: Assumptions::of(algorithm) };
    let found = oracle::findings_from(oracle::ROOT, subject, algorithm, LIMIT)
        .ok_or(format!("{name}: too many executions"))?;
    let kinds: BTreeSet<String> = found.failures.iter().map(|f| f.kind.name().to_owned()).collect();
    if kinds != expectation.failures {
        return Err(format!("{name} finds the failures {kinds:?}, not {:?}", expectation.failures));
    }
    if found.traces.values().any(|(_, end)| *end == End::Cut) {
        return Err(format!("{name} was cut"));
    }
    match expectation.traces {
        Some(traces) if traces != found.traces.len() => Err(differing(name, &found, traces)),
        _ => Ok(()),
    }
}

fn differing(name: &str, found: &Findings, expected: usize) -> String {
    format!("{name} finds {} traces, not {expected}", found.traces.len())
}

fn parse(text: &str) -> Result<Expectation, String> {
    let mut expectation = Expectation::default();
    let mut has_verdict = false;
    for line in text.lines().filter_map(|line| line.strip_prefix("//@")) {
        let (key, value) = line.split_once(':').ok_or(format!("`//@{line}` has no colon"))?;
        let value = value.trim();
        match key.trim() {
            "verdict" => {
                has_verdict = true;
                expectation.failures = verdict(value)?;
            }
            "traces" => expectation.traces = Some(value.parse().map_err(|_| format!("traces: {value}"))?),
            "classes" => {
                let (name, classes) = value.split_once('=').ok_or(format!("classes: {value}"))?;
                let algorithm = Algorithm::from_name(name).ok_or(format!("classes: {value}"))?;
                let classes = classes.parse().map_err(|_| format!("classes: {value}"))?;
                expectation.classes.push((algorithm, classes));
            }
            "define" => {
                let (name, value) = value.split_once('=').ok_or(format!("define: {value}"))?;
                let value = value.parse().map_err(|_| format!("define: {value}"))?;
                expectation.defines.insert(name.to_owned(), value);
            }
            "brute-force" => expectation.too_large_for_brute_force = value == "no",
            other => return Err(format!("unknown expectation `{other}`")),
        }
    }
    match has_verdict {
        true => Ok(expectation),
        false => Err("the header has no `//@ verdict:`".to_owned()),
    }
}

fn verdict(value: &str) -> Result<BTreeSet<String>, String> {
    match value.split_once(' ') {
        None if value == "verified" => Ok(BTreeSet::new()),
        Some(("violation", kinds)) => Ok(kinds.split(',').map(|kind| kind.trim().to_owned()).collect()),
        _ => Err(format!("verdict: {value}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_and_mistakes_in_them_are_errors() {
        let expectation = parse("//@ verdict: violation assertion, deadlock\n//@ traces: 3\n").unwrap();
        assert_eq!(expectation.failures.len(), 2);
        assert_eq!(expectation.traces, Some(3));
        assert!(parse("//@ traces: 3").is_err());
        assert!(parse("//@ verdict: verified\n//@ classes: observers=3").is_ok());
        assert!(parse("//@ verdict: verified\n//@ classes: everybody=3").is_err());
        assert!(parse("//@ verdict: maybe").is_err());
        assert!(parse("//@ verdict: verified\n//@ colour: red").is_err());
    }
}
