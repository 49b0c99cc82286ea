//! `selvedge bench --paper rcu DIR`: read-copy-update of the Linux kernel, by version, configuration, algorithm and bound.
//!
//! The code is the published case study [KokologiannakisS2017], which is not ours to ship: the user gives the folder. Each row is a run of
//! `selvedge check` in a process of its own. A thread that waits in a loop for good is no error there, so deadlocks are ignored; and the
//! kernel asks whether the number of a function is less than 4096, so addresses are those of one layout.

mod published;

use super::measurement::Measurement;
use super::report::{Columns, Outcome, Report};
use super::row::in_own_process;
use crate::args::BenchArgs;
use crate::error::CliError;
use published::{CONFIGURATIONS, Extent, Found, PLAIN, Published, Search, VERSIONS};
use selvedge_explore::{Algorithm, BoundPromise};
use selvedge_report::Verdict;
use selvedge_report::json::JsonReport;
use selvedge_report::statistics::megabytes;
use std::path::{Path, PathBuf};

const COLUMNS: Columns = &[
    ("program", 26),
    ("algorithm", 17),
    ("preemptions", 12),
    ("executions", 11),
    ("published", 10),
    ("result", 18),
    ("published", 12),
    ("time (s)", 10),
    ("peak memory", 12),
    ("", 0),
];

const LEGEND: &str = "\
published: [Sachinoglou2018]; the program: [KokologiannakisS2017], loops cut after 5 rounds (19 with FORCE_FAILURE_6) as there
executions: sleep-set-blocked ones among them; cut: executions in which a loop went round more often; growing: within 0, 1, 2, … preemptions until the bug, executions of the last bound
";

/// Which bounds the slides' algorithms are run with besides the published ones: growing, where there is a bug.
const BOUNDED: [Algorithm; 5] = [
    Algorithm::LazyBounded,
    Algorithm::NidhuggBounded,
    Algorithm::SourceBounded,
    Algorithm::ClassicBounded,
    Algorithm::NaiveBounded,
];

const ORDER: &str = "the same result; how many executions there are up to a bug depends on the order in which threads are run, and how many in all on which \
                     loops count as waiting";
const LOOPS: &str = "nothing wrong but in executions that were cut: a loop went round as often as that; the same limit as published";
const ESTIMATE: &str = "ours computes the least number of preemptions of a trace; the published algorithm estimates it from below, and its figure is less than                         that of Nidhugg-BPOR with the same bug";
const NAIVE: &str = "naive bounding does not explore all that is within the bound";
const EARLIER: &str = "found with fewer preemptions: ours computes the least number of a trace, and a thread that waits in a loop can be left for free";

/// What is searched, with the published results.
type Rows = Vec<(Search, Option<Published>)>;

/// Adds the table to the report.
pub fn run(args: &BenchArgs, report: &mut Report) -> Result<(), CliError> {
    let (folder, searches) = selected(&args.names)?;
    report.begin("Bounded reduction: read-copy-update of the Linux kernel", COLUMNS)?;
    for (search, published) in searches {
        add_row(&folder, &search, published, args, report)?;
    }
    report.legend(LEGEND)
}

/// The folder of the case study, and what to search: everything in the versions and configurations that are named, or in all.
fn selected(names: &[String]) -> Result<(PathBuf, Rows), CliError> {
    let [folder, names @ ..] = names else { return Err(CliError::NoCaseStudy) };
    let is_known =
        |name: &String| VERSIONS.contains(&name.as_str()) || CONFIGURATIONS.contains(&name.as_str());
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known = VERSIONS.iter().chain(&CONFIGURATIONS).copied().collect::<Vec<_>>().join(", ");
        return Err(CliError::NotPublished { name: name.clone(), known });
    }
    let folder = case_study(Path::new(folder)).ok_or(CliError::NoCaseStudy)?;
    let mut searches = searches()?;
    for known in [&VERSIONS[..], &CONFIGURATIONS[..]] {
        let is_asked_for = |name: &str| names.iter().any(|asked| asked == name);
        if known.iter().any(|name| is_asked_for(name)) {
            searches.retain(|(search, _)| {
                is_asked_for(search.version) && known.contains(&search.version)
                    || is_asked_for(search.configuration) && known.contains(&search.configuration)
            });
        }
    }
    Ok((folder, searches))
}

/// The folder with the programs: the one that is given, or the one inside it that has them.
fn case_study(folder: &Path) -> Option<PathBuf> {
    let candidates = [folder.to_owned(), folder.join("valtree")];
    candidates.into_iter().find(|folder| folder.join("litmus.c").is_file())
}

/// Every row: the published ones, and of each configuration all traces and growing bounds.
fn searches() -> Result<Rows, CliError> {
    let published = published::table()?;
    let mut searches = Vec::new();
    for version in VERSIONS {
        for configuration in CONFIGURATIONS {
            let search = |algorithm, extent| Search { version, configuration, algorithm, extent };
            let mut own = vec![search(Algorithm::Source, Extent::Unbounded)];
            own.push(search(Algorithm::LazyBounded, Extent::Growing));
            if own[0].has_bug() {
                own.extend(BOUNDED[1..].iter().map(|&algorithm| search(algorithm, Extent::Growing)));
            }
            let is_here =
                |search: &Search| search.version == version && search.configuration == configuration;
            let others = published.iter().map(|(search, _)| *search).filter(is_here);
            own.extend(others.filter(|search| !own.contains(search)).collect::<Vec<_>>());
            searches.extend(own.into_iter().map(|search| {
                let known = published.iter().find(|(of, _)| *of == search);
                (search, known.map(|(_, published)| *published))
            }));
        }
    }
    Ok(searches)
}

fn add_row(
    folder: &Path,
    search: &Search,
    published: Option<Published>,
    args: &BenchArgs,
    report: &mut Report,
) -> Result<(), CliError> {
    let ours = run_in_own_process(folder, search, args)?;
    let outcome = outcome(search, published, &ours);
    let bound = match search.extent {
        Extent::Unbounded => "no bound".to_owned(),
        Extent::Within(limit) => format!("at most {limit}"),
        Extent::Growing => "growing".to_owned(),
    };
    let told = |found: Found| match found {
        Found::Nothing => "none".to_owned(),
        Found::Bug(None) => "bug".to_owned(),
        Found::Bug(Some(limit)) => format!("bug with {limit}"),
        Found::Cut => "given up".to_owned(),
    };
    let program = format!("{} {}", search.version, search.configuration);
    let executions = executions(&ours);
    let cells = vec![
        program.clone(),
        search.algorithm.name().to_owned(),
        bound.clone(),
        format!("{executions}{}", if found(search, &ours) == Found::Cut { "…" } else { "" }),
        published.and_then(|p| p.executions).map_or("–".to_owned(), |published| published.to_string()),
        match found(search, &ours) {
            Found::Nothing if ours.executions.cut > 0 => format!("none, {} cut", ours.executions.cut),
            found => told(found),
        },
        published.map_or("–".to_owned(), |published| told(published.found)),
        format!("{:.3}", ours.seconds),
        ours.peak_memory_bytes.map_or("?".to_owned(), megabytes),
        outcome.note(),
    ];
    report.record(Measurement::of(format!("{program}, {bound}"), Vec::new(), &ours, &[]))?;
    report.row(cells, outcome)
}

fn executions(ours: &JsonReport) -> u64 {
    ours.maximal() + ours.executions.sleep_set_blocked
}

/// What our search has found.
fn found(search: &Search, ours: &JsonReport) -> Found {
    match (ours.verdict, ours.bound) {
        (Verdict::Violation, Some(bound)) if search.extent == Extent::Growing => {
            Found::Bug(Some(bound.limit))
        }
        (Verdict::Violation, _) => Found::Bug(None),
        _ if ours.stopped_by.is_some() => Found::Cut,
        _ => Found::Nothing,
    }
}

/// How a row compares with the published one. A verdict that cannot be is wrong, whatever is published.
fn outcome(search: &Search, published: Option<Published>, ours: &JsonReport) -> Outcome {
    let found = found(search, ours);
    let is_naive = search.algorithm.bound_promise() == Some(BoundPromise::Heuristic);
    let is_whole = !matches!(search.extent, Extent::Within(_)) && !is_naive && ours.executions.cut == 0;
    match (found, published) {
        (Found::Bug(_), _) if !search.has_bug() => Outcome::Wrong,
        (Found::Nothing, _) if search.has_bug() && is_whole => Outcome::Wrong,
        (Found::Cut, _) => Outcome::Cut,
        (_, None) => Outcome::NothingToCompare(""),
        (_, Some(Published { found: Found::Cut, .. })) => Outcome::NothingToCompare("given up by the author"),
        (_, Some(published))
            if published.found == found && published.executions == Some(executions(ours)) =>
        {
            Outcome::Reproduced
        }
        (_, Some(published)) if published.found == found => Outcome::Explained(ORDER.into()),
        (Found::Nothing, _) if is_naive => Outcome::Explained(NAIVE.into()),
        (Found::Nothing, _) if ours.executions.cut > 0 => Outcome::Explained(LOOPS.into()),
        (Found::Bug(Some(limit)), Some(Published { found: Found::Bug(Some(theirs)), .. }))
            if limit > theirs =>
        {
            match search.algorithm {
                Algorithm::LazyBounded => Outcome::Explained(ESTIMATE.into()),
                _ => Outcome::Wrong,
            }
        }
        (Found::Bug(_), _) => Outcome::Explained(EARLIER.into()),
        (Found::Nothing, _) => Outcome::Wrong,
    }
}

fn run_in_own_process(folder: &Path, search: &Search, args: &BenchArgs) -> Result<JsonReport, CliError> {
    let Search { version, configuration, algorithm, extent } = *search;
    let program = folder.join(if version == "v3.0" { "litmus_v3.c" } else { "litmus.c" });
    let unroll = if configuration == "FORCE_FAILURE_6" { "19" } else { "5" };
    let row = format!("{version} {configuration} with {}", algorithm.name());
    in_own_process(&row, |command| {
        command.arg("check").arg(&program);
        command.args(["--format", "json", "--ignore", "deadlocks", "--fixed-addresses", "--unroll", unroll]);
        command.args([
            "--algorithm",
            algorithm.name(),
            "--max-time",
            &args.max_time.as_secs_f64().to_string(),
        ]);
        match extent {
            Extent::Unbounded => {}
            Extent::Within(limit) => {
                command.args(["--preemptions", &limit.to_string()]);
            }
            Extent::Growing => {
                command.arg("--iterative");
            }
        }
        command.args(["--", "-std=gnu99", "-I"]).arg(folder.join(version));
        if configuration != PLAIN {
            command.arg(format!("-D{configuration}"));
        }
        // What stops the grace period shows in that the end of it is never reached.
        if configuration.starts_with("LIVENESS") {
            command.arg("-DASSERT_0");
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_row_is_run_and_each_configuration_without_a_bound() {
        let searches = searches().expect("they exist");
        let published = published::table().expect("it is well formed").len();
        assert_eq!(searches.iter().filter(|(_, published)| published.is_some()).count(), published);
        let whole = searches.iter().filter(|(search, _)| search.extent == Extent::Unbounded).count();
        assert_eq!(whole, VERSIONS.len() * CONFIGURATIONS.len());
    }

    #[test]
    fn only_a_folder_with_the_case_study_can_be_run() {
        let ask = |names: &[&str]| selected(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_str().expect("a name");
        assert!(ask(&[]).is_err() && ask(&[path]).is_err());
        std::fs::write(folder.path().join("litmus.c"), "").expect("it can be written");
        let rows = |names: &[&str]| ask(names).map_or(0, |(_, searches)| searches.len());
        assert!(rows(&[path]) > rows(&[path, "v3.0"]));
        assert!(rows(&[path, "v3.0"]) > rows(&[path, "v3.0", "FORCE_FAILURE_1"]));
        assert!(rows(&[path, "v3.0", "FORCE_FAILURE_1"]) > 0);
        assert!(ask(&[path, "v9"]).is_err());
    }
}
