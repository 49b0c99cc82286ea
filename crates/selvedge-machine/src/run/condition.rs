//! Condition variables and barriers: threads that wait to be woken.

use super::access::Found;
use super::destroyed::Lock;
use super::locks::{EINVAL, ETIMEDOUT, Patience};
use super::{Run, Step};
use crate::code::Op;
use crate::failure::{CutReason, FailureKind};
use crate::machine::cells;
use crate::state::Spin;
use selvedge_trace::{AccessKind, Blocking, LocationId};

/// In a barrier, after its width: how many have arrived, in this round if their order matters, else in all.
const ARRIVED: u64 = 4;
/// The threads that have used it, one bit each.
const USERS: u64 = 16;

/// What `pthread_barrier_wait` returns to one thread of each round.
const SERIAL_THREAD: u64 = 0xffff_ffff;

/// The most ways to choose whom to wake.
const MOST_CHOICES: u64 = 1024;

impl Run<'_> {
    pub fn waiting(&self, thread: usize) -> usize {
        cells::of(thread, cells::WAITING)
    }

    /// The beginning of a wait: frees the mutex.
    pub fn begin_wait(&mut self, condition: u64, mutex: u64) -> Step<u64> {
        let word = self.find(mutex, 4)?;
        if self.word_at(&word) != self.thread as u64 + 1 {
            self.note(&word, AccessKind::Read);
            let what = "wait with a mutex that the thread does not hold".to_owned();
            return Err(self.fail(FailureKind::Misuse(what)));
        }
        if self.has_taken(mutex) {
            self.note_effect();
        }
        let found = self.find_in_section(condition, 4)?;
        self.check_written(&found)?;
        self.check_not_destroyed(Lock::Condition, &found)?;
        self.note(&word, AccessKind::Release);
        self.note_sync(found, AccessKind::Write);
        self.set_word(&word, 0);
        let thread = self.thread;
        self.state.race(|races, _| races.release(thread, mutex));
        self.state.set_cell(self.waiting(thread), condition);
        self.state.set_cell(cells::of(thread, cells::WAIT_MUTEX), mutex);
        Ok(0)
    }

    /// Notes an access to something that synchronises, which nobody needs to see if all of it is private.
    fn note_sync(&mut self, mut found: super::access::Found, kind: AccessKind) {
        self.note_hidden();
        let object = self.state.memory.object(found.id);
        found.visible = object.sharing == crate::memory::Sharing::Shared && self.is_concurrent();
        self.note(&found, kind);
    }

    /// The end of a wait: goes on when woken and the mutex is free.
    pub fn end_wait(&mut self) -> Step<u64> {
        let thread = self.thread;
        let mutex = self.state.cell(cells::of(thread, cells::WAIT_MUTEX));
        if self.state.cell(self.waiting(thread)) != 0 {
            if !self.options.spurious_wakeups {
                self.gate()?;
                return Err(super::Outcome::Blocked);
            }
            self.gate_if_needed()?;
            self.check_told("a wait that may end without a signal")?;
            self.may_wait(Blocking::Guard);
            self.vary();
            let spin = self.state.threads[thread].spin.clone();
            if self.goes_round(&spin) && !self.has_changed(&spin) {
                return Err(super::Outcome::Blocked);
            }
            self.note_effect();
            self.leave_queue();
        } else {
            self.gate_if_needed()?;
            self.note_effect();
            match self.options.spurious_wakeups {
                true => {
                    self.check_told("a wait that may end without a signal")?;
                    self.note_woken_in_time();
                }
                false => self.note_woken(),
            }
        }
        self.take_again(mutex)
    }

    /// Notes that a wait ended by a signal, and could not have ended without: the order of the two cannot be reversed.
    pub fn note_woken(&mut self) {
        let woken = self.locations.waking(self.thread);
        self.footprint.record(LocationId(woken), AccessKind::Observe);
    }

    /// Notes that a wait ended by a signal, and could also have ended without it: by its time limit, or spuriously. The wake-up has two
    /// disjuncts, so it does not wait for the signal; it races with it, and without the signal it would access
    /// something else, or wait for something else.
    pub fn note_woken_in_time(&mut self) {
        self.may_wait(Blocking::Guard);
        self.vary();
        let woken = self.locations.waking(self.thread);
        self.footprint.record(LocationId(woken), AccessKind::Read);
    }

    /// Whether the thread has only read since it was at the head of a loop, and goes straight back there. Waking up for
    /// nothing would then have no effect, unless something that it read has changed.
    fn goes_round(&self, spin: &Spin) -> bool {
        let mut pc = self.present + 1;
        for _ in 0..8 {
            match self.code.ops[pc as usize] {
                Op::Jump { to } => pc = to,
                Op::LoopRound { .. } => pc += 1,
                Op::LoopHead { .. } => return spin.head.is_some_and(|(head, _)| head == pc),
                _ => return false,
            }
        }
        false
    }

    /// A permit is needed even if the mutex is private.
    fn gate_if_needed(&mut self) -> Step {
        if self.permits == 0 && self.atomic == 0 && self.committed {
            return Err(super::Outcome::Arrived);
        }
        Ok(())
    }

    /// Stops waiting without having been woken.
    fn leave_queue(&mut self) {
        let thread = self.thread;
        let condition = self.state.cell(self.waiting(thread));
        if let Some(found) = self.find_again(condition, 4) {
            self.note_sync(found, AccessKind::Write);
        }
        self.state.set_cell(self.waiting(thread), 0);
    }

    fn take_again(&mut self, mutex: u64) -> Step<u64> {
        // Only the owner of a mutex has waited with it, so it is of a kind that can be taken now.
        let varies = self.footprint.variation;
        let guarded = self.footprint.blocking == Blocking::Guard;
        let taken = self.mutex_lock_quietly(mutex, Patience::Wait);
        self.footprint.variation = varies;
        if guarded {
            self.footprint.blocking = Blocking::Guard;
        }
        taken
    }

    /// The end of a wait with a limit: whether it was woken, or not and gives up. Its time may be over when it is woken before
    /// it has the mutex again: POSIX allows it to consume the signal all the same.
    pub fn end_timed_wait(&mut self, answer: u64) -> Step<u64> {
        let thread = self.thread;
        self.gate_if_needed()?;
        self.check_told("a wait with a time limit")?;
        let mutex = self.state.cell(cells::of(thread, cells::WAIT_MUTEX));
        let woken = self.state.cell(self.waiting(thread)) == 0;
        match woken {
            true => self.note_woken_in_time(),
            false => {
                self.may_wait(Blocking::Guard);
                self.vary();
                self.leave_queue();
            }
        }
        self.take_again(mutex)?;
        let is_late = !woken || self.decisions.take(2) == 1;
        if is_late {
            self.advance_clock();
        }
        Ok(if is_late { answer } else { 0 })
    }

    /// The answer of the library to a wait that took too long.
    pub fn timeout(&self, is_c11: bool) -> u64 {
        if is_c11 { 4 } else { ETIMEDOUT }
    }

    /// The first thread that waits at an address.
    pub fn waiter(&self, address: u64) -> Option<usize> {
        (0..self.state.threads.len()).find(|&thread| self.waits_at(thread, address))
    }

    fn waits_at(&self, thread: usize, address: u64) -> bool {
        self.state.cell(self.waiting(thread)) == address
    }

    fn wake(&mut self, woken: usize) {
        let location = self.locations.waking(woken);
        self.footprint.record(LocationId(location), AccessKind::Post);
        self.state.set_cell(self.waiting(woken), 0);
    }

    /// Wakes at most so many of those who wait for a condition variable.
    pub fn signal(&mut self, condition: u64, most: usize) -> Step<u64> {
        let found = self.sync_word_in_use(condition)?;
        self.check_not_destroyed(Lock::Condition, &found)?;
        let woken = self.wake_some(condition, most)?;
        self.note(&found, if woken == 0 { AccessKind::Read } else { AccessKind::Write });
        Ok(0)
    }

    /// Wakes at most so many of those who wait in a queue at an address; how many.
    pub fn notify(&mut self, address: u64, size: u64, queue: u64, most: usize) -> Step<u64> {
        let found = self.sync_bytes(address, size)?;
        let woken = self.wake_some(queue, most)?;
        self.note(&found, AccessKind::Read);
        self.note_queue(&found, queue, if woken == 0 { AccessKind::Read } else { AccessKind::Write });
        Ok(woken)
    }

    /// Notes an access to the queue at an address.
    pub fn note_queue(&mut self, found: &Found, queue: u64, kind: AccessKind) {
        if found.visible {
            let queue = self.locations.queue(queue);
            self.footprint.record(LocationId(queue), kind);
        }
    }

    /// Wakes at most so many of those in a queue; how many. Which ones, if there are more, is a decision.
    fn wake_some(&mut self, queue: u64, most: usize) -> Step<u64> {
        self.vary();
        let threads = self.state.threads.len();
        let mut left = (0..threads).filter(|&thread| self.waits_at(thread, queue)).count();
        let woken = left.min(most);
        let Some(ways) = combinations(left, woken) else {
            return Err(self.give_up(CutReason::ManyValues));
        };
        let mut choice = if ways > 1 { self.decisions.take(ways) } else { 0 };
        let mut missing = woken;
        for thread in 0..threads {
            if missing == 0 || !self.waits_at(thread, queue) {
                continue;
            }
            left -= 1;
            let with_it = combinations(left, missing - 1).unwrap_or(u32::MAX);
            if choice < with_it {
                self.wake(thread);
                missing -= 1;
            } else {
                choice -= with_it;
            }
        }
        Ok(woken as u64)
    }

    pub fn condition_init(&mut self, address: u64) -> Step<u64> {
        let condition = self.sync_word(address)?;
        self.note(&condition, AccessKind::Write);
        self.set_word(&condition, 0);
        Ok(0)
    }

    pub fn barrier_init(&mut self, address: u64, count: u64) -> Step<u64> {
        let barrier = self.sync_word(address)?;
        if count == 0 {
            return Ok(EINVAL);
        }
        self.note(&barrier, AccessKind::Write);
        self.set_word(&barrier, count);
        for offset in [ARRIVED, USERS, USERS + 4] {
            if let Some(word) = self.word_after(&barrier, offset) {
                self.set_word(&word, 0);
            }
        }
        Ok(0)
    }

    pub fn barrier_destroy(&mut self, address: u64) -> Step<u64> {
        let barrier = self.sync_word_in_use(address)?;
        let arrived = self.word_after(&barrier, ARRIVED).map_or(0, |arrived| self.word_at(&arrived));
        let problem = match self.word_at(&barrier) {
            0 => "destruction of a barrier that is not initialised",
            width if !arrived.is_multiple_of(width) => {
                let round = self.locations.round(address, arrived / width);
                self.footprint.record(LocationId(round), AccessKind::Read);
                "destruction of a barrier at which threads wait"
            }
            _ => {
                self.note(&barrier, AccessKind::Write);
                self.set_word(&barrier, 0);
                return Ok(0);
            }
        };
        self.note(&barrier, AccessKind::Read);
        Err(self.fail(FailureKind::Misuse(problem.to_owned())))
    }

    /// Arrives at a barrier; the last one to arrive lets all go on.
    pub fn arrive(&mut self, address: u64) -> Step<u64> {
        let barrier = self.sync_word_in_use(address)?;
        let width = self.word_at(&barrier);
        if width == 0 {
            self.note(&barrier, AccessKind::Read);
            let what = "wait at a barrier that is not initialised, or was destroyed".to_owned();
            return Err(self.fail(FailureKind::Misuse(what)));
        }
        let Some(arrived) = self.word_after(&barrier, ARRIVED) else { return Ok(EINVAL) };
        let thread = self.thread;
        if !self.locations.arrivals_are_ordered {
            return self.arrive_unordered(&barrier, &arrived, width);
        }
        self.note(&barrier, AccessKind::Write);
        let count = self.word_at(&arrived) + 1;
        self.state.set_cell(self.waiting(thread), address);
        self.state.race(|races, _| races.release(thread, address));
        if count < width {
            self.set_word(&arrived, count);
            return Ok(0);
        }
        self.set_word(&arrived, 0);
        self.state.race(|races, _| races.acquire(thread, address));
        while let Some(woken) = self.waiter(address) {
            self.wake(woken);
            self.state.race(|races, _| races.acquire(woken, address));
        }
        Ok(SERIAL_THREAD)
    }

    /// Arrives at a barrier where nobody can tell in which order. All that counts is how many have arrived, in all rounds: of two who
    /// arrive each makes the difference that it would make without the other.
    fn arrive_unordered(&mut self, barrier: &Found, arrived: &Found, width: u64) -> Step<u64> {
        let (thread, address) = (self.thread, barrier.address);
        self.note(barrier, AccessKind::Read);
        self.use_barrier(barrier, width)?;
        let before = self.word_at(arrived);
        let round = before / width;
        let location = self.locations.round(address, round);
        self.footprint.record(LocationId(location), AccessKind::Post);
        self.set_word(arrived, before + 1);
        self.state.set_cell(self.waiting(thread), address);
        self.state.set_cell(cells::of(thread, cells::PASSES), u64::from(location) + 1);
        self.state.set_cell(cells::of(thread, cells::ARRIVALS), (round + 1) * width);
        self.state.race(|races, _| races.release(thread, address));
        if before + 1 == (round + 1) * width {
            for other in 0..self.state.threads.len() {
                if self.state.cell(self.waiting(other)) == address {
                    self.state.race(|races, _| races.acquire(other, address));
                }
            }
        }
        Ok(0)
    }

    /// Notes that this thread uses a barrier. As long as no more do than the barrier is wide, each round has the same
    /// members in whatever order they arrive. If there are more, the order decides who goes on with whom.
    fn use_barrier(&mut self, barrier: &Found, width: u64) -> Step {
        let users = self.find_again(barrier.address + USERS, 8);
        let own = u32::try_from(self.thread).ok().and_then(|thread| 1u64.checked_shl(thread));
        if let (Some(users), Some(own)) = (users, own) {
            let all = self.state.memory.load(users.at, 8) | own;
            if u64::from(all.count_ones()) <= width {
                self.state.store(users.at, 8, all);
                return Ok(());
            }
        }
        Err(self.give_up(CutReason::CrowdedBarrier))
    }

    /// Begins to wait in a queue at an address if that holds what is expected; 1 if it does not.
    pub fn wait_at(&mut self, address: u64, expected: u64, size: u64, queue: u64) -> Step<u64> {
        let found = self.sync_bytes(address, size)?;
        self.check_written(&found)?;
        self.vary();
        self.note(&found, AccessKind::Read);
        if self.state.memory.load(found.at, size as usize) != expected {
            return Ok(1);
        }
        self.note_queue(&found, queue, AccessKind::Write);
        self.state.set_cell(self.waiting(self.thread), queue);
        Ok(0)
    }

    /// Goes on after a barrier, or a wait at an address.
    pub fn pass(&mut self) -> Step<u64> {
        self.gate()?;
        let thread = self.thread;
        let (waiting, passes) = (self.waiting(thread), cells::of(thread, cells::PASSES));
        let address = self.state.cell(waiting);
        let observed = match self.state.cell(passes) {
            0 if address != 0 => return Err(super::Outcome::Blocked),
            0 => self.locations.waking(thread),
            of_round => {
                let arrived = self.find_again(address + ARRIVED, 4).map(|arrived| self.word_at(&arrived));
                let needed = self.state.cell(cells::of(thread, cells::ARRIVALS));
                if arrived.is_some_and(|arrived| arrived < needed) {
                    return Err(super::Outcome::Blocked);
                }
                self.state.set_cell(waiting, 0);
                self.state.set_cell(passes, 0);
                of_round as u32 - 1
            }
        };
        self.footprint.record(LocationId(observed), AccessKind::Observe);
        Ok(0)
    }
}

/// In how many ways some of so many can be chosen, as far as the search tries them all.
fn combinations(all: usize, some: usize) -> Option<u32> {
    let some = some.min(all - some) as u64;
    let mut ways = 1;
    for chosen in 0..some {
        ways = ways * (all as u64 - chosen) / (chosen + 1);
        if ways > MOST_CHOICES {
            return None;
        }
    }
    Some(ways as u32)
}
