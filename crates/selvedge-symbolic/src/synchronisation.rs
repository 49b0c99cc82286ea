//! Mutexes, condition variables, barriers, threads and choices on terms.

use crate::path::{Path, Pin};
use crate::system::{Condition, Place, Target, Woken};
use crate::translate::{Done, End, Flow, Translator};
use selvedge_interp::code::{Op, Slot};
use selvedge_interp::{Content, FailureKind};
use selvedge_smt::{Node, Sort, Term, Variable};

/// Elements up to which a computed mutex or thread is looked up one by one.
const MOST_CASES: u32 = 64;
/// Mutexes up to which a place knows which of them was chosen, and choices that it knows of.
const MOST_PINNED: u32 = 8;
const MOST_PINS: usize = 2;

/// What an index chooses from: so many numbers from the first on.
#[derive(Clone, Copy)]
struct Numbers {
    first: u32,
    length: u32,
    are_mutexes: bool,
}

impl Translator<'_> {
    pub(crate) fn synchronise(&mut self, op: Op, path: &mut Path) -> Done {
        match op {
            Op::CellAt { dst, array, index } => self.cell_at(path, array, index, dst),
            Op::ThreadAt { dst, family, index } => self.thread_at(path, family, index, dst),
            Op::Lock { cell } => {
                let cell = self.known(path, cell)?;
                Ok(self.lock(path, cell))
            }
            Op::Unlock { cell } => {
                let cell = self.known(path, cell)?;
                path.stand.pins.retain(|_, pin| pin.mutex != cell);
                Ok(self.release(path, cell, FailureKind::UnlockNotHeld))
            }
            Op::TryLock { dst, cell } => {
                let cell = self.known(path, cell)?;
                Ok(self.try_lock(path, cell, dst))
            }
            Op::BeginWait { condvar, mutex } => {
                let (condvar, mutex) = (self.known(path, condvar)?, self.known(path, mutex)?);
                Ok(self.begin_wait(path, condvar, mutex))
            }
            Op::EndWait { mutex } => Ok(self.end_wait(path, mutex)),
            Op::Signal { condvar } => {
                let condvar = self.known(path, condvar)?;
                Ok(self.signal(path, condvar))
            }
            Op::Broadcast { condvar } => {
                let condvar = self.known(path, condvar)?;
                path.synchronises = true;
                self.wake_all(path, condvar);
                Ok(Flow::On)
            }
            Op::Arrive { barrier, round } => Ok(self.arrive(path, barrier, round)),
            Op::Pass { .. } => Ok(self.woken(path)),
            Op::Spawn { thread } => {
                let thread = self.known(path, thread)?;
                Ok(self.spawn(path, thread as usize))
            }
            Op::Join { thread } => {
                let thread = self.known(path, thread)? as usize;
                path.synchronises = true;
                let mut other = path.clone();
                other.conditions.push(Condition::NotEnded(thread));
                self.end(&other, End::Target(Target::Blocked));
                path.conditions.push(Condition::Ended(thread));
                Ok(Flow::On)
            }
            Op::AwaitAll => {
                path.synchronises = true;
                let mut other = path.clone();
                other.conditions.push(Condition::NotAllEnded);
                self.end(&other, End::Target(Target::Blocked));
                path.conditions.push(Condition::AllEnded);
                Ok(Flow::On)
            }
            Op::Choose { dst, low, high } => Ok(self.choose(path, dst, low, high)),
            _ => self.unsupported("an operation that has no translation"),
        }
    }

    /// The number in a slot, which paths have been divided by before.
    fn known(&mut self, path: &Path, slot: Slot) -> Result<u32, crate::Unsupported> {
        let term = self.get(path, slot);
        match self.terms.as_int(term) {
            Some(value) => Ok(value as u32),
            None => self.unsupported("a mutex, condition variable or thread that is not known"),
        }
    }

    /// Divides a path by the value of an index.
    fn each(&mut self, path: &mut Path, index: Slot, dst: Slot, all: Numbers) -> Done {
        let Numbers { first, length, are_mutexes } = all;
        let index = self.get(path, index);
        if self.in_range(path, index, length) == Flow::Over {
            return Ok(Flow::Over);
        }
        if let Some(value) = self.terms.as_int(index) {
            let cell = self.terms.int(i128::from(first) + value);
            self.set(path, dst, cell);
            path.known.insert(dst);
            return Ok(Flow::On);
        }
        if length > MOST_CASES {
            return self
                .unsupported(format!("a computed index into more than {MOST_CASES} mutexes or threads"));
        }
        let chooser = self.chooser(path, index, length).filter(|_| are_mutexes);
        for number in 0..length {
            let (value, cell) = (self.terms.int(number), self.terms.int(first + number));
            let is_it = self.terms.eq(index, value);
            self.also(path, is_it, |this, path| {
                this.set(path, dst, cell);
                path.known.insert(dst);
                if let Some(variable) = chooser {
                    path.store.insert(variable, value);
                    path.stand.pins.insert(variable, Pin { value, mutex: first + number });
                }
            });
        }
        Ok(Flow::Over)
    }

    /// The variable of this thread that is the index of a mutex, if places are to know its value.
    fn chooser(&self, path: &Path, index: Term, length: u32) -> Option<Variable> {
        let Node::Var(variable) = *self.terms.node(index) else { return None };
        let place = self.system.variables[*self.system.numbers.get(&variable)?].place;
        let is_own = matches!(place, Place::Slot { thread, .. } if thread as usize == self.thread);
        let are_few = length <= MOST_PINNED && path.stand.pins.len() < MOST_PINS;
        (is_own && are_few).then_some(variable)
    }

    fn cell_at(&mut self, path: &mut Path, array: u32, index: Slot, dst: Slot) -> Done {
        let range = &self.system.code.layout.arrays[array as usize];
        let are_mutexes = range.content == Content::Mutexes;
        let all = Numbers { first: range.start, length: range.length, are_mutexes };
        self.each(path, index, dst, all)
    }

    fn thread_at(&mut self, path: &mut Path, family: u32, index: Slot, dst: Slot) -> Done {
        let (first, length, _) = self.system.code.families[family as usize];
        self.each(path, index, dst, Numbers { first, length, are_mutexes: false })
    }

    fn own(&mut self) -> Term {
        self.terms.int(self.thread as i128 + 1)
    }

    fn is_zero(&mut self, path: &Path, variable: Variable) -> Term {
        let (value, zero) = (self.variable(path, variable), self.terms.int(0));
        self.terms.eq(value, zero)
    }

    fn lock(&mut self, path: &mut Path, mutex: u32) -> Flow {
        let mutex = self.cell(mutex);
        let is_free = self.is_zero(path, mutex);
        if self.demand(path, is_free, End::Target(Target::Blocked)) == Flow::Over {
            return Flow::Over;
        }
        let own = self.own();
        path.store.insert(mutex, own);
        path.acquires.push(mutex);
        Flow::On
    }

    fn release(&mut self, path: &mut Path, mutex: u32, otherwise: FailureKind) -> Flow {
        let mutex = self.cell(mutex);
        let (holder, own) = (self.variable(path, mutex), self.own());
        let is_own = self.terms.eq(holder, own);
        if self.demand_or_fail(path, is_own, otherwise) == Flow::Over {
            return Flow::Over;
        }
        let free = self.terms.int(0);
        path.store.insert(mutex, free);
        path.releases.push(mutex);
        Flow::On
    }

    fn try_lock(&mut self, path: &mut Path, mutex: u32, dst: Slot) -> Flow {
        let mutex = self.cell(mutex);
        path.tries.push(mutex);
        let is_free = self.is_zero(path, mutex);
        let (own, one, zero) = (self.own(), self.terms.int(1), self.terms.int(0));
        self.also(path, is_free, |this, path| {
            path.store.insert(mutex, own);
            path.acquires.push(mutex);
            this.set(path, dst, one);
        });
        let is_taken = self.terms.not(is_free);
        path.guard.push(is_taken);
        self.set(path, dst, zero);
        Flow::On
    }

    fn waiting(&self, thread: usize) -> Variable {
        self.cell(self.system.code.layout.waiting + thread as u32)
    }

    fn begin_wait(&mut self, path: &mut Path, condvar: u32, mutex: u32) -> Flow {
        if self.release(path, mutex, FailureKind::WaitNotHeld) == Flow::Over {
            return Flow::Over;
        }
        path.synchronises = true;
        let awaited = self.terms.int(condvar + 1);
        path.store.insert(self.waiting(self.thread), awaited);
        path.waits = true;
        Flow::On
    }

    /// Demands that the thread has been woken.
    fn woken(&mut self, path: &mut Path) -> Flow {
        let is_woken = self.is_zero(path, self.waiting(self.thread));
        self.demand(path, is_woken, End::Target(Target::Blocked))
    }

    fn end_wait(&mut self, path: &mut Path, held: Slot) -> Flow {
        if self.woken(path) == Flow::Over {
            return Flow::Over;
        }
        // The register holds the cell of a mutex: which, only the state says.
        let held = self.get(path, held);
        let layout = &self.system.code.layout;
        let mutexes: Vec<u32> = layout.arrays[layout.mutexes as usize..layout.condvars as usize]
            .iter()
            .flat_map(|range| range.start..range.start + range.length)
            .collect();
        for mutex in mutexes {
            let number = self.terms.int(mutex);
            let mut other = path.clone();
            other.guard.push(self.terms.eq(held, number));
            if self.lock(&mut other, mutex) == Flow::On {
                let yes = self.terms.yes();
                self.also(&other, yes, |_, _| {});
            }
        }
        Flow::Over
    }

    fn waits_for(&mut self, path: &Path, thread: usize, cell: u32) -> Term {
        let (value, awaited) = (self.variable(path, self.waiting(thread)), self.terms.int(cell + 1));
        self.terms.eq(value, awaited)
    }

    fn signal(&mut self, path: &mut Path, condvar: u32) -> Flow {
        path.synchronises = true;
        for thread in self.waiters.clone() {
            let waits = self.waits_for(path, thread, condvar);
            let (variable, zero) = (self.waiting(thread), self.terms.int(0));
            self.also(path, waits, |_, path| {
                path.store.insert(variable, zero);
                path.woken = Some(Woken { thread, awaited: i64::from(condvar) + 1 });
            });
        }
        for thread in self.waiters.clone() {
            let waits = self.waits_for(path, thread, condvar);
            let does_not = self.terms.not(waits);
            path.guard.push(does_not);
        }
        Flow::On
    }

    fn wake_all(&mut self, path: &mut Path, cell: u32) {
        for thread in self.waiters.clone() {
            let waits = self.waits_for(path, thread, cell);
            let variable = self.waiting(thread);
            let (old, zero) = (self.variable(path, variable), self.terms.int(0));
            let new = self.terms.ite(waits, zero, old);
            path.store.insert(variable, new);
        }
    }

    fn arrive(&mut self, path: &mut Path, barrier: u32, round: Slot) -> Flow {
        path.synchronises = true;
        let layout = &self.system.code.layout;
        let width = layout.barrier_kinds[barrier as usize].width;
        let arrived = layout.arrays[(layout.barriers + barrier) as usize].start;
        let (count_cell, round_cell) = (self.cell(arrived), self.cell(arrived + 1));
        let (count, present) = (self.variable(path, count_cell), self.variable(path, round_cell));
        self.set(path, round, present);
        let (one, own) = (self.terms.int(1), self.waiting(self.thread));
        let (more, width, awaited) =
            (self.terms.plus(count, one), self.terms.int(width), self.terms.int(arrived + 1));
        path.store.insert(own, awaited);
        let waits = self.terms.lt(more, width);
        self.also(path, waits, |_, path| {
            path.waits = true;
            path.store.insert(count_cell, more);
        });
        let is_last = self.terms.not(waits);
        path.guard.push(is_last);
        let next = self.terms.minus(one, present);
        let zero = self.terms.int(0);
        path.store.insert(count_cell, zero);
        path.store.insert(round_cell, next);
        self.wake_all(path, arrived);
        Flow::On
    }

    fn spawn(&mut self, path: &mut Path, thread: usize) -> Flow {
        path.synchronises = true;
        let spawned = self.cell(self.system.code.layout.spawned + thread as u32);
        let is_new = self.is_zero(path, spawned);
        if self.demand_or_fail(path, is_new, FailureKind::SpawnedTwice) == Flow::Over {
            return Flow::Over;
        }
        let one = self.terms.int(1);
        path.store.insert(spawned, one);
        path.spawns.push(thread);
        Flow::On
    }

    fn choose(&mut self, path: &mut Path, dst: Slot, low: Slot, high: Slot) -> Flow {
        let (low, high) = (self.get(path, low), self.get(path, high));
        let some = self.terms.lt(low, high);
        if self.demand_or_fail(path, some, FailureKind::EmptyChoice) == Flow::Over {
            return Flow::Over;
        }
        let (width, most) = (self.terms.minus(high, low), self.terms.int(u32::MAX));
        let few = self.terms.le(width, most);
        if self.demand(path, few, End::Target(Target::Diverged)) == Flow::Over {
            return Flow::Over;
        }
        let name = format!("{} chooses", self.system.names[self.thread]);
        let input = self.terms.variable(name, Sort::Word);
        let value = self.terms.var(input);
        let (above, below) = (self.terms.le(low, value), self.terms.lt(value, high));
        path.guard.extend([above, below]);
        path.input = Some((input, low));
        path.input_end = Some(high);
        self.set(path, dst, value);
        Flow::On
    }
}
