//! The functions of the library, of pthreads and of the verification competition, by name.

use crate::arithmetic::{op, select, unary};
use crate::calls::Cleared;
use crate::facts::{Cell, ObjectKey};
use crate::layout::{Element, Kind, find};
use crate::memory::{Access, index};
use crate::refusal::{Done, Stop};
use crate::thread::{Next, Thread};
use crate::value::{Pointer, Value};
use selvedge_ir::{BinaryOp, CondvarRef, Expr, InstrKind, MutexRef, Type, UnaryOp};
use selvedge_llvm::inputs::{self, Input};
use selvedge_llvm::instruction::{BinaryOperator, Call, Instruction, Predicate};

/// What `EBUSY` and `ETIMEDOUT` are.
const BUSY: i64 = 16;
const TIMED_OUT: i64 = 110;

impl Thread<'_, '_> {
    pub fn argument(&mut self, call: &Call, number: usize) -> Done<Value> {
        match call.arguments.get(number) {
            Some(argument) => self.value(&argument.value),
            None => self.refuse("a call with too few arguments"),
        }
    }

    /// Translates a call of a function that is known by name.
    pub fn library(&mut self, instruction: &Instruction, call: &Call, name: &str) -> Done<Option<Next>> {
        let returns = |thread: &mut Self, value: i128| {
            let bits = thread.bits(call.result).unwrap_or(32);
            thread.result(instruction, Value::int(bits, value)).map(Some)
        };
        if self.is_wrong_call(call, name)? {
            return Ok(Some(self.undefined()));
        }
        match name {
            "__assert_fail" | "__assert" | "__assert_rtn" | "reach_error" | "__VERIFIER_error" => {
                Ok(Some(self.fail()))
            }
            "abort" if !self.run.options.only_errors => Ok(Some(self.fail())),
            "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" => Ok(Some(self.stop())),
            "__VERIFIER_assume" | "assume_abort_if_not" => {
                let condition = self.argument(call, 0)?;
                let bits = call.arguments.first().map_or(Ok(32), |argument| self.bits(argument.value.ty))?;
                let zero = Value::int(bits, 0);
                let holds = self.compare_numbers(Predicate::Ne, bits, &condition, &zero)?;
                if holds.known() != Some(1) {
                    let holds = match self.number(&holds, 1)?.expr {
                        // A literal stands for the end of the program.
                        Expr::Bool(false) => op(BinaryOp::Ne, Expr::Int(0), Expr::Int(0)),
                        holds => holds,
                    };
                    self.emit(InstrKind::Assume(holds));
                }
                Ok(Some(self.on()))
            }
            "__VERIFIER_atomic_begin" => {
                self.begin_section()?;
                Ok(Some(self.on()))
            }
            "__VERIFIER_atomic_end" => {
                self.end_section()?;
                Ok(Some(self.on()))
            }
            "malloc" => {
                let size = self.argument(call, 0)?;
                self.allocate(instruction, &size, Cleared::No).map(Some)
            }
            "calloc" => {
                let (count, size) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let size = self.binary(BinaryOperator::Mul, 64, &count, &size)?;
                self.allocate(instruction, &size, Cleared::Yes).map(Some)
            }
            "aligned_alloc" => self.allocate_aligned(instruction, call).map(Some),
            "strcpy" => self.copy_string(instruction, call).map(Some),
            "free" => self.free(instruction, call).map(Some),
            "printf"
            | "puts"
            | "putchar"
            | "fprintf"
            | "fflush"
            | "usleep"
            | "sleep"
            | "sched_yield"
            | "pthread_yield"
            | "srand"
            | "llvm.assume"
            | "llvm.donothing"
            | "llvm.stackrestore"
            | "perror"
            | "pthread_attr_init"
            | "pthread_attr_destroy"
            | "nanosleep"
            | "pthread_setconcurrency"
            | "llvm.stackrestore.p0" => returns(self, 0),
            "llvm.stacksave" | "llvm.stacksave.p0" => self.result(instruction, Value::null()).map(Some),
            "llvm.threadlocal.address.p0"
            | "llvm.threadlocal.address"
            | "llvm.expect.i64"
            | "llvm.expect.i1" => {
                let value = self.argument(call, 0)?;
                self.result(instruction, value).map(Some)
            }
            "rand" | "random" => {
                let value = Value::computed(32, self.choose_between(0, 1 << 31));
                self.result(instruction, value).map(Some)
            }
            _ => {
                if let Some(next) = self.threads(instruction, call, name)? {
                    return Ok(Some(next));
                }
                if let Some(next) = self.locks(instruction, call, name)? {
                    return Ok(Some(next));
                }
                if let Some(input) = inputs::input(name) {
                    return self.input(instruction, call, input).map(Some);
                }
                self.intrinsic(instruction, call, name)
            }
        }
    }

    fn input(&mut self, instruction: &Instruction, call: &Call, input: Input) -> Done<Next> {
        let bits = match input {
            Input::Float | Input::Pointer => return self.refuse("an input that is no integer"),
            Input::Bool | Input::Signed | Input::Unsigned => self.bits(call.result)?,
        };
        let value = match input {
            Input::Bool if bits > 1 => Value::bounded(bits, self.choose_between(0, 2), 0, 1),
            _ => Value::computed(bits, self.choose(bits)?),
        };
        self.result(instruction, value)
    }

    /// Functions of the compiler.
    fn intrinsic(&mut self, instruction: &Instruction, call: &Call, name: &str) -> Done<Option<Next>> {
        let Some(rest) = name.strip_prefix("llvm.") else {
            return match name {
                "memcpy" | "memmove" => self.copy(call, name == "memmove").map(Some),
                "memset" => self.set(call).map(Some),
                _ => Ok(None),
            };
        };
        let kind = rest.split('.').next().unwrap_or("");
        match kind {
            "memcpy" | "memmove" => return self.copy(call, kind == "memmove").map(Some),
            "memset" => return self.set(call).map(Some),
            "experimental" | "annotation" | "invariant" => return Ok(Some(self.on())),
            _ => {}
        }
        let predicate = match kind {
            "smax" => Predicate::Sgt,
            "smin" => Predicate::Slt,
            "umax" => Predicate::Ugt,
            "umin" => Predicate::Ult,
            _ => return self.refuse(format!("a call of `{name}`")),
        };
        let bits = self.bits(call.result)?;
        let (a, b) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let (a, b) = (Value::of(self.number(&a, bits)?), Value::of(self.number(&b, bits)?));
        let is_a = self.compare_numbers(predicate, bits, &a, &b)?;
        let is_a = self.number(&is_a, 1)?.expr;
        let (a, b) = (self.number(&a, bits)?, self.number(&b, bits)?);
        let value = Value::computed(bits, select(is_a, a.expr, b.expr));
        self.result(instruction, value).map(Some)
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

    fn locks(&mut self, instruction: &Instruction, call: &Call, name: &str) -> Done<Option<Next>> {
        let zero = |thread: &mut Self| thread.result(instruction, Value::int(32, 0)).map(Some);
        let number = |value: i64| move |_: Expr| Expr::Int(value);
        let is = |operator: BinaryOp, value: i64| move |old: Expr| op(operator, old, Expr::Int(value));
        let plus = |value: i64| move |old: Expr| op(BinaryOp::Add, old, Expr::Int(value));
        if !self.state.destroyed.is_empty() && !call.arguments.is_empty() {
            let address = self.argument(call, 0)?;
            if self.uses_destroyed(&address, name)? {
                return Ok(Some(self.undefined()));
            }
        }
        match name {
            "pthread_mutex_init" => {
                if self.argument(call, 1)? != Value::null() {
                    return self.refuse("a mutex with attributes");
                }
                let address = self.argument(call, 0)?;
                self.mutex(&address)?;
                self.forget_destroyed(&address)?;
            }
            "pthread_mutex_lock" | "pthread_mutex_unlock" | "pthread_mutex_trylock" => {
                let address = self.argument(call, 0)?;
                let mutex = self.mutex(&address)?;
                if self.is_destroyed(&address)? {
                    return Ok(Some(self.undefined()));
                }
                match name {
                    "pthread_mutex_lock" => self.emit(InstrKind::Lock(mutex)),
                    "pthread_mutex_unlock" => self.emit(InstrKind::Unlock(mutex)),
                    _ => {
                        let taken = self.step_register(Type::Bool);
                        self.emit(InstrKind::TryLock { result: Some(taken), mutex });
                        let value = select(Expr::Register(taken), Expr::Int(0), Expr::Int(BUSY));
                        return self.result(instruction, Value::bounded(32, value, 0, BUSY.into())).map(Some);
                    }
                }
            }
            "pthread_mutex_destroy" if !self.run.options.only_errors => {
                let address = self.argument(call, 0)?;
                let mutex = self.mutex(&address)?;
                if self.is_destroyed(&address)? {
                    return Ok(Some(self.undefined()));
                }
                self.destroy(&address, mutex)?;
            }
            "pthread_mutex_destroy" => {}
            "pthread_cond_destroy" | "sem_destroy" | "pthread_rwlock_destroy" | "pthread_spin_destroy" => {
                let address = self.argument(call, 0)?;
                if !self.destroy_other(&address, name)? {
                    return Ok(Some(self.undefined()));
                }
            }
            "pthread_cond_init" => {
                let address = self.argument(call, 0)?;
                self.condvar(&address)?;
            }
            "pthread_cond_signal" | "pthread_cond_broadcast" => {
                let address = self.argument(call, 0)?;
                let condvar = self.condvar(&address)?;
                if self.state.section.is_some() {
                    return self.refuse("a signal in an atomic section");
                }
                self.emit(match name {
                    "pthread_cond_signal" => InstrKind::Signal(condvar),
                    _ => InstrKind::Broadcast(condvar),
                });
            }
            "pthread_cond_wait" => {
                return self.wait(instruction, call, self.run.options.spurious_wakeups, 0).map(Some);
            }
            "pthread_cond_timedwait" if !self.run.options.only_errors => {
                return self.refuse("waiting for a signal for some time only");
            }
            "pthread_cond_timedwait" => return self.wait(instruction, call, true, TIMED_OUT).map(Some),
            "sem_init" => {
                let (address, value) = (self.argument(call, 0)?, self.argument(call, 2)?);
                let access = self.counter(&address)?;
                self.store_access(&access, value)?;
            }
            "pthread_rwlock_init" | "pthread_spin_init" => {
                let address = self.argument(call, 0)?;
                let access = self.counter(&address)?;
                self.store_access(&access, Value::int(32, 0))?;
            }
            "sem_wait" => {
                let access = self.counter_of(call)?;
                self.change_counter(&access, Some(&is(BinaryOp::Gt, 0)), None, &plus(-1))?;
            }
            "sem_trywait"
            | "pthread_spin_trylock"
            | "pthread_rwlock_trywrlock"
            | "pthread_rwlock_tryrdlock" => {
                return self.try_counter(instruction, call, name).map(Some);
            }
            "sem_post" => {
                let access = self.counter_of(call)?;
                self.change_counter(&access, None, None, &plus(1))?;
            }
            "pthread_spin_lock" | "pthread_rwlock_wrlock" => {
                let access = self.counter_of(call)?;
                let value = if name == "pthread_spin_lock" { self.mark() } else { -self.mark() };
                self.change_counter(&access, Some(&is(BinaryOp::Eq, 0)), None, &number(value))?;
            }
            "pthread_spin_unlock" => {
                let access = self.counter_of(call)?;
                let is_own = is(BinaryOp::Eq, self.mark());
                self.change_counter(&access, None, Some(&is_own), &number(0))?;
            }
            "pthread_rwlock_rdlock" => {
                let access = self.counter_of(call)?;
                let cell = self.lock_cell(&access)?;
                self.change_counter(&access, Some(&is(BinaryOp::Ge, 0)), None, &plus(1))?;
                *self.state.reads.entry(cell).or_default() += 1;
            }
            "pthread_rwlock_unlock" => {
                let access = self.counter_of(call)?;
                if self.end_reading(&access)? {
                    self.change_counter(&access, None, Some(&is(BinaryOp::Gt, 0)), &plus(-1))?;
                } else {
                    let is_own = is(BinaryOp::Eq, -self.mark());
                    self.change_counter(&access, None, Some(&is_own), &number(0))?;
                }
            }
            "pthread_barrier_init" => self.make_barrier(call)?,
            "pthread_barrier_destroy" => {
                if self.may_others_run() {
                    return self.refuse("a barrier that is destroyed when other threads may use it");
                }
                self.state.has_destroyed = true;
            }
            "pthread_barrier_wait" => {
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
                return self.result(instruction, Value::Foreign).map(Some);
            }
            _ => return Ok(None),
        }
        zero(self)
    }

    /// Changes a counter if that needs no waiting, in one step.
    fn try_counter(&mut self, instruction: &Instruction, call: &Call, name: &str) -> Done<Next> {
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
        let (free, new, failure) = match name {
            "sem_trywait" => (
                op(BinaryOp::Gt, old.clone(), Expr::Int(0)),
                op(BinaryOp::Sub, old.clone(), Expr::Int(1)),
                -1,
            ),
            "pthread_rwlock_tryrdlock" => (
                op(BinaryOp::Ge, old.clone(), Expr::Int(0)),
                op(BinaryOp::Add, old.clone(), Expr::Int(1)),
                BUSY,
            ),
            "pthread_spin_trylock" => {
                (op(BinaryOp::Eq, old.clone(), Expr::Int(0)), Expr::Int(self.mark()), BUSY)
            }
            _ => (op(BinaryOp::Eq, old.clone(), Expr::Int(0)), Expr::Int(-self.mark()), BUSY),
        };
        self.store_access(&access, Value::computed(32, select(free.clone(), new, old)))?;
        self.end_section()?;
        if name == "pthread_rwlock_tryrdlock" {
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
    fn wait(&mut self, instruction: &Instruction, call: &Call, spurious: bool, result: i64) -> Done<Next> {
        if self.state.section.is_some() {
            return self.refuse("waiting for a signal in an atomic section");
        }
        let (condvar, mutex) = (self.argument(call, 0)?, self.argument(call, 1)?);
        if self.is_destroyed(&mutex)? {
            return Ok(self.undefined());
        }
        let (condvar, mutex) = (self.condvar(&condvar)?, self.mutex(&mutex)?);
        if !spurious {
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
