//! The loop that runs one thread from a visible operation to the next.

pub mod access;
mod address_numbers;
mod address_order;
mod allocation;
mod arithmetic;
mod call;
mod condition;
mod destroyed;
mod exceptions;
mod faults;
mod float_text;
mod format;
pub mod futex;
mod input;
mod library;
mod locks;
mod marks;
mod nesting;
mod number_functions;
mod numbers;
mod print;
mod process;
mod reuse;
mod spin;
mod spread;
mod streams;
mod strings;
mod symbolic;
mod synchronising;
mod text;
mod threads;
mod types;
mod unwritten;
mod wide;

pub use call::LINK;
pub use input::Decisions;

use crate::Options;
use crate::code::{Code, Op, Place, Slot, Trap};
use crate::failure::{Cut, CutReason, FailureKind};
use crate::machine::cells;
use crate::machine::locations::Locations;
use crate::state::{Control, State, Status};
use address_numbers::{Comparison, Followed};
use selvedge_llvm::Module;
use selvedge_trace::{AccessKind, Blocking, Footprint, LocationId, ThreadId, Variation};
use std::collections::BTreeSet;

/// Jumps and calls that a thread may make between two visible operations.
const FUEL: u32 = 20_000_000;

/// How far to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// To the end of the visible operation, to see what it does.
    Look,
    /// Up to the next visible operation.
    Perform,
}

/// Where a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// At the next visible operation, or after the present one if only looking.
    Arrived,
    /// At an operation that has to wait.
    Blocked,
    /// At the end of the thread.
    Ended,
    /// At the end of the program.
    Exited,
    /// At a false assumption.
    Dropped,
    /// At a failure.
    Failed,
    /// At something that the machine does not do.
    Cut,
}

impl Outcome {
    /// Whether the thread stops for good before the end of what it was doing.
    pub fn gives_up(self) -> bool {
        matches!(self, Outcome::Dropped | Outcome::Failed | Outcome::Cut)
    }
}

/// The threads whose ends a thread waits for, one after the other, in one operation.
#[derive(Clone, Debug, Default)]
pub struct Awaited {
    /// When the thread arrived there.
    pub arrival: u64,
    /// Those for which it waits for certain, each with the instruction that does.
    pub certain: Vec<(usize, u32)>,
    /// One of them that had not ended when that was last looked for.
    pub last: usize,
    /// Whether a result was received, on which may depend for whom else it waits.
    pub has_result: bool,
    /// The instruction that found that another one has not ended.
    pub missing: Option<u32>,
}

/// Going on, or the end of the run.
pub type Step<T = ()> = Result<T, Outcome>;

/// A run of one thread.
pub struct Run<'r> {
    pub code: &'r Code,
    pub options: &'r Options,
    pub state: &'r mut State,
    pub locations: &'r mut Locations,
    pub thread: usize,
    pub extent: Extent,
    pub decisions: &'r mut Decisions,
    pub footprint: &'r mut Footprint,
    /// Threads made by this run.
    pub spawned: &'r mut Vec<usize>,
    /// How many visible operations may still be performed.
    pub permits: u32,
    /// How many atomic sections the thread is in.
    pub atomic: u32,
    /// Whether the visible operation is over.
    pub committed: bool,
    /// Whether the visible operation is one that only waits, and its rounds are not over.
    pub awaiting: bool,
    /// Whether the visible operation is a read that waits until an assumption about it holds.
    pub assuming: bool,
    /// Whether the visible operation is an atomic section that waits until its assumptions hold.
    pub section_assumes: bool,
    /// Whether the visible operation waits for the ends of threads and nothing else came after that.
    pub joins: bool,
    /// The threads whose ends it waits for.
    pub awaited: &'r mut Awaited,
    /// What went wrong, if the run fails.
    pub fault: &'r mut Option<FailureKind>,
    /// Why, if the run is cut.
    pub cut: &'r mut Option<CutReason>,
    /// What makes the answer doubtful though the run goes on.
    pub cuts: &'r mut BTreeSet<Cut>,
    /// Where several words are accessed in one step.
    pub at_once: &'r mut BTreeSet<Place>,
    /// How often a loop went round at most, and where it is.
    pub longest_loop: &'r mut (u32, Place),
    /// The bits of the last load that nobody wrote.
    pub unwritten: u64,
    /// Whether the last load may have read a part of an address.
    pub is_partial: bool,
    /// Frames below this slot are not saved yet.
    pub saved_from: u32,
    /// Whether a nondeterministic decision was taken.
    pub has_decided: bool,
    /// Instructions performed.
    pub instructions: u64,
    /// The instruction that accesses memory.
    pub present: u32,
    /// The innermost call on the stack that is in the user's source.
    pub called_from: u32,
    /// The module, for the names of what goes wrong.
    pub module: &'r Module,
}

impl Run<'_> {
    /// The place in the source of the instruction that accesses memory.
    pub fn place(&self) -> Place {
        self.code.users_place(self.present, self.called_from)
    }

    /// Runs from the present instruction of the thread; leaves its control state at the end.
    pub fn run(&mut self) -> Outcome {
        let mut control = self.state.threads[self.thread].control;
        let mut slots = std::mem::take(&mut self.state.threads[self.thread].slots);
        let outcome = self.run_loop(&mut control, &mut slots);
        self.state.threads[self.thread].slots = slots;
        control.status = match outcome {
            Outcome::Ended => Status::Ended,
            Outcome::Exited => Status::Exited,
            Outcome::Dropped => Status::Dropped,
            Outcome::Failed => Status::Failed,
            Outcome::Cut => Status::Cut,
            Outcome::Arrived | Outcome::Blocked => Status::Running,
        };
        self.state.set_control(self.thread, control);
        outcome
    }

    fn run_loop(&mut self, control: &mut Control, slots: &mut Vec<u64>) -> Outcome {
        let mut fuel = FUEL;
        let mut count = 0;
        // Whatever comes first is the visible operation.
        let mut is_first = self.permits > 0;
        let code = self.code;
        let outcome = loop {
            let op = &code.ops[control.pc as usize];
            control.pc += 1;
            count += 1;
            let performed = match self.state.is_quick() {
                true => self.op(op, control, slots, &mut fuel),
                false => self.op_with_care(op, control, slots, &mut fuel),
            };
            if let Err(outcome) = performed {
                if !matches!(outcome, Outcome::Ended | Outcome::Exited) {
                    control.pc -= 1;
                }
                break outcome;
            }
            if is_first {
                is_first = false;
                self.permits = 0;
                if self.done().is_err() {
                    break Outcome::Arrived;
                }
            }
        };
        self.instructions += count;
        outcome
    }

    /// An instruction while there are values that are not decided yet, or that nobody wrote, or while it is recorded what is executed.
    #[cold]
    fn op_with_care(&mut self, op: &Op, control: &mut Control, slots: &mut Vec<u64>, fuel: &mut u32) -> Step {
        let pc = control.pc;
        let performed = self.op_on_marks(op, control, slots, fuel);
        // Where a decision comes first, the instruction itself is still to come.
        let is_over = match performed {
            Ok(()) => control.pc + 1 != pc,
            Err(outcome) => matches!(outcome, Outcome::Ended | Outcome::Exited),
        };
        if is_over && self.extent == Extent::Perform {
            self.state.record(ThreadId::at(self.thread), pc - 1);
        }
        performed
    }

    fn op_on_marks(&mut self, op: &Op, control: &mut Control, slots: &mut Vec<u64>, fuel: &mut u32) -> Step {
        if !self.state.has_marks() {
            return self.op_on_numbers(op, control, slots, fuel);
        }
        let marks = self.foresee(*op, control, slots)?;
        self.op_on_numbers(op, control, slots, fuel)?;
        self.apply(marks, control);
        Ok(())
    }

    /// An instruction while there may be words that are computed from addresses.
    fn op_on_numbers(
        &mut self,
        op: &Op,
        control: &mut Control,
        slots: &mut Vec<u64>,
        fuel: &mut u32,
    ) -> Step {
        if !self.state.has_numbers() {
            return self.op_on_symbols(op, control, slots, fuel);
        }
        match self.follow(*op, control, slots)? {
            Followed::Done => self.done(),
            Followed::Usual(marks) => {
                self.op_on_symbols(op, control, slots, fuel)?;
                self.apply_numbers(marks, control);
                Ok(())
            }
        }
    }

    fn op_on_symbols(
        &mut self,
        op: &Op,
        control: &mut Control,
        slots: &mut Vec<u64>,
        fuel: &mut u32,
    ) -> Step {
        let has_decided = self.has_decided;
        match self.symbolic(*op, control, slots)? {
            symbolic::Treatment::Done => self.done(),
            // A decision is an operation of its own; what it was for comes after it.
            symbolic::Treatment::Usual if self.has_decided && !has_decided && self.atomic == 0 => {
                control.pc -= 1;
                self.done()
            }
            symbolic::Treatment::Usual => self.op(op, control, slots, fuel),
        }
    }

    #[inline(always)]
    fn op(&mut self, op: &Op, control: &mut Control, slots: &mut Vec<u64>, fuel: &mut u32) -> Step {
        let base = control.base;
        let at = |slot: Slot| {
            (if slot >= crate::code::CONSTANT { slot - crate::code::CONSTANT } else { base + slot }) as usize
        };
        match *op {
            Op::Move { dst, src } => slots[at(dst)] = slots[at(src)],
            Op::Binary { op: operator, bits, dst, a, b } => {
                let (x, y) = (slots[at(a)], slots[at(b)]);
                if self.may_be_address(x.max(y)) {
                    self.derive(*op, control, slots)?;
                }
                slots[at(dst)] = self.binary(operator, bits, x, y)?;
            }
            Op::Checked { op: operator, bits, dst, a, b } => {
                let (x, y) = (slots[at(a)], slots[at(b)]);
                if self.may_be_address(x.max(y)) {
                    self.derive(*op, control, slots)?;
                }
                slots[at(dst)] = self.checked(operator, bits, x, y)?;
            }
            Op::Wide { op: operator, dst, a, b } => {
                let words = [at(a), at(a) + 1, at(b), at(b) + 1];
                if words.iter().any(|word| self.may_be_address(slots[*word])) {
                    self.derive(*op, control, slots)?;
                }
                let op = operator;
                let (x, y) = (wide(slots, at(a)), wide(slots, at(b)));
                let result = self.wide(op, x, y)?;
                set_wide(slots, at(dst), result);
            }
            Op::AddImmediate { dst, a, amount } => {
                slots[at(dst)] = slots[at(a)].wrapping_add(amount as u64);
            }
            Op::Element { dst, base, index, scale, bits } => {
                let index = arithmetic::signed(slots[at(index)], bits);
                slots[at(dst)] = slots[at(base)].wrapping_add((index as u64).wrapping_mul(u64::from(scale)));
            }
            Op::FloatBinary { op, single, dst, a, b } => {
                slots[at(dst)] = arithmetic::float(op, single, slots[at(a)], slots[at(b)]);
            }
            Op::FloatNegate { single, dst, a } => {
                slots[at(dst)] = slots[at(a)] ^ if single { 1 << 31 } else { 1 << 63 };
            }
            Op::Compare { predicate, bits, dst, a, b } => {
                slots[at(dst)] = u64::from(arithmetic::compare(predicate, bits, slots[at(a)], slots[at(b)]));
            }
            Op::CompareWords { predicate, bits, dst, a, b } => {
                let (x, y) = (slots[at(a)], slots[at(b)]);
                let holds = match self.may_be_addresses(x, y) {
                    true => {
                        let outcome = self.compare_addresses(predicate, bits, (x, y), control, slots)?;
                        self.mark_comparison(outcome, at(dst));
                        slots[at(dst)] = u64::from(outcome.holds());
                        return self.done();
                    }
                    false => arithmetic::compare(predicate, bits, x, y),
                };
                slots[at(dst)] = u64::from(holds);
            }
            Op::CompareWide { predicate, dst, a, b } => {
                let words = [at(a), at(a) + 1, at(b), at(b) + 1];
                if words.iter().any(|word| self.may_be_address(slots[*word])) {
                    self.derive(*op, control, slots)?;
                }
                let (x, y) = (wide(slots, at(a)), wide(slots, at(b)));
                self.note_wide_comparison(x, y);
                slots[at(dst)] = u64::from(arithmetic::compare_wide(predicate, x, y));
            }
            Op::CompareFloat { predicate, single, dst, a, b } => {
                let (a, b) = (slots[at(a)], slots[at(b)]);
                slots[at(dst)] = u64::from(arithmetic::compare_float(predicate, single, a, b));
            }
            Op::Truncate { dst, a, bits } => {
                if self.may_be_address(slots[at(a)]) {
                    self.derive(*op, control, slots)?;
                }
                slots[at(dst)] = arithmetic::masked(slots[at(a)], bits);
            }
            Op::SignExtend { dst, a, from, to } => {
                let extended = arithmetic::signed(slots[at(a)], from) as u64;
                slots[at(dst)] = arithmetic::masked(extended, to);
            }
            Op::Convert { op: operator, single, dst, a, bits } => {
                if self.may_be_address(slots[at(a)]) {
                    self.derive(*op, control, slots)?;
                }
                slots[at(dst)] = arithmetic::convert(operator, single, bits, slots[at(a)]);
            }
            Op::Select { dst, condition, a, b, words } => {
                let from = if slots[at(condition)] != 0 { at(a) } else { at(b) };
                slots.copy_within(from..from + words as usize, at(dst));
            }
            Op::Jump { to } => return self.jump(control, to, fuel),
            Op::Branch { condition, then, otherwise } => {
                let to = if slots[at(condition)] != 0 { then } else { otherwise };
                return self.jump(control, to, fuel);
            }
            Op::CompareBranch { predicate, bits, a, b, then, otherwise } => {
                let holds = arithmetic::compare(predicate, bits, slots[at(a)], slots[at(b)]);
                return self.jump(control, if holds { then } else { otherwise }, fuel);
            }
            Op::CompareWordsBranch { predicate, bits, a, b, then, otherwise } => {
                let (x, y) = (slots[at(a)], slots[at(b)]);
                if self.may_be_addresses(x, y) {
                    let outcome = self.compare_addresses(predicate, bits, (x, y), control, slots)?;
                    if let Comparison::Open(_) = outcome {
                        self.depend_on_number(control.pc - 1);
                    }
                    self.jump(control, if outcome.holds() { then } else { otherwise }, fuel)?;
                    return self.done();
                }
                let holds = arithmetic::compare(predicate, bits, x, y);
                return self.jump(control, if holds { then } else { otherwise }, fuel);
            }
            Op::Switch { value, table } => {
                if self.may_be_address(slots[at(value)]) {
                    self.derive(*op, control, slots)?;
                }
                let (cases, default) = &self.code.switches[table as usize];
                let to = cases.get(&slots[at(value)]).unwrap_or(default);
                return self.jump(control, *to, fuel);
            }
            Op::Load { dst, address, bits, access } => {
                self.present = control.pc - 1;
                let place = slots[at(address)];
                let value = self.load(control.pc - 1, place, bits, access)?;
                if self.is_partial {
                    self.is_partial = false;
                    self.derive(*op, control, slots)?;
                }
                slots[at(dst)] = value;
                if self.unwritten != 0 {
                    self.mark_loaded(at(dst));
                }
                return self.done();
            }
            Op::Store { src, address, bits, access } => {
                self.present = control.pc - 1;
                self.store(slots[at(address)], bits, slots[at(src)], access)?;
                return self.done();
            }
            Op::LoadWords { dst, address, shape, access } => {
                self.present = control.pc - 1;
                let (dst, place) = (at(dst), slots[at(address)]);
                if self.find_again(place, 1).is_some_and(|found| self.holds_addresses(&found)) {
                    self.derive(*op, control, slots)?;
                }
                return self.load_words(slots, dst, place, shape, access);
            }
            Op::StoreWords { src, address, shape, access } => {
                self.present = control.pc - 1;
                return self.store_words(slots, at(src), slots[at(address)], shape, access);
            }
            Op::CompareExchange { dst, address, expected, new, bits, access } => {
                let (address, expected, new) = (slots[at(address)], slots[at(expected)], slots[at(new)]);
                let pc = control.pc - 1;
                self.present = pc;
                if self.may_be_address(expected.max(new)) {
                    self.derive(*op, control, slots)?;
                }
                let (old, success) = self.compare_exchange(pc, address, expected, new, bits, access)?;
                slots[at(dst)] = old;
                slots[at(dst) + 1] = u64::from(success);
                return self.done();
            }
            Op::Modify { op, dst, address, value, bits, access } => {
                self.present = control.pc - 1;
                if self.modifies_address(slots[at(address)], slots[at(value)], bits) {
                    self.derive(Op::Modify { op, dst, address, value, bits, access }, control, slots)?;
                }
                slots[at(dst)] = self.modify(op, slots[at(address)], slots[at(value)], bits, access)?;
                return self.done();
            }
            Op::CompareExchangeWide { dst, address, expected, new, access } => {
                self.present = control.pc - 1;
                let (expected, new) = (wide(slots, at(expected)), wide(slots, at(new)));
                let (old, success) = self.compare_exchange_wide(slots[at(address)], expected, new, access)?;
                set_wide(slots, at(dst), old);
                slots[at(dst) + 2] = u64::from(success);
                return self.done();
            }
            Op::ModifyWide { op, dst, address, value, access } => {
                self.present = control.pc - 1;
                let old = self.modify_wide(op, slots[at(address)], wide(slots, at(value)), access)?;
                set_wide(slots, at(dst), old);
                return self.done();
            }
            Op::Intrinsic { which, bits, dst, a, b, c } => {
                let word = |slot: Slot| if slot == crate::code::NO_SLOT { 0 } else { slots[at(slot)] };
                let (a, b, c) = (word(a), word(b), word(c));
                if self.may_be_address(a.max(b).max(c)) {
                    self.derive(*op, control, slots)?;
                }
                let (result, flag) = arithmetic::intrinsic(which, bits, a, b, c);
                slots[at(dst)] = result;
                if let Some(flag) = flag {
                    slots[at(dst) + 1] = u64::from(flag);
                }
            }
            Op::Alloca { dst, count, size, variable, alignment } => {
                self.present = control.pc - 1;
                slots[at(dst)] = self.alloca(slots[at(count)], size, variable, alignment)?;
            }
            Op::RestoreStack { mark } => return self.restore_stack(slots[at(mark)]),
            Op::Undefined { dst, known, bits } => {
                slots[at(dst)] = slots[at(known)];
                self.state.set_mark(self.thread, at(dst), slots[at(bits)]);
            }
            Op::ThreadLocal { dst, variable } => slots[at(dst)] = self.thread_local(variable)?,
            Op::Call { call } => {
                *fuel = fuel.checked_sub(1).ok_or_else(|| self.give_up(CutReason::Endless))?;
                return self.call(control, slots, call);
            }
            Op::CallIndirect { call } => {
                *fuel = fuel.checked_sub(1).ok_or_else(|| self.give_up(CutReason::Endless))?;
                return self.call_indirect(control, slots, call);
            }
            Op::Builtin { call } => {
                self.present = control.pc - 1;
                return self.builtin(control, slots, call);
            }
            Op::Return { value, words } => return self.ret(control, slots, value, words),
            Op::AtomicBegin => {
                self.begin_section(control.pc - 1)?;
            }
            Op::AtomicEnd => return self.end_section(),
            Op::LoopHead { head } => return self.loop_head(control, slots, head),
            // What was seen in rounds of before is of no interest to those that come.
            Op::LoopBegin { head } => self.begin_loop((head, control.depth)),
            Op::LoopEnter { counter } => slots[at(counter)] = 0,
            Op::LoopRound { counter } => {
                slots[at(counter)] += 1;
                if let Some(limit) = self.options.unroll
                    && slots[at(counter)] > u64::from(limit)
                {
                    return Err(self.give_up(CutReason::Unroll(limit)));
                }
            }
            Op::Fence { access } => {
                let thread = self.thread;
                self.state.race(|races, _| races.fence(thread, access));
            }
            Op::Trap { trap } => return Err(self.trap(trap)),
        }
        Ok(())
    }

    fn trap(&mut self, trap: u32) -> Outcome {
        match &self.code.traps[trap as usize] {
            Trap::Unreachable => self.fail(FailureKind::Unreachable),
            Trap::Overflow => self.fail(FailureKind::Overflow),
            Trap::Unsupported(what) => self.give_up(CutReason::Unsupported(what.clone())),
        }
    }

    #[inline(always)]
    fn jump(&mut self, control: &mut Control, to: u32, fuel: &mut u32) -> Step {
        if to < control.pc {
            *fuel = fuel.checked_sub(1).ok_or_else(|| self.give_up(CutReason::Endless))?;
        }
        control.pc = to;
        Ok(())
    }

    /// Whether more than one thread may be running.
    #[inline(always)]
    pub fn is_concurrent(&self) -> bool {
        self.state.cell(cells::UNJOINED) > 0
    }

    /// Comes before a visible operation: it is performed if there is a permit, or the thread stops here.
    #[inline(always)]
    pub fn gate(&mut self) -> Step {
        if self.atomic > 0 {
            return Ok(());
        }
        if self.permits == 0 {
            return Err(Outcome::Arrived);
        }
        self.permits -= 1;
        Ok(())
    }

    /// Comes after an operation that may have been visible.
    #[inline(always)]
    pub fn done(&mut self) -> Step {
        if self.permits == 0 && !self.committed && self.atomic == 0 && !self.awaiting {
            self.committed = true;
            let goes_on = self.joins && self.is_concurrent();
            if self.extent == Extent::Look && !goes_on {
                return Err(Outcome::Arrived);
            }
        }
        Ok(())
    }

    /// An operation that has to wait.
    pub fn wait(&mut self) -> Outcome {
        match self.permits == 0 && self.atomic == 0 && self.committed {
            true => Outcome::Arrived,
            false => Outcome::Blocked,
        }
    }

    fn begin_section(&mut self, pc: u32) -> Step {
        let thread = self.thread;
        if self.is_concurrent() {
            self.gate()?;
            if self.atomic == 0 && !self.code.sections[pc as usize].is_fixed {
                self.footprint.variation = Variation::Varying;
            }
            if self.state.races.is_on() {
                // Sections order what comes before and after them, so their own order matters.
                let sections = self.locations.sections();
                self.footprint.record(LocationId(sections), AccessKind::Write);
            }
            self.state.race(|races, _| races.acquire_section(thread));
            self.begin_assuming(pc);
        }
        self.atomic += 1;
        Ok(())
    }

    fn end_section(&mut self) -> Step {
        let thread = self.thread;
        self.atomic = self.atomic.saturating_sub(1);
        if self.atomic == 0 {
            self.section_assumes = false;
            self.state.race(|races, _| races.release_section(thread));
        }
        self.done()
    }

    /// Notes that the operation may have to wait.
    pub fn may_wait(&mut self, blocking: Blocking) {
        self.footprint.blocking = match self.atomic {
            0 => blocking,
            _ => Blocking::Guard,
        };
    }

    pub fn vary(&mut self) {
        self.footprint.variation = Variation::Varying;
    }

    pub fn fail(&mut self, kind: FailureKind) -> Outcome {
        *self.fault = Some(kind);
        Outcome::Failed
    }

    pub fn give_up(&mut self, reason: CutReason) -> Outcome {
        *self.cut = Some(reason);
        Outcome::Cut
    }
}

fn wide(slots: &[u64], at: usize) -> u128 {
    u128::from(slots[at]) | u128::from(slots[at + 1]) << 64
}

fn set_wide(slots: &mut [u64], at: usize, value: u128) {
    slots[at] = value as u64;
    slots[at + 1] = (value >> 64) as u64;
}
