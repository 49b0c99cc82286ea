//! The mutex.
//!
//! The model knows who holds it and how often its content may have changed; the content is where Rust puts it. A failed
//! `try_lock` is a read. The second location shows threads that poll under the lock whether there is news.

use crate::name::Named;
use crate::runtime::{Kind, Object, Operation, Outcome, Place, View, perform, perform_at_drop};
use selvedge_trace::{AccessKind, Blocking, LocationId};
use std::cell::{Cell, UnsafeCell};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

static LOCK: Kind = Kind::until("lock", |memory, operation| memory.get(operation.at) == 0, lock).telling();
static TRY_LOCK: Kind = Kind::plain("try_lock", try_lock).telling();
static UNLOCK: Kind = Kind::plain("unlock", unlock).telling();
static IS_POISONED: Kind = Kind::plain("is_poisoned", is_poisoned).telling();

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

fn is_poisoned(view: &mut View, operation: &Operation) -> Outcome {
    view.read(operation.at);
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
    poisoned: Cell<bool>,
    content: UnsafeCell<T>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: the content moves with the mutex.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
#[allow(unsafe_code, reason = "like std's")]
// SAFETY: the content is reached only through a guard, and the model gives out one at a time; `poisoned` is used
// only after an operation, which panics on any thread of the operating system but the one of the execution.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

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
    was_unwinding: bool,
    changed: bool,
    /// Where the mutex was taken.
    taken: Place,
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
        Mutex { object, poisoned: Cell::new(false), content: UnsafeCell::new(content) }
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
        let is_poisoned = self.poisoned.get();
        let content = self.content.into_inner();
        if is_poisoned { Err(PoisonError::new(content)) } else { Ok(content) }
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
        self.poisoned.get()
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
        perform(self.object.operation(&IS_POISONED));
        self.poisoned.set(false);
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
        let is_poisoned = self.poisoned.get();
        let content = self.content.get_mut();
        if is_poisoned { Err(PoisonError::new(content)) } else { Ok(content) }
    }

    /// The guard of whoever has just taken the mutex.
    #[track_caller]
    #[inline]
    pub(super) fn guard(&self) -> LockResult<MutexGuard<'_, T>> {
        let (was_unwinding, taken) = (crate::thread::panicking(), Location::caller());
        let guard = MutexGuard { mutex: self, was_unwinding, changed: false, taken, not_send: PhantomData };
        if self.poisoned.get() { Err(PoisonError::new(guard)) } else { Ok(guard) }
    }

    pub(super) fn location(&self) -> LocationId {
        self.object.location
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Gives up the guard without freeing the mutex.
    pub(super) fn into_mutex(self) -> (&'a Mutex<T>, bool) {
        let guard = std::mem::ManuallyDrop::new(self);
        guard.note_poison();
        (guard.mutex, guard.changed)
    }

    fn note_poison(&self) {
        if !self.was_unwinding && crate::thread::panicking() {
            self.mutex.poisoned.set(true);
        }
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
        self.changed = true;
        // SAFETY: the model gave this guard to the holder of the mutex, and there is no other.
        unsafe { &mut *self.mutex.content.get() }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.note_poison();
        let operation = self.mutex.object.operation(&UNLOCK);
        perform_at_drop(Operation { a: u64::from(self.changed), place: self.taken, ..operation });
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
    /// Does not lock: looking at the content would be an operation.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Mutex").field("poisoned", &self.poisoned.get()).finish_non_exhaustive()
    }
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
