//! The mutex.
//!
//! The model knows who holds it and how often its content may have changed; the content is where Rust puts it. A failed
//! `try_lock` is a read. The second location shows threads that poll under the lock whether there is news.

use super::poison::{CLEAR_POISON, IS_POISONED, Poison, Tenure};
use crate::name::Named;
use crate::runtime::{Kind, Object, Operation, Outcome, Showing, View, perform, perform_at_drop, showing};
use selvedge_trace::{AccessKind, Blocking, LocationId};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, TryLockError, TryLockResult};

static LOCK: Kind = Kind::until("lock", |memory, operation| memory.get(operation.at) == 0, lock).telling();
static TRY_LOCK: Kind = Kind::plain("try_lock", try_lock).telling();
static UNLOCK: Kind = Kind::plain("unlock", unlock).telling();

/// The cell that counts possible changes of the content.
fn changes(at: LocationId) -> LocationId {
    LocationId(at.0 + 1)
}

/// Takes a mutex; also used by condition variables.
pub(super) fn take(view: &mut View, at: LocationId) -> Outcome {
    view.touch(at, AccessKind::Acquire);
    view.footprint.blocking = Blocking::Acquire;
    if view.memory.get(at) != 0 {
        return Outcome::Wait;
    }
    view.memory.set(at, view.own());
    view.note_read(at, changes(at));
    view.acquire_clock(at);
    Outcome::Done(0)
}

/// Frees a mutex; also used by condition variables.
pub(super) fn free(view: &mut View, at: LocationId, changed: bool) {
    view.touch(at, AccessKind::Release);
    view.memory.set(at, 0);
    if changed {
        view.memory.set(changes(at), view.memory.get(changes(at)) + 1);
    }
    view.release_clock(at);
}

fn lock(view: &mut View, operation: &Operation) -> Outcome {
    take(view, operation.at)
}

fn try_lock(view: &mut View, operation: &Operation) -> Outcome {
    let at = operation.at;
    view.varies();
    if view.memory.get(at) != 0 {
        view.read(at);
        return Outcome::Done(0);
    }
    view.touch(at, AccessKind::Acquire);
    view.memory.set(at, view.own());
    view.note_read(at, changes(at));
    view.acquire_clock(at);
    Outcome::Done(1)
}

fn unlock(view: &mut View, operation: &Operation) -> Outcome {
    free(view, operation.at, operation.a != 0);
    Outcome::Done(0)
}

/// Mutual exclusion with the content inside, like [`std::sync::Mutex`], poisoning included.
///
/// ```
/// use selvedge::sync::{Arc, Mutex};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let counter = Arc::new(Mutex::new(0));
///     let other = thread::spawn({ let counter = counter.clone(); move || *counter.lock().unwrap() += 1 });
///     *counter.lock().unwrap() += 1;
///     other.join().unwrap();
///     assert_eq!(*counter.lock().unwrap(), 2);
/// });
/// ```
pub struct Mutex<T: ?Sized> {
    object: Object,
    poison: Poison,
    content: UnsafeCell<T>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: the content moves with the mutex.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
#[allow(unsafe_code, reason = "like std's")]
// SAFETY: the content is reached only through a guard, and the model gives out one at a time; `poison` is used
// only after an operation, which panics on any thread of the operating system but the one of the execution.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}
// A panic poisons, so that nobody sees by accident what it left behind.
impl<T: ?Sized> UnwindSafe for Mutex<T> {}
impl<T: ?Sized> RefUnwindSafe for Mutex<T> {}

/// The right to use the content of a [`Mutex`], until it is dropped.
///
/// ```
/// use selvedge::sync::{Mutex, MutexGuard};
/// selvedge::check(|| {
///     let mutex = Mutex::new(1);
///     let guard: MutexGuard<i32> = mutex.lock().unwrap();
///     assert_eq!(*guard, 1);
/// });
/// ```
#[must_use = "if unused the Mutex will immediately unlock"]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    tenure: Tenure,
    not_send: PhantomData<*const ()>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: a shared guard gives shared access to the content.
unsafe impl<T: ?Sized + Sync> Sync for MutexGuard<'_, T> {}

impl<T> Mutex<T> {
    /// A mutex that is free. Unlike std's this is no `const fn`: statics go into [`statics!`](macro@crate::statics).
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| { assert_eq!(*Mutex::new(1).lock().unwrap(), 1); });
    /// ```
    #[track_caller]
    pub fn new(content: T) -> Self {
        let object = Object::with_locations("Mutex", &[0, 0]);
        Mutex { object, poison: Poison::default(), content: UnsafeCell::new(content) }
    }

    /// The content, at the end of the mutex's life.
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| { assert_eq!(Mutex::new(1).into_inner().unwrap(), 1); });
    /// ```
    ///
    /// # Errors
    /// With the content, when the mutex is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(self.content.into_inner())
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until the mutex is free and takes it.
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| {
    ///     let mutex = Mutex::new(1);
    ///     *mutex.lock().unwrap() += 1;
    ///     assert_eq!(*mutex.lock().unwrap(), 2);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when a thread panicked while it held the mutex.
    #[track_caller]
    #[inline]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        perform(self.object.operation(&LOCK));
        self.guard()
    }

    /// Takes the mutex if it is free.
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| {
    ///     let mutex = Mutex::new(1);
    ///     let guard = mutex.try_lock().unwrap();
    ///     assert!(mutex.try_lock().is_err());
    ///     drop(guard);
    /// });
    /// ```
    ///
    /// # Errors
    /// When it is not, or with the guard, when it is poisoned.
    #[track_caller]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        match perform(self.object.operation(&TRY_LOCK)) {
            0 => Err(TryLockError::WouldBlock),
            _ => Ok(self.guard()?),
        }
    }

    /// Whether a thread panicked while it held the mutex.
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| {
    ///     let mutex = Mutex::new(1);
    ///     let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    ///         let _guard = mutex.lock().unwrap();
    ///         panic!("inside");
    ///     }));
    ///     assert!(mutex.is_poisoned());
    /// });
    /// ```
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        perform(self.object.operation(&IS_POISONED));
        self.poison.is_set()
    }

    /// Forgets that a thread panicked while it held the mutex.
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| {
    ///     let mutex = Mutex::new(1);
    ///     let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    ///         let _guard = mutex.lock().unwrap();
    ///         panic!("inside");
    ///     }));
    ///     assert!(mutex.is_poisoned());
    ///     mutex.clear_poison();
    ///     assert!(mutex.lock().is_ok());
    /// });
    /// ```
    #[track_caller]
    pub fn clear_poison(&self) {
        perform(self.object.operation(&CLEAR_POISON));
        self.poison.clear();
    }

    /// The content: an exclusive reference needs no lock.
    ///
    /// ```
    /// use selvedge::sync::Mutex;
    /// selvedge::check(|| {
    ///     let mut mutex = Mutex::new(1);
    ///     *mutex.get_mut().unwrap() += 1;
    ///     assert_eq!(mutex.into_inner().unwrap(), 2);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the content, when the mutex is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.poison.result(self.content.get_mut())
    }

    /// The guard of whoever has just taken the mutex.
    #[track_caller]
    #[inline]
    pub(super) fn guard(&self) -> LockResult<MutexGuard<'_, T>> {
        self.poison.result(MutexGuard { mutex: self, tenure: Tenure::begin(), not_send: PhantomData })
    }

    pub(super) fn location(&self) -> LocationId {
        self.object.location
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives up the guard without freeing the mutex. The number says whether the content may have changed.
    pub(super) fn into_mutex(self) -> (&'a Mutex<T>, u64) {
        let guard = std::mem::ManuallyDrop::new(self);
        guard.tenure.end(&guard.mutex.poison);
        (guard.mutex, guard.tenure.changed())
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[allow(unsafe_code, reason = "the guard stands for the lock")]
    fn deref(&self) -> &T {
        // SAFETY: the model gave this guard to the holder of the mutex, and there is no other.
        unsafe { &*self.mutex.content.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    #[allow(unsafe_code, reason = "the guard stands for the lock")]
    fn deref_mut(&mut self) -> &mut T {
        self.tenure.note_change();
        // SAFETY: the model gave this guard to the holder of the mutex, and there is no other.
        unsafe { &mut *self.mutex.content.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.tenure.end(&self.mutex.poison);
        perform_at_drop(self.tenure.give_back(self.mutex.object, &UNLOCK));
    }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(content: T) -> Self {
        Mutex::new(content)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Mutex<T> {
    /// Tries to lock, like std's, which is an operation.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match showing(self.object) {
            Showing::ByOperation => debug_lock(f, "Mutex", self.try_lock(), &self.poison),
            shown => debug_content(f, "Mutex", shown, |word| word == 0, &self.content, &self.poison),
        }
    }
}

/// Shows a lock with its content, if an attempt to take it gave that.
pub(super) fn debug_lock<C: ?Sized + fmt::Debug, G: Deref<Target = C>>(
    f: &mut fmt::Formatter,
    name: &str,
    attempt: TryLockResult<G>,
    poison: &Poison,
) -> fmt::Result {
    let mut shown = f.debug_struct(name);
    match &attempt {
        Ok(content) => shown.field("data", &&**content),
        Err(TryLockError::Poisoned(poisoned)) => shown.field("data", &&**poisoned.get_ref()),
        Err(TryLockError::WouldBlock) => shown.field("data", &"<locked>"),
    };
    shown.field("poisoned", &poison.is_set()).finish_non_exhaustive()
}

/// Shows a lock without an operation, and its content if nobody may write.
pub(super) fn debug_content<T: ?Sized + fmt::Debug>(
    f: &mut fmt::Formatter,
    name: &str,
    shown: Showing,
    free: impl Fn(u64) -> bool,
    content: &UnsafeCell<T>,
    poison: &Poison,
) -> fmt::Result {
    let mut lock = f.debug_struct(name);
    match shown {
        #[allow(unsafe_code, reason = "nobody holds the lock")]
        // SAFETY: nobody may write, and no other thread of the checked program runs before this returns: what is shown while a
        // thread panics performs no operations.
        Showing::Content(word) if free(word) => lock.field("data", &unsafe { &*content.get() }),
        Showing::Content(_) => lock.field("data", &format_args!("<locked>")),
        Showing::Outside | Showing::ByOperation => lock.field("data", &format_args!("<outside of a check>")),
    };
    lock.field("poisoned", &poison.is_set()).finish_non_exhaustive()
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> Named for Mutex<T> {
    fn object(&self) -> Object {
        self.object
    }
}
