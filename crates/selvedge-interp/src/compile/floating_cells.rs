//! Which cells float: several threads may replace what is there without looking, and they are accessed by plain operations
//! only, none that waits for a condition, whose accesses vary, or that replaces several such cells.

use crate::code::{Code, Op, Role};
use selvedge_trace::{Blocking, Variation};
use std::collections::HashSet;

/// For each cell that holds a value, whether it floats.
pub fn floating_cells(code: &Code) -> Vec<bool> {
    let plain = plain_cells(code);
    let replaced = replaced_cells(code);
    let several = |replaced: &Replaced| *replaced == Replaced::BySeveral;
    let mut floating: Vec<bool> =
        plain.into_iter().zip(&replaced).map(|(plain, replaced)| plain && several(replaced)).collect();
    for cell in replaced_together(code, &floating) {
        floating[cell as usize] = false;
    }
    floating
}

/// Cells of which some operation replaces two or more.
fn replaced_together(code: &Code, cells: &[bool]) -> Vec<u32> {
    let mut all = Vec::new();
    for at in (0..code.ops.len()).filter(|&at| matches!(code.ops[at], Op::Visible(_))) {
        let replaced = |op: &Op| match op {
            Op::Store { cell, .. } if cells.get(*cell as usize) == Some(&true) => Some(*cell),
            _ => None,
        };
        let mut some: Vec<u32> = reach(code, at + 1, Until::Commit).ops.iter().filter_map(replaced).collect();
        some.sort_unstable();
        some.dedup();
        if some.len() > 1 {
            all.append(&mut some);
        }
    }
    all
}

/// The threads that replace the content of a cell without looking at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replaced {
    Never,
    /// The thread with this function.
    By(usize),
    BySeveral,
}

impl Replaced {
    fn also_by(&mut self, writer: Replaced) {
        *self = if *self == Replaced::Never || *self == writer { writer } else { Replaced::BySeveral };
    }
}

/// For each cell that holds a value, the threads that may replace it. Functions that are called count as those of several threads.
fn replaced_cells(code: &Code) -> Vec<Replaced> {
    let mut replaced = vec![Replaced::Never; code.layout.value_cells as usize];
    let of_threads: HashSet<usize> = code.threads.iter().map(|thread| thread.function as usize).collect();
    let called: HashSet<usize> = code.calls.iter().map(|call| call.function as usize).collect();
    for at in (0..code.ops.len()).filter(|&at| matches!(code.ops[at], Op::Visible(_))) {
        let function = code.functions.partition_point(|function| function.entry as usize <= at) - 1;
        let writer = match (of_threads.contains(&function), called.contains(&function)) {
            (true, _) => Replaced::By(function),
            (false, true) => Replaced::BySeveral,
            (false, false) => continue,
        };
        let reached = reach(code, at + 1, Until::Commit);
        for (i, &op) in reached.ops.iter().enumerate() {
            let is_looked_at = |cell: u32| {
                let earlier = &reached.ops[..i];
                reached.flow == Flow::Straight
                    && earlier.iter().any(|op| matches!(op, Op::Load { cell: c, .. } if *c == cell))
            };
            match op {
                Op::Store { cell, .. } if !is_looked_at(cell) => {
                    if let Some(replaced) = replaced.get_mut(cell as usize) {
                        replaced.also_by(writer);
                    }
                }
                Op::StoreAt { array, .. } => {
                    let array = &code.layout.arrays[array as usize];
                    let cells = array.start as usize..(array.start + array.length) as usize;
                    replaced[cells].iter_mut().for_each(|replaced| replaced.also_by(writer));
                }
                _ => {}
            }
        }
    }
    replaced
}

/// For each cell that holds a value, whether all operations that may access it are plain.
fn plain_cells(code: &Code) -> Vec<bool> {
    let mut plain = vec![true; code.layout.value_cells as usize];
    for (at, op) in code.ops.iter().enumerate() {
        if let Op::Visible(kind) = op {
            let visible = &code.visible[*kind as usize];
            if visible.blocking == Blocking::Guard || visible.variation == Variation::Varying {
                let reached = reach(code, at + 1, Until::Commit);
                reached.ops.into_iter().for_each(|op| clear(code, op, &mut plain));
            }
        }
    }
    // All of `finally` is one operation. What it accesses varies if it branches, or goes on after a test that may end it.
    for thread in code.threads.iter().filter(|thread| thread.role == Role::Finally) {
        let entry = code.functions[thread.function as usize].entry as usize;
        let reached = reach(code, entry + 1, Until::Return);
        match reached.flow {
            Flow::Straight if !accesses_after_a_test(&reached.ops) => {}
            Flow::Straight | Flow::Branches => {
                reached.ops.into_iter().for_each(|op| clear(code, op, &mut plain))
            }
            Flow::Calls => plain.fill(false),
        }
    }
    plain
}

/// Whether memory is accessed after a test, in code without branches.
fn accesses_after_a_test(ops: &[Op]) -> bool {
    let is_test = |op: &Op| matches!(op, Op::Assert { .. } | Op::Assume { .. });
    let accesses =
        |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. } | Op::LoadAt { .. } | Op::StoreAt { .. });
    ops.iter().skip_while(|op| !is_test(op)).any(accesses)
}

/// How far to follow code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    Commit,
    Return,
}

/// What control flow there is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Flow {
    Straight,
    Branches,
    Calls,
}

pub(crate) struct Reached {
    pub(crate) ops: Vec<Op>,
    flow: Flow,
}

/// The instructions that can be reached from one.
pub(crate) fn reach(code: &Code, from: usize, until: Until) -> Reached {
    // Most operations reach little of a long program.
    let mut seen = HashSet::new();
    let mut todo = vec![from];
    let mut reached = Reached { ops: Vec::new(), flow: Flow::Straight };
    while let Some(at) = todo.pop() {
        if !seen.insert(at) {
            continue;
        }
        let op = code.ops[at];
        reached.ops.push(op);
        match op {
            Op::Commit if until == Until::Commit => continue,
            Op::Return { .. } => continue,
            Op::Jump(to) => {
                todo.push(to as usize);
                continue;
            }
            Op::JumpIfFalse { to, .. } | Op::JumpIfTrue { to, .. } => {
                reached.flow = reached.flow.max(Flow::Branches);
                todo.push(to as usize);
            }
            Op::Visible(_) => reached.flow = reached.flow.max(Flow::Branches),
            Op::Call(_) => reached.flow = Flow::Calls,
            _ => {}
        }
        todo.push(at + 1);
    }
    reached
}

/// Notes that the cells of an instruction are accessed by an operation that is not plain.
fn clear(code: &Code, op: Op, plain: &mut [bool]) {
    match op {
        Op::Load { cell, .. } | Op::Store { cell, .. } => {
            if let Some(plain) = plain.get_mut(cell as usize) {
                *plain = false;
            }
        }
        Op::LoadAt { array, .. } | Op::StoreAt { array, .. } => {
            let array = &code.layout.arrays[array as usize];
            let cells = array.start as usize..(array.start + array.length) as usize;
            plain[cells].fill(false);
        }
        _ => {}
    }
}
