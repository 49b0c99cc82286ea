//! C++ exceptions: throwing, landing and catching, as the Itanium ABI for C++ describes it.
//!
//! An exception lies in memory after a header: its type, its destructor, how many handlers hold it (less than nothing if it was
//! thrown again), the exception that was caught before it, its part that the handler sees, and how many hold it: its handlers
//! together, and each `std::exception_ptr`. What is thrown from such a pointer is a header of its own, which
//! names the exception that it stands for; so threads that throw the same one share nothing but how many hold it. First the frames are searched for a handler; if there is none the program ends
//! where it threw. Then the exception lands at the first pad on the way there.

use super::call::LINK;
use super::{Run, Step};
use crate::builtin::Builtin;
use crate::code::{AccessMode, Call, Clause};
use crate::failure::CutReason;
use crate::machine::cells;
use crate::memory::Kind;
use crate::state::Control;
use selvedge_llvm::instruction::RmwOperator;

/// Bytes of the header.
const HEADER: u64 = 64;
const TYPE: u64 = 0;
const DESTRUCTOR: u64 = 8;
const HANDLERS: u64 = 16;
const BEFORE: u64 = 24;
const PART: u64 = 32;
const REFERENCES: u64 = 40;
const PRIMARY: u64 = 48;

/// A frame, with the instruction that an exception leaves there.
#[derive(Clone, Copy, Debug)]
struct Frame {
    pc: u32,
    base: u32,
    function: u32,
    depth: u32,
    called_from: u32,
    /// The first slot of the frame above, if there is one.
    above: Option<u32>,
}

/// Where an exception lands.
#[derive(Clone, Copy, Debug)]
struct Landing {
    frame: Frame,
    pc: u32,
    selector: u64,
    /// The part of the exception that the handler sees; none if there is only something to clean up.
    part: Option<u64>,
}

impl Frame {
    fn present(control: &Control) -> Frame {
        let Control { pc, base, function, depth, called_from, .. } = *control;
        Frame { pc: pc - 1, base, function, depth, called_from, above: None }
    }

    /// The frame of the caller.
    fn caller(self, slots: &[u64]) -> Option<Frame> {
        let link = |i: u32| slots[(self.base - LINK + i) as usize] as u32;
        let depth = self.depth.checked_sub(1)?;
        let called_from = (slots[(self.base - LINK) as usize] >> 32) as u32;
        let above = Some(self.base);
        Some(Frame { pc: link(0) - 1, base: link(1), function: link(2), depth, called_from, above })
    }
}

impl Run<'_> {
    /// Functions of exceptions.
    pub fn exception_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::AllocateException => self.allocate_exception(a(0)),
            Builtin::FreeException => self.free_exception(a(0)),
            Builtin::LandedObject => Ok(self.state.cell(cells::of(self.thread, cells::EXCEPTION))),
            Builtin::LandedSelector => Ok(self.state.cell(cells::of(self.thread, cells::SELECTOR))),
            Builtin::BeginCatch => self.begin_catch(a(0)),
            Builtin::EndCatch => self.end_catch(),
            Builtin::DestructorOf => Ok(self.destructor_of(a(0))),
            Builtin::ExceptionPointer => Ok(self.exception_pointer(a(0))),
            Builtin::CurrentException => Ok(self.caught_exception()),
            Builtin::UncaughtExceptions => Ok(self.state.cell(cells::of(self.thread, cells::UNCAUGHT))),
            Builtin::InitialiseException => Ok(self.initialise_exception(a(0), a(1), a(2))),
            Builtin::ReleaseException => self.release_exception(a(0)),
            Builtin::DynamicCast => self.dynamic_cast(a(0), a(2)),
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    pub fn allocate_exception(&mut self, size: u64) -> Step<u64> {
        self.note_effect();
        let id = self.create(size.saturating_add(HEADER), Kind::Library)?;
        Ok(self.state.memory.object(id).base + HEADER)
    }

    pub fn free_exception(&mut self, object: u64) -> Step<u64> {
        if let Some(id) = self.state.memory.find(object.wrapping_sub(HEADER)) {
            self.state.end_life(id, self.thread);
        }
        Ok(0)
    }

    fn header(&self, object: u64, field: u64) -> u64 {
        self.peek(object.wrapping_sub(HEADER).wrapping_add(field)).unwrap_or(0)
    }

    fn set_header(&mut self, object: u64, field: u64, value: u64) {
        if let Some(found) = self.find_again(object.wrapping_sub(HEADER).wrapping_add(field), 8) {
            self.state.store(found.at, 8, value);
        }
    }

    /// Throws an exception, for the first time, again, or further on.
    pub fn throw(
        &mut self,
        builtin: Builtin,
        control: &mut Control,
        slots: &mut [u64],
        words: &[u64],
    ) -> Step {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let caught = cells::of(self.thread, cells::CAUGHT);
        let object = match builtin {
            Builtin::Rethrow => self.state.cell(caught),
            _ => a(0),
        };
        if object == 0 {
            return self.abort("an exception is thrown again, but there is none").map(|_| ());
        }
        let ty = if builtin == Builtin::Throw { a(1) } else { self.header(object, TYPE) };
        let Some(landing) = self.landing(control, slots, self.primary(object), ty) else {
            let name = self.type_name(ty);
            return self.abort(&format!("an exception of type `{name}` is not caught")).map(|_| ());
        };
        self.leave_frames(control, slots, landing.frame)?;
        let object = match builtin {
            Builtin::RethrowPointer => self.stand_in(object, ty)?,
            _ => object,
        };
        match builtin {
            Builtin::Throw => {
                self.set_header(object, TYPE, a(1));
                self.set_header(object, DESTRUCTOR, a(2));
                self.set_header(object, REFERENCES, 1);
            }
            Builtin::Rethrow => {
                let handlers = self.header(object, HANDLERS) as i64;
                self.set_header(object, HANDLERS, -handlers.abs() as u64);
            }
            _ => {}
        }
        if builtin != Builtin::Resume {
            let uncaught = cells::of(self.thread, cells::UNCAUGHT);
            self.state.set_cell(uncaught, self.state.cell(uncaught) + 1);
        }
        if let Some(part) = landing.part {
            self.set_header(object, PART, part);
        }
        self.state.set_cell(cells::of(self.thread, cells::EXCEPTION), object);
        self.state.set_cell(cells::of(self.thread, cells::SELECTOR), landing.selector);
        let Frame { base, function, depth, called_from, .. } = landing.frame;
        self.called_from = called_from;
        *control = Control { pc: landing.pc, base, depth, function, called_from, ..*control };
        self.done()
    }

    /// The exception that one stands for, or itself.
    fn primary(&self, object: u64) -> u64 {
        match self.header(object, PRIMARY) {
            0 => object,
            primary => primary,
        }
    }

    /// What is thrown from a pointer to an exception.
    fn stand_in(&mut self, primary: u64, ty: u64) -> Step<u64> {
        let object = self.allocate_exception(8)?;
        self.set_header(object, TYPE, ty);
        self.set_header(object, PRIMARY, primary);
        Ok(object)
    }

    /// An exception that is only held by pointers.
    pub fn initialise_exception(&mut self, object: u64, ty: u64, destructor: u64) -> u64 {
        self.set_header(object, TYPE, ty);
        self.set_header(object, DESTRUCTOR, destructor);
        object
    }

    /// Where an exception lands first on the way to its handler; nothing if it has none.
    fn landing(&self, control: &Control, slots: &[u64], object: u64, ty: u64) -> Option<Landing> {
        let mut first = None;
        let mut next = Some(Frame::present(control));
        while let Some(frame) = next {
            next = frame.caller(slots);
            for pad in self.code.landing_pads(frame.pc) {
                let fits = pad.clauses.iter().find_map(|clause| self.fits(clause, object, ty));
                if let Some((selector, part)) = fits {
                    let here = Landing { frame, pc: pad.landing, selector, part: Some(part) };
                    return Some(first.unwrap_or(here));
                }
                if pad.is_cleanup {
                    first = first.or(Some(Landing { frame, pc: pad.landing, selector: 0, part: None }));
                }
            }
        }
        None
    }

    /// Whether an exception lands for a clause: the number of the clause, and the part that the handler sees.
    fn fits(&self, clause: &Clause, object: u64, ty: u64) -> Option<(u64, u64)> {
        match clause {
            Clause::Catch(handler) => {
                let part = self.caught_part(object, ty, *handler)?;
                Some(((*handler).max(1) & 0xffff_ffff, part))
            }
            Clause::Filter(types) => {
                let is_allowed = types.iter().any(|allowed| self.caught_part(object, ty, *allowed).is_some());
                (!is_allowed).then_some((0xffff_ffff, object))
            }
        }
    }

    /// Whether some frame has a handler, whatever it is for.
    pub fn may_catch(&self, control: &Control, slots: &[u64]) -> bool {
        let mut next = Some(Frame::present(control));
        while let Some(frame) = next {
            if self.code.landing_pads(frame.pc).any(|pad| !pad.clauses.is_empty()) {
                return true;
            }
            next = frame.caller(slots);
        }
        false
    }

    /// Leaves the frames above one, as returns would.
    fn leave_frames(&mut self, control: &Control, slots: &[u64], to: Frame) -> Step {
        self.note_effect();
        let Some(above) = to.above else { return Ok(()) };
        let locals = slots[(above - LINK + 4) as usize] as usize;
        if self.state.threads[self.thread].locals.len() > locals {
            self.end_locals(locals)?;
        }
        self.state.clear_marks(self.thread, above);
        let mut next = Frame::present(control).caller(slots);
        while let Some(frame) = next.filter(|frame| frame.depth >= to.depth) {
            if frame.base < self.saved_from {
                let saved = self.code.functions[frame.function as usize].saved;
                self.state.save_slots(self.thread, slots, frame.base - LINK, LINK + saved);
                self.saved_from = frame.base;
            }
            next = frame.caller(slots);
        }
        Ok(())
    }

    /// The beginning of a handler; the part of the exception that it sees.
    pub fn begin_catch(&mut self, object: u64) -> Step<u64> {
        let handlers = self.header(object, HANDLERS) as i64;
        self.set_header(object, HANDLERS, (handlers.abs() + 1) as u64);
        let uncaught = cells::of(self.thread, cells::UNCAUGHT);
        self.state.set_cell(uncaught, self.state.cell(uncaught).saturating_sub(1));
        let caught = cells::of(self.thread, cells::CAUGHT);
        let before = self.state.cell(caught);
        if before != object {
            self.set_header(object, BEFORE, before);
            self.state.set_cell(caught, object);
        }
        Ok(self.header(object, PART))
    }

    /// The end of a handler; the exception, if that was the last one.
    pub fn end_catch(&mut self) -> Step<u64> {
        let caught = cells::of(self.thread, cells::CAUGHT);
        let object = self.state.cell(caught);
        if object == 0 {
            return Ok(0);
        }
        let handlers = self.header(object, HANDLERS) as i64;
        let left = handlers - handlers.signum();
        self.set_header(object, HANDLERS, left as u64);
        if left != 0 {
            return Ok(0);
        }
        self.state.set_cell(caught, self.header(object, BEFORE));
        if handlers < 0 {
            return Ok(0);
        }
        let primary = self.primary(object);
        if primary != object {
            self.free_exception(object)?;
        }
        Ok(primary)
    }

    /// One less holds an exception; the exception, if it was the last. Others may hold it, too.
    pub fn release_exception(&mut self, object: u64) -> Step<u64> {
        let count = object.wrapping_sub(HEADER).wrapping_add(REFERENCES);
        let before = self.modify(RmwOperator::Sub, count, 1, 64, AccessMode::AcquireRelease)?;
        Ok(if before == 1 { object } else { 0 })
    }

    pub fn destructor_of(&self, object: u64) -> u64 {
        self.header(object, DESTRUCTOR)
    }

    /// The part of an exception that its handler will see.
    pub fn exception_pointer(&self, object: u64) -> u64 {
        self.header(object, PART)
    }

    /// The exception whose handler the thread is in.
    pub fn caught_exception(&mut self) -> u64 {
        match self.state.cell(cells::of(self.thread, cells::CAUGHT)) {
            0 => 0,
            object => self.primary(object),
        }
    }
}
