//! The loop that runs one thread from a transition to the next.

mod call;
mod synchronisation;

use crate::code::{Alternatives, Code, Op, Slot, TEMPORARY, WaitsForAssumptions};
use crate::failure::{Detail, FailureKind};
use crate::state::{Control, State, Status};
use selvedge_ir::BinaryOp;
use selvedge_trace::{AccessKind, Finding, Footprint, LocationId};

/// Jumps and calls that a thread may make between two transitions before it counts as diverged.
const FUEL: u32 = 1_000_000;

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the shared part of the transition, to see what it does.
    Look,
    /// Up to the next transition.
    Perform,
}

/// Where a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the next transition, or after the shared part if only looking.
    Arrived,
    /// At an operation that has to wait.
    Blocked,
    /// At the end of the thread.
    Ended,
    /// At a false assumption.
    Dropped,
    /// At a failure.
    Failed,
    /// Nowhere: at a limit of the interpreter.
    Diverged,
}

impl Outcome {
    /// Whether the thread stops for good before the end of what it was doing.
    pub fn gives_up(self) -> bool {
        matches!(self, Outcome::Dropped | Outcome::Failed | Outcome::Diverged)
    }
}

/// A run of one thread.
pub struct Run<'r> {
    pub code: &'r Code,
    pub state: &'r mut State,
    pub thread: usize,
    pub extent: Extent,
    pub choice: u32,
    pub footprint: &'r mut Footprint,
    /// Threads spawned by this run.
    pub spawned: &'r mut Vec<usize>,
    /// The number of alternatives of the transition.
    pub alternatives: u32,
    /// Whether the shared part of the transition is over.
    pub committed: bool,
    /// Whether the transition waits for the assumptions that it finds false.
    pub assumptions: WaitsForAssumptions,
    /// What went wrong, if the run fails.
    pub fault: &'r mut Option<FailureKind>,
    /// The numbers that belong to what went wrong, or to what was chosen.
    pub detail: &'r mut Detail,
}

/// Going on, or the end of the run.
type Step = Result<(), Outcome>;

impl Run<'_> {
    /// Runs from the present instruction of the thread; leaves its control state at the end.
    pub fn run(&mut self) -> Outcome {
        let mut control = self.state.threads[self.thread].control;
        let mut slots = std::mem::take(&mut self.state.threads[self.thread].slots);
        if let Op::Visible(kind) = self.code.ops[control.pc as usize] {
            let visible = &self.code.visible[kind as usize];
            self.footprint.blocking = visible.blocking;
            self.footprint.variation = visible.variation;
            self.assumptions = visible.assumptions;
            self.alternatives = u32::from(visible.alternatives == Alternatives::One);
            control.pc += 1;
        }
        let mut fuel = FUEL;
        let outcome = loop {
            let op = self.code.ops[control.pc as usize];
            if let Op::Visible(_) = op {
                break Outcome::Arrived;
            }
            control.pc += 1;
            if let Err(outcome) = self.op(op, &mut control, &mut slots, &mut fuel) {
                break outcome;
            }
        };
        self.state.threads[self.thread].slots = slots;
        control.status = match outcome {
            Outcome::Ended => Status::Ended,
            Outcome::Dropped => Status::Dropped,
            Outcome::Failed => Status::Failed,
            Outcome::Diverged => Status::Diverged,
            Outcome::Arrived | Outcome::Blocked => Status::Running,
        };
        if matches!(outcome, Outcome::Dropped | Outcome::Failed) {
            control.pc -= 1;
        }
        self.state.set_control(self.thread, control);
        outcome
    }

    #[inline(always)]
    fn op(&mut self, op: Op, control: &mut Control, slots: &mut Vec<i64>, fuel: &mut u32) -> Step {
        let base = self.code.temporaries + control.base;
        let at = |slot: Slot| if slot >= TEMPORARY { slot - TEMPORARY } else { base + slot } as usize;
        match op {
            Op::Visible(_) => {}
            Op::Commit => {
                self.committed = true;
                if self.extent == Extent::Look && self.assumptions != WaitsForAssumptions::Throughout {
                    return Err(Outcome::Arrived);
                }
            }
            Op::Const { dst, value } => slots[at(dst)] = value,
            Op::Copy { dst, src } => slots[at(dst)] = slots[at(src)],
            Op::SelfIndex { dst } => slots[at(dst)] = self.code.threads[self.thread].index,
            Op::Unary { op, dst, a } => slots[at(dst)] = op.apply(slots[at(a)]),
            Op::Binary { op, dst, a, b } => slots[at(dst)] = self.binary(op, slots[at(a)], slots[at(b)])?,
            Op::Load { dst, cell } => slots[at(dst)] = self.load(cell),
            Op::LoadAt { dst, array, index } => {
                let cell = self.cell_at(array, slots[at(index)])?;
                slots[at(dst)] = self.load(cell);
            }
            Op::Store { cell, src } => self.store(cell, slots[at(src)]),
            Op::StoreAt { array, index, src } => {
                let cell = self.cell_at(array, slots[at(index)])?;
                self.store(cell, slots[at(src)]);
            }
            Op::Expect { found, expected } => self.expect(slots[at(found)], slots[at(expected)]),
            Op::Element { dst, array, index } => {
                let slot = self.element(array, slots[at(index)])?;
                slots[at(dst)] = slots[at(slot)];
            }
            Op::SetElement { array, index, src } => {
                let slot = self.element(array, slots[at(index)])?;
                let value = slots[at(src)];
                self.set(slots, base + slot, value);
            }
            Op::Set { dst, src } => {
                let value = slots[at(src)];
                self.set(slots, base + dst, value);
            }
            Op::CellAt { dst, array, index } => {
                slots[at(dst)] = i64::from(self.cell_at(array, slots[at(index)])?);
            }
            Op::ThreadAt { dst, family, index } => {
                slots[at(dst)] = self.thread_at(family, slots[at(index)])?
            }
            Op::Jump(to) => return self.jump(control, to, fuel),
            Op::JumpIfFalse { condition, to } => {
                if slots[at(condition)] == 0 {
                    return self.jump(control, to, fuel);
                }
            }
            Op::JumpIfTrue { condition, to } => {
                if slots[at(condition)] != 0 {
                    return self.jump(control, to, fuel);
                }
            }
            Op::Assert { condition } => {
                if slots[at(condition)] == 0 {
                    return self.fail(FailureKind::Assertion, Detail::None);
                }
            }
            Op::Assume { condition } => {
                if slots[at(condition)] == 0 {
                    return Err(self.false_assumption());
                }
            }
            Op::Await { condition } => {
                if slots[at(condition)] == 0 {
                    return Err(Outcome::Blocked);
                }
            }
            Op::Lock { cell } => return self.lock(slots[at(cell)] as u32),
            Op::Unlock { cell } => return self.unlock(slots[at(cell)] as u32),
            Op::TryLock { dst, cell } => slots[at(dst)] = self.try_lock(slots[at(cell)] as u32),
            Op::BeginWait { condvar, mutex } => {
                return self.begin_wait(slots[at(condvar)] as u32, slots[at(mutex)] as u32);
            }
            Op::EndWait { mutex } => return self.end_wait(slots[at(mutex)] as u32),
            Op::Signal { condvar } => self.signal(slots[at(condvar)] as u32),
            Op::Broadcast { condvar } => self.broadcast(slots[at(condvar)] as u32),
            Op::Arrive { barrier, round } => {
                let present = self.arrive(barrier);
                self.set(slots, base + round, present);
            }
            Op::Pass { barrier, round } => return self.pass(barrier, slots[at(round)]),
            Op::Spawn { thread } => return self.spawn(slots[at(thread)]),
            Op::Join { thread } => return self.join(slots[at(thread)]),
            Op::Choose { dst, low, high } => {
                let value = self.choose(slots[at(low)], slots[at(high)])?;
                self.set(slots, base + dst, value);
            }
            Op::Call(call) => {
                *fuel = fuel.checked_sub(1).ok_or(Outcome::Diverged)?;
                return self.call(control, slots, self.code.calls[call as usize]);
            }
            Op::Return { value } => return self.ret(control, slots, value),
            Op::AwaitAll => {
                if self.state.live() > 0 {
                    return Err(Outcome::Blocked);
                }
            }
        }
        Ok(())
    }

    /// What comes of a false assumption.
    fn false_assumption(&self) -> Outcome {
        match (self.assumptions, self.committed) {
            (WaitsForAssumptions::Never, _) | (WaitsForAssumptions::Within, true) => Outcome::Dropped,
            (WaitsForAssumptions::Within, false) | (WaitsForAssumptions::Throughout, _) => Outcome::Blocked,
        }
    }

    #[inline(always)]
    fn jump(&mut self, control: &mut Control, to: u32, fuel: &mut u32) -> Step {
        if to < control.pc {
            *fuel = fuel.checked_sub(1).ok_or(Outcome::Diverged)?;
        }
        control.pc = to;
        Ok(())
    }

    #[inline(always)]
    fn set(&mut self, slots: &mut [i64], slot: Slot, value: i64) {
        let old = std::mem::replace(&mut slots[slot as usize], value);
        self.state.log_slot(self.thread, slot, old);
    }

    #[inline(always)]
    fn load(&mut self, cell: u32) -> i64 {
        self.footprint.record(LocationId(cell), AccessKind::Read);
        self.state.cell(cell)
    }

    #[inline(always)]
    fn store(&mut self, cell: u32, value: i64) {
        self.footprint.record(LocationId(cell), AccessKind::Overwrite);
        self.state.set_cell(cell, value);
    }

    /// Notes what a compare-exchange found in the cell that it just read, and what it expects there.
    fn expect(&mut self, found: i64, expected: i64) {
        if let Some(access) = self.footprint.accesses().last() {
            let place = u64::from(access.location.0);
            let finding = Finding { place, number: found as u64, expected: Some(expected as u64) };
            self.footprint.finding = Some(finding);
        }
    }

    fn fail<T>(&mut self, kind: FailureKind, detail: Detail) -> Result<T, Outcome> {
        *self.detail = detail;
        *self.fault = Some(kind);
        Err(Outcome::Failed)
    }

    #[inline(always)]
    fn cell_at(&mut self, array: u32, index: i64) -> Result<u32, Outcome> {
        let range = &self.code.layout.arrays[array as usize];
        if index < 0 || index >= i64::from(range.length) {
            let name = self.code.layout.element_name(array, index);
            return self.fail(FailureKind::IndexOutOfRange, Detail::Element(name, range.length));
        }
        Ok(range.start + index as u32)
    }

    fn thread_at(&mut self, family: u32, index: i64) -> Result<i64, Outcome> {
        let (first, count, name) = &self.code.families[family as usize];
        if index < 0 || index >= i64::from(*count) {
            let detail = Detail::Element(format!("{name}[{index}]"), *count);
            return self.fail(FailureKind::IndexOutOfRange, detail);
        }
        Ok(i64::from(*first) + index)
    }

    fn element(&mut self, array: u32, index: i64) -> Result<Slot, Outcome> {
        let range = self.code.arrays[array as usize];
        if index < 0 || index >= i64::from(range.length) {
            let detail = Detail::Element(format!("element {index} of a local array"), range.length);
            return self.fail(FailureKind::IndexOutOfRange, detail);
        }
        Ok(range.start + index as u32)
    }

    #[inline(always)]
    fn binary(&mut self, op: BinaryOp, a: i64, b: i64) -> Result<i64, Outcome> {
        match op.apply(a, b) {
            Some(value) => Ok(value),
            None => match op {
                BinaryOp::Shl | BinaryOp::Shr => self.fail(FailureKind::ShiftOutOfRange, Detail::Amount(b)),
                _ => self.fail(FailureKind::DivisionByZero, Detail::None),
            },
        }
    }
}
