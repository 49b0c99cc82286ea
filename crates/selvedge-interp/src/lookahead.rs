//! What a thread will do for certain, found by running it on values that may be unknown.
//!
//! Whatever the thread reads from shared memory is unknown, because another thread may write it first. The
//! look ahead ends before an operation whose accesses are not certain, because an unknown value decides them
//! or because it synchronises or chooses, and after an operation that an unknown value leads to several next ones.
//! So a branching transition, in the words of [MetzlerSBHS2016, section 3.2], is the last of its thread, and an address
//! that another thread could change, a hiding dependency, is never passed.

use crate::code::{Alternatives, Code, Op, Slot, TEMPORARY, Visible, WhenReady};
use crate::state::{State, Status};
use selvedge_explore::seam::lookahead::Lookahead;
use selvedge_trace::{AccessKind, Blocking, Footprint, LocationId, Variation};

/// Operations of one thread that are looked at, at most.
const MAX_OPERATIONS: usize = 64;

/// Instructions between two operations, at most.
const MAX_LOCAL: u32 = 10_000;

/// Where looking ahead ends.
enum End {
    /// The operation at hand is not certain.
    Before,
    /// What comes after the operation at hand is not certain.
    After,
    /// After the operation at hand the thread ends.
    Thread,
}

/// Fills in the certain operations of a thread.
pub fn lookahead(
    code: &Code,
    state: &State,
    thread: usize,
    known: &mut Vec<Option<i64>>,
    ahead: &mut Lookahead,
) {
    ahead.clear();
    let control = state.threads[thread].control;
    if !matches!(control.status, Status::Running | Status::Fresh) || control.depth > 0 {
        return;
    }
    known.clear();
    known.extend(state.threads[thread].slots.iter().map(|&value| Some(value)));
    let mut run = KnownRun { code, thread, known, pc: control.pc, local: 0 };
    for _ in 0..MAX_OPERATIONS {
        let Op::Visible(kind) = run.code.ops[run.pc as usize] else { return };
        if !is_plain(&run.code.visible[kind as usize]) {
            return;
        }
        run.pc += 1;
        let footprint = ahead.add();
        if control.status == Status::Fresh {
            footprint.record(LocationId(code.layout.spawned + thread as u32), AccessKind::Observe);
        }
        match run.operation(footprint) {
            Ok(()) => {}
            Err(End::After) => return,
            Err(End::Thread) => {
                ahead.reaches_end = true;
                return;
            }
            Err(End::Before) => return ahead.remove_last(),
        }
    }
}

fn is_plain(visible: &Visible) -> bool {
    visible.readiness == WhenReady::Always
        && visible.blocking == Blocking::Never
        && visible.variation == Variation::Fixed
        && visible.alternatives == Alternatives::One
}

/// A run of one thread on values that may be unknown.
struct KnownRun<'r> {
    code: &'r Code,
    thread: usize,
    known: &'r mut Vec<Option<i64>>,
    pc: u32,
    local: u32,
}

impl KnownRun<'_> {
    /// Runs over an operation and the local code after it, up to the next operation.
    fn operation(&mut self, footprint: &mut Footprint) -> Result<(), End> {
        let mut end: fn() -> End = || End::Before;
        self.local = 0;
        loop {
            let op = self.code.ops[self.pc as usize];
            match op {
                Op::Visible(_) => return Ok(()),
                Op::Return { .. } => return Err(End::Thread),
                // A test comes after everything that the operation reads.
                Op::Commit | Op::Assert { .. } | Op::Assume { .. } => end = || End::After,
                _ => {
                    self.local += 1;
                    if self.local > MAX_LOCAL {
                        return Err(end());
                    }
                }
            }
            self.pc += 1;
            self.op(op, footprint).ok_or_else(end)?;
        }
    }

    /// Runs an instruction; `None` if an unknown value decides what happens.
    fn op(&mut self, op: Op, footprint: &mut Footprint) -> Option<()> {
        match op {
            Op::Visible(_) | Op::Commit | Op::Expect { .. } => {}
            Op::Const { dst, value } => self.set(dst, Some(value)),
            Op::Copy { dst, src } | Op::Set { dst, src } => self.set(dst, self.get(src)),
            Op::SelfIndex { dst } => self.set(dst, Some(self.code.threads[self.thread].index)),
            Op::Unary { op, dst, a } => self.set(dst, self.get(a).map(|a| op.apply(a))),
            Op::Binary { op, dst, a, b } => {
                let value = op.apply_known(self.get(a), self.get(b))?;
                self.set(dst, value);
            }
            Op::Load { dst, cell } => {
                footprint.record(LocationId(cell), AccessKind::Read);
                self.set(dst, None);
            }
            Op::LoadAt { dst, array, index } => {
                footprint.record(self.cell_at(array, index)?, AccessKind::Read);
                self.set(dst, None);
            }
            Op::Store { cell, .. } => footprint.record(LocationId(cell), AccessKind::Overwrite),
            Op::StoreAt { array, index, .. } => {
                footprint.record(self.cell_at(array, index)?, AccessKind::Overwrite);
            }
            Op::Element { dst, array, index } => self.set(dst, self.get(self.element(array, index)?)),
            Op::SetElement { array, index, src } => self.set(self.element(array, index)?, self.get(src)),
            Op::Jump(to) => self.pc = to,
            Op::JumpIfFalse { condition, to } => {
                if self.get(condition)? == 0 {
                    self.pc = to;
                }
            }
            Op::JumpIfTrue { condition, to } => {
                if self.get(condition)? != 0 {
                    self.pc = to;
                }
            }
            Op::Assert { condition } | Op::Assume { condition } => {
                self.get(condition).filter(|&value| value != 0)?;
            }
            _ => return None,
        }
        Some(())
    }

    fn cell_at(&self, array: u32, index: Slot) -> Option<LocationId> {
        let range = &self.code.layout.arrays[array as usize];
        let index = u32::try_from(self.get(index)?).ok().filter(|&index| index < range.length)?;
        Some(LocationId(range.start + index))
    }

    fn element(&self, array: u32, index: Slot) -> Option<Slot> {
        let range = self.code.arrays[array as usize];
        let index = u32::try_from(self.get(index)?).ok().filter(|&index| index < range.length)?;
        Some(range.start + index)
    }

    fn at(&self, slot: Slot) -> usize {
        if slot >= TEMPORARY { (slot - TEMPORARY) as usize } else { (self.code.temporaries + slot) as usize }
    }

    fn get(&self, slot: Slot) -> Option<i64> {
        self.known[self.at(slot)]
    }

    fn set(&mut self, slot: Slot, value: Option<i64>) {
        let at = self.at(slot);
        self.known[at] = value;
    }
}
