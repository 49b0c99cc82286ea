//! A solver as a process: text goes in, one answer at a time comes out, and time limits are kept.

use crate::patience::{Patience, Stopped};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Why a solver cannot be asked. None of these says anything about the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolverError {
    /// It is not there.
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

/// The time after which it is looked again whether to go on.
const GLANCE: Duration = Duration::from_millis(50);

/// A running solver.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    pub(crate) fn start(
        program: &str,
        arguments: &[String],
        package: &'static str,
    ) -> Result<Process, SolverError> {
        let missing = |reason: String| SolverError::Missing { program: program.to_owned(), reason, package };
        let mut child = Command::new(program)
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
        Ok(Process { child, input, lines })
    }

    pub(crate) fn send(&mut self, text: &str) -> Result<(), SolverError> {
        self.input.write_all(text.as_bytes()).and_then(|()| self.input.flush()).map_err(|_| SolverError::Died)
    }

    /// The next answer: a word, or an expression with balanced parentheses.
    pub(crate) fn answer(&mut self, limit: Duration, patience: &Patience) -> Result<String, SolverError> {
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

impl Process {
    /// The next line. A solver that did not say it in time is ended: what it says later would be taken for the answer to another question.
    fn line(&mut self, limit: Duration, patience: &Patience) -> Result<String, SolverError> {
        let asked = Instant::now();
        loop {
            let left = limit.saturating_sub(asked.elapsed());
            match self.lines.recv_timeout(patience.at_most(left.min(GLANCE))) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(SolverError::Died),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let given_up = match patience.watch() {
                Err(stopped) => Some(stopped.into()),
                Ok(()) => (asked.elapsed() >= limit).then_some(SolverError::Silent(limit)),
            };
            if let Some(error) = given_up {
                let _ = self.child.kill();
                return Err(error);
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be in the middle of a long computation, so it is not asked to end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
