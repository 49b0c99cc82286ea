//! Threads: making them, waiting for their end, values of their own.

use super::call::Ends;
use super::{Extent, Outcome, Run, Step};
use crate::code::{Call, Callee, NOWHERE};
use crate::failure::{CutReason, FailureKind};
use crate::machine::cells;
use crate::memory::Sharing;
use crate::state::{Control, Status};
use selvedge_trace::{AccessKind, Blocking, LocationId};

use super::locks::{EAGAIN, EDEADLK, EINVAL};

/// No such thread.
const ESRCH: u64 = 3;

impl Run<'_> {
    /// Makes a thread that calls a function with an argument. The handle is stored first, and that may be visible.
    pub fn create_thread(&mut self, handle: u64, function: u64, argument: u64) -> Step<u64> {
        self.note_effect();
        let found = self.find(handle, self.code.handle_bytes)?;
        let Some(Callee::Function(body)) = self.code.function_addresses.get(&function).copied() else {
            return Err(self.fail(FailureKind::WildCall));
        };
        let parent = self.thread;
        let number = self.state.cell(cells::of(parent, cells::CREATED));
        let Some(child) = self.locations.child(parent, number) else {
            return Err(self.give_up(CutReason::ManyThreads));
        };
        self.state.set_cell(cells::of(parent, cells::CREATED), number + 1);
        self.note(&found, AccessKind::Write);
        self.write(&found, self.handle_of(child));
        self.publish(argument);
        self.state.set_cell(cells::UNJOINED, self.state.cell(cells::UNJOINED) + 1);
        let location = self.locations.spawned(child);
        self.footprint.record(LocationId(location), AccessKind::Post);
        self.state.race(|races, _| races.fork(parent, child));
        self.prepare(child, body, &[argument]);
        self.spawned.push(child);
        // Waiting for its end is another operation than waiting for those of before.
        self.joins = false;
        Ok(0)
    }

    /// The handle of the thread with a number.
    pub fn handle_of(&self, number: usize) -> u64 {
        self.state.memory.landmarks.handle_of(number)
    }

    /// The thread with a handle, or a number that none has.
    fn thread_of(&self, handle: u64) -> usize {
        self.state.memory.landmarks.thread_of(handle).unwrap_or(usize::MAX)
    }

    /// Puts a thread at the beginning of a function.
    pub fn prepare(&mut self, thread: usize, function: u32, arguments: &[u64]) {
        let body = &self.code.functions[function as usize];
        let base = self.code.constants.len() as u32 + super::call::LINK;
        let room = (base + self.code.largest_frame().max(body.frame)) as usize;
        let slots = &mut self.state.threads[thread].slots;
        if slots.len() < room {
            slots.resize(room, 0);
        }
        // What is there before a thread is made is of no interest, unless the thread will have been made again.
        if self.state.is_away() {
            self.state.save_frame(thread, 0, room as u32);
        }
        let slots = &mut self.state.threads[thread].slots;
        slots[(base - super::call::LINK) as usize..base as usize].fill(0);
        for (&(slot, _), &argument) in body.parameters.iter().zip(arguments) {
            slots[(base + slot) as usize] = argument;
        }
        let status = Status::Fresh;
        let called_from = NOWHERE;
        let control = Control { pc: body.entry, base, depth: 0, function, called_from, status, arrival: 0 };
        self.state.set_control(thread, control);
    }

    /// Waits for the end of a thread; its result. Waiting for several threads, one after the other, is one operation that waits for
    /// all of them: nobody else can tell.
    pub fn join(&mut self, handle: u64, errors: Errors) -> Step<Joined> {
        let target = self.thread_of(handle);
        let exists = target < self.state.threads.len()
            && self.state.threads[target].control.status != Status::NotStarted;
        if !exists {
            return match errors {
                Errors::Returned => Ok(Joined::Error(ESRCH)),
                Errors::Thrown => {
                    Err(self.fail(FailureKind::Misuse("join of a thread that does not exist".to_owned())))
                }
            };
        }
        if target == self.thread {
            return Ok(Joined::Error(EDEADLK));
        }
        if !self.joins {
            self.gate()?;
        }
        self.note_effect();
        if self.extent == Extent::Look && !self.awaited.has_result {
            self.awaited.certain.push((target, self.present));
        }
        if self.state.threads[target].control.status != Status::Ended {
            self.awaited.missing = Some(self.present);
            return Err(Outcome::Blocked);
        }
        let location = self.locations.life(target);
        self.footprint.record(LocationId(location), AccessKind::Observe);
        self.claim(target, "join of a thread that is joined or detached already")?;
        self.joins = self.atomic == 0;
        self.state.set_claimed(target);
        if target != 0 && !self.tells() {
            self.state.set_cell(cells::UNJOINED, self.state.cell(cells::UNJOINED) - 1);
        }
        let thread = self.thread;
        self.state.race(|races, _| races.joined(thread, target));
        Ok(Joined::Result(self.state.cell(cells::of(target, cells::RESULT))))
    }

    /// A thread is joined once, or detached once. Whoever comes second has done wrong, so the order of two that try matters; in most programs there
    /// are no two. Those who ask what is observed are not told of it and take a join for a pure ordering; where it is more, they are refused.
    fn claim(&mut self, target: usize, wrong: &str) -> Step {
        let location = self.locations.claim(target);
        match (self.state.is_claimed(target), self.tells()) {
            (false, tells) => {
                if self.locations.claims_are_ordered && !tells {
                    self.footprint.record(LocationId(location), AccessKind::Write);
                }
                return Ok(());
            }
            (true, true) => return Err(self.give_up(CutReason::Untold(wrong.to_owned()))),
            (true, false) => self.locations.has_contested_claim = true,
        }
        // Had it come first it might have had to wait: for this end, or for those that it waits for together with this one.
        self.footprint.record(LocationId(location), AccessKind::Read);
        self.vary();
        self.may_wait(Blocking::Guard);
        Err(self.fail(FailureKind::Misuse(wrong.to_owned())))
    }

    /// Detaches the thread that was just made.
    pub fn detach_created(&mut self) {
        if let Some(&child) = self.spawned.last() {
            self.state.set_claimed(child);
        }
    }

    pub fn detach(&mut self, handle: u64) -> Step<u64> {
        let target = self.thread_of(handle);
        let exists = target < self.state.threads.len()
            && self.state.threads[target].control.status != Status::NotStarted;
        if !exists {
            return Ok(ESRCH);
        }
        if self.is_concurrent() {
            self.gate()?;
        }
        self.note_effect();
        self.claim(target, "detach of a thread that is joined or detached already")?;
        self.state.set_claimed(target);
        Ok(0)
    }

    /// `pthread_exit`: leaves all frames at once. The variables of `main` end with it, too: what becomes of those of a thread that has ended is
    /// undefined (POSIX, `pthread_exit`), though the stack of the first one stays where it is as a rule.
    pub fn exit_thread(&mut self, control: &mut Control, slots: &mut [u64], result: u64) -> Step {
        if !self.state.threads[self.thread].locals.is_empty() {
            self.end_locals(0)?;
        }
        let start = self.code.constants.len() as u32;
        if control.depth > 0 {
            self.state.save_slots(self.thread, slots, start, control.base - start);
            self.saved_from = 0;
        }
        self.end_thread(control, slots, result, Ends::Thread)
    }

    /// `exit`: leaves all frames at once, and then the program.
    pub fn exit_process(&mut self, control: &mut Control, slots: &mut [u64]) -> Step {
        let start = self.code.constants.len() as u32;
        if control.depth > 0 {
            self.state.save_slots(self.thread, slots, start, control.base - start);
            self.saved_from = 0;
        }
        self.end_thread(control, slots, 0, Ends::Process)
    }

    /// Makes a key. Keys are numbered in the order in which they are made, so that this is visible.
    pub fn key_create(&mut self, to: u64, destructor: u64) -> Step<u64> {
        let found = self.find(to, 4)?;
        if self.is_concurrent() && !found.visible {
            self.gate()?;
        }
        if self.is_concurrent() {
            let location = self.locations.keys();
            self.footprint.record(LocationId(location), AccessKind::Write);
        }
        let key = self.state.cell(cells::KEYS);
        if key as usize >= cells::MAX_KEYS {
            return Ok(EAGAIN);
        }
        self.note(&found, AccessKind::Write);
        self.state.set_cell(cells::KEYS, key + 1);
        self.state.set_cell(cells::DESTRUCTORS + key as usize, destructor);
        self.set_word(&found, key);
        Ok(0)
    }

    pub fn key_delete(&mut self, key: u64) -> Step<u64> {
        match key < self.state.cell(cells::KEYS) {
            true => {
                self.state.set_cell(cells::DESTRUCTORS + key as usize, 0);
                Ok(0)
            }
            false => Ok(EINVAL),
        }
    }

    pub fn key_set(&mut self, key: u64, value: u64) -> Step<u64> {
        self.note_effect();
        match key < self.state.cell(cells::KEYS) {
            true => {
                self.state.set_cell(cells::of(self.thread, cells::VALUES + key as usize), value);
                Ok(0)
            }
            false => Ok(EINVAL),
        }
    }

    pub fn key_get(&mut self, key: u64) -> u64 {
        match key < self.state.cell(cells::KEYS) {
            true => self.state.cell(cells::of(self.thread, cells::VALUES + key as usize)),
            false => 0,
        }
    }

    /// `std::thread`: the state is an object with a virtual function, the third of its table.
    pub fn create_thread_cpp(&mut self, thread: u64, state: u64) -> Step<u64> {
        let object = self.read_word(state)?;
        let table = self.read_word(object)?;
        let function = self.read_word(table.wrapping_add(16))?;
        let answer = self.create_thread(thread, function, object)?;
        // The thread owns its state now, and deletes it at its end.
        if let Some(&child) = self.spawned.last() {
            self.state.set_cell(cells::of(child, cells::STATE), object);
        }
        if let Some(found) = self.find_again(state, 8) {
            self.state.store(found.at, 8, 0);
        }
        Ok(answer)
    }

    /// A word of memory that only this thread knows.
    fn read_word(&mut self, address: u64) -> Step<u64> {
        match self.find_again(address, 8) {
            Some(found) => Ok(self.state.memory.load(found.at, 8)),
            None => Err(self.fail(FailureKind::WildDereference)),
        }
    }

    /// `std::thread::join`.
    pub fn join_cpp(&mut self, thread: u64) -> Step<u64> {
        let handle = self.read_word(thread)?;
        match self.join(handle, Errors::Thrown)? {
            Joined::Result(_) => {
                if let Some(found) = self.find_again(thread, 8) {
                    self.state.store(found.at, 8, 0);
                }
                Ok(0)
            }
            Joined::Error(_) => Err(self.fail(FailureKind::Misuse("a thread joins itself".to_owned()))),
        }
    }

    /// `std::thread::detach`.
    pub fn detach_cpp(&mut self, thread: u64) -> Step<u64> {
        let handle = self.read_word(thread)?;
        self.detach(handle)?;
        if let Some(found) = self.find_again(thread, 8) {
            self.state.store(found.at, 8, 0);
        }
        Ok(0)
    }

    /// `pthread_join` with a place for the result.
    pub fn join_with_result(&mut self, call: &Call, handle: u64, to: u64) -> Step<u64> {
        let size = if call.name.starts_with("thrd") { 4 } else { self.pointer_bytes() };
        let others_see = to != 0 && !self.is_private(to, size);
        self.joins &= !others_see;
        let joined = self.join(handle, Errors::Returned)?;
        self.joins &= !others_see;
        self.awaited.has_result |= to != 0;
        match joined {
            Joined::Error(error) => Ok(error),
            Joined::Result(result) => {
                if to != 0 {
                    let found = self.find_in_section(to, size)?;
                    self.note(&found, AccessKind::Write);
                    self.write(&found, result);
                    let target = self.thread_of(handle);
                    let bits = self.state.cell(cells::of(target, cells::RESULT_UNWRITTEN));
                    if bits != 0 {
                        self.state.set_unwritten(found.at, size as usize, bits);
                    }
                }
                Ok(0)
            }
        }
    }

    /// Whether bytes belong to an object that only this thread knows.
    fn is_private(&self, address: u64, size: u64) -> bool {
        let sharing = self.state.memory.access(address, size).map(|id| self.state.memory.object(id).sharing);
        matches!(sharing, Ok(Sharing::Private(owner)) if owner as usize == self.thread)
    }

    /// Bytes that are accessed together with what came before in the same operation.
    pub fn find_in_section(&mut self, address: u64, size: u64) -> Step<super::access::Found> {
        self.atomic += 1;
        let found = self.find(address, size);
        self.atomic -= 1;
        found
    }
}

/// How errors are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// By a number.
    Returned,
    /// By an exception.
    Thrown,
}

/// The result of waiting for a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// What it returned.
    Result(u64),
    /// That cannot be.
    Error(u64),
}
