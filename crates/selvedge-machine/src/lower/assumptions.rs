//! Reads and atomic sections that wait for an assumption about what they read.
//!
//! A thread that reads shared memory, computes, and stops at a false assumption has had no effect: without its read the others do the
//! same. So it may as well wait before the read until the assumption holds; the argument is that of `selvedge-interp`'s
//! `assumptions.rs`. The forms that are recognised:
//!
//! - A read, then local code, then `__VERIFIER_assume(c)`.
//! - An atomic section with the assumption in it, before anything is written.
//! - An atomic section that only reads, then local code, then the assumption.
//! - `if (!c) abort();` in place of any of these assumptions, also in a function that the program defines, where `abort` is no failure
//!   (`--property unreach-call`), and `_exit`, or `exit` in a program that notes no functions for its end.
//!
//! The last form ends the program, so nothing comes after it. Whatever other threads do wrong before, they do wrong as well while the thread
//! waits; what they would do wrong after the end of the program is not the program's doing, but the search lets them go on there, too,
//! because they could have done the same before (`Run::exit`). An execution in which the thread waits for ever stands for those in which the
//! program ends there: it is complete, not dropped.
//!
//! Not recognised, for good reasons: `pthread_exit`, since who joins the thread goes on; reads of a critical section under a mutex, since the
//! condition may come true after the mutex was taken. With leaks looked for, the end of the program matters; with data races,
//! a read that finds the assumption false may race.
//!
//! Marking too much is not wrong: whether the thread waits is decided when it runs, by what it comes to.

use crate::builtin::Builtin;
use crate::code::{Assumes, AssumptionKind, AssumptionReach, Callee, Code, Op};
use crate::options::{Assumptions, Options};
use std::collections::HashSet;

/// How many instructions are followed from a read or the beginning of a section.
const MOST: usize = 200;

/// Marks what waits for assumptions.
pub(super) fn mark(code: &mut Code, options: &Options) {
    let is_noted = |callee: &Callee| matches!(callee, Callee::Builtin(Builtin::AtExit | Builtin::AtExitCpp));
    code.has_exit_functions = code.function_addresses.values().any(is_noted);
    code.assumes = vec![Assumes::default(); code.ops.len()];
    if options.assumptions == Assumptions::Drop || options.checks.races {
        return;
    }
    let tests =
        Tests { code, aborts: !options.checks.aborts && !options.checks.leaks, exits: !options.checks.leaks };
    let marks: Vec<(usize, Assumes)> = (0..code.ops.len())
        .map(|pc| (pc, tests.of(pc)))
        .filter(|(_, assumes)| assumes.kind != AssumptionKind::None)
        .collect();
    for (pc, assumes) in marks {
        code.assumes[pc] = assumes;
        match code.ops[pc] {
            Op::AtomicBegin => code.sections[pc].may_wait = true,
            _ => code.awaits[pc] = true,
        }
    }
}

/// Looks for assumptions.
struct Tests<'c> {
    code: &'c Code,
    /// Whether `abort` ends the program without a failure, and nothing else matters of that.
    aborts: bool,
    /// The same of `_exit`.
    exits: bool,
}

/// What can be reached from an instruction without anything that others see.
struct Reached {
    kind: AssumptionKind,
    /// Whether all of it is known, and what it writes comes after its assumptions.
    is_harmless: bool,
    writes: bool,
    /// The instructions after the section, or the call.
    ends: Vec<usize>,
}

/// What to follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    /// Local code.
    Local,
    /// The code of an atomic section.
    Section,
}

impl Tests<'_> {
    /// What a read, or the section that begins at an instruction, waits for.
    fn of(&self, pc: usize) -> Assumes {
        match self.code.ops[pc] {
            Op::Load { .. } if !self.code.awaits[pc] => {
                Assumes { kind: self.reached(pc + 1, Follow::Local).kind, reach: AssumptionReach::After }
            }
            Op::AtomicBegin => self.section(pc),
            _ => Assumes::default(),
        }
    }

    fn section(&self, pc: usize) -> Assumes {
        let within = self.reached(pc + 1, Follow::Section);
        if !within.is_harmless {
            return Assumes::default();
        }
        let after = match within.writes {
            true => AssumptionKind::None,
            false => {
                let kinds = within.ends.iter().map(|&end| self.reached(end, Follow::Local).kind);
                kinds.max().unwrap_or_default()
            }
        };
        let reach = match after {
            AssumptionKind::None => AssumptionReach::Within,
            _ => AssumptionReach::After,
        };
        Assumes { kind: within.kind.max(after), reach }
    }

    fn reached(&self, from: usize, follow: Follow) -> Reached {
        let mut reached =
            Reached { kind: AssumptionKind::None, is_harmless: true, writes: false, ends: Vec::new() };
        // Where it is, whether something was written, and where the call that it is in leads back to.
        let mut todo = vec![(from, false, None)];
        let mut seen = HashSet::new();
        while let Some(here @ (pc, written, back)) = todo.pop() {
            if seen.len() > MOST {
                reached.is_harmless = false;
                break;
            }
            if !seen.insert(here) {
                continue;
            }
            match self.code.ops[pc] {
                op if is_local(&op) => todo.push((pc + 1, written, back)),
                Op::Load { .. } if follow == Follow::Section => todo.push((pc + 1, written, back)),
                Op::Store { .. } if follow == Follow::Section => {
                    reached.writes = true;
                    todo.push((pc + 1, true, back));
                }
                Op::Jump { to } => todo.push((to as usize, written, back)),
                Op::Branch { then, otherwise, .. }
                | Op::CompareBranch { then, otherwise, .. }
                | Op::CompareWordsBranch { then, otherwise, .. } => {
                    todo.extend([then, otherwise].map(|to| (to as usize, written, back)));
                }
                Op::Call { call } if back.is_none() => match self.code.calls[call as usize].callee {
                    Callee::Function(function) => {
                        let entry = self.code.functions[function as usize].entry as usize;
                        todo.push((entry, written, Some(pc + 1)));
                    }
                    _ => reached.is_harmless = false,
                },
                Op::Return { .. } if back.is_some() => todo.push((back.unwrap_or_default(), written, None)),
                Op::AtomicEnd if follow == Follow::Section && back.is_none() => reached.ends.push(pc + 1),
                Op::Builtin { call } => match self.test(self.code.calls[call as usize].callee) {
                    Some(kind) => {
                        reached.kind = reached.kind.max(kind);
                        reached.is_harmless &= !written || kind == AssumptionKind::None;
                        if kind == AssumptionKind::Assumption && follow == Follow::Section {
                            todo.push((pc + 1, written, back));
                        }
                    }
                    None => reached.is_harmless = false,
                },
                Op::Trap { .. } => {}
                _ => reached.is_harmless = false,
            }
        }
        reached
    }

    /// What one of the machine's own functions does to a thread that finds a condition false; nothing of one that does something else.
    fn test(&self, callee: Callee) -> Option<AssumptionKind> {
        let Callee::Builtin(builtin) = callee else { return None };
        match builtin {
            Builtin::Assume | Builtin::AssumeOrAbort => Some(AssumptionKind::Assumption),
            Builtin::Abort if self.aborts => Some(AssumptionKind::EndOfProgram),
            Builtin::QuickExit if self.exits => Some(AssumptionKind::EndOfProgram),
            Builtin::Exit if self.exits && !self.code.has_exit_functions => {
                Some(AssumptionKind::EndOfProgram)
            }
            Builtin::ErrorCall | Builtin::AssertFail | Builtin::Abort => Some(AssumptionKind::None),
            _ => None,
        }
    }
}

fn is_local(op: &Op) -> bool {
    matches!(
        op,
        Op::Move { .. }
            | Op::Binary { .. }
            | Op::Checked { .. }
            | Op::AddImmediate { .. }
            | Op::Element { .. }
            | Op::Compare { .. }
            | Op::CompareWords { .. }
            | Op::Truncate { .. }
            | Op::SignExtend { .. }
            | Op::Select { .. }
    )
}
