//! Why a command cannot do its work. All of these end with exit code 2, except that nobody is left to tell when
//! the output is closed.

use crate::diagnostics::Rejection;
use selvedge_report::ReportError;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Bad input, or a bug of ours.
const BAD_INPUT: u8 = 2;

/// Why a command cannot do its work.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    /// A file cannot be written.
    #[error("cannot write `{}`: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    /// Nobody knows how to read such a file.
    #[error("cannot check `{}`: only programs in the modelling language (.sel), in dlang (.d), in C and C++ (.c, .cpp, .i) and LLVM IR (.ll) are supported", path.display())]
    UnknownLanguage { path: PathBuf },
    /// A program of several files one of which is in no language of such programs.
    #[error("cannot link `{}`: only programs in C and C++ (.c, .cpp, .i) and LLVM IR (.ll) can have several files", path.display())]
    UnknownPart { path: PathBuf },
    /// A list of compile commands cannot be used.
    #[error("`{}`: {what}", path.display())]
    CompileDatabase { path: PathBuf, what: String },
    /// A language whose constants are fixed.
    #[error("cannot use -D with `{}`: the constants of a dlang program are fixed in its text", path.display())]
    NoDefines { path: PathBuf },
    /// An algorithm that knows no bounds.
    #[error(
        "`{algorithm}` explores without bounds; leave --algorithm out, or take lazy-bounded, source-bounded, nidhugg-bounded, \
         classic-bounded or naive-bounded"
    )]
    NotBounded { algorithm: &'static str },
    /// An algorithm for bounds on preemptions only.
    #[error(
        "`{algorithm}` is for bounds on preemptions; for --delays leave --algorithm out, or take lazy-bounded"
    )]
    NoDelays { algorithm: &'static str },
    /// An algorithm for which all threads are alike.
    #[error("`{algorithm}` has no root thread; --root is for value-centric and data-centric")]
    NoRoot { algorithm: &'static str },
    /// A task cannot be begun.
    #[error("{0}")]
    Verify(#[from] selvedge_verify::VerifyError),
    /// An option that does not fit the language.
    #[error("{option} is for C and C++ only")]
    OnlyNative { option: &'static str },
    /// An option that does not fit C.
    #[error("{option} is not for C and C++ (arguments of clang follow `--`)")]
    NotNative { option: &'static str },
    /// An option that does not fit C under a schedule.
    #[error("{option} cannot be used for C and C++ together with --schedule")]
    NotScheduled { option: &'static str },
    /// A property that cannot be proved.
    #[error("only --property unreach-call can be proved; use `selvedge check` for the others")]
    NotAProof,
    /// Something that cannot be proved.
    #[error("{place}: not supported: {what}")]
    Unsupported { place: String, what: String },
    /// A program of C that cannot be translated for proofs.
    #[error("{place}: {refusal}")]
    Refused { place: String, refusal: selvedge_translate::Refusal },
    /// A limit was reached before there was anything to tell.
    #[error("{0}")]
    Stopped(selvedge_smt::Stopped),
    /// There is no solver.
    #[error("{0}")]
    Solver(selvedge_smt::SolverError),
    /// A certificate is not accepted.
    #[error("`{}`: {what}", path.display())]
    Certificate { path: PathBuf, what: String },
    /// A binary cannot be made.
    #[error("{0}")]
    Build(#[from] selvedge_build::BuildError),
    /// A schedule is not accepted.
    #[error("`{}`: {what}", path.display())]
    Schedule { path: PathBuf, what: String },
    /// A binary would not control everything, and has to.
    #[error("--strict refuses the program: {}", what.trim_end())]
    NotControlled { what: String },
    /// The program has mistakes.
    #[error("{0}")]
    Rejected(Rejection),
    /// The front end made an ill-formed program.
    #[error("internal error: the compiled program is ill-formed ({0}); please report this")]
    IllFormed(String),
    /// A result cannot be told.
    #[error("{0}")]
    Report(#[from] ReportError),
    /// A saved trace cannot be used.
    #[error("`{}`: {error}", path.display())]
    Trace { path: PathBuf, error: ReportError },
    /// Ctrl-C cannot be caught.
    #[error("cannot catch Ctrl-C: {0}")]
    Interrupt(#[from] ctrlc::Error),
    /// There is no such benchmark.
    #[error("there is no benchmark `{name}`; there are: {known}")]
    NoBenchmark { name: String, known: String },
    /// A published table has no such row.
    #[error("the published table has no row `{name}`; it has: {known}")]
    NotPublished { name: String, known: String },
    /// A comparison with a published table has no such program; any size of those that it has can be asked for.
    #[error("there is no program `{name}` in this table; there are: {known}")]
    NotInTable { name: String, known: String },
    /// The case study is not there.
    #[error(
        "give the folder of the case study, the one with litmus.c: selvedge bench --paper rcu DIR [VERSION…] (docs/bench.md says where it comes from)"
    )]
    NoCaseStudy,
    /// Proofs have no executions to write down.
    #[error(
        "--csv, --json and --plot are about executions: they are not available with --paper imc and --paper irs"
    )]
    NoExecutions,
    /// A published table of ours is ill-formed.
    #[error("internal error: line {line} of {table} is ill-formed; please report this")]
    PublishedTable { table: &'static str, line: usize },
    /// A row of the benchmark could not be run.
    #[error("cannot run {row}: {reason}")]
    Row { row: String, reason: String },
    /// A benchmark program among files.
    #[error(
        "`{name}` is no file of a known language (.sel, .d, .c, .cpp, .i, .ll); benchmark programs and files are run by separate commands"
    )]
    MixedBench { name: String },
    /// Constants for benchmark programs.
    #[error("-D and arguments of clang are for files; the size of a benchmark program is given as NAME:N")]
    OnlyOwnFiles,
    /// A plot cannot be drawn.
    #[error("cannot draw the plot: {0}")]
    Plot(String),
    /// Nobody reads the output.
    #[error("cannot write the output: {0}")]
    Output(#[from] io::Error),
}

impl CliError {
    /// There is no transition system.
    pub fn unbuilt(error: selvedge_symbolic::BuildError, source: selvedge_report::Source) -> Self {
        use selvedge_symbolic::BuildError;
        match error {
            BuildError::Unsupported(what) => {
                CliError::Unsupported { place: source.place(what.span), what: what.what }
            }
            BuildError::Stopped(why) => CliError::Stopped(why),
        }
    }

    /// Tells the user; the exit code.
    pub fn tell(&self) -> ExitCode {
        match self {
            CliError::Output(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            CliError::Rejected(rejection) => rejection.tell(),
            error => eprintln!("error: {error}"),
        }
        ExitCode::from(BAD_INPUT)
    }
}
