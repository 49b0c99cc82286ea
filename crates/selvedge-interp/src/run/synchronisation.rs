//! Synchronisation: mutexes, condition variables, barriers, threads and choices.
//!
//! Every operation records what it accesses before it changes anything, so that looking at an operation that
//! must wait shows what it waits for.

use super::{Outcome, Run, Step};
use crate::failure::{Detail, FailureKind};
use crate::layout::Arrivals;
use crate::state::Status;
use selvedge_trace::{AccessKind, Blocking, LocationId, ThreadId};

impl Run<'_> {
    pub(super) fn own(&self) -> i64 {
        self.thread as i64 + 1
    }

    pub(super) fn lock(&mut self, mutex: u32) -> Step {
        self.footprint.record(LocationId(mutex), AccessKind::Acquire);
        if self.state.cell(mutex) != 0 {
            return Err(Outcome::Blocked);
        }
        self.state.set_cell(mutex, self.own());
        Ok(())
    }

    pub(super) fn unlock(&mut self, mutex: u32) -> Step {
        self.release(mutex, FailureKind::UnlockNotHeld)
    }

    pub(super) fn release(&mut self, mutex: u32, otherwise: FailureKind) -> Step {
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

    pub(super) fn try_lock(&mut self, mutex: u32) -> i64 {
        let is_free = self.state.cell(mutex) == 0;
        let kind = if is_free { AccessKind::Acquire } else { AccessKind::Read };
        self.footprint.record(LocationId(mutex), kind);
        if is_free {
            self.state.set_cell(mutex, self.own());
        }
        i64::from(is_free)
    }

    pub(super) fn waiting_cell(&self, thread: usize) -> u32 {
        self.code.layout.waiting + thread as u32
    }

    pub(super) fn begin_wait(&mut self, condvar: u32, mutex: u32) -> Step {
        self.release(mutex, FailureKind::WaitNotHeld)?;
        self.footprint.record(LocationId(condvar), AccessKind::Write);
        self.state.set_cell(self.waiting_cell(self.thread), i64::from(condvar) + 1);
        Ok(())
    }

    pub(super) fn end_wait(&mut self, mutex: u32) -> Step {
        let wake_up = self.waiting_cell(self.thread);
        if self.state.cell(wake_up) != 0 {
            self.footprint.blocking = Blocking::Never;
            return Err(Outcome::Blocked);
        }
        self.footprint.record(LocationId(wake_up), AccessKind::Observe);
        self.lock(mutex)
    }

    /// The `n`-th thread, and the number of threads, that wait for a condition variable or barrier.
    pub(super) fn waiter(&self, cell: u32, n: u32) -> (Option<usize>, u32) {
        let waits = |&t: &usize| self.state.cell(self.waiting_cell(t)) == i64::from(cell) + 1;
        let threads = 0..self.state.threads.len();
        (threads.clone().filter(waits).nth(n as usize), threads.filter(waits).count() as u32)
    }

    pub(super) fn wake(&mut self, thread: usize) {
        let wake_up = self.waiting_cell(thread);
        self.footprint.record(LocationId(wake_up), AccessKind::Post);
        self.state.set_cell(wake_up, 0);
    }

    pub(super) fn signal(&mut self, condvar: u32) {
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

    pub(super) fn broadcast(&mut self, condvar: u32) {
        self.footprint.record(LocationId(condvar), AccessKind::Read);
        while let (Some(thread), _) = self.waiter(condvar, 0) {
            self.footprint.record(LocationId(condvar), AccessKind::Write);
            self.wake(thread);
        }
    }

    /// Arrives at a barrier; the last to arrive lets all go on. Returns the parity of the round: threads of two rounds at most can be at a
    /// barrier at the same time, and a count would make every round a new state.
    pub(super) fn arrive(&mut self, barrier: u32) -> i64 {
        let kind = self.code.layout.barrier_kinds[barrier as usize];
        let arrived = self.code.layout.arrays[(self.code.layout.barriers + barrier) as usize].start;
        let round = self.state.cell(arrived + 1);
        match kind.arrivals {
            Arrivals::Commute => {
                let of_round = arrived + round as u32;
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
        self.state.set_cell(arrived + 1, 1 - round);
        while let (Some(thread), _) = self.waiter(arrived, 0) {
            match kind.arrivals {
                Arrivals::Ordered if thread != self.thread => self.wake(thread),
                _ => self.state.set_cell(self.waiting_cell(thread), 0),
            }
        }
        round
    }

    pub(super) fn pass(&mut self, barrier: u32, round: i64) -> Step {
        let wake_up = self.waiting_cell(self.thread);
        if self.state.cell(wake_up) != 0 {
            return Err(Outcome::Blocked);
        }
        let arrived = self.code.layout.arrays[(self.code.layout.barriers + barrier) as usize].start;
        let observed = match self.code.layout.barrier_kinds[barrier as usize].arrivals {
            Arrivals::Commute => arrived + round as u32,
            Arrivals::Ordered => wake_up,
        };
        self.footprint.record(LocationId(observed), AccessKind::Observe);
        Ok(())
    }

    pub(super) fn spawn(&mut self, thread: i64) -> Step {
        let cell = self.code.layout.spawned + thread as u32;
        if self.load(cell) != 0 {
            let name = self.code.layout.thread_names[thread as usize].clone();
            return self.fail(FailureKind::SpawnedTwice, Detail::Thread(name));
        }
        self.store(cell, 1);
        self.spawned.push(thread as usize);
        Ok(())
    }

    pub(super) fn join(&mut self, thread: i64) -> Step {
        if self.state.threads[thread as usize].control.status != Status::Ended {
            *self.detail = Detail::Awaited(ThreadId(thread as u32));
            return Err(Outcome::Blocked);
        }
        self.footprint.record(LocationId(self.code.layout.life + thread as u32), AccessKind::Observe);
        Ok(())
    }

    pub(super) fn choose(&mut self, low: i64, high: i64) -> Result<i64, Outcome> {
        self.alternatives = 1;
        if low >= high {
            return self.fail(FailureKind::EmptyChoice, Detail::Range(low, high));
        }
        let count = u32::try_from(high.wrapping_sub(low)).map_err(|_| Outcome::Diverged)?;
        self.alternatives = count;
        *self.detail = Detail::Range(low, high);
        Ok(low + i64::from(self.choice))
    }
}
