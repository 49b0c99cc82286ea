//! The machine's own functions: which does what.

use super::destroyed::Lock;
use super::float_text::{Precision, Read, leading_number};
use super::locks::{EAGAIN, EBUSY, EINVAL, ERANGE, ETIMEDOUT, Patience};
use super::numbers::{Prefixes, leading_integer};
use super::{Outcome, Run, Step, arithmetic};
use crate::builtin::Builtin;
use crate::code::{Call, Callee, NO_SLOT};
use crate::failure::{CutReason, FailureKind};
use crate::machine::cells;
use crate::memory::{ALIGNMENT, Kind, Life, ObjectId};
use crate::state::Control;
use selvedge_llvm::instruction::BinaryOperator;
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
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::Malloc => self.allocate(a(0)),
            Builtin::Calloc => self.allocate_zeros(a(0).saturating_mul(a(1))),
            Builtin::AlignedAlloc => self.allocate_aligned(a(0), a(1)),
            Builtin::NewAligned => self.allocate_aligned(a(1), a(0)),
            Builtin::PosixMemalign => {
                if !a(1).is_power_of_two() || a(1) < self.pointer_bytes() {
                    return Ok(EINVAL);
                }
                self.together(&[a(0)])?;
                let address = self.allocate_aligned(a(1), a(2))?;
                let goes_on = self.permits == 0 && !self.committed;
                self.atomic += u32::from(goes_on);
                let bits = self.pointer_bits();
                let stored = self.store(a(0), bits, address, crate::code::AccessMode::Plain);
                self.atomic -= u32::from(goes_on);
                stored.map(|()| 0)
            }
            Builtin::Realloc => self.reallocate(a(0), a(1)),
            Builtin::Free => self.free(a(0)),
            Builtin::Memcpy => self.memcpy(a(0), a(1), a(2)),
            Builtin::Memset => self.memset(a(0), a(1), a(2)),
            Builtin::Bzero => self.memset(a(0), 0, a(1)),
            Builtin::QuickExit => self.exit_or_wait(),
            Builtin::AtExit => self.at_exit(a(0), 0),
            Builtin::AtEndOfThread => self.at_end_of_thread(a(0), a(1)),
            Builtin::AtExitCpp => self.at_exit(a(0), a(1)),
            Builtin::TimeOfDay => {
                self.time_of_day(if call.name.starts_with("clock") { a(1) } else { a(0) }, call)
            }
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
            Builtin::Nothing => Ok(0),
            Builtin::VaEnd => Ok(0),
            Builtin::VaCopy if self.pointer_bytes() == 4 => self.memcpy(a(0), a(1), 4),
            Builtin::VaCopy => self.memcpy(a(0), a(1), 24),
            Builtin::Puts => {
                let mut text = self.text(a(0), u64::MAX)?;
                text.push(b'\n');
                self.print(&text);
                Ok(1)
            }
            Builtin::Fputs => {
                let text = self.text(a(0), u64::MAX)?;
                self.print(&text);
                Ok(1)
            }
            Builtin::Putchar => {
                self.print(&[a(0) as u8]);
                Ok(a(0) & 0xff)
            }
            Builtin::Fwrite => {
                let size = a(1).saturating_mul(a(2));
                if size > 0 {
                    let found = self.readable(a(0), size)?;
                    let bytes = self.state.memory.bytes[found.at..found.at + size as usize].to_vec();
                    self.print(&bytes);
                }
                Ok(a(2))
            }
            Builtin::Perror => Ok(0),
            Builtin::Vprintf | Builtin::Vfprintf => {
                let first = usize::from(builtin == Builtin::Vfprintf);
                let text = self.print_list(a(first), a(first + 1))?;
                self.print(&text);
                Ok(text.len() as u64)
            }
            Builtin::Vsprintf | Builtin::Vsnprintf => {
                let first = if builtin == Builtin::Vsprintf { 1 } else { 2 };
                let text = self.print_list(a(first), a(first + 1))?;
                let room = if builtin == Builtin::Vsprintf { u64::MAX } else { a(1) };
                if room > 0 {
                    let kept = (text.len() as u64).min(room - 1) as usize;
                    self.put_text(a(0), &text[..kept])?;
                }
                Ok(text.len() as u64)
            }
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
            Builtin::StreamText
            | Builtin::StreamString
            | Builtin::StreamSized
            | Builtin::StreamCharacter
            | Builtin::StreamSigned
            | Builtin::StreamUnsigned
            | Builtin::StreamBool
            | Builtin::StreamDouble
            | Builtin::StreamPointer
            | Builtin::StreamManipulator
            | Builtin::StreamFlush => self.stream(builtin, call, words),
            _ if is_text(builtin) => self.text_function(builtin, words),
            _ if is_number(builtin) => self.number_function(builtin, call, words),
            _ => self.synchronise(builtin, call, words),
        }
    }

    /// The condition of an assumption, of as many bits as were passed.
    fn condition(&self, call: &Call, words: &[u64]) -> u64 {
        let bits = call.arguments.first().map_or(32, |argument| argument.bits);
        arithmetic::masked(words.first().copied().unwrap_or(0), bits)
    }

    fn synchronise(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::ThreadCreate => {
                let detached = if a(1) == 0 { 0 } else { self.attribute(a(1))? };
                let answer = self.create_thread(a(0), a(2), a(3))?;
                if detached == 1 {
                    self.detach_created();
                }
                Ok(answer)
            }
            Builtin::ThreadCreateC11 => self.create_thread(a(0), a(1), a(2)),
            Builtin::ThreadCreateCpp => self.create_thread_cpp(a(0), a(1)),
            Builtin::ThreadJoinC11 => self.join_with_result(call, a(0), a(1)),
            Builtin::ThreadJoinCpp => self.join_cpp(a(0)),
            Builtin::ThreadSelf => Ok(self.handle_of(self.thread)),
            Builtin::ThreadEqual => Ok(u64::from(a(0) == a(1))),
            Builtin::ThreadDetach => self.detach(a(0)),
            Builtin::ThreadDetachCpp => self.detach_cpp(a(0)),
            Builtin::KeyCreate => self.key_create(a(0), a(1)),
            Builtin::KeyDelete => self.key_delete(a(0)),
            Builtin::KeySet => self.key_set(a(0), a(1)),
            Builtin::KeyGet => Ok(self.key_get(a(0))),
            Builtin::MutexInit => {
                let kind = match a(1) {
                    0 => 0,
                    attribute => self.attribute(attribute)?,
                };
                self.mutex_init(a(0), kind)
            }
            // C11: 1 is recursive, whatever else is combined with it.
            Builtin::MutexInitC11 => self.mutex_init(a(0), a(1) & 1),
            Builtin::MutexDestroy => self.mutex_destroy(a(0)),
            Builtin::MutexTryLock => self.mutex_lock(a(0), Patience::Try(EBUSY)),
            Builtin::MutexTryLockC11 => self.mutex_lock(a(0), Patience::Try(1)),
            Builtin::MutexTimedLock => self.mutex_lock(a(0), Patience::Try(ETIMEDOUT)),
            Builtin::MutexTimedLockC11 => self.mutex_lock(a(0), Patience::Try(4)),
            Builtin::MutexAttrInit => self.set_attribute(a(0), 0),
            Builtin::MutexAttrSetType => self.set_attribute(a(0), a(1) & 0xffff_ffff),
            Builtin::MutexAttrGetType => {
                let kind = self.attribute(a(0))?;
                self.set_attribute(a(1), kind)
            }
            Builtin::RwInit => self.rw_init(a(0)),
            Builtin::RwReadLock => self.rw_lock(a(0), false, Patience::Wait),
            Builtin::RwWriteLock => self.rw_lock(a(0), true, Patience::Wait),
            Builtin::RwTryReadLock => self.rw_lock(a(0), false, Patience::Try(EBUSY)),
            Builtin::RwTryWriteLock => self.rw_lock(a(0), true, Patience::Try(EBUSY)),
            Builtin::RwTimedReadLock => self.rw_lock(a(0), false, Patience::Try(ETIMEDOUT)),
            Builtin::RwTimedWriteLock => self.rw_lock(a(0), true, Patience::Try(ETIMEDOUT)),
            Builtin::RwUnlock => self.rw_unlock(a(0)),
            Builtin::RwDestroy => self.destroy(Lock::ReadersWriter, a(0)),
            Builtin::SpinDestroy => self.destroy(Lock::Spin, a(0)),
            Builtin::SemDestroy => self.destroy(Lock::Semaphore, a(0)),
            Builtin::CondInit => self.condition_init(a(0)),
            Builtin::CondDestroy => self.destroy(Lock::Condition, a(0)),
            Builtin::SpinInit => self.spin_init(a(0)),
            Builtin::SpinLock => self.spin_lock(a(0), Patience::Wait),
            Builtin::SpinTryLock => self.spin_lock(a(0), Patience::Try(EBUSY)),
            Builtin::SpinUnlock => self.spin_unlock(a(0)),
            Builtin::CondWait | Builtin::CondTimedWait | Builtin::CondTimedWaitC11 => {
                self.begin_wait(a(0), a(1))
            }
            Builtin::CondWaitCpp => {
                let lock = self.find_again(a(1), 8);
                let mutex = lock.map_or(0, |found| self.state.memory.load(found.at, 8));
                self.begin_wait(a(0), mutex)
            }
            Builtin::CondWakeUp => self.end_wait(),
            Builtin::CondTimedWakeUp => {
                let answer = self.timeout(call.name.starts_with("cnd"));
                self.end_timed_wait(answer)
            }
            Builtin::CondSignal => self.signal(a(0), 1),
            Builtin::CondBroadcast => self.signal(a(0), usize::MAX),
            Builtin::BarrierInit => self.barrier_init(a(0), a(2) & 0xffff_ffff),
            Builtin::BarrierDestroy => self.barrier_destroy(a(0)),
            Builtin::BarrierWait => self.arrive(a(0)),
            Builtin::BarrierPass => self.pass(),
            Builtin::FutexBegin => self.begin_futex(words),
            Builtin::FutexEnd => self.end_futex(words),
            Builtin::AddressWait => self.wait_at(a(0), a(1), a(2), a(0)),
            Builtin::AddressNotify => match a(2) & 0xffff_ffff {
                0 => self.notify(a(0), a(1), a(0), 1),
                _ => self.notify(a(0), a(1), a(0), usize::MAX),
            },
            Builtin::AttributeInit => self.set_attribute(a(0), 0),
            Builtin::AttributeSetDetached => self.set_attribute(a(0), a(1) & 0xffff_ffff),
            Builtin::OnceBegin => self.once_begin(a(0), 4, 2),
            Builtin::OnceEnd => self.once_end(a(0), 4, 2),
            Builtin::OnceAbort => self.once_end(a(0), 4, 0),
            Builtin::AtomicLoad
            | Builtin::AtomicStore
            | Builtin::AtomicExchange
            | Builtin::AtomicCompareExchange => self.atomic_bytes(builtin, words),
            Builtin::MutexLockAll => self.lock_all(words),
            Builtin::GuardAcquire => self.once_begin(a(0), 2, 1),
            Builtin::GuardRelease => self.once_end(a(0), 2, 1),
            Builtin::GuardAbort => self.once_end(a(0), 2, 0),
            Builtin::SemInit => self.sem_init(a(0), a(2) & 0xffff_ffff),
            Builtin::SemWait => self.sem_wait(a(0), Patience::Wait),
            Builtin::SemTryWait => self.try_semaphore(a(0), EAGAIN),
            Builtin::SemTimedWait => self.try_semaphore(a(0), ETIMEDOUT),
            Builtin::SemPost => self.sem_post(a(0)),
            Builtin::SemGetValue => self.sem_get_value(a(0), a(1)),
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    /// Semaphores tell errors by -1 and `errno`.
    fn try_semaphore(&mut self, address: u64, error: u64) -> Step<u64> {
        match self.sem_wait(address, Patience::Try(error))? {
            0 => Ok(0),
            error => {
                self.set_errno(error)?;
                Ok(u64::MAX)
            }
        }
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

    fn attribute(&mut self, address: u64) -> Step<u64> {
        let found = self.find(address, 4)?;
        self.note(&found, AccessKind::Read);
        Ok(self.state.memory.load(found.at, 4))
    }

    fn set_attribute(&mut self, address: u64, value: u64) -> Step<u64> {
        let found = self.find(address, 4)?;
        self.note(&found, AccessKind::Write);
        self.state.store(found.at, 4, value);
        Ok(0)
    }

    /// Puts an address into memory.
    fn put_address(&mut self, to: u64, address: u64) -> Step {
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
    fn errno(&mut self) -> Step<u64> {
        let cell = cells::of(self.thread, cells::ERRNO);
        let known = self.state.cell(cell);
        if known != 0 {
            return Ok(known);
        }
        self.note_effect();
        let id = self.create(4, Kind::Library)?;
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

    pub fn allocate(&mut self, size: u64) -> Step<u64> {
        self.note_effect();
        let block = self.choose_block(size, None)?;
        self.allocate_at(block, size)
    }

    /// A block, at the address of a freed one if there is one.
    fn allocate_at(&mut self, freed: Option<ObjectId>, size: u64) -> Step<u64> {
        let id = match freed {
            Some(old) => self.create_again(old, size),
            None => self.create(size, Kind::Heap)?,
        };
        Ok(self.state.memory.object(id).base)
    }

    /// A block whose address is a multiple of a number; null if that is no power of two.
    fn allocate_aligned(&mut self, alignment: u64, size: u64) -> Step<u64> {
        match alignment {
            _ if !alignment.is_power_of_two() => Ok(0),
            _ if alignment > ALIGNMENT => {
                let what = format!("memory at a multiple of {alignment}");
                Err(self.give_up(CutReason::Unsupported(what)))
            }
            _ => {
                let address = self.allocate(size)?;
                if let Some(id) = self.state.memory.find(address) {
                    let object = self.state.object_mut(id);
                    object.alignment = object.alignment.max(alignment as u32);
                }
                Ok(address)
            }
        }
    }

    fn allocate_zeros(&mut self, size: u64) -> Step<u64> {
        let address = self.allocate(size)?;
        if let Some(id) = self.state.memory.find(address) {
            self.state.memory.set_written(id);
        }
        Ok(address)
    }

    fn reallocate(&mut self, address: u64, size: u64) -> Step<u64> {
        if address == 0 {
            return self.allocate(size);
        }
        self.together(&[address])?;
        let (id, old) = match self.state.memory.find(address) {
            Some(id) if self.state.memory.object(id).base == address => (id, *self.state.memory.object(id)),
            _ => return self.free(address),
        };
        self.note_effect();
        self.locations.resizes = true;
        let can_stay = old.life == Life::Live && size <= self.state.memory.room_at(id);
        let block = self.choose_block(size, can_stay.then_some(id))?;
        let copied = old.size.min(size);
        if block == Some(id) && can_stay {
            self.free(address)?;
            let new = self.allocate_at(block, size)?;
            let to = self.find_again(new, 0).map_or(0, |found| found.at);
            self.copy_bytes(old.start, to, copied as usize);
            return Ok(new);
        }
        let new = self.allocate_at(block, size)?;
        if copied > 0 && old.life == Life::Live {
            self.memcpy(new, address, copied)?;
        }
        let made = self.state.memory.objects.len() as u32;
        self.free(address)?;
        // The new block might have had the address of the old one.
        self.state.object_mut(id).end.1 = made - 1;
        Ok(new)
    }

    pub fn free(&mut self, address: u64) -> Step<u64> {
        if address == 0 {
            return Ok(0);
        }
        self.note_effect();
        let describe = |run: &Self, id| crate::names::describe_object(run.code, &run.state.memory, id);
        let Some(id) = self.state.memory.find(address) else {
            return Err(self.fail(FailureKind::InvalidFree("an address where there is nothing".to_owned())));
        };
        let object = *self.state.memory.object(id);
        if object.kind != Kind::Heap || object.base != address {
            let what = describe(self, id);
            return Err(self.fail(FailureKind::InvalidFree(what)));
        }
        self.together(&[address])?;
        let visible = object.sharing == crate::memory::Sharing::Shared && self.is_concurrent();
        if visible && self.permits > 0 {
            self.gate()?;
        }
        self.gate_free()?;
        let found = super::access::Found { id, at: object.start, address, size: object.size, visible };
        if object.life == Life::Dead {
            self.note_end(&found, AccessKind::Read);
            let what = describe(self, id);
            return Err(self.fail(FailureKind::DoubleFree(what)));
        }
        self.note_end(&found, AccessKind::Write);
        if object.size > 0 {
            self.touch(&found, true, crate::code::AccessMode::Plain)?;
        }
        self.state.end_life(id, self.thread);
        self.note_free(id);
        Ok(0)
    }

    fn text_function(&mut self, builtin: Builtin, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let all = u64::MAX;
        match builtin {
            Builtin::Memcmp => self.memcmp(a(0), a(1), a(2)),
            Builtin::Memchr => {
                if a(2) == 0 {
                    return Ok(0);
                }
                let found = self.readable(a(0), a(2))?;
                let bytes = &self.state.memory.bytes[found.at..found.at + a(2) as usize];
                let place = bytes.iter().position(|b| *b == a(1) as u8);
                Ok(place.map_or(0, |place| a(0) + place as u64))
            }
            Builtin::Strlen => Ok(self.text(a(0), all)?.len() as u64),
            Builtin::Strnlen => Ok(self.text(a(0), a(1))?.len() as u64),
            Builtin::Strcpy | Builtin::Stpcpy | Builtin::Strncpy => {
                self.together(&[a(0), a(1)])?;
                let most = if builtin == Builtin::Strncpy { a(2) } else { all };
                let text = self.text(a(1), most)?;
                if builtin == Builtin::Strncpy {
                    let mut bytes = text.clone();
                    bytes.resize(a(2) as usize, 0);
                    self.put(a(0), &bytes)?;
                } else {
                    self.put_text(a(0), &text)?;
                }
                Ok(if builtin == Builtin::Stpcpy { a(0) + text.len() as u64 } else { a(0) })
            }
            Builtin::Strcat | Builtin::Strncat => {
                self.together(&[a(0), a(1)])?;
                let most = if builtin == Builtin::Strncat { a(2) } else { all };
                let (old, text) = (self.text(a(0), all)?, self.text(a(1), most)?);
                self.put_text(a(0) + old.len() as u64, &text)?;
                Ok(a(0))
            }
            Builtin::Strcmp => self.compare_texts(a(0), a(1), all),
            Builtin::Strncmp => self.compare_texts(a(0), a(1), a(2)),
            Builtin::Strcasecmp => {
                self.together(&[a(0), a(1)])?;
                let (x, y) = (self.text(a(0), all)?, self.text(a(1), all)?);
                Ok(x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase()) as i8 as i64 as u64)
            }
            Builtin::Strchr | Builtin::Strrchr => {
                let mut text = self.text(a(0), all)?;
                text.push(0);
                let is_it = |b: &u8| *b == a(1) as u8;
                let place = match builtin {
                    Builtin::Strchr => text.iter().position(is_it),
                    _ => text.iter().rposition(is_it),
                };
                Ok(place.map_or(0, |place| a(0) + place as u64))
            }
            Builtin::Strstr => {
                self.together(&[a(0), a(1)])?;
                let (text, part) = (self.text(a(0), all)?, self.text(a(1), all)?);
                let place = (0..=text.len()).find(|i| text[*i..].starts_with(&part));
                Ok(place.map_or(0, |place| a(0) + place as u64))
            }
            Builtin::Strdup | Builtin::Strndup => {
                let most = if builtin == Builtin::Strndup { a(1) } else { all };
                let text = self.text(a(0), most)?;
                self.duplicate(&text)
            }
            _ => Err(Outcome::Cut),
        }
    }

    /// `strtol` and its like.
    fn read_integer(&mut self, call: &Call, from: u64, to: u64, base: u32) -> Step<u64> {
        self.together(&[from, to])?;
        let text = self.text(from, u64::MAX)?;
        let is_of_2023 = call.name.starts_with("__isoc23_");
        let prefixes = if is_of_2023 { Prefixes::AlsoBinary } else { Prefixes::Hexadecimal };
        let Some((number, length)) = leading_integer(&text, base, prefixes) else {
            self.set_errno(EINVAL)?;
            return Ok(0);
        };
        let is_unsigned = call.name.contains("strtou");
        let bits = if call.result_bits == 0 { 64 } else { call.result_bits };
        let (least, most) = match is_unsigned {
            true => (1 - (1i128 << bits), (1i128 << bits) - 1),
            false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        };
        let kept = if is_unsigned && number < least { most } else { number.clamp(least, most) };
        if kept != number {
            self.set_errno(ERANGE)?;
        }
        if to != 0 {
            self.put_address(to, from + length as u64)?;
        }
        Ok(super::arithmetic::masked(kept as u64, bits))
    }

    /// `strtod`, `strtof` and `atof`.
    fn read_float(&mut self, call: &Call, from: u64, to: u64) -> Step<u64> {
        let to = if call.name.starts_with("strto") { to } else { 0 };
        self.together(&[from, to])?;
        let text = self.text(from, u64::MAX)?;
        let precision = if call.result_bits == 32 { Precision::Single } else { Precision::Double };
        let Read { number, length, is_out_of_range } = leading_number(&text, precision);
        if is_out_of_range {
            self.set_errno(ERANGE)?;
        }
        if to != 0 {
            self.put_address(to, from + length as u64)?;
        }
        Ok(match precision {
            Precision::Single => u64::from((number as f32).to_bits()),
            Precision::Double => number.to_bits(),
        })
    }

    fn number_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let double = |i: usize| f64::from_bits(a(i));
        let single = |i: usize| f64::from(f32::from_bits(a(i) as u32));
        match builtin {
            Builtin::Abs => {
                if self.options.checks.overflow {
                    self.checked(BinaryOperator::Sub, call.result_bits, 0, a(0))?;
                }
                Ok(arithmetic::signed(a(0), call.result_bits).unsigned_abs())
            }
            Builtin::Atoi => {
                let text = self.text(a(0), u64::MAX)?;
                let (number, _) = leading_integer(&text, 10, Prefixes::Hexadecimal).unwrap_or((0, 0));
                Ok(number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as u64)
            }
            Builtin::Strtol => self.read_integer(call, a(0), a(1), a(2) as u32),
            Builtin::Strtod => self.read_float(call, a(0), a(1)),
            Builtin::IsClass => Ok(u64::from(super::numbers::is_class(&call.name, a(0) as u8))),
            // The end of a file is no character.
            Builtin::ToLower | Builtin::ToUpper if a(0) > 255 => Ok(a(0)),
            Builtin::ToLower => Ok(u64::from((a(0) as u8).to_ascii_lowercase())),
            Builtin::ToUpper => Ok(u64::from((a(0) as u8).to_ascii_uppercase())),
            Builtin::Math1 => self.math(super::numbers::math1(&call.name, double(0)), call),
            Builtin::Math2 => self.math(super::numbers::math2(&call.name, double(0), double(1)), call),
            Builtin::Math1f => {
                let name = call.name.strip_suffix('f').unwrap_or(&call.name);
                let result = super::numbers::math1(name, single(0));
                self.math(result, call).map(|bits| u64::from((f64::from_bits(bits) as f32).to_bits()))
            }
            Builtin::Math2f => {
                let name = call.name.strip_suffix('f').unwrap_or(&call.name);
                let result = super::numbers::math2(name, single(0), single(1));
                self.math(result, call).map(|bits| u64::from((f64::from_bits(bits) as f32).to_bits()))
            }
            Builtin::Rounded => {
                let name = call.name.trim_start_matches('l').trim_end_matches('f');
                let number = if call.name.ends_with('f') { single(0) } else { double(0) };
                Ok((if name == "round" { number.round() } else { number.round_ties_even() }) as i64 as u64)
            }
            Builtin::IsNan | Builtin::IsInf => {
                let number =
                    if call.arguments.first().is_some_and(|a| a.bits == 32) { single(0) } else { double(0) };
                Ok(u64::from(if builtin == Builtin::IsNan { number.is_nan() } else { number.is_infinite() }))
            }
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    fn math(&mut self, result: Option<f64>, call: &Call) -> Step<u64> {
        match result {
            Some(number) => Ok(number.to_bits()),
            None => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }
}

fn is_text(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Memcmp
            | Builtin::Memchr
            | Builtin::Strlen
            | Builtin::Strnlen
            | Builtin::Strcpy
            | Builtin::Stpcpy
            | Builtin::Strncpy
            | Builtin::Strcat
            | Builtin::Strncat
            | Builtin::Strcmp
            | Builtin::Strncmp
            | Builtin::Strcasecmp
            | Builtin::Strchr
            | Builtin::Strrchr
            | Builtin::Strstr
            | Builtin::Strdup
            | Builtin::Strndup
    )
}

fn is_number(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::Abs
            | Builtin::Atoi
            | Builtin::Strtol
            | Builtin::Strtod
            | Builtin::IsClass
            | Builtin::ToLower
            | Builtin::ToUpper
            | Builtin::Math1
            | Builtin::Math1f
            | Builtin::Math2
            | Builtin::Math2f
            | Builtin::Rounded
            | Builtin::IsNan
            | Builtin::IsInf
    )
}
