//! A solver as a process: text goes in, one answer at a time comes out, and limits of time and memory are kept.

use crate::patience::{Patience, Stopped};
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Why a solver cannot be asked. None of these says anything about the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// The program of the solver cannot be started.
    #[error(
        "the solver `{program}` cannot be started: {reason}; install the package `{package}`, or name another with --solver"
    )]
    Missing {
        /// What was started.
        program: String,
        /// What the system said.
        reason: String,
        /// The package that has it.
        package: &'static str,
    },
    /// It has ended by itself.
    #[error("the solver ended in the middle of its work")]
    Died,
    /// It did not answer in time.
    #[error("the solver did not answer within {0:?}")]
    Silent(Duration),
    /// It became too large over a question.
    #[error("the solver needed more memory than it may have")]
    Full,
    /// It was not waited for any longer.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// It said something that is no answer.
    #[error("the solver answered `{0}`, which is no answer to the question")]
    Nonsense(String),
    /// It is wrong about something obvious.
    #[error("the solver is wrong: it takes `{formula}` for {answer}")]
    Wrong {
        /// What it was asked.
        formula: &'static str,
        /// What it said.
        answer: String,
    },
}

/// How z3 ends when it comes to its limit of memory.
const OUT_OF_MEMORY: Option<i32> = Some(101);

/// How long a solver that says no more is given to end.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// The time after which it is looked again whether to go on.
const GLANCE: Duration = Duration::from_millis(50);

/// Whether a process is started anew each time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// A process is started each time.
    Never,
    /// It is kept, when it is no longer needed, for the next one that the same thread of ours starts. For those who start thousands: a solver
    /// takes longer to start than to answer a few questions. After others its answers, though right, may be other ones.
    InThread,
}

/// A running solver.
#[derive(Debug)]
pub(crate) struct Process {
    /// There until the end.
    pipes: Option<Pipes>,
    /// What was started, if it is to be kept.
    kept_as: Option<Command>,
    /// Whether it has answered all questions.
    is_well: bool,
}

/// A program and its arguments.
type Command = (String, Vec<String>);

/// The ends of a process.
#[derive(Debug)]
struct Pipes {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// What an answer may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) time: Duration,
    /// Of memory.
    pub(crate) megabytes: u64,
}

/// What it may take to forget everything.
const FORGETTING: Limit = Limit { time: Duration::from_secs(2), megabytes: u64::MAX };

/// What a process says that has forgotten everything.
const FORGOTTEN: &str = "forgotten";

thread_local! {
    static KEPT: RefCell<Vec<(Command, Pipes)>> = const { RefCell::new(Vec::new()) };
}

impl Process {
    pub(crate) fn start(
        program: &str,
        arguments: &[String],
        package: &'static str,
        reuse: Reuse,
    ) -> Result<Process, SolverError> {
        let command = (program.to_owned(), arguments.to_vec());
        let kept_as = (reuse == Reuse::InThread).then(|| command.clone());
        if let Some(pipes) = kept_as.as_ref().and_then(kept) {
            return Ok(Process { pipes: Some(pipes), kept_as, is_well: true });
        }
        let missing = |reason: String| SolverError::Missing { program: program.to_owned(), reason, package };
        let mut child = std::process::Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| missing(error.to_string()))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(missing("it has no pipes".to_owned()));
        };
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process { pipes: Some(Pipes { child, input, lines }), kept_as, is_well: true })
    }

    pub(crate) fn send(&mut self, text: &str) -> Result<(), SolverError> {
        self.pipes.as_mut().ok_or(SolverError::Died)?.send(text)
    }

    /// Ends it for good, even if it was to be kept.
    pub(crate) fn forget(&mut self) {
        self.pipes = None;
    }

    /// The next answer: a word, or an expression with balanced parentheses.
    pub(crate) fn answer(&mut self, limit: Limit, patience: &Patience) -> Result<String, SolverError> {
        self.is_well = false;
        let answer = self.pipes.as_mut().ok_or(SolverError::Died)?.answer(limit, patience)?;
        self.is_well = true;
        Ok(answer)
    }
}

/// A process that was kept, with everything forgotten.
fn kept(command: &Command) -> Option<Pipes> {
    let found = KEPT.with_borrow_mut(|kept| {
        let position = kept.iter().position(|(of, _)| of == command)?;
        Some(kept.swap_remove(position).1)
    });
    let has_forgotten = |pipes: &mut Pipes| pipes.answer(FORGETTING, &Patience::default());
    found.and_then(|mut pipes| {
        has_forgotten(&mut pipes).is_ok_and(|answer| answer == FORGOTTEN).then_some(pipes)
    })
}

impl Pipes {
    fn send(&mut self, text: &str) -> Result<(), SolverError> {
        let sent = self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush());
        sent.map_err(|_| self.end())
    }

    fn answer(&mut self, limit: Limit, patience: &Patience) -> Result<String, SolverError> {
        let mut answer = String::new();
        loop {
            let line = self.line(limit, patience)?;
            if answer.is_empty() && line.trim().is_empty() {
                continue;
            }
            if !answer.is_empty() {
                answer.push('\n');
            }
            answer.push_str(&line);
            let depth = |c: char| answer.chars().filter(|&found| found == c).count();
            if answer.len() > 10_000_000 {
                return Err(SolverError::Nonsense(answer.chars().take(80).collect()));
            }
            if depth('(') <= depth(')') {
                return Ok(answer.trim().to_owned());
            }
        }
    }
}

impl Pipes {
    /// The next line. A solver that did not say it in time, or became too large, is ended: what it says later would be taken for the answer to
    /// another question.
    fn line(&mut self, limit: Limit, patience: &Patience) -> Result<String, SolverError> {
        let asked = Instant::now();
        loop {
            let left = limit.time.saturating_sub(asked.elapsed());
            match self.lines.recv_timeout(patience.at_most(left.min(GLANCE))) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.end()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let given_up = match patience.watch() {
                Err(stopped) => Some(stopped.into()),
                Ok(()) if asked.elapsed() >= limit.time => Some(SolverError::Silent(limit.time)),
                Ok(()) => (resident(&self.child) > limit.megabytes).then_some(SolverError::Full),
            };
            if let Some(error) = given_up {
                let _ = self.child.kill();
                return Err(error);
            }
        }
    }
}

impl Pipes {
    /// Why a solver ended that says no more.
    fn end(&mut self) -> SolverError {
        let silent_since = Instant::now();
        while silent_since.elapsed() < LAST_MOMENT {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(LAST_MOMENT / 20),
                Ok(Some(status)) if status.code() == OUT_OF_MEMORY => return SolverError::Full,
                Ok(Some(_)) | Err(_) => break,
            }
        }
        SolverError::Died
    }
}

/// The memory of a process in megabytes, as far as the system says: for solvers that have no limit of their own.
fn resident(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|rest| rest.trim().trim_end_matches(" kB").parse().ok());
    kilobytes.unwrap_or(0_u64) / 1024
}

impl Drop for Process {
    fn drop(&mut self) {
        if let (Some(mut pipes), Some(command), true) = (self.pipes.take(), self.kept_as.take(), self.is_well)
            && pipes.send(&format!("(reset)\n(echo \"{FORGOTTEN}\")\n")).is_ok()
        {
            let _ = KEPT.try_with(|kept| kept.borrow_mut().push((command, pipes)));
        }
    }
}

impl Drop for Pipes {
    fn drop(&mut self) {
        // It may be in the middle of a long computation, so it is not asked to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
