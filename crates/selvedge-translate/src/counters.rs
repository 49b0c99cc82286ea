//! Locks that are counters in the translation: semaphores, reader-writer locks and spin locks.

use crate::arithmetic::{op, select};
use crate::facts::Cell;
use crate::layout::{Element, Kind};
use crate::locks::BUSY;
use crate::memory::Access;
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::Value;
use selvedge_code::Builtin;
use selvedge_ir::{BinaryOp, Expr, InstrKind, Type};
use selvedge_llvm::instruction::{Call, Instruction};

impl Thread<'_, '_> {
    /// Translates a call of a function for locks that count.
    pub fn counters(
        &mut self,
        instruction: &Instruction,
        call: &Call,
        builtin: Builtin,
    ) -> Done<Option<Next>> {
        let number = |value: i64| move |_: Expr| Expr::Int(value);
        let is = |operator: BinaryOp, value: i64| move |old: Expr| op(operator, old, Expr::Int(value));
        let plus = |value: i64| move |old: Expr| op(BinaryOp::Add, old, Expr::Int(value));
        match builtin {
            Builtin::SemDestroy | Builtin::RwDestroy | Builtin::SpinDestroy => {
                if !self.destroy_other(call, builtin)? {
                    return Ok(Some(self.undefined()));
                }
            }
            Builtin::SemInit => {
                let (address, value) = (self.argument(call, 0)?, self.argument(call, 2)?);
                let access = self.counter(&address)?;
                self.store_access(&access, value)?;
            }
            Builtin::RwInit | Builtin::SpinInit => {
                let address = self.argument(call, 0)?;
                let access = self.counter(&address)?;
                self.store_access(&access, Value::int(32, 0))?;
            }
            Builtin::SemWait => {
                let access = self.counter_of(call)?;
                self.change_counter(&access, Some(&is(BinaryOp::Gt, 0)), None, &plus(-1))?;
            }
            Builtin::SemTryWait | Builtin::SpinTryLock | Builtin::RwTryWriteLock | Builtin::RwTryReadLock => {
                return self.try_counter(instruction, call, builtin).map(Some);
            }
            Builtin::SemPost => {
                let access = self.counter_of(call)?;
                self.change_counter(&access, None, None, &plus(1))?;
            }
            Builtin::SpinLock | Builtin::RwWriteLock => {
                let access = self.counter_of(call)?;
                let value = if builtin == Builtin::SpinLock { self.mark() } else { -self.mark() };
                self.change_counter(&access, Some(&is(BinaryOp::Eq, 0)), None, &number(value))?;
            }
            Builtin::SpinUnlock => {
                let access = self.counter_of(call)?;
                let is_own = is(BinaryOp::Eq, self.mark());
                self.change_counter(&access, None, Some(&is_own), &number(0))?;
            }
            Builtin::RwReadLock => {
                let access = self.counter_of(call)?;
                let cell = self.lock_cell(&access)?;
                self.change_counter(&access, Some(&is(BinaryOp::Ge, 0)), None, &plus(1))?;
                *self.state.reads.entry(cell).or_default() += 1;
            }
            Builtin::RwUnlock => {
                let access = self.counter_of(call)?;
                if self.end_reading(&access)? {
                    self.change_counter(&access, None, Some(&is(BinaryOp::Gt, 0)), &plus(-1))?;
                } else {
                    let is_own = is(BinaryOp::Eq, -self.mark());
                    self.change_counter(&access, None, Some(&is_own), &number(0))?;
                }
            }
            _ => return Ok(None),
        }
        self.result(instruction, Value::int(32, 0)).map(Some)
    }

    /// A counter at an address: it is changed when the program runs.
    fn counter(&mut self, address: &Value) -> Done<Access> {
        let access = self.access(address)?;
        match access.kind {
            Kind::Counter => Ok(access),
            Kind::Int if access.bits == 32 => Ok(access),
            _ => self.refuse("a semaphore or lock that is no variable of that type"),
        }
    }

    /// Waits until a condition on a counter holds, demands another, and changes it, in one step.
    fn change_counter(
        &mut self,
        access: &Access,
        until: Option<&dyn Fn(Expr) -> Expr>,
        demanded: Option<&dyn Fn(Expr) -> Expr>,
        new: &dyn Fn(Expr) -> Expr,
    ) -> Done {
        self.begin_section()?;
        let register = self.fresh_local();
        let old = self.load_access(access, register)?;
        let old = self.number(&old, 32)?;
        if let Some(until) = until {
            self.emit(InstrKind::Await(until(old.expr.clone())));
        }
        if let Some(demanded) = demanded {
            self.demand(demanded(old.expr.clone()));
        }
        self.store_access(access, Value::computed(32, new(old.expr)))?;
        self.end_section()
    }

    /// Changes a counter if that needs no waiting, in one step.
    fn try_counter(&mut self, instruction: &Instruction, call: &Call, builtin: Builtin) -> Done<Next> {
        let access = self.counter_of(call)?;
        self.begin_section()?;
        let register = self.fresh_local();
        let old = self.load_access(&access, register)?;
        let old = {
            let number = self.number(&old, 32)?;
            let register = self.step_register(Type::Int);
            self.assign(register, number.expr);
            Expr::Register(register)
        };
        let (free, new, failure) = match builtin {
            Builtin::SemTryWait => (
                op(BinaryOp::Gt, old.clone(), Expr::Int(0)),
                op(BinaryOp::Sub, old.clone(), Expr::Int(1)),
                -1,
            ),
            Builtin::RwTryReadLock => (
                op(BinaryOp::Ge, old.clone(), Expr::Int(0)),
                op(BinaryOp::Add, old.clone(), Expr::Int(1)),
                BUSY,
            ),
            Builtin::SpinTryLock => {
                (op(BinaryOp::Eq, old.clone(), Expr::Int(0)), Expr::Int(self.mark()), BUSY)
            }
            _ => (op(BinaryOp::Eq, old.clone(), Expr::Int(0)), Expr::Int(-self.mark()), BUSY),
        };
        self.store_access(&access, Value::computed(32, select(free.clone(), new, old)))?;
        self.end_section()?;
        if builtin == Builtin::RwTryReadLock {
            // Whether the thread reads is known on either way.
            let (cell, before) = (self.lock_cell(&access)?, self.state.reads.clone());
            *self.state.reads.entry(cell).or_default() += 1;
            self.fork(free, Value::int(32, 0));
            self.state.reads = before;
            return self.result(instruction, Value::int(32, failure.into()));
        }
        self.result(instruction, Value::computed(32, select(free, Expr::Int(0), Expr::Int(failure))))
    }

    /// What a spinlock holds while this thread has it; a reader-writer lock that is written, the negation.
    fn mark(&self) -> i64 {
        i64::from(self.number) + 1
    }

    /// The cell of a reader-writer lock.
    fn lock_cell(&self, access: &Access) -> Done<Cell> {
        match access.element {
            Element::Known(element) => Ok(Cell { leaf: access.leaf, element }),
            Element::Computed(_) => self.refuse("a reader-writer lock with a computed index"),
        }
    }

    /// Whether the thread holds a lock for reading, which it then does once less.
    fn end_reading(&mut self, access: &Access) -> Done<bool> {
        let cell = self.lock_cell(access)?;
        let Some(reads) = self.state.reads.remove(&cell) else { return Ok(false) };
        if reads > 1 {
            self.state.reads.insert(cell, reads - 1);
        }
        Ok(true)
    }

    fn counter_of(&mut self, call: &Call) -> Done<Access> {
        let address = self.argument(call, 0)?;
        self.counter(&address)
    }
}
