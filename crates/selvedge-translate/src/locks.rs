//! Mutexes, condition variables and barriers.

use crate::arithmetic::{select, unary};
use crate::facts::{Cell, ObjectKey};
use crate::layout::{Element, Kind, find};
use crate::memory::{Access, index};
use crate::refusal::{Done, Stop};
use crate::thread::{Next, Thread};
use crate::value::{Pointer, Value};
use selvedge_code::Builtin;
use selvedge_ir::{CondvarRef, Expr, InstrKind, MutexRef, Type, UnaryOp};
use selvedge_llvm::instruction::{Call, Instruction};

/// What `EBUSY` and `ETIMEDOUT` are.
pub(crate) const BUSY: i64 = 16;
const TIMED_OUT: i64 = 110;

/// How a wait may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wakeups {
    /// By a signal.
    Signalled,
    /// Also without one.
    AlsoSpurious,
}

impl Thread<'_, '_> {
    /// Translates a call of a function for locks that block or wake up threads.
    pub fn locks(&mut self, instruction: &Instruction, call: &Call, builtin: Builtin) -> Done<Option<Next>> {
        match builtin {
            Builtin::MutexInit => self.initialise_mutex(call)?,
            Builtin::MutexLock | Builtin::MutexUnlock | Builtin::MutexTryLock => {
                return self.use_mutex(instruction, call, builtin).map(Some);
            }
            Builtin::MutexDestroy if self.run.options.only_errors => {}
            Builtin::MutexDestroy => {
                let address = self.argument(call, 0)?;
                let mutex = self.mutex(&address)?;
                if self.is_destroyed(&address)? {
                    return Ok(Some(self.undefined()));
                }
                self.destroy(&address, mutex)?;
            }
            Builtin::CondDestroy => {
                if !self.destroy_other(call, builtin)? {
                    return Ok(Some(self.undefined()));
                }
            }
            Builtin::CondInit => {
                let address = self.argument(call, 0)?;
                self.condvar(&address)?;
            }
            Builtin::CondSignal | Builtin::CondBroadcast => self.signal(call, builtin)?,
            Builtin::CondWait => {
                let wakeups = match self.run.options.spurious_wakeups {
                    true => Wakeups::AlsoSpurious,
                    false => Wakeups::Signalled,
                };
                return self.wait(instruction, call, wakeups, 0).map(Some);
            }
            Builtin::CondTimedWait if !self.run.options.only_errors => {
                return self.refuse("waiting for a signal for some time only");
            }
            Builtin::CondTimedWait => {
                return self.wait(instruction, call, Wakeups::AlsoSpurious, TIMED_OUT).map(Some);
            }
            Builtin::BarrierInit => self.make_barrier(call)?,
            Builtin::BarrierDestroy if self.may_others_run() => {
                return self.refuse("a barrier that is destroyed when other threads may use it");
            }
            Builtin::BarrierDestroy => self.state.has_destroyed = true,
            Builtin::BarrierWait => return self.wait_at_barrier(instruction, call).map(Some),
            _ => return Ok(None),
        }
        self.result(instruction, Value::int(32, 0)).map(Some)
    }

    fn initialise_mutex(&mut self, call: &Call) -> Done {
        if self.argument(call, 1)? != Value::null() {
            return self.refuse("a mutex with attributes");
        }
        let address = self.argument(call, 0)?;
        self.mutex(&address)?;
        self.forget_destroyed(&address)
    }

    fn use_mutex(&mut self, instruction: &Instruction, call: &Call, builtin: Builtin) -> Done<Next> {
        let address = self.argument(call, 0)?;
        let mutex = self.mutex(&address)?;
        if self.is_destroyed(&address)? {
            return Ok(self.undefined());
        }
        match builtin {
            Builtin::MutexLock => self.emit(InstrKind::Lock(mutex)),
            Builtin::MutexUnlock => self.emit(InstrKind::Unlock(mutex)),
            _ => {
                let taken = self.step_register(Type::Bool);
                self.emit(InstrKind::TryLock { result: Some(taken), mutex });
                let value = select(Expr::Register(taken), Expr::Int(0), Expr::Int(BUSY));
                return self.result(instruction, Value::bounded(32, value, 0, BUSY.into()));
            }
        }
        self.result(instruction, Value::int(32, 0))
    }

    fn signal(&mut self, call: &Call, builtin: Builtin) -> Done {
        let address = self.argument(call, 0)?;
        let condvar = self.condvar(&address)?;
        if self.state.section.is_some() {
            return self.refuse("a signal in an atomic section");
        }
        self.emit(match builtin {
            Builtin::CondSignal => InstrKind::Signal(condvar),
            _ => InstrKind::Broadcast(condvar),
        });
        Ok(())
    }

    /// A lock at an address. Where a type does not tell that there is one, its use does.
    pub(crate) fn lock_access(&mut self, address: &Value, kind: Kind) -> Done<Access> {
        if let Value::Pointer(Pointer { object: Some(object), constant, terms }) = address
            && terms.is_empty()
            && *constant >= 0
        {
            let leaves = self.run.leaves(*object);
            let is_known =
                find(&leaves, &Pointer { object: Some(*object), constant: *constant, terms: Vec::new() })
                    .is_some_and(|spot| leaves[spot.leaf].kind == kind);
            if !is_known && self.run.facts.locks.entry(*object).or_default().insert((*constant as u64, kind))
            {
                self.run.facts.is_new = true;
                return Err(Stop::Restart);
            }
        }
        self.access(address)
    }

    /// Notes that a mutex or condition variable is taken for initialised, where it might not be.
    fn note_uninitialised_lock(&mut self, access: &Access) {
        let object = access.leaf.0;
        if matches!(object, ObjectKey::Local(..)) && !self.run.facts.cleared.contains(&object) {
            self.run.has_arbitrary_values = true;
        }
    }

    /// A mutex at an address.
    fn mutex(&mut self, address: &Value) -> Done<MutexRef> {
        let access = self.lock_access(address, Kind::Mutex)?;
        self.note_uninitialised_lock(&access);
        match access.kind {
            Kind::Mutex if !self.run.has_ordinary_mutexes(access.leaf) => {
                self.refuse("a mutex that is not of the ordinary kind")
            }
            Kind::Mutex => Ok(MutexRef { mutex: self.run.mutex(access.leaf), index: index(&access.element) }),
            _ => self.refuse("a mutex that is no variable of that type"),
        }
    }

    fn condvar(&mut self, address: &Value) -> Done<CondvarRef> {
        let access = self.lock_access(address, Kind::Condvar)?;
        self.note_uninitialised_lock(&access);
        match access.kind {
            Kind::Condvar => {
                Ok(CondvarRef { condvar: self.run.condvar(access.leaf), index: index(&access.element) })
            }
            _ => self.refuse("a condition variable that is no variable of that type"),
        }
    }

    fn wait_at_barrier(&mut self, instruction: &Instruction, call: &Call) -> Done<Next> {
        if self.state.has_destroyed {
            return self.refuse("waiting at a barrier after one was destroyed");
        }
        let address = self.argument(call, 0)?;
        let access = self.access(&address)?;
        let Element::Known(element) = access.element else {
            return self.refuse("a computed barrier");
        };
        let Some(&(barrier, _)) = self.run.barriers.get(&Cell { leaf: access.leaf, element }) else {
            return self.refuse("a barrier that main did not initialise before");
        };
        self.emit(InstrKind::BarrierWait(barrier));
        self.result(instruction, Value::Foreign)
    }

    fn make_barrier(&mut self, call: &Call) -> Done {
        if self.state.spawned {
            return self.refuse("a barrier that is initialised when other threads may use it");
        }
        let (address, width) = (self.argument(call, 0)?, self.argument(call, 2)?);
        let access = self.access(&address)?;
        let (Element::Known(element), Kind::Barrier) = (access.element, access.kind) else {
            return self.refuse("a barrier that is no variable of that type");
        };
        let Some(width) = width.known().filter(|width| *width > 0) else {
            return self.refuse("a barrier for a number of threads that is computed");
        };
        let cell = Cell { leaf: access.leaf, element };
        match self.run.barriers.get(&cell) {
            Some(&(_, known)) if i64::from(known) != width => {
                self.refuse("a barrier that is initialised twice")
            }
            Some(_) => Ok(()),
            None => {
                self.run.add_barrier(cell, width as u32);
                Ok(())
            }
        }
    }

    /// Waits for a signal, or, if that may happen without one, only lets others in.
    fn wait(&mut self, instruction: &Instruction, call: &Call, wakeups: Wakeups, result: i64) -> Done<Next> {
        if self.state.section.is_some() {
            return self.refuse("waiting for a signal in an atomic section");
        }
        let (condvar, mutex) = (self.argument(call, 0)?, self.argument(call, 1)?);
        if self.is_destroyed(&mutex)? {
            return Ok(self.undefined());
        }
        let (condvar, mutex) = (self.condvar(&condvar)?, self.mutex(&mutex)?);
        if wakeups == Wakeups::Signalled {
            self.emit(InstrKind::Wait { condvar, mutex });
            return self.result(instruction, Value::int(32, 0));
        }
        let wakes = self.choose_between(0, 2);
        let wakes = unary(UnaryOp::ToBool, wakes);
        let span = self.span();
        let (early, signalled, after) = (self.residual.block(), self.residual.block(), self.residual.block());
        let branch = selvedge_ir::TerminatorKind::Branch {
            condition: wakes.clone(),
            then: early,
            otherwise: signalled,
        };
        self.residual.end(branch, span);
        self.residual.at = early;
        self.emit(InstrKind::Unlock(mutex.clone()));
        self.emit(InstrKind::Lock(mutex.clone()));
        self.residual.end(selvedge_ir::TerminatorKind::Goto(after), span);
        self.residual.at = signalled;
        self.emit(InstrKind::Wait { condvar, mutex });
        self.residual.end(selvedge_ir::TerminatorKind::Goto(after), span);
        self.residual.at = after;
        let value = match result {
            0 => Value::int(32, 0),
            result => Value::bounded(32, select(wakes, Expr::Int(result), Expr::Int(0)), 0, result.into()),
        };
        self.result(instruction, value)
    }
}
