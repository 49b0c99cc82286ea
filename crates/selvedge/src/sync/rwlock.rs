//! The reader-writer lock.
//!
//! Readers commute with readers: taking and giving back the lock to read are posts to one location. Writers
//! conflict with everybody. A failed attempt is a read.

use super::mutex::{debug_content, debug_lock};
use super::poison::{CLEAR_POISON, IS_POISONED, Poison, Tenure};
use crate::name::Named;
use crate::runtime::{
    Kind, Object, Operation, Outcome, Place, Showing, View, perform, perform_at_drop, showing,
};
use selvedge_trace::{AccessKind, LocationId};
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{Location, RefUnwindSafe, UnwindSafe};
use std::sync::{LockResult, TryLockError, TryLockResult};

static READ: Kind = Kind::waiting("read", read).telling();
static TRY_READ: Kind = Kind::plain("try_read", try_read).telling();
static END_READ: Kind = Kind::plain("end of read", end_read).telling();
static WRITE: Kind = Kind::waiting("write", write).telling();
static TRY_WRITE: Kind = Kind::plain("try_write", try_write).telling();
static END_WRITE: Kind = Kind::plain("end of write", end_write).telling();
static DOWNGRADE: Kind = Kind::plain("downgrade", downgrade);

/// The content of the first location while somebody writes; otherwise it counts readers.
const WRITER: u64 = 1 << 63;

/// The cell that counts possible changes of the content.
fn changes(at: LocationId) -> LocationId {
    LocationId(at.0 + 1)
}

fn read(view: &mut View, operation: &Operation) -> Outcome {
    view.guarded();
    begin_read(view, operation.at)
}

fn begin_read(view: &mut View, at: LocationId) -> Outcome {
    view.touch_adding(at);
    let readers = view.memory.get(at);
    if readers & WRITER != 0 {
        return Outcome::Wait;
    }
    view.memory.set(at, readers + 1);
    view.note_read(at, changes(at));
    view.acquire_clock(changes(at));
    Outcome::Done(1)
}

fn try_read(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    if view.memory.get(operation.at) & WRITER != 0 {
        view.read(operation.at);
        return Outcome::Done(0);
    }
    begin_read(view, operation.at)
}

fn end_read(view: &mut View, operation: &Operation) -> Outcome {
    view.touch_adding(operation.at);
    view.memory.set(operation.at, view.memory.get(operation.at).wrapping_sub(1));
    view.release_clock(operation.at);
    Outcome::Done(0)
}

fn write(view: &mut View, operation: &Operation) -> Outcome {
    view.guarded();
    view.touch(operation.at, AccessKind::Write);
    if view.memory.get(operation.at) != 0 {
        return Outcome::Wait;
    }
    begin_write(view, operation.at)
}

fn begin_write(view: &mut View, at: LocationId) -> Outcome {
    view.touch(at, AccessKind::Write);
    view.memory.set(at, WRITER | view.own());
    view.note_read(at, changes(at));
    view.acquire_clock(at);
    view.acquire_clock(changes(at));
    Outcome::Done(1)
}

fn try_write(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    if view.memory.get(operation.at) != 0 {
        view.read(operation.at);
        return Outcome::Done(0);
    }
    begin_write(view, operation.at)
}

fn end_write(view: &mut View, operation: &Operation) -> Outcome {
    give_back(view, operation, 0)
}

/// The writer becomes a reader; nobody writes in between.
fn downgrade(view: &mut View, operation: &Operation) -> Outcome {
    give_back(view, operation, 1)
}

fn give_back(view: &mut View, operation: &Operation, readers: u64) -> Outcome {
    let at = operation.at;
    view.touch(at, AccessKind::Write);
    view.memory.set(at, readers);
    if operation.a != 0 {
        view.memory.set(changes(at), view.memory.get(changes(at)) + 1);
    }
    view.release_clock(changes(at));
    Outcome::Done(0)
}

/// A lock for many readers or one writer, like [`std::sync::RwLock`].
///
/// ```
/// use selvedge::sync::{Arc, RwLock};
/// use selvedge::thread;
///
/// let report = selvedge::Checker::new().run(|| {
///     let lock = Arc::new(RwLock::new(5));
///     let readers = [0, 1, 2].map(|_| thread::spawn({ let lock = lock.clone(); move || *lock.read().unwrap() }));
///     assert_eq!(readers.map(|reader| reader.join().unwrap()), [5, 5, 5]);
/// });
/// assert_eq!(report.executions, 1);
/// ```
pub struct RwLock<T: ?Sized> {
    object: Object,
    poison: Poison,
    content: UnsafeCell<T>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: the content moves with the lock.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
#[allow(unsafe_code, reason = "like std's")]
// SAFETY: the content is reached only through guards, which the model gives out to many readers or to one writer; `poison`
// is used only after an operation, which panics on any thread of the system but the one of the execution.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}
// A panic poisons, so that nobody sees by accident what it left behind.
impl<T: ?Sized> UnwindSafe for RwLock<T> {}
impl<T: ?Sized> RefUnwindSafe for RwLock<T> {}

impl<T> RwLock<T> {
    /// A lock that is free.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| { assert_eq!(*RwLock::new(1).read().unwrap(), 1); });
    /// ```
    #[track_caller]
    pub fn new(content: T) -> RwLock<T> {
        let object = Object::with_locations("RwLock", &[0, 0]);
        RwLock { object, poison: Poison::default(), content: UnsafeCell::new(content) }
    }

    /// The content, at the end of the lock's life.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| { assert_eq!(RwLock::new(1).into_inner().unwrap(), 1); });
    /// ```
    ///
    /// # Errors
    /// With the content, when the lock is poisoned.
    pub fn into_inner(self) -> LockResult<T> {
        self.poison.result(self.content.into_inner())
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody writes and takes the lock to read.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     let (one, two) = (lock.read().unwrap(), lock.read().unwrap());
    ///     assert_eq!(*one + *two, 2);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when a thread panicked while it wrote.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        perform(self.object.operation(&READ));
        self.poison.result(self.read_guard(Location::caller()))
    }

    /// Takes the lock to read if nobody writes.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     let _writer = lock.write().unwrap();
    ///     assert!(lock.try_read().is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// When somebody does, or with the guard, when the lock is poisoned.
    #[track_caller]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        match perform(self.object.operation(&TRY_READ)) {
            0 => Err(TryLockError::WouldBlock),
            _ => Ok(self.poison.result(self.read_guard(Location::caller()))?),
        }
    }

    /// Waits until nobody reads or writes and takes the lock to write.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     *lock.write().unwrap() += 1;
    ///     assert_eq!(*lock.read().unwrap(), 2);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the guard, when a thread panicked while it wrote.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        perform(self.object.operation(&WRITE));
        self.poison.result(self.write_guard())
    }

    /// Takes the lock to write if nobody reads or writes.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     let _reader = lock.read().unwrap();
    ///     assert!(lock.try_write().is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// When somebody does, or with the guard, when the lock is poisoned.
    #[track_caller]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        match perform(self.object.operation(&TRY_WRITE)) {
            0 => Err(TryLockError::WouldBlock),
            _ => Ok(self.poison.result(self.write_guard())?),
        }
    }

    /// Whether a thread panicked while it wrote.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    ///         let _guard = lock.write().unwrap();
    ///         panic!("inside");
    ///     }));
    ///     assert!(lock.is_poisoned());
    /// });
    /// ```
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        perform(self.object.operation(&IS_POISONED));
        self.poison.is_set()
    }

    /// Forgets that a thread panicked while it wrote.
    ///
    /// ```
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
    ///         let _guard = lock.write().unwrap();
    ///         panic!("inside");
    ///     }));
    ///     assert!(lock.is_poisoned());
    ///     lock.clear_poison();
    ///     assert!(lock.read().is_ok());
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
    /// use selvedge::sync::RwLock;
    /// selvedge::check(|| {
    ///     let mut lock = RwLock::new(1);
    ///     *lock.get_mut().unwrap() += 1;
    ///     assert_eq!(lock.into_inner().unwrap(), 2);
    /// });
    /// ```
    ///
    /// # Errors
    /// With the content, when the lock is poisoned.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.poison.result(self.content.get_mut())
    }

    fn read_guard(&self, taken: Place) -> RwLockReadGuard<'_, T> {
        RwLockReadGuard { lock: self, taken, not_send: PhantomData }
    }

    #[track_caller]
    fn write_guard(&self) -> RwLockWriteGuard<'_, T> {
        RwLockWriteGuard { lock: self, tenure: Tenure::begin(), not_send: PhantomData }
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(content: T) -> Self {
        RwLock::new(content)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLock<T> {
    /// Tries to read, like std's, which is an operation.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match showing(self.object) {
            Showing::ByOperation => debug_lock(f, "RwLock", self.try_read(), &self.poison),
            shown => {
                let free = |word| word & WRITER == 0;
                debug_content(f, "RwLock", shown, free, &self.content, &self.poison)
            }
        }
    }
}

impl<T: ?Sized> Named for RwLock<T> {
    fn object(&self) -> Object {
        self.object
    }
}

/// The right to read the content of a [`RwLock`], until it is dropped.
///
/// ```
/// use selvedge::sync::{RwLock, RwLockReadGuard};
/// selvedge::check(|| {
///     let lock = RwLock::new(1);
///     let guard: RwLockReadGuard<i32> = lock.read().unwrap();
///     assert_eq!(*guard, 1);
/// });
/// ```
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    /// Where the lock was taken.
    taken: Place,
    not_send: PhantomData<*const ()>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: a shared guard gives shared access to the content.
unsafe impl<T: ?Sized + Sync> Sync for RwLockReadGuard<'_, T> {}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    #[allow(unsafe_code, reason = "the guard stands for the lock")]
    fn deref(&self) -> &T {
        // SAFETY: the model gave this guard to a reader, and nobody writes as long as there is one.
        unsafe { &*self.lock.content.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        perform_at_drop(Operation { place: self.taken, ..self.lock.object.operation(&END_READ) });
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockReadGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// The right to change the content of a [`RwLock`], until it is dropped.
///
/// ```
/// use selvedge::sync::{RwLock, RwLockWriteGuard};
/// selvedge::check(|| {
///     let lock = RwLock::new(1);
///     let mut guard: RwLockWriteGuard<i32> = lock.write().unwrap();
///     *guard += 1;
///     assert_eq!(*guard, 2);
/// });
/// ```
#[must_use = "if unused the RwLock will immediately unlock"]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    tenure: Tenure,
    not_send: PhantomData<*const ()>,
}

impl<'a, T: ?Sized> RwLockWriteGuard<'a, T> {
    /// Turns the right to change the content into the right to read it; nobody writes in between.
    ///
    /// ```
    /// use selvedge::sync::{RwLock, RwLockWriteGuard};
    /// selvedge::check(|| {
    ///     let lock = RwLock::new(1);
    ///     let reader = RwLockWriteGuard::downgrade(lock.write().unwrap());
    ///     assert_eq!(*reader + *lock.read().unwrap(), 2);
    /// });
    /// ```
    #[track_caller]
    pub fn downgrade(guard: RwLockWriteGuard<'a, T>) -> RwLockReadGuard<'a, T> {
        let guard = ManuallyDrop::new(guard);
        guard.tenure.end(&guard.lock.poison);
        let operation = guard.tenure.give_back(guard.lock.object, &DOWNGRADE);
        perform(Operation { place: Location::caller(), ..operation });
        guard.lock.read_guard(guard.tenure.taken())
    }
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: a shared guard gives shared access to the content.
unsafe impl<T: ?Sized + Sync> Sync for RwLockWriteGuard<'_, T> {}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    #[allow(unsafe_code, reason = "the guard stands for the lock")]
    fn deref(&self) -> &T {
        // SAFETY: the model gave this guard to the writer, and there is no other guard.
        unsafe { &*self.lock.content.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    #[allow(unsafe_code, reason = "the guard stands for the lock")]
    fn deref_mut(&mut self) -> &mut T {
        self.tenure.note_change();
        // SAFETY: the model gave this guard to the writer, and there is no other guard.
        unsafe { &mut *self.lock.content.get() }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        self.tenure.end(&self.lock.poison);
        perform_at_drop(self.tenure.give_back(self.lock.object, &END_WRITE));
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for RwLockWriteGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        (**self).fmt(f)
    }
}
