//! Locks, semaphores and condition variables that were destroyed, and memory with an alignment: uses of the library that are wrong in part.

use crate::arithmetic::op;
use crate::calls::Cleared;
use crate::facts::Cell;
use crate::layout::{Element, Kind};
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::Value;
use selvedge_code::Builtin;
use selvedge_ir::{BinaryOp, Expr, InstrKind, MutexRef, Type};
use selvedge_llvm::instruction::{Call, Instruction};

impl Thread<'_, '_> {
    /// Destroys a mutex: nobody may hold it, and no other thread may use it any more.
    pub fn destroy(&mut self, address: &Value, mutex: MutexRef) -> Done {
        if self.may_others_run() {
            return self.refuse("a mutex that is destroyed when other threads may use it");
        }
        let cell = self.mutex_cell(address)?;
        let is_free = self.step_register(Type::Bool);
        self.emit(InstrKind::TryLock { result: Some(is_free), mutex: mutex.clone() });
        self.demand(Expr::Register(is_free));
        self.emit(InstrKind::Unlock(mutex));
        self.state.destroyed.insert(cell);
        Ok(())
    }

    /// Destroys a spinlock, a reader-writer lock, a semaphore or a condition variable: no other thread may use it any more, and locks must be free.
    pub fn destroy_other(&mut self, call: &Call, builtin: Builtin) -> Done<bool> {
        if self.run.options.only_errors {
            return Ok(true);
        }
        if self.may_others_run() {
            return self
                .refuse("a lock or condition variable that is destroyed when other threads may use it");
        }
        let address = self.argument(call, 0)?;
        let cell = self.destroyable(&address, builtin)?;
        if !self.state.destroyed.insert(cell) {
            return Ok(false);
        }
        if matches!(builtin, Builtin::SpinDestroy | Builtin::RwDestroy) {
            let access = self.access(&address)?;
            let register = self.fresh_local();
            let value = self.load_access(&access, register)?;
            let value = self.number(&value, 32)?;
            self.demand(op(BinaryOp::Eq, value.expr, Expr::Int(0)));
        }
        Ok(true)
    }

    /// Whether a function uses something that was destroyed; to initialise it makes it new.
    pub fn uses_destroyed(&mut self, call: &Call, builtin: Builtin) -> Done<bool> {
        use Builtin::*;
        let initialises = matches!(builtin, SemInit | RwInit | SpinInit | CondInit);
        let uses = matches!(
            builtin,
            SemWait
                | SemTryWait
                | SemTimedWait
                | SemPost
                | SemGetValue
                | RwReadLock
                | RwWriteLock
                | RwTryReadLock
                | RwTryWriteLock
                | RwTimedReadLock
                | RwTimedWriteLock
                | RwUnlock
                | SpinLock
                | SpinTryLock
                | SpinUnlock
                | CondWait
                | CondTimedWait
                | CondSignal
                | CondBroadcast
        );
        if self.state.destroyed.is_empty() || !initialises && !uses {
            return Ok(false);
        }
        let address = self.argument(call, 0)?;
        let cell = self.destroyable(&address, builtin)?;
        if initialises {
            self.state.destroyed.remove(&cell);
        }
        Ok(uses && self.state.destroyed.contains(&cell))
    }

    /// The cell of what a function of the library is for.
    fn destroyable(&mut self, address: &Value, builtin: Builtin) -> Done<Cell> {
        use Builtin::{CondBroadcast, CondDestroy, CondInit, CondSignal, CondTimedWait, CondWait};
        let access = match builtin {
            CondInit | CondDestroy | CondWait | CondTimedWait | CondSignal | CondBroadcast => {
                self.lock_access(address, Kind::Condvar)?
            }
            _ => self.access(address)?,
        };
        match access.element {
            Element::Known(element) => Ok(Cell { leaf: access.leaf, element }),
            Element::Computed(_) => self.refuse("a lock with a computed index where one was destroyed"),
        }
    }

    /// Whether a mutex was destroyed.
    pub fn is_destroyed(&mut self, address: &Value) -> Done<bool> {
        if self.state.destroyed.is_empty() {
            return Ok(false);
        }
        let cell = self.mutex_cell(address)?;
        Ok(self.state.destroyed.contains(&cell))
    }

    /// Notes that a mutex is initialised again.
    pub fn forget_destroyed(&mut self, address: &Value) -> Done {
        if self.is_destroyed(address)? {
            let cell = self.mutex_cell(address)?;
            self.state.destroyed.remove(&cell);
        }
        Ok(())
    }

    fn mutex_cell(&mut self, address: &Value) -> Done<Cell> {
        let access = self.lock_access(address, Kind::Mutex)?;
        match access.element {
            Element::Known(element) => Ok(Cell { leaf: access.leaf, element }),
            Element::Computed(_) => self.refuse("a mutex with a computed index where one was destroyed"),
        }
    }

    /// `aligned_alloc`: none if the alignment is no power of two, as C says since 2017, whatever the size.
    pub fn allocate_aligned(&mut self, instruction: &Instruction, call: &Call) -> Done<Next> {
        let (alignment, size) = (self.argument(call, 0)?, self.argument(call, 1)?);
        match alignment.known() {
            Some(alignment) if (alignment as u64).is_power_of_two() => {
                self.allocate(instruction, &size, Cleared::No)
            }
            Some(_) => self.result(instruction, Value::null()),
            None => self.refuse("an alignment that is computed"),
        }
    }
}
