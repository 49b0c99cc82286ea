//! The machine's own functions: which does what.

use super::locks::Patience;
use super::{Run, Step, arithmetic};
use crate::builtin::Builtin;
use crate::code::{Call, Callee, NO_SLOT};
use crate::failure::{CutReason, FailureKind};
use crate::machine::cells;
use crate::memory;
use crate::state::Control;
use selvedge_code::Kind;
use selvedge_trace::AccessKind;

impl Run<'_> {
    pub fn builtin(&mut self, control: &mut Control, slots: &mut [u64], call: u32) -> Step {
        let call = &self.code.calls[call as usize];
        match call.callee {
            Callee::Builtin(builtin) => self.perform(builtin, call, control, slots),
            Callee::Unknown(name) => {
                let name = self.code.unknown[name as usize].clone();
                Err(self.give_up(CutReason::UnknownFunction(name)))
            }
            _ => Err(self.fail(FailureKind::WildCall)),
        }
    }

    /// Performs one of the machine's own functions and stores its result.
    pub fn perform(
        &mut self,
        builtin: Builtin,
        call: &Call,
        control: &mut Control,
        slots: &mut [u64],
    ) -> Step {
        let argument = |i: usize| call.arguments.get(i).map_or(0, |a| self.word(control, slots, a.slot));
        let result = match builtin {
            // The commonest have a short way.
            Builtin::MutexLock => self.mutex_lock(argument(0), Patience::Wait)?,
            Builtin::MutexUnlock => self.mutex_unlock(argument(0))?,
            Builtin::ThreadJoin => self.join_with_result(call, argument(0), argument(1))?,
            Builtin::ThreadExit => {
                let result = argument(0);
                return self.exit_thread(control, slots, result);
            }
            Builtin::Exit if self.waits_instead() && !self.code.has_exit_functions => {
                return self.exit_or_wait().map(|_| ());
            }
            Builtin::Exit => return self.exit_process(control, slots),
            Builtin::Terminate if call.name.contains("__throw_") && self.may_catch(control, slots) => {
                let what = format!("the exception thrown by `{}`", call.name);
                return Err(self.give_up(CutReason::Unsupported(what)));
            }
            _ => {
                let words = self.arguments(control, slots, call);
                match builtin {
                    Builtin::Throw | Builtin::Rethrow | Builtin::RethrowPointer | Builtin::Resume => {
                        return self.throw(builtin, control, slots, &words);
                    }
                    _ => self.result(builtin, call, control, slots, &words)?,
                }
            }
        };
        if call.result != NO_SLOT && call.result_bits > 0 {
            let is_open = self.state.symbols().tag(result).is_some() && builtin.returns_input();
            let result = if is_open { result } else { arithmetic::masked(result, call.result_bits) };
            slots[(control.base + call.result) as usize] = result;
        }
        self.done()
    }

    fn result(
        &mut self,
        builtin: Builtin,
        call: &Call,
        control: &Control,
        slots: &[u64],
        words: &[u64],
    ) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::NondetBool => self.input_bool(),
            Builtin::NondetSigned | Builtin::NondetUnsigned => {
                if call.result_bits <= 3 {
                    return self.decide(1 << call.result_bits).map(u64::from);
                }
                self.input_word(call.result_bits)
            }
            Builtin::Random => {
                self.note_effect();
                self.new_symbol_within(i32::MAX as u64, call.result_bits)
            }
            // These can be copied, and pointers compared; they have too many values for anything else.
            Builtin::NondetFloat | Builtin::NondetPointer => self.input_word(call.result_bits),
            Builtin::Time => self.time(a(0)),
            Builtin::Clock => self.clock(),
            Builtin::Printf | Builtin::Fprintf => self.print_format(control, slots, call),
            Builtin::Sprintf => self.print_call(control, slots, call, false),
            Builtin::Snprintf => self.print_call(control, slots, call, true),
            Builtin::VaStart => {
                let more = slots[(control.base - super::call::LINK + 5) as usize];
                self.va_start(a(0), more)
            }
            Builtin::StackSave => Ok(self.state.threads[self.thread].locals.len() as u64),
            _ => self.simple(builtin, call, words),
        }
    }

    /// Functions of their arguments and the state.
    fn simple(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        match builtin.kind() {
            Kind::Pure => self.number_function(builtin, call, words),
            Kind::Memory => self.memory_function(builtin, call, words),
            Kind::Text => self.text_function(builtin, call, words),
            Kind::Thread => self.thread_function(builtin, call, words),
            Kind::Lock => self.lock_function(builtin, call, words),
            Kind::Wait => self.wait_function(builtin, call, words),
            Kind::Input => self.input_function(builtin, call, words),
            Kind::Output => self.output_function(builtin, call, words),
            Kind::Process => self.process_function(builtin, call, words),
            Kind::Exception => self.exception_function(builtin, call, words),
            Kind::Compiler => self.list_function(builtin, words),
        }
    }

    /// Lists of further arguments.
    fn list_function(&mut self, builtin: Builtin, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::VaCopy if self.pointer_bytes() == 4 => self.memcpy(a(0), a(1), 4),
            Builtin::VaCopy => self.memcpy(a(0), a(1), 24),
            _ => Ok(0),
        }
    }

    /// Functions that end the program, assume something, or ask the system.
    pub fn process_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::QuickExit => self.exit_or_wait(),
            Builtin::AtExit => self.at_exit(a(0), 0),
            Builtin::AtEndOfThread => self.at_end_of_thread(a(0), a(1)),
            Builtin::AtExitCpp => self.at_exit(a(0), a(1)),
            Builtin::Environment => {
                Err(self.give_up(CutReason::Unsupported("variables of the environment".to_owned())))
            }
            // To ignore a signal, or to treat it as usual, is nothing: none comes.
            Builtin::SignalHandler if a(1) <= 1 => Ok(0),
            Builtin::SignalHandler => {
                Err(self.give_up(CutReason::Unsupported("handlers of signals".to_owned())))
            }
            Builtin::Abort => self.abort("the program aborts"),
            Builtin::Terminate => self.abort(&format!("the program terminates by `{}`", call.name)),
            Builtin::AssertFail => self.assert_fail(a(0)),
            Builtin::ErrorCall => Err(self.fail(FailureKind::ErrorCall(call.name.to_string()))),
            Builtin::Assume | Builtin::AssumeOrAbort => self.assume(self.condition(call, words)),
            Builtin::ErrnoLocation => self.errno(),
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    /// Functions whose result is not determined.
    pub fn input_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::TimeOfDay => {
                self.time_of_day(if call.name.starts_with("clock") { a(1) } else { a(0) }, call)
            }
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    /// The condition of an assumption, of as many bits as were passed.
    fn condition(&self, call: &Call, words: &[u64]) -> u64 {
        let bits = call.arguments.first().map_or(32, |argument| argument.bits);
        arithmetic::masked(words.first().copied().unwrap_or(0), bits)
    }

    pub fn set_errno(&mut self, error: u64) -> Step {
        let errno = self.errno()?;
        if let Some(found) = self.find_again(errno, 4)
            && self.state.memory.load(found.at, 4) != error
        {
            self.note_effect();
            self.state.store(found.at, 4, error);
        }
        Ok(())
    }

    pub fn attribute(&mut self, address: u64) -> Step<u64> {
        let found = self.find(address, 4)?;
        self.note(&found, AccessKind::Read);
        Ok(self.state.memory.load(found.at, 4))
    }

    pub fn set_attribute(&mut self, address: u64, value: u64) -> Step<u64> {
        let found = self.find(address, 4)?;
        self.note(&found, AccessKind::Write);
        self.state.store(found.at, 4, value);
        Ok(0)
    }

    /// Puts an address into memory.
    pub fn put_address(&mut self, to: u64, address: u64) -> Step {
        let size = self.pointer_bytes() as usize;
        self.put(to, &address.to_le_bytes()[..size])
    }

    /// The bytes of a pointer.
    #[inline(always)]
    pub fn pointer_bytes(&self) -> u64 {
        self.state.memory.model().pointer_bytes() as u64
    }

    /// The bits of a pointer, and of a `long`.
    pub fn pointer_bits(&self) -> u8 {
        8 * self.pointer_bytes() as u8
    }

    /// A word at an address, if there is one.
    pub fn peek(&self, address: u64) -> Option<u64> {
        let size = self.pointer_bytes();
        self.find_again(address, size).map(|found| self.state.memory.load(found.at, size as usize))
    }

    /// The address of this thread's `errno`.
    pub fn errno(&mut self) -> Step<u64> {
        let cell = cells::of(self.thread, cells::ERRNO);
        let known = self.state.cell(cell);
        if known != 0 {
            return Ok(known);
        }
        self.note_effect();
        let id = self.create(4, memory::Kind::Library)?;
        let base = self.state.memory.object(id).base;
        let start = self.state.memory.object(id).start;
        self.state.store(start, 4, 0);
        self.state.set_cell(cell, base);
        Ok(base)
    }

    /// Fills a list of further arguments, as if all registers for them were used up.
    fn va_start(&mut self, list: u64, more: u64) -> Step<u64> {
        if self.pointer_bytes() == 4 {
            let found = self.find(list, 4)?;
            self.note(&found, AccessKind::Write);
            self.write(&found, more);
            return Ok(0);
        }
        let found = self.find(list, 24)?;
        self.note(&found, AccessKind::Write);
        self.state.store(found.at, 8, 48 | 304 << 32);
        self.state.store(found.at + 8, 8, more);
        self.state.store(found.at + 16, 8, 0);
        Ok(0)
    }
}
