//! The command lines of the commands that make and run binaries.

use crate::args::{ProgramArgs, seconds};
use clap::{Args, ValueEnum};
use selvedge_build::OnDivergence;
use std::path::PathBuf;
use std::time::Duration;

/// What to do when an execution leaves its schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Divergence {
    /// End the program with exit code 70
    #[default]
    Stop,
    /// Run one thread at a time from there on
    Serialise,
    /// Go on unverified
    Free,
}

impl From<Divergence> for OnDivergence {
    fn from(divergence: Divergence) -> OnDivergence {
        match divergence {
            Divergence::Stop => OnDivergence::Stop,
            Divergence::Serialise => OnDivergence::Serialise,
            Divergence::Free => OnDivergence::Free,
        }
    }
}

/// How much a program schedule leaves unordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Opt {
    /// Events happen one after the other
    #[value(name = "0")]
    Zero,
    /// Only what depends on each other is ordered
    #[value(name = "1")]
    One,
    /// Loops are unrolled besides
    #[default]
    #[value(name = "2")]
    Two,
}

/// What is the same for all binaries.
#[derive(Debug, Args)]
pub struct BinaryArgs {
    /// The program, in C or C++ (.c, .cpp, .i) or LLVM IR (.ll)
    #[arg(value_name = "PROGRAM")]
    pub path: PathBuf,
    /// The schedule: a trace prefix that `selvedge check --prefix` has written, or a program schedule of `selvedge prove --schedule` for a program that
    /// runs forever; without it, one is searched for
    #[arg(long, visible_alias = "prefix", value_name = "FILE")]
    pub schedule: Option<PathBuf>,
    /// Search for that time for a trace prefix with fewer constraints [default: until there is a first one]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, conflicts_with = "schedule")]
    pub max_time: Option<Duration>,
    /// How much a program schedule leaves unordered: nothing, what does not depend on each other, or also whole rounds of loops
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    pub opt: Opt,
    /// What to do when an execution leaves the schedule
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub on_divergence: Divergence,
    /// Say who waits for whom when there is no event for so many seconds; 0 for never
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub stall: u32,
    /// Refuse programs of which something is not controlled
    #[arg(long)]
    pub strict: bool,
    /// The clang that compiles: 14 to 19, found by itself if not given
    #[arg(long, value_name = "PROGRAM")]
    pub clang: Option<PathBuf>,
}

/// `selvedge build`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  selvedge build queue.c -o queue
  selvedge check queue.c --prefix queue.prefix
  selvedge build queue.c --schedule queue.prefix -o queue

Exit codes:
  0  the binary is made
  2  the program, the schedule or the command line is not right, or --strict refuses the program")]
pub struct BuildArgs {
    #[command(flatten)]
    pub binary: BinaryArgs,
    /// The binary [default: the name of the program without extension]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// List what the binary does not control
    #[arg(long)]
    pub explain: bool,
    /// Further arguments of clang
    #[arg(last = true, value_name = "CFLAGS")]
    pub cflags: Vec<String>,
}

/// `selvedge run`
#[derive(Debug, Args)]
#[command(after_help = "\
The exit code is that of the program; 70 if it left the schedule, 2 if it could not be started.

Example:
  selvedge run queue.c --schedule queue.prefix --stats -- 3 items
  selvedge run server.c")]
pub struct RunArgs {
    #[command(flatten)]
    pub binary: BinaryArgs,
    /// A further argument of clang; may be given several times
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true)]
    pub cflags: Vec<String>,
    /// Say at the end how many events had to wait, how long, and for which constraint
    #[arg(long)]
    pub stats: bool,
    /// Write to a file what the threads did, for `selvedge audit`
    #[arg(long, value_name = "LOG")]
    pub record: Option<PathBuf>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// `selvedge audit`
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes:\n  0  the execution was permitted\n  1  it was not\n  2  the log, the schedule or the program cannot be read"
)]
pub struct AuditArgs {
    /// The log that `selvedge run --record` has written
    #[arg(value_name = "LOG")]
    pub log: PathBuf,
    /// The schedule under which the program ran
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,
    #[command(flatten)]
    pub program: ProgramArgs,
}
