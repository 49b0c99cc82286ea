//! Which cells are accessed by plain operations only: none that waits for a condition or whose accesses vary.

use crate::code::{Code, Op, Role};
use selvedge_trace::{Blocking, Variation};

/// For each cell that holds a value, whether all operations that may access it are plain.
pub fn plain_cells(code: &Code) -> Vec<bool> {
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
    // All of `finally` is one operation. What it accesses varies if it branches.
    for thread in code.threads.iter().filter(|thread| thread.role == Role::Finally) {
        let entry = code.functions[thread.function as usize].entry as usize;
        let reached = reach(code, entry + 1, Until::Return);
        match reached.flow {
            Flow::Straight => {}
            Flow::Branches => reached.ops.into_iter().for_each(|op| clear(code, op, &mut plain)),
            Flow::Calls => plain.fill(false),
        }
    }
    plain
}

/// How far to follow code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
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

struct Reached {
    ops: Vec<Op>,
    flow: Flow,
}

/// The instructions that can be reached from one.
fn reach(code: &Code, from: usize, until: Until) -> Reached {
    let mut seen = vec![false; code.ops.len()];
    let mut todo = vec![from];
    let mut reached = Reached { ops: Vec::new(), flow: Flow::Straight };
    while let Some(at) = todo.pop() {
        if std::mem::replace(&mut seen[at], true) {
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
