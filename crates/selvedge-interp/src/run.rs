//! The loop that runs one thread from a transition to the next.

use crate::code::{Alternatives, Call, Code, CompiledFunction, NO_SLOT, Op, Slot, TEMPORARY};
use crate::failure::{Detail, FailureKind};
use crate::layout::Arrivals;
use crate::state::{Control, State, Status};
use selvedge_ir::{BinaryOp, UnaryOp};
use selvedge_trace::{AccessKind, Blocking, Footprint, LocationId, ThreadId};

/// Jumps and calls that a thread may make between two transitions before it counts as diverged.
const FUEL: u32 = 1_000_000;

/// Calls that may be nested.
const MAX_DEPTH: u32 = 10_000;

/// Slots between two frames: the return address, the base of the caller, and where the result goes.
const LINK: Slot = 3;

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the shared part of the transition, to see what it does.
    Look,
    /// Up to the next transition.
    Perform,
}

/// Where a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    Failed(FailureKind),
    /// Nowhere: out of fuel.
    Diverged,
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
    /// What belongs to a failure.
    pub detail: Detail,
}

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
            Outcome::Failed(_) => Status::Failed,
            Outcome::Diverged => Status::Diverged,
            Outcome::Arrived | Outcome::Blocked => Status::Running,
        };
        if matches!(outcome, Outcome::Dropped | Outcome::Failed(_)) {
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
                if self.extent == Extent::Look {
                    return Err(Outcome::Arrived);
                }
            }
            Op::Const { dst, value } => slots[at(dst)] = value,
            Op::Copy { dst, src } => slots[at(dst)] = slots[at(src)],
            Op::SelfIndex { dst } => slots[at(dst)] = self.code.threads[self.thread].index,
            Op::Unary { op, dst, a } => slots[at(dst)] = unary(op, slots[at(a)]),
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
                    return Err(Outcome::Failed(FailureKind::Assertion));
                }
            }
            Op::Assume { condition } => {
                if slots[at(condition)] == 0 {
                    return Err(Outcome::Dropped);
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
        self.footprint.record(LocationId(cell), AccessKind::Write);
        self.state.set_cell(cell, value);
    }

    fn fail<T>(&mut self, kind: FailureKind, detail: Detail) -> Result<T, Outcome> {
        self.detail = detail;
        Err(Outcome::Failed(kind))
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
        match evaluate(op, a, b) {
            Some(value) => Ok(value),
            None => match op {
                BinaryOp::Shl | BinaryOp::Shr => self.fail(FailureKind::ShiftOutOfRange, Detail::Amount(b)),
                _ => self.fail(FailureKind::DivisionByZero, Detail::None),
            },
        }
    }

    fn own(&self) -> i64 {
        self.thread as i64 + 1
    }

    fn lock(&mut self, mutex: u32) -> Step {
        self.footprint.record(LocationId(mutex), AccessKind::Acquire);
        if self.state.cell(mutex) != 0 {
            return Err(Outcome::Blocked);
        }
        self.state.set_cell(mutex, self.own());
        Ok(())
    }

    fn unlock(&mut self, mutex: u32) -> Step {
        self.release(mutex, FailureKind::UnlockNotHeld)
    }

    fn release(&mut self, mutex: u32, otherwise: FailureKind) -> Step {
        self.footprint.record(LocationId(mutex), AccessKind::Release);
        let holder = self.state.cell(mutex);
        if holder != self.own() {
            let holder = (holder != 0).then(|| ThreadId((holder - 1) as u32));
            let name = self.code.layout.name(LocationId(mutex));
            return self.fail(otherwise, Detail::Mutex(name, holder));
        }
        self.state.set_cell(mutex, 0);
        Ok(())
    }

    fn try_lock(&mut self, mutex: u32) -> i64 {
        let is_free = self.state.cell(mutex) == 0;
        let kind = if is_free { AccessKind::Acquire } else { AccessKind::Read };
        self.footprint.record(LocationId(mutex), kind);
        if is_free {
            self.state.set_cell(mutex, self.own());
        }
        i64::from(is_free)
    }

    fn waiting_cell(&self, thread: usize) -> u32 {
        self.code.layout.waiting + thread as u32
    }

    fn begin_wait(&mut self, condvar: u32, mutex: u32) -> Step {
        self.release(mutex, FailureKind::WaitNotHeld)?;
        self.footprint.record(LocationId(condvar), AccessKind::Write);
        self.state.set_cell(self.waiting_cell(self.thread), i64::from(condvar) + 1);
        Ok(())
    }

    fn end_wait(&mut self, mutex: u32) -> Step {
        let wake_up = self.waiting_cell(self.thread);
        if self.state.cell(wake_up) != 0 {
            self.footprint.blocking = Blocking::Never;
            return Err(Outcome::Blocked);
        }
        self.footprint.record(LocationId(wake_up), AccessKind::Observe);
        self.lock(mutex)
    }

    /// The `n`-th thread, and the number of threads, that wait for a condition variable or barrier.
    fn waiter(&self, cell: u32, n: u32) -> (Option<usize>, u32) {
        let waits = |&t: &usize| self.state.cell(self.waiting_cell(t)) == i64::from(cell) + 1;
        let threads = 0..self.state.threads.len();
        (threads.clone().filter(waits).nth(n as usize), threads.filter(waits).count() as u32)
    }

    fn wake(&mut self, thread: usize) {
        let wake_up = self.waiting_cell(thread);
        self.footprint.record(LocationId(wake_up), AccessKind::Post);
        self.state.set_cell(wake_up, 0);
    }

    fn signal(&mut self, condvar: u32) {
        let (waiter, count) = self.waiter(condvar, self.choice);
        self.alternatives = count.max(1);
        match waiter {
            Some(thread) => {
                self.footprint.record(LocationId(condvar), AccessKind::Write);
                self.wake(thread);
            }
            None => self.footprint.record(LocationId(condvar), AccessKind::Read),
        }
    }

    fn broadcast(&mut self, condvar: u32) {
        self.footprint.record(LocationId(condvar), AccessKind::Read);
        while let (Some(thread), _) = self.waiter(condvar, 0) {
            self.footprint.record(LocationId(condvar), AccessKind::Write);
            self.wake(thread);
        }
    }

    /// Arrives at a barrier; the last to arrive lets all go on. Returns the round.
    fn arrive(&mut self, barrier: u32) -> i64 {
        let kind = self.code.layout.barrier_kinds[barrier as usize];
        let arrived = self.code.layout.arrays[(self.code.layout.barriers + barrier) as usize].start;
        let round = self.state.cell(arrived + 1);
        match kind.arrivals {
            Arrivals::Commute => {
                let of_round = arrived + (round & 1) as u32;
                self.footprint.record(LocationId(of_round), AccessKind::Post);
            }
            Arrivals::Ordered => self.footprint.record(LocationId(arrived), AccessKind::Write),
        }
        self.state.set_cell(self.waiting_cell(self.thread), i64::from(arrived) + 1);
        let count = self.state.cell(arrived) + 1;
        if count < i64::from(kind.width) {
            self.state.set_cell(arrived, count);
            return round;
        }
        self.state.set_cell(arrived, 0);
        self.state.set_cell(arrived + 1, round + 1);
        while let (Some(thread), _) = self.waiter(arrived, 0) {
            match kind.arrivals {
                Arrivals::Ordered if thread != self.thread => self.wake(thread),
                _ => self.state.set_cell(self.waiting_cell(thread), 0),
            }
        }
        round
    }

    fn pass(&mut self, barrier: u32, round: i64) -> Step {
        let wake_up = self.waiting_cell(self.thread);
        if self.state.cell(wake_up) != 0 {
            return Err(Outcome::Blocked);
        }
        let arrived = self.code.layout.arrays[(self.code.layout.barriers + barrier) as usize].start;
        let observed = match self.code.layout.barrier_kinds[barrier as usize].arrivals {
            Arrivals::Commute => arrived + (round & 1) as u32,
            Arrivals::Ordered => wake_up,
        };
        self.footprint.record(LocationId(observed), AccessKind::Observe);
        Ok(())
    }

    fn spawn(&mut self, thread: i64) -> Step {
        let cell = self.code.layout.spawned + thread as u32;
        if self.load(cell) != 0 {
            let name = self.code.layout.thread_names[thread as usize].clone();
            return self.fail(FailureKind::SpawnedTwice, Detail::Thread(name));
        }
        self.store(cell, 1);
        self.spawned.push(thread as usize);
        Ok(())
    }

    fn join(&mut self, thread: i64) -> Step {
        if self.state.threads[thread as usize].control.status != Status::Ended {
            self.detail = Detail::Awaited(ThreadId(thread as u32));
            return Err(Outcome::Blocked);
        }
        self.footprint.record(LocationId(self.code.layout.life + thread as u32), AccessKind::Observe);
        Ok(())
    }

    fn choose(&mut self, low: i64, high: i64) -> Result<i64, Outcome> {
        self.alternatives = 1;
        if low >= high {
            return self.fail(FailureKind::EmptyChoice, Detail::Range(low, high));
        }
        let Ok(count) = u32::try_from(high.wrapping_sub(low)) else {
            return self.fail(FailureKind::HugeChoice, Detail::Range(low, high));
        };
        self.alternatives = count;
        self.detail = Detail::Range(low, high);
        Ok(low + i64::from(self.choice))
    }

    fn call(&mut self, control: &mut Control, slots: &mut Vec<i64>, call: Call) -> Step {
        if control.depth >= MAX_DEPTH {
            return self.fail(FailureKind::StackOverflow, Detail::None);
        }
        let callee: &CompiledFunction = &self.code.functions[call.function as usize];
        let base = control.base + call.frame + LINK;
        let start = self.code.temporaries + base;
        if slots.len() < (start + callee.frame) as usize {
            slots.resize((start + callee.frame) as usize, 0);
        }
        self.set(slots, start - 3, i64::from(control.pc));
        self.set(slots, start - 2, i64::from(control.base));
        self.set(slots, start - 1, i64::from(call.result));
        for parameter in 0..callee.parameters {
            let value = slots[(call.arguments - TEMPORARY + parameter) as usize];
            self.set(slots, start + parameter, value);
        }
        for (slot, &value) in (start + callee.parameters..).zip(&callee.initial) {
            self.set(slots, slot, value);
        }
        *control = Control { pc: callee.entry, base, depth: control.depth + 1, ..*control };
        Ok(())
    }

    fn ret(&mut self, control: &mut Control, slots: &mut [i64], value: Slot) -> Step {
        if control.depth == 0 {
            return Err(Outcome::Ended);
        }
        let start = self.code.temporaries + control.base;
        let link = |i: u32| slots[(start - LINK + i) as usize] as u32;
        let (pc, base, result) = (link(0), link(1), link(2));
        if result != NO_SLOT && value != NO_SLOT {
            let from = if value >= TEMPORARY { value - TEMPORARY } else { start + value };
            let value = slots[from as usize];
            self.set(slots, self.code.temporaries + base + result, value);
        }
        *control = Control { pc, base, depth: control.depth - 1, ..*control };
        Ok(())
    }
}

/// The value of an operator with one operand.
#[inline(always)]
pub fn unary(op: UnaryOp, a: i64) -> i64 {
    match op {
        UnaryOp::Neg => a.wrapping_neg(),
        UnaryOp::BitNot => !a,
        UnaryOp::Not => i64::from(a == 0),
        UnaryOp::ToBool => i64::from(a != 0),
        UnaryOp::ToInt => a,
    }
}

/// The value of an operator with two operands, unless it is a division by zero or a shift out of range.
#[inline(always)]
pub fn evaluate(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    Some(match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div if b == 0 => return None,
        BinaryOp::Div => a.wrapping_div(b),
        BinaryOp::Rem if b == 0 => return None,
        BinaryOp::Rem => a.wrapping_rem(b),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Shl | BinaryOp::Shr if !(0..64).contains(&b) => return None,
        BinaryOp::Shl => a << b,
        BinaryOp::Shr => a >> b,
        BinaryOp::Eq => i64::from(a == b),
        BinaryOp::Ne => i64::from(a != b),
        BinaryOp::Lt => i64::from(a < b),
        BinaryOp::Le => i64::from(a <= b),
        BinaryOp::Gt => i64::from(a > b),
        BinaryOp::Ge => i64::from(a >= b),
        BinaryOp::And => i64::from(a != 0 && b != 0),
        BinaryOp::Or => i64::from(a != 0 || b != 0),
    })
}
