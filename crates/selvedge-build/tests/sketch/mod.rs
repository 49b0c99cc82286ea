//! Sketches: prefixes of small programs, written as lists of events by the marks of their lines.

use selvedge_build::{Compiled, Options};
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{Atomicity, Operand, Operation, Value};
use selvedge_schedule::prefix::{Conflicts, Instruction, Prefix, PrefixEvent, Rest, Thread, Times};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// A program that runs longer hangs.
const LONGEST: Duration = Duration::from_secs(60);

/// A program in C or C++ with its LLVM IR.
pub struct Sketch {
    folder: tempfile::TempDir,
    text: String,
    pub compiled: Compiled,
}

/// An event: thread 0 is `main`, thread 1 its first, and so on; the mark of a line, written `// A` at its end; what happens there; which part of it.
pub type Event<'e> = (usize, &'e str, &'e str, u32);

impl Sketch {
    pub fn c(text: &str) -> Sketch {
        Sketch::of(text, "sketch.c", &[])
    }

    pub fn of(text: &str, name: &str, cflags: &[&str]) -> Sketch {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("it can be written");
        let cflags: Vec<String> = cflags.iter().map(|flag| flag.to_string()).collect();
        let compiled = Compiled::compile(&path, None, &cflags).expect("it compiles");
        Sketch { folder, text: text.to_owned(), compiled }
    }

    /// A prefix in which some events come one after the other.
    pub fn prefix(&self, events: &[Event]) -> Prefix {
        let mut prefix =
            Prefix { program: self.compiled.fingerprint(), rest: Rest::Free, ..Prefix::default() };
        let threads = events.iter().map(|event| event.0).max().unwrap_or(0);
        prefix.threads.push(Thread { name: "main".to_owned(), creator: None });
        for which in 1..=threads as u32 {
            prefix.threads.push(Thread { name: format!("main.{which}"), creator: Some((0, which)) });
        }
        let mut times: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for &(thread, mark, kind, part) in events {
            let instruction = self.instruction(mark, kind, &mut prefix);
            let time = times.entry((thread, instruction)).or_insert(0);
            *time += u64::from(part == 0);
            let last = prefix.events.len().checked_sub(1);
            let after = last.filter(|&last| prefix.events[last].thread != thread).into_iter().collect();
            prefix.events.push(PrefixEvent { thread, instruction, part, time: *time, choice: 0, after });
        }
        let times = times.into_iter();
        prefix.times =
            times.map(|((thread, instruction), times)| Times { thread, instruction, times }).collect();
        prefix
    }

    /// The number of the instruction on a line with a mark, added to a prefix if it is not there.
    pub fn instruction(&self, mark: &str, kind: &str, prefix: &mut Prefix) -> usize {
        let end = format!("// {mark}");
        let line = self.text.lines().position(|line| line.ends_with(&end)).expect("there is such a line") + 1;
        let place = format!("sketch.c:{line}:1");
        let known = prefix.instructions.iter().position(|i| i.place == place && i.kind == kind);
        known.unwrap_or_else(|| {
            let (function, ordinal) = self.find(line as u32, kind).expect("there is such an instruction");
            let conflicts = Conflicts::Ordered;
            prefix.instructions.push(Instruction {
                function,
                ordinal,
                kind: kind.to_owned(),
                place,
                conflicts,
            });
            prefix.instructions.len() - 1
        })
    }

    /// The last instruction of a kind on a line; of loads and stores, those that are atomic or of global variables.
    fn find(&self, line: u32, kind: &str) -> Option<(String, u32)> {
        let module = self.compiled.module();
        let is_shared = |pointer: &Value, atomicity: Atomicity| {
            atomicity != Atomicity::Plain || !matches!(pointer.operand, Operand::Local(_))
        };
        for function in module.functions.iter().filter(|function| !function.blocks.is_empty()) {
            let instructions = function.blocks.iter().flat_map(|block| &block.instructions);
            let fitting = instructions.enumerate().filter(|(_, instruction)| {
                let place = instruction.location.and_then(|location| module.line_column(location));
                let fits = match &instruction.operation {
                    Operation::Load { pointer, atomicity, .. } => {
                        kind == "load" && is_shared(pointer, *atomicity)
                    }
                    Operation::Store { pointer, atomicity, .. } => {
                        kind == "store" && is_shared(pointer, *atomicity)
                    }
                    Operation::ReadModifyWrite { .. } => kind == "atomicrmw",
                    Operation::Call(call) | Operation::Invoke(call, ..) => match call.callee {
                        Operand::Constant(Constant::Symbol(symbol)) => module.name(symbol) == kind,
                        _ => false,
                    },
                    _ => false,
                };
                fits && place.is_some_and(|(found, _)| found == line)
            });
            if let Some((position, _)) = fitting.last() {
                return Some((module.name(function.symbol).to_owned(), position as u32));
            }
        }
        None
    }

    pub fn build(&self, prefix: &Prefix, options: &Options) -> PathBuf {
        let binary = self.folder.path().join("sketch");
        if let Err(error) = self.compiled.build(prefix, options, &binary) {
            panic!("{error}\n{prefix}");
        }
        binary
    }

    /// Runs the program under a prefix.
    pub fn run(&self, prefix: &Prefix, options: &Options) -> Ran {
        Ran::of(Command::new(self.build(prefix, options)))
    }
}

/// What a program wrote and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    pub stdout: String,
    pub stderr: String,
    pub code: Option<i32>,
}

impl Ran {
    /// Runs a program, but not for ever.
    pub fn of(mut command: Command) -> Ran {
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
        let id = child.id().to_string();
        let (over, is_over) = mpsc::channel::<()>();
        let guard = std::thread::spawn(move || {
            if is_over.recv_timeout(LONGEST) == Err(mpsc::RecvTimeoutError::Timeout) {
                let _ = Command::new("kill").args(["-KILL", &id]).status();
            }
        });
        let Output { stdout, stderr, status } = child.wait_with_output().expect("it ends");
        drop(over);
        let _ = guard.join();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ran { stdout: text(stdout), stderr: text(stderr), code: status.code() }
    }

    /// The output of a run in which nothing went wrong.
    pub fn good(self) -> String {
        assert_eq!((self.stderr.as_str(), self.code), ("", Some(0)));
        self.stdout
    }
}
