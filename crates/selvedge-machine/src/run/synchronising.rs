//! Functions of threads and locks: which does what.

use super::destroyed::Lock;
use super::locks::{EAGAIN, EBUSY, ETIMEDOUT, Patience};
use super::{Run, Step};
use crate::builtin::Builtin;
use crate::code::Call;
use crate::failure::CutReason;

impl Run<'_> {
    /// Functions of threads.
    pub fn thread_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
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
            Builtin::AttributeInit => self.set_attribute(a(0), 0),
            Builtin::AttributeSetDetached => self.set_attribute(a(0), a(1) & 0xffff_ffff),
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    /// Functions of locks.
    pub fn lock_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
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
            Builtin::SpinInit => self.spin_init(a(0)),
            Builtin::SpinLock => self.spin_lock(a(0), Patience::Wait),
            Builtin::SpinTryLock => self.spin_lock(a(0), Patience::Try(EBUSY)),
            Builtin::SpinUnlock => self.spin_unlock(a(0)),
            Builtin::OnceBegin => self.once_begin(a(0), 4, 2),
            Builtin::OnceEnd => self.once_end(a(0), 4, 2),
            Builtin::OnceAbort => self.once_end(a(0), 4, 0),
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

    /// Functions that wait for others or wake them up.
    pub fn wait_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
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
            Builtin::CondInit => self.condition_init(a(0)),
            Builtin::CondDestroy => self.destroy(Lock::Condition, a(0)),
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
}
