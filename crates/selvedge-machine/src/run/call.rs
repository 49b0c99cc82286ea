//! Calls and returns: frames, and the objects that live in them.

use super::access::Found;
use super::{Outcome, Run, Step};
use crate::code::{Argument, CONSTANT, Call, Callee, NO_SLOT, NOWHERE, Slot};
use crate::failure::{CutReason, FailureKind};
use crate::machine::cells;
use crate::memory::{Birth, Kind, Life, MAX_SIZE, ObjectId, Sharing};
use crate::state::Control;
use selvedge_trace::AccessKind;
use smallvec::SmallVec;

/// Calls that may be nested.
const MAX_DEPTH: u32 = 10_000;

/// Words between two frames: where to go on (with the innermost call of the user's source in the upper half), the base and function of the caller, where the result goes, how many
/// objects the frames before have, and where the further arguments are.
pub const LINK: u32 = 6;

/// The most objects in one execution.
const MAX_OBJECTS: usize = 4_000_000;

/// The most bytes of all objects, so that the log can count them in 32 bits.
const MOST_BYTES: usize = 3 << 30;

/// Stands for a thread that ends the program, in its cell about its end.
const ENDING_PROCESS: u64 = 2;

/// What ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// The thread.
    Thread,
    /// All of the program.
    Process,
}

impl Run<'_> {
    #[inline(always)]
    pub fn word(&self, control: &Control, slots: &[u64], slot: Slot) -> u64 {
        slots[if slot >= CONSTANT { slot - CONSTANT } else { control.base + slot } as usize]
    }

    /// The words of the arguments of a call of the machine's own functions.
    pub fn arguments(&self, control: &Control, slots: &[u64], call: &Call) -> SmallVec<[u64; 6]> {
        call.arguments.iter().map(|a| self.word(control, slots, a.slot)).collect()
    }

    pub fn call(&mut self, control: &mut Control, slots: &mut Vec<u64>, call: u32) -> Step {
        let call = &self.code.calls[call as usize];
        match call.callee {
            Callee::Function(function) => self.enter(control, slots, call, function),
            _ => Err(self.fail(FailureKind::WildCall)),
        }
    }

    pub fn call_indirect(&mut self, control: &mut Control, slots: &mut Vec<u64>, number: u32) -> Step {
        let call = &self.code.calls[number as usize];
        let Callee::Address(slot) = call.callee else { return Err(self.fail(FailureKind::WildCall)) };
        let address = self.word(control, slots, slot);
        match self.code.function_addresses.get(&address) {
            Some(Callee::Function(function)) => self.enter(control, slots, call, *function),
            Some(Callee::Builtin(builtin)) => self.perform(*builtin, call, control, slots),
            Some(Callee::Unknown(name)) => {
                let name = self.code.unknown[*name as usize].clone();
                Err(self.give_up(CutReason::UnknownFunction(name)))
            }
            _ if address < crate::memory::NULL_END => Err(self.fail(FailureKind::NullDereference)),
            _ => Err(self.fail(FailureKind::WildCall)),
        }
    }

    fn enter(&mut self, control: &mut Control, slots: &mut Vec<u64>, call: &Call, function: u32) -> Step {
        if control.depth >= MAX_DEPTH {
            return Err(self.give_up(CutReason::DeepCalls));
        }
        let callee = &self.code.functions[function as usize];
        let mut copies = Vec::new();
        for argument in call.arguments.iter().filter(|a| a.copied > 0) {
            let address = self.word(control, slots, argument.slot);
            copies.push(self.copied(address, u64::from(argument.copied))?);
        }
        let has_more = callee.varargs;
        let more = match has_more {
            true => self.further_arguments(control, slots, call, &mut copies.clone().into_iter())?,
            false => 0,
        };
        let base = control.base + self.code.functions[control.function as usize].frame + LINK;
        let end = (base + callee.frame) as usize;
        if slots.len() < end {
            slots.resize(end, 0);
        }
        let locals = self.state.threads[self.thread].locals.len() as u64;
        let link = [
            u64::from(control.pc) | u64::from(control.called_from) << 32,
            u64::from(control.base),
            u64::from(control.function),
            u64::from(call.result),
            locals,
            more,
        ];
        slots[(base - LINK) as usize..base as usize].copy_from_slice(&link);
        let mut copies = copies.into_iter();
        let mut own = Vec::new();
        for (argument, &(slot, words)) in call.arguments.iter().zip(&callee.parameters) {
            if argument.copied > 0 {
                if let Some(id) = copies.next() {
                    slots[(base + slot) as usize] = self.state.memory.object(id).base;
                    own.push(id);
                }
                continue;
            }
            for w in 0..Slot::from(words.min(argument.words)) {
                slots[(base + slot + w) as usize] = self.word(control, slots, argument.slot + w);
            }
        }
        for id in own {
            self.state.add_local(self.thread, id);
        }
        let called_from = if call.from == NOWHERE { control.called_from } else { call.from };
        self.called_from = called_from;
        *control =
            Control { pc: callee.entry, base, depth: control.depth + 1, function, called_from, ..*control };
        self.done()
    }

    /// A copy of a structure that is passed by value.
    fn copied(&mut self, address: u64, size: u64) -> Step<ObjectId> {
        let found = self.find(address, size)?;
        self.note(&found, AccessKind::Read);
        self.note_effect();
        self.touch(&found, false, crate::code::AccessMode::Plain)?;
        self.check_open(&found)?;
        let id = self.create(size, Kind::Arguments)?;
        let to = self.state.memory.object(id).start;
        self.copy_bytes(found.at, to, size as usize);
        Ok(id)
    }

    /// Puts the arguments that have no parameters into memory, one after the other; their address.
    fn further_arguments(
        &mut self,
        control: &Control,
        slots: &[u64],
        call: &Call,
        copies: &mut dyn Iterator<Item = ObjectId>,
    ) -> Step<u64> {
        let (fixed, further) = call.arguments.split_at(call.fixed as usize);
        for _ in fixed.iter().filter(|a| a.copied > 0) {
            copies.next();
        }
        let unit = self.pointer_bytes();
        let size = |a: &Argument| match a.copied {
            0 => u64::from(a.words) * u64::from(a.bits).div_ceil(8).next_multiple_of(unit).max(unit),
            copied => u64::from(copied).next_multiple_of(unit),
        };
        let total: u64 = further.iter().map(size).sum();
        let id = self.create(total, Kind::Arguments)?;
        let object = *self.state.memory.object(id);
        let mut at = object.start;
        for argument in further {
            match argument.copied {
                0 => {
                    let each = (size(argument) / u64::from(argument.words).max(1)) as usize;
                    for w in 0..Slot::from(argument.words) {
                        let word = self.word(control, slots, argument.slot + w);
                        self.state.store(at + w as usize * each, each, word);
                    }
                }
                bytes => {
                    if let Some(copy) = copies.next() {
                        let from = self.state.memory.object(copy).start;
                        self.copy_bytes(from, at, bytes as usize);
                    }
                }
            }
            at += size(argument) as usize;
        }
        self.state.add_local(self.thread, id);
        Ok(object.base)
    }

    pub fn ret(&mut self, control: &mut Control, slots: &mut [u64], value: Slot, words: u16) -> Step {
        let link = |i: u32| slots[(control.base - LINK + i) as usize];
        let is_main = self.thread == 0 && control.depth == 0;
        let locals = link(4) as usize;
        if !is_main && self.state.threads[self.thread].locals.len() > locals {
            self.end_locals(locals)?;
        }
        if control.depth == 0 {
            let result = if words == 0 { 0 } else { self.word(control, slots, value) };
            if words > 0 && value < CONSTANT && self.state.has_marks() {
                let bits = self.state.mark_of(self.thread, (control.base + value) as usize);
                self.state.set_cell(cells::of(self.thread, cells::RESULT_UNWRITTEN), bits);
            }
            if words > 0 && value < CONSTANT && self.state.has_numbers() {
                let at = (control.base + value) as usize;
                if self.state.numbers().of_slot(self.thread, at).bits != 0 && self.thread > 0 {
                    self.depend_on_number(control.pc - 1);
                }
            }
            let ends = if self.thread == 0 { Ends::Process } else { Ends::Thread };
            return self.end_thread(control, slots, result, ends);
        }
        let (pc, base, function, result) = (link(0) as u32, link(1) as u32, link(2) as u32, link(3) as u32);
        let called_from = (link(0) >> 32) as u32;
        if base < self.saved_from {
            let saved = self.code.functions[function as usize].saved;
            self.state.save_slots(self.thread, slots, base - LINK, LINK + saved);
            self.saved_from = base;
        }
        if result != NO_SLOT && value != NO_SLOT {
            for w in 0..Slot::from(words) {
                slots[(base + result + w) as usize] = self.word(control, slots, value + w);
            }
        }
        self.called_from = called_from;
        *control = Control { pc, base, depth: control.depth - 1, function, called_from, ..*control };
        self.done()
    }

    /// Ends the life of the objects of frames, from the given one on. Others may see that of shared ones.
    pub fn end_locals(&mut self, from: usize) -> Step {
        let locals = self.state.threads[self.thread].locals[from..].to_vec();
        if self.is_concurrent() {
            for &id in &locals {
                let object = self.state.memory.object(id);
                if object.sharing == Sharing::Shared && object.life == Life::Live {
                    let found = Found {
                        id,
                        at: object.start,
                        address: object.base,
                        size: object.size,
                        visible: true,
                    };
                    if self.permits > 0 || self.atomic > 0 || self.footprint_is_open() {
                        self.note_end(&found, AccessKind::Write);
                    } else {
                        return Err(Outcome::Arrived);
                    }
                }
            }
        }
        for _ in from..self.state.threads[self.thread].locals.len() {
            if let Some(id) = self.state.remove_local(self.thread) {
                self.state.end_life(id, self.thread);
            }
        }
        Ok(())
    }

    /// Whether the visible operation is still going on.
    fn footprint_is_open(&self) -> bool {
        !self.committed
    }

    /// Makes an object of this thread.
    pub fn create(&mut self, size: u64, kind: Kind) -> Step<ObjectId> {
        let memory = &self.state.memory;
        let is_full = memory.objects.len() > MAX_OBJECTS
            || memory.bytes.len() > MOST_BYTES
            || !memory.has_room(self.thread + 1, size);
        if size > MAX_SIZE || is_full {
            return Err(self.give_up(CutReason::ManyObjects));
        }
        let place = self.place();
        let sharing = Sharing::Private(self.thread as u32);
        let id = self.state.create(self.thread + 1, size, kind, sharing, place);
        if self.is_concurrent() {
            self.state.object_mut(id).born = Birth::Concurrent;
        }
        let base = self.state.memory.object(id).base;
        self.state.race(|races, _| races.forget(base, size));
        Ok(id)
    }

    pub fn alloca(&mut self, count: u64, size: u32, variable: u32, alignment: u8) -> Step<u64> {
        let size = count.saturating_mul(u64::from(size));
        let id = self.create(size, Kind::Stack(variable))?;
        self.state.object_mut(id).alignment = 1 << alignment;
        self.state.add_local(self.thread, id);
        Ok(self.state.memory.object(id).base)
    }

    /// Takes back the objects of the frame that were made since a mark: the number of objects then.
    pub fn restore_stack(&mut self, mark: u64) -> Step {
        let mark = mark as usize;
        match mark < self.state.threads[self.thread].locals.len() {
            true => self.end_locals(mark),
            false => Ok(()),
        }
    }

    /// The address of this thread's copy of a variable, which is made at its first use.
    pub fn thread_local(&mut self, variable: u32) -> Step<u64> {
        let kind = Kind::ThreadLocal(variable);
        let cell = cells::thread_local(self.state.threads.len(), self.thread, variable);
        let known = self.state.cell(cell);
        if known != 0 {
            return Ok(known);
        }
        // It outlives the round of a loop in which it is first used.
        self.note_effect();
        // It outlives the round of a loop in which it is first used.
        self.note_effect();
        let size = self.code.globals[variable as usize].bytes.len();
        let id = self.create(size as u64, kind)?;
        self.state.object_mut(id).alignment = self.code.globals[variable as usize].alignment;
        let object = *self.state.memory.object(id);
        for (i, &byte) in self.code.globals[variable as usize].bytes.iter().enumerate() {
            self.state.store(object.start + i, 1, u64::from(byte));
        }
        self.state.set_cell(cell, object.base);
        Ok(object.base)
    }

    /// Ends the thread: calls what is left to call, or stops.
    pub fn end_thread(&mut self, control: &mut Control, slots: &mut [u64], result: u64, ends: Ends) -> Step {
        let thread = self.thread;
        let is_ending = self.state.cell(cells::of(thread, cells::ENDING));
        self.state.clear_marks(thread, 0);
        self.state.with_numbers(|numbers| numbers.clear_slots(thread, 0));
        if ends == Ends::Process || is_ending == ENDING_PROCESS {
            self.state.set_cell(cells::of(thread, cells::ENDING), ENDING_PROCESS);
            // Functions that run before `main` end nothing.
            if self.state.cell(cells::STARTED) != 0
                && let Some((function, argument)) =
                    self.next_end_function().or_else(|| self.next_exit_function())
            {
                return self.call_destructor(control, slots, function, argument);
            }
            self.state.set_cell(cells::EXITED, 1);
            self.state.race(|races, _| races.end(thread));
            return Err(Outcome::Exited);
        }
        if is_ending == 0 {
            self.publish(result);
            self.state.set_cell(cells::of(thread, cells::RESULT), result);
            self.state.set_cell(cells::of(thread, cells::ENDING), 1);
        }
        let state = self.state.cell(cells::of(thread, cells::STATE));
        if state != 0 {
            self.state.set_cell(cells::of(thread, cells::STATE), 0);
            // Its second virtual function deletes it.
            let table = self.peek(state).unwrap_or(0);
            if let Some(function) = self.peek(table.wrapping_add(8)) {
                return self.call_destructor(control, slots, function, state);
            }
        }
        if let Some((function, argument)) = self.next_end_function() {
            return self.call_destructor(control, slots, function, argument);
        }
        for key in 0..self.state.cell(cells::KEYS) as usize {
            let value = self.state.cell(cells::of(thread, cells::VALUES + key));
            let destructor = self.state.cell(cells::DESTRUCTORS + key);
            if value != 0 && destructor != 0 {
                self.state.set_cell(cells::of(thread, cells::VALUES + key), 0);
                return self.call_destructor(control, slots, destructor, value);
            }
        }
        self.state.race(|races, _| races.end(thread));
        Err(Outcome::Ended)
    }

    /// Calls a function with one argument, to return to the end of the thread.
    fn call_destructor(
        &mut self,
        control: &mut Control,
        slots: &mut [u64],
        address: u64,
        value: u64,
    ) -> Step {
        let Some(Callee::Function(function)) = self.code.function_addresses.get(&address) else {
            return Err(self.give_up(CutReason::Unsupported("a destructor that is no function".to_owned())));
        };
        let callee = &self.code.functions[*function as usize];
        let base = self.code.constants.len() as u32 + LINK;
        if slots.len() < (base + callee.frame) as usize {
            return Err(self.give_up(CutReason::Unsupported("a destructor with a large frame".to_owned())));
        }
        let locals = self.state.threads[self.thread].locals.len() as u64;
        let link = [0, 0, 0, u64::from(NO_SLOT), locals, 0];
        slots[(base - LINK) as usize..base as usize].copy_from_slice(&link);
        if let Some(&(slot, _)) = callee.parameters.first() {
            slots[(base + slot) as usize] = value;
        }
        // It runs as the lowest frame: when it returns, the thread ends again.
        let (function, called_from) = (*function, NOWHERE);
        self.called_from = called_from;
        *control = Control { pc: callee.entry, base, depth: 0, function, called_from, ..*control };
        Ok(())
    }
}
