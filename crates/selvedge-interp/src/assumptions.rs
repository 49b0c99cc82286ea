//! Assumptions about shared memory are waits in disguise.
//!
//! A transition that finds an assumption false before it has had any effect only stops its thread. So dropping the transition from the
//! execution changes nothing for the other threads, and the thread may as well wait there until the assumption holds:
//!
//! - Every execution of the waiting program is one of the program as it is written, in which the thread came later.
//! - Conversely, the transitions of an execution as it is written, without those that find an assumption false, are an execution of the
//!   waiting program. It has the same failures, since a transition that stops at an assumption is none.
//! - If the assumption never comes true, the execution ends with a thread that waits: it counts as one that ends at a false assumption
//!   ([`WaitingForEver::FalseAssumption`](selvedge_explore::WaitingForEver)) and is no deadlock. Without such a
//!   thread the two programs are in the same state, so the deadlocks are the same, too.
//!
//! What is saved are the executions in which the thread comes too early, of which each ends at a false assumption. Local code between
//! a read and the assumption belongs to the transition; so `c = count; assume(c == 2);` waits at the read, unless the transition writes.
//!
//! Transitions that wait for something else, too, or choose, are left as they are: of these it would not be known what they wait for. So
//! are those that write before the assumption, though what they write is taken back: nothing is gained by looking further.

use crate::code::{Code, Op, Visible, WaitsForAssumptions, WhenReady};
use crate::compile::floating_cells::{Until, floating_cells, reach};
use selvedge_explore::Algorithm;
use selvedge_trace::{Blocking, Variation};

/// What becomes of a thread that finds an assumption about shared memory false.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumptions {
    /// It stops, as it is written.
    Drop,
    /// It waits until the assumption holds.
    Wait,
    /// It waits, but not for a location that [floats](selvedge_explore::Observations::floats) in the program as it is written: who waits for
    /// a location lets it float no more, and then the order of all writes matters.
    WaitUnlessFloating,
}

impl Assumptions {
    /// What an algorithm explores best: waiting, but for `observers`, which gains more from locations that float.
    pub fn of(algorithm: Algorithm) -> Assumptions {
        match algorithm {
            Algorithm::Observers => Assumptions::WaitUnlessFloating,
            _ => Assumptions::Wait,
        }
    }
}

/// Lets transitions wait for assumptions.
pub(crate) fn mark(code: &mut Code, assumptions: Assumptions) {
    let has_assumptions = code.ops.iter().any(|op| matches!(op, Op::Assume { .. }));
    if assumptions == Assumptions::Drop || !has_assumptions {
        return;
    }
    for at in 0..code.ops.len() {
        let Op::Visible(kind) = code.ops[at] else { continue };
        let waits = waits_for_assumptions(code, at);
        let floats = assumptions == Assumptions::WaitUnlessFloating && reads_floating_cell(code, at);
        if waits != WaitsForAssumptions::Never && !floats {
            let visible = &mut code.visible[kind as usize];
            *visible = Visible {
                readiness: WhenReady::Try,
                blocking: Blocking::Guard,
                variation: Variation::Varying,
                assumptions: waits,
                ..*visible
            };
        }
    }
    code.floating_cells = floating_cells(code);
}

/// Which assumptions the transition at an instruction can wait for.
fn waits_for_assumptions(code: &Code, at: usize) -> WaitsForAssumptions {
    let Some(commit) = straight_to(code, at + 1, only_accesses_memory, |op| matches!(op, Op::Commit)) else {
        return WaitsForAssumptions::Never;
    };
    let shared = &code.ops[at + 1..commit];
    let is_assumption = |op: &Op| matches!(op, Op::Assume { .. });
    let reads = shared.iter().position(|op| !only_reads(op)).unwrap_or(shared.len());
    if reads == shared.len() && straight_to(code, commit + 1, only_reads, is_assumption).is_some() {
        return WaitsForAssumptions::Throughout;
    }
    match (shared[..reads].iter().any(is_assumption), shared[reads..].iter().any(is_assumption)) {
        (true, false) => WaitsForAssumptions::Within,
        _ => WaitsForAssumptions::Never,
    }
}

/// Whether the transition at an instruction may read a cell that floats.
fn reads_floating_cell(code: &Code, at: usize) -> bool {
    let floats = |cell: u32| code.floating_cells.get(cell as usize) == Some(&true);
    reach(code, at + 1, Until::Commit).ops.iter().any(|op| match op {
        Op::Load { cell, .. } => floats(*cell),
        Op::LoadAt { array, .. } => {
            let array = &code.layout.arrays[*array as usize];
            (array.start..array.start + array.length).any(floats)
        }
        _ => false,
    })
}

/// Whether an instruction neither waits nor chooses, and is undone with its thread's transition.
fn only_accesses_memory(op: &Op) -> bool {
    only_reads(op) || matches!(op, Op::Store { .. } | Op::StoreAt { .. })
}

/// Whether an instruction computes, reads or tests.
fn only_reads(op: &Op) -> bool {
    is_local(op)
        || matches!(op, Op::Load { .. } | Op::LoadAt { .. } | Op::Expect { .. })
        || matches!(op, Op::Assert { .. } | Op::Assume { .. })
}

fn is_local(op: &Op) -> bool {
    matches!(
        op,
        Op::Const { .. }
            | Op::Copy { .. }
            | Op::SelfIndex { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Element { .. }
            | Op::SetElement { .. }
            | Op::Set { .. }
            | Op::Jump(_)
            | Op::JumpIfFalse { .. }
            | Op::JumpIfTrue { .. }
    )
}

/// The first instruction of a kind, if every way from another one leads there over permitted instructions only.
fn straight_to(
    code: &Code,
    from: usize,
    is_permitted: fn(&Op) -> bool,
    is_wanted: impl Fn(&Op) -> bool,
) -> Option<usize> {
    let mut furthest = from;
    for (at, op) in code.ops.iter().enumerate().skip(from) {
        match op {
            op if is_wanted(op) => return (furthest <= at).then_some(at),
            Op::Jump(to) | Op::JumpIfFalse { to, .. } | Op::JumpIfTrue { to, .. } if *to as usize > at => {
                furthest = furthest.max(*to as usize);
            }
            Op::Jump(_) | Op::JumpIfFalse { .. } | Op::JumpIfTrue { .. } => return None,
            op if is_permitted(op) => {}
            _ => return None,
        }
    }
    None
}
