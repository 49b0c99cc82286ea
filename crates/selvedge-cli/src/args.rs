//! The command line.

use crate::enforce::args::{AuditArgs, BuildArgs, RunArgs};
use crate::error::CliError;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use selvedge_explore::Algorithm;
use selvedge_explore::plan::Chosen;
use selvedge_verify::{Ignored, MoreChecks, Property};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

const EXIT_CODES: &str = "\
Exit codes:
  0  verified: everything was explored and nothing is wrong
  1  violation: a counterexample is shown
  2  the program, the command line or a file is not right
  3  inconclusive: a limit or an interrupt ended the search, or nothing was checked";

const EXAMPLES: &str = "\
Examples:
  selvedge check examples/peterson.sel
  selvedge check examples/readers_writers.sel -D N=20 --algorithm source
  selvedge check examples/readers_writers.d --algorithm source
  selvedge check examples/bank_account.sel --save-trace lost.json
  selvedge replay lost.json examples/bank_account.sel
  selvedge bench ring ring-extended:6 --algorithms dpor,source,optimal
  selvedge bench --paper epor ring:17 ring-extended
  selvedge bench --paper vc-dpor float-read singleton";

/// Verifies concurrent programs: explores the interleavings that differ, and shows those that go wrong.
#[derive(Debug, Parser)]
#[command(name = "selvedge", version, after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Explore a program; give a verdict, or a counterexample
    Check(CheckArgs),
    /// Prove a program that may run forever, or find schedules under which it is safe
    Prove(ProveArgs),
    /// Check a proof that `selvedge prove --certificate` has written
    Certify(CertifyArgs),
    /// Step through a saved counterexample again
    Replay(ReplayArgs),
    /// Run the benchmark programs at growing sizes and print a table
    Bench(BenchArgs),
    /// Make a binary of a C or C++ program that keeps to a schedule
    Build(BuildArgs),
    /// Run a C or C++ program under a schedule
    Run(RunArgs),
    /// Check that a recorded execution was permitted by its schedule
    Audit(AuditArgs),
    /// Print the intermediate representation of a program
    Ir(IrArgs),
}

/// A program and the values of its constants.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// The program: a file in the modelling language (.sel), in dlang (.d), in C or C++ (.c, .cpp, .i), or LLVM IR (.ll)
    #[arg(value_name = "PROGRAM")]
    pub path: PathBuf,
    /// Further files of the program (C, C++ and LLVM IR only)
    #[arg(value_name = "MORE")]
    pub more: Vec<PathBuf>,
    /// Take flags and further files, as far as they are needed, from DIR/compile_commands.json; PROGRAM is the file that has `main` (C and C++ only)
    #[arg(short = 'p', value_name = "DIR", conflicts_with = "more")]
    pub project: Option<PathBuf>,
    /// Give the constant NAME of the program another value (.sel only)
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = define)]
    defines: Vec<(String, i64)>,
    /// The clang that compiles C and C++: 14 to 19, found by itself if not given
    #[arg(long, value_name = "PROGRAM")]
    pub clang: Option<PathBuf>,
    /// Further arguments of clang (C and C++ only)
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,
}

impl ProgramArgs {
    /// A program in C with arguments for clang.
    pub fn of(path: &Path, cflags: Vec<String>) -> ProgramArgs {
        ProgramArgs {
            path: path.to_owned(),
            more: Vec::new(),
            project: None,
            defines: Vec::new(),
            clang: None,
            cflags,
        }
    }

    /// The file of a program that has only one.
    pub fn only_file(&self) -> Result<&Path, CliError> {
        match self.more.is_empty() && self.project.is_none() {
            true => Ok(&self.path),
            false => Err(CliError::OnlyNative { option: "a program of several files" }),
        }
    }

    /// The values of constants; of several for one name, the last.
    pub fn defines(&self) -> BTreeMap<String, i64> {
        self.defines.iter().cloned().collect()
    }
}

/// `selvedge check`
#[derive(Debug, Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct CheckArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// How to explore [default: optimal; lazy-bounded within bounds]
    #[arg(long, value_name = "ALGORITHM", value_parser = algorithms_or_auto())]
    pub algorithm: Option<Chosen>,
    /// Explore only executions with at most K preemptions: switches away from a thread that could go on
    #[arg(long, value_name = "K")]
    pub preemptions: Option<u32>,
    /// Explore only executions with at most K delays: threads passed over by a round-robin scheduler
    #[arg(long, value_name = "K", conflicts_with = "preemptions")]
    pub delays: Option<u32>,
    /// Explore with bound 0, 1, 2, … until there is a violation or nothing left, up to K if --preemptions or --delays is given
    #[arg(long)]
    pub iterative: bool,
    /// Show violations by an equivalent execution with the fewest context switches
    #[arg(long)]
    pub minimize: bool,
    /// Do not stop at the first violation; collect those that differ
    #[arg(long)]
    pub keep_going: bool,
    /// Stop after that many executions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_executions: Option<u64>,
    /// Stop after that time
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// Cut executions after that many operations
    #[arg(long, value_name = "N", default_value = "100000", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_depth: u32,
    /// The seed of the algorithms that sample, `random`, `pct`, `pos` and `urw`
    #[arg(long, value_name = "N", default_value = "0")]
    pub seed: u64,
    /// The root thread of `value-centric` and `data-centric`: its number, counted from 0, or in .sel and .d its name [default: the first that
    /// is spawned if one thread begins alone, else the first]
    #[arg(long, value_name = "THREAD")]
    pub root: Option<String>,
    /// Cut executions in which a loop goes round more often than that (C and C++ only)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unroll: Option<u32>,
    /// Look for more than assertions, deadlocks and memory errors (C and C++ only)
    #[arg(long, value_parser = one_of(&MORE_CHECKS), value_name = "A,B", value_delimiter = ',')]
    pub check: Vec<MoreChecks>,
    /// Do not look for what is usually a violation; the claim says so
    #[arg(long, value_parser = one_of(&IGNORED), value_name = "A,B", value_delimiter = ',', conflicts_with_all = ["property", "schedule", "prefix"])]
    pub ignore: Vec<Ignored>,
    /// Decide one property and end with a line `VERDICT: …` (C and C++ only)
    #[arg(long, value_parser = one_of(&PROPERTIES), value_name = "PROPERTY", conflicts_with = "check")]
    pub property: Option<Property>,
    /// Let threads wake up from condition variables without a signal (C and C++ only)
    #[arg(long)]
    pub spurious_wakeups: bool,
    /// Accept "verified" of a program of which no execution gets past its assumptions, or without threads
    #[arg(long)]
    pub allow_vacuous: bool,
    /// Never give freed memory back to `malloc` at the same address (C and C++ only)
    #[arg(long)]
    pub no_reuse: bool,
    /// Take the numbers and the order of addresses from one layout of memory (C and C++ only)
    #[arg(long)]
    pub fixed_addresses: bool,
    /// Explore only what a schedule permits that `selvedge prove --schedule` has written, all its states (.sel and .d only)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["algorithm", "preemptions", "delays", "iterative"])]
    pub schedule: Option<PathBuf>,
    /// Write the shortest beginning of an execution of which all continuations are known to be safe to a file, again and again while the search
    /// goes on, for `selvedge run` (C and C++ only)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["schedule", "preemptions", "delays", "iterative", "property", "ignore"])]
    pub prefix: Option<PathBuf>,
    /// Write the first counterexample to a file, for `selvedge replay`
    #[arg(long, value_name = "FILE")]
    pub save_trace: Option<PathBuf>,
    /// Text for people or JSON for machines
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Only counterexamples and the verdict: no progress, no statistics
    #[arg(long, short)]
    pub quiet: bool,
}

const PROVE_EXIT_CODES: &str = "\
Exit codes:
  0  safe: nothing goes wrong under any schedule
  1  partially safe, or unsafe: a counterexample is shown
  2  the program, the command line or a file is not right, or there is no solver
  3  inconclusive: a limit, an interrupt or the solver ended the search, or nothing was proved";

/// `selvedge prove`
#[derive(Debug, Args)]
#[command(after_help = PROVE_EXIT_CODES)]
pub struct ProveArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub language: Language,
    /// Look for K sets of schedules, each larger than the one before, and not for a proof about all schedules
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: Option<u32>,
    /// After the iterations go on until all schedules are proved or a violation is found
    #[arg(long)]
    pub until_complete: bool,
    /// Stop after that time
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub max_time: Option<Duration>,
    /// The solver: z3, cvc5, or the path of one of them
    #[arg(long, value_name = "PROGRAM", default_value = "z3")]
    pub solver: String,
    /// The time that the solver has for one question; its work is limited before
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub query_time: Duration,
    /// Write the latest proof to a file, for `selvedge certify`
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    /// Write the latest set of schedules to a file, as a program schedule for `selvedge check --schedule`
    #[arg(long, value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    /// Draw the tree of the latest proof (.svg, or .dot for Graphviz)
    #[arg(long, value_name = "FILE")]
    pub drawing: Option<PathBuf>,
    /// Text for people or JSON for machines
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Do not check proofs again by the independent checker
    #[arg(long)]
    pub no_certify: bool,
    /// Do not take blocks under a mutex as one step
    #[arg(long)]
    pub no_blocks: bool,
    /// Accept "safe" of a program of which no execution gets past its assumptions, or without threads
    #[arg(long)]
    pub allow_vacuous: bool,
    /// Only counterexamples and the verdict
    #[arg(long, short)]
    pub quiet: bool,
}

/// What a proof of a C program is about.
#[derive(Debug, Default, Args)]
pub struct Language {
    /// Prove one property, unreach-call, and end with a line `VERDICT: …` (C and C++ only)
    #[arg(long, value_parser = one_of(&PROPERTIES), value_name = "PROPERTY")]
    pub property: Option<Property>,
    /// Let threads wake up from condition variables without a signal (C and C++ only)
    #[arg(long)]
    pub spurious_wakeups: bool,
}

/// `selvedge certify`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes:\n  0  the certificate proves what it claims\n  2  it does not, or it cannot be read\n  3  the solver cannot tell"
)]
pub struct CertifyArgs {
    /// The file written by `selvedge prove --certificate`
    #[arg(value_name = "CERTIFICATE")]
    pub certificate: PathBuf,
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub language: Language,
    /// The solver: z3, cvc5, or the path of one of them
    #[arg(long, value_name = "PROGRAM", default_value = "z3")]
    pub solver: String,
}

/// What else to look for: the names on the command line, and what they mean.
const MORE_CHECKS: [(MoreChecks, &str, &str); 4] = [
    (MoreChecks::Races, "races", "Data races of plain accesses"),
    (MoreChecks::Leaks, "leaks", "Memory that is never freed"),
    (MoreChecks::Uninitialised, "uninitialised", "Reads of memory that nobody wrote"),
    (MoreChecks::Overflow, "overflow", "Signed overflow"),
];

/// What not to look for: the names on the command line, and what they mean.
const IGNORED: [(Ignored, &str, &str); 2] = [
    (Ignored::Deadlocks, "deadlocks", "Threads that wait for ever are no violation"),
    (
        Ignored::Aborts,
        "aborts",
        "`abort` and uncaught exceptions end the program like `exit` (C and C++ only)",
    ),
];

/// Properties of the software-verification competition: the names on the command line, and what they mean.
const PROPERTIES: [(Property, &str, &str); 4] = [
    (Property::UnreachCall, "unreach-call", "No error function is called and no assertion fails"),
    (Property::NoDataRace, "no-data-race", "No data race"),
    (Property::ValidMemsafety, "valid-memsafety", "No wrong access to memory, no wrong free, no leak"),
    (Property::NoOverflow, "no-overflow", "No signed overflow"),
];

/// The form of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text for people
    #[default]
    Text,
    /// One JSON object
    Json,
}

/// `selvedge replay`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes:\n  1  the trace still ends in the violation\n  2  it does not, or it does not fit the program"
)]
pub struct ReplayArgs {
    /// The file written by `selvedge check --save-trace`
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    #[command(flatten)]
    pub program: ProgramArgs,
}

/// `selvedge ir`
#[derive(Debug, Args)]
pub struct IrArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
}

/// `selvedge bench`
#[derive(Debug, Default, Args)]
#[command(after_help = "\
Every row runs in a process of its own, so that its peak memory is its own. When a row hits the time limit, \
larger sizes of the same program and algorithm are skipped. The exit code is 1 when a count differs from the \
expected one, or, for files, when two algorithms that explore each trace once count different numbers of traces. \
With --paper, PROGRAMS select rows of the published table, each run with the algorithm that it is about; \
published counts that are wrong are marked, and a summary line says how many rows are reproduced.

Examples:
  selvedge bench ring:12 --algorithms dpor,source,optimal
  selvedge bench --paper all --report papers.html
  selvedge bench peterson.sel queue.c -D N=2..5 --algorithms source,eager,lazy --repeat 5 --plot sizes.svg")]
pub struct BenchArgs {
    /// Which programs: files of your own (.sel, .d, .c, …), or benchmark programs by NAME or NAME:N; all of the latter if none is given
    #[arg(value_name = "PROGRAMS")]
    pub names: Vec<String>,
    /// Give a constant a value, or each of several: of a .sel program, or a macro of a C program (files only)
    #[arg(short = 'D', value_name = "NAME=VALUE|FROM..TO", value_parser = range)]
    pub constants: Vec<(String, RangeInclusive<i64>)>,
    /// Print the benchmark programs with their sizes, and run none
    #[arg(long)]
    pub list: bool,
    /// Run every row that often; the median is shown, with the least and the greatest time
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with_all = ["paper", "native"])]
    pub repeat: u32,
    /// Which algorithms
    #[arg(long, value_name = "A,B", value_delimiter = ',', default_value = "source,optimal", value_parser = algorithms())]
    pub algorithms: Vec<Algorithm>,
    /// Run the rows of a published table and print our figures beside the published ones
    #[arg(long, value_enum, value_name = "PAPER", conflicts_with = "algorithms")]
    pub paper: Option<Paper>,
    /// Run C programs: executions, operations and instructions per second of processor time
    #[arg(long, conflicts_with_all = ["paper", "csv", "max_time"])]
    pub native: bool,
    /// The time limit of each row; 60 s for --paper imc and rcu, and 3 s for --paper all unless told otherwise
    #[arg(long, value_name = "SECONDS", default_value = "10", default_value_ifs([("paper", "imc", "60"), ("paper", "rcu", "60"), ("paper", "all", "3")]), value_parser = seconds)]
    pub max_time: Duration,
    /// Write the table to a file as well
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the table to a file as JSON, one object for each row
    #[arg(long, value_name = "FILE", conflicts_with = "native")]
    pub json: Option<PathBuf>,
    /// Plot time and traces over the size, on a logarithmic scale
    #[arg(long, value_name = "FILE.svg", conflicts_with = "native")]
    pub plot: Option<PathBuf>,
    /// Write all tables of --paper to one page of HTML, every difference with its reason
    #[arg(long, value_name = "FILE.html", requires = "paper")]
    pub report: Option<PathBuf>,
    /// Further arguments of clang (files in C and C++ only)
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,
    /// Run one row here and answer with JSON: what the rows' processes are started with
    #[arg(long, hide = true, value_name = "NAME:N:ALGORITHM")]
    pub row: Option<String>,
}

/// A paper with a table about the benchmark programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Paper {
    /// Eager partial-order reduction: Metzler and others 2016, Metzler 2020
    Epor,
    /// Lazy partial-order reduction: Metzler 2014
    Lazypor,
    /// Bounded partial-order reduction: Sachinoglou 2018
    Bounding,
    /// Value-centric and other coarse equivalences: Chatterjee, Pavlogiannis and Toman 2019
    VcDpor,
    /// Iterative model checking: Metzler 2020
    Imc,
    /// Iteratively relaxed scheduling, what it costs to enforce trace prefixes: Metzler 2020
    Irs,
    /// Read-copy-update of the Linux kernel within bounds: Sachinoglou 2018; PROGRAMS are the folder of the case study, and versions and configurations
    Rcu,
    /// All of these but rcu and irs
    All,
}

/// A value by its name, with what it means.
fn one_of<T: Copy + Send + Sync>(
    values: &'static [(T, &'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let possible = values.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(possible).try_map(|name| {
        let found = values.iter().find(|(_, of_value, _)| *of_value == name);
        found.map(|(value, ..)| *value).ok_or("this is no value")
    })
}

fn algorithms_or_auto() -> impl TypedValueParser<Value = Chosen> {
    let value = |algorithm: Algorithm| PossibleValue::new(algorithm.name()).help(algorithm.summary());
    let auto =
        PossibleValue::new("auto").help("optimal, observers (not for C) or value-centric, by short probes");
    let named = Algorithm::ALL.into_iter().chain(Algorithm::SAMPLING).map(value);
    PossibleValuesParser::new(named.chain([auto])).try_map(|name| match name.as_str() {
        "auto" => Ok(Chosen::Auto),
        name => Algorithm::from_name(name).map(Chosen::Named).ok_or("this is no algorithm"),
    })
}

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    let value = |algorithm: Algorithm| PossibleValue::new(algorithm.name()).help(algorithm.summary());
    PossibleValuesParser::new(Algorithm::ALL.into_iter().chain(Algorithm::SAMPLING).map(value))
        .try_map(|name| Algorithm::from_name(&name).ok_or("this is no algorithm"))
}

fn define(text: &str) -> Result<(String, i64), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE, as in N=20")?;
    let value = value.trim().parse().map_err(|_| format!("`{value}` is no integer of 64 bits"))?;
    match name.trim() {
        "" => Err("write NAME=VALUE, as in N=20".to_owned()),
        name => Ok((name.to_owned(), value)),
    }
}

fn range(text: &str) -> Result<(String, RangeInclusive<i64>), String> {
    let Some((name, (from, to))) =
        text.split_once('=').and_then(|(name, values)| Some((name, values.split_once("..")?)))
    else {
        return define(text).map(|(name, value)| (name, value..=value));
    };
    let end = |text: &str| define(&format!("{name}={text}")).map(|(_, value)| value);
    match end(from)?..=end(to)? {
        empty if empty.is_empty() => Err(format!("there is nothing from {from} to {to}")),
        range => Ok((name.trim().to_owned(), range)),
    }
}

pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    match Duration::try_from_secs_f64(seconds) {
        Ok(time) if !time.is_zero() => Ok(time),
        _ => Err("the time must be more than 0 seconds".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn defines_are_names_with_integers() {
        assert_eq!(define("N=-3"), Ok(("N".to_owned(), -3)));
        for wrong in ["N", "=3", "N=x", "N=99999999999999999999"] {
            assert!(define(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_contain_both_ends() {
        assert_eq!(range("N=2..5"), Ok(("N".to_owned(), 2..=5)));
        assert_eq!(range("N=-3"), Ok(("N".to_owned(), -3..=-3)));
        for wrong in ["N=5..2", "N=..", "N=1..x", "=1..2", "N"] {
            assert!(range(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_positive_numbers_of_seconds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["0", "-1", "nan", "inf", "soon", "1e300"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
