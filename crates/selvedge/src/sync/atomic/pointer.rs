//! The atomic pointer.

use super::compared;
use super::kinds::{self, Arithmetic, encode_exchange, encode_fetch, encode_none, encode_ordering};
use super::types::{check_load, check_store, without_release};
use crate::cell::tracker;
use crate::runtime::{Kind, Object, Operation, Showing, perform, showing, with};
use std::cell::Cell;
use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::atomic::Ordering;

/// An atomic pointer, like [`std::sync::atomic::AtomicPtr`].
///
/// Addresses may differ between executions; that is no divergence. Two pointers compare as in std: memory that
/// was freed may be allocated again at the same address.
///
/// ```
/// use selvedge::sync::atomic::{AtomicPtr, Ordering};
/// selvedge::check(|| {
///     let mut value = 5;
///     let pointer = AtomicPtr::new(&mut value);
///     assert!(!pointer.load(Ordering::Acquire).is_null());
/// });
/// ```
pub struct AtomicPtr<T> {
    object: Object,
    /// What `get_mut` lends out; it goes to the model with the next operation.
    lent: Cell<Option<*mut T>>,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: only the address is shared. `lent` is written through exclusive references or on the one
// thread of the operating system that runs the execution.
unsafe impl<T> Sync for AtomicPtr<T> {}
#[allow(unsafe_code, reason = "like std's")]
// SAFETY: like std's: only the address is shared.
unsafe impl<T> Send for AtomicPtr<T> {}
impl<T> RefUnwindSafe for AtomicPtr<T> {}

fn word<T>(pointer: *mut T) -> u64 {
    pointer.expose_provenance() as u64
}

fn pointer<T>(word: u64) -> *mut T {
    std::ptr::with_exposed_provenance_mut(word as usize)
}

fn show(word: u64) -> String {
    match word {
        0 => "null".to_owned(),
        address => format!("{address:#x}"),
    }
}

impl<T> AtomicPtr<T> {
    /// A new atomic pointer. Unlike std's this is no `const fn`: statics go into [`statics!`](macro@crate::statics).
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     assert!(AtomicPtr::<u8>::new(std::ptr::null_mut()).load(SeqCst).is_null());
    /// });
    /// ```
    #[track_caller]
    pub fn new(value: *mut T) -> Self {
        let object = Object::new("AtomicPtr", word(value), show);
        AtomicPtr { object, lent: Cell::new((object.epoch == 0).then_some(value)) }
    }

    #[track_caller]
    fn operation(&self, kind: &'static Kind) -> Operation {
        if self.object.epoch != 0
            && let Some(value) = self.lent.take()
        {
            let operation = self.object.operation(&kinds::STORE);
            perform(Operation { a: word(value), also: encode_none(), ..operation });
        }
        self.object.operation(kind)
    }

    /// Reads the pointer.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| { assert!(AtomicPtr::<u8>::default().load(SeqCst).is_null()); });
    /// ```
    ///
    /// # Panics
    /// With an ordering that makes no sense for a load, like std.
    #[track_caller]
    pub fn load(&self, ordering: Ordering) -> *mut T {
        check_load(ordering);
        let operation = self.operation(&kinds::LOAD);
        pointer(perform(Operation { also: encode_ordering(ordering), ..operation }))
    }

    /// Writes the pointer.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let (mut one, mut two) = (1, 2);
    ///     let pointer = AtomicPtr::new(&raw mut one);
    ///     pointer.store(&raw mut two, SeqCst);
    ///     assert_eq!(pointer.load(SeqCst), &raw mut two);
    /// });
    /// ```
    ///
    /// # Panics
    /// With an ordering that makes no sense for a store, like std.
    #[track_caller]
    pub fn store(&self, value: *mut T, ordering: Ordering) {
        check_store(ordering);
        let operation = self.operation(&kinds::STORE);
        perform(Operation { a: word(value), also: encode_ordering(ordering), ..operation });
    }

    /// Writes the pointer and returns the one before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let (mut one, mut two) = (1, 2);
    ///     let pointer = AtomicPtr::new(&raw mut one);
    ///     assert_eq!(pointer.swap(&raw mut two, SeqCst), &raw mut one);
    /// });
    /// ```
    #[track_caller]
    pub fn swap(&self, value: *mut T, ordering: Ordering) -> *mut T {
        let operation = self.operation(&kinds::SWAP);
        pointer(perform(Operation { a: word(value), also: encode_ordering(ordering), ..operation }))
    }

    /// Writes the pointer if the present one is `current`.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let (mut one, mut two) = (1, 2);
    ///     let pointer = AtomicPtr::new(&raw mut one);
    ///     assert!(pointer.compare_exchange(&raw mut two, &raw mut one, SeqCst, SeqCst).is_err());
    ///     assert!(pointer.compare_exchange(&raw mut one, &raw mut two, SeqCst, SeqCst).is_ok());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the pointer found, when it is another.
    #[track_caller]
    pub fn compare_exchange(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.exchange(&kinds::COMPARE_EXCHANGE, current, new, (success, failure))
    }

    /// The same, but it may fail though the present pointer is `current`, if
    /// [`Checker::spurious_failures`](crate::Checker::spurious_failures) says so.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let (mut one, mut two) = (1, 2);
    ///     let pointer = AtomicPtr::new(&raw mut one);
    ///     assert!(pointer.compare_exchange_weak(&raw mut one, &raw mut two, SeqCst, SeqCst).is_ok());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the pointer found.
    #[track_caller]
    pub fn compare_exchange_weak(
        &self,
        current: *mut T,
        new: *mut T,
        success: Ordering,
        failure: Ordering,
    ) -> Result<*mut T, *mut T> {
        self.exchange(&kinds::COMPARE_EXCHANGE_WEAK, current, new, (success, failure))
    }

    #[track_caller]
    fn exchange(
        &self,
        kind: &'static Kind,
        current: *mut T,
        new: *mut T,
        (success, failure): (Ordering, Ordering),
    ) -> Result<*mut T, *mut T> {
        check_load(failure);
        compared::note(word(current));
        let operation = self.operation(kind);
        let also = encode_exchange(success, failure);
        match perform(Operation { a: word(current), b: word(new), also, ..operation }) {
            kinds::SPURIOUS => Err(current),
            found if found == word(current) => Ok(current),
            found => Err(pointer(found)),
        }
    }

    /// Changes the pointer by a function, trying again when somebody else was faster.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let (mut one, mut two) = (1, 2);
    ///     let pointer = AtomicPtr::new(&raw mut one);
    ///     let before = pointer.fetch_update(SeqCst, SeqCst, |_| Some(&raw mut two));
    ///     assert_eq!(before, Ok(&raw mut one));
    /// });
    /// ```
    ///
    /// # Errors
    /// With the pointer, when the function returns nothing.
    #[track_caller]
    pub fn fetch_update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut update: impl FnMut(*mut T) -> Option<*mut T>,
    ) -> Result<*mut T, *mut T> {
        let mut previous = self.load(fetch_order);
        while let Some(next) = update(previous) {
            match self.compare_exchange_weak(previous, next, set_order, fetch_order) {
                found @ Ok(_) => return found,
                Err(found) => previous = found,
            }
        }
        Err(previous)
    }

    /// Adds a number of elements; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_ptr_add(1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr() + 2);
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_ptr_add(&self, elements: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_ADD, Arithmetic::Add, elements.wrapping_mul(size_of::<T>()), ordering)
    }

    /// Subtracts a number of elements; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_ptr_sub(1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr() - 2);
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_ptr_sub(&self, elements: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_SUB, Arithmetic::Sub, elements.wrapping_mul(size_of::<T>()), ordering)
    }

    /// Adds a number of bytes; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_byte_add(1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr() + 1);
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_byte_add(&self, bytes: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_ADD, Arithmetic::Add, bytes, ordering)
    }

    /// Subtracts a number of bytes; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_byte_sub(1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr() - 1);
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_byte_sub(&self, bytes: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_SUB, Arithmetic::Sub, bytes, ordering)
    }

    /// Sets bits of the address; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_or(1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr() | 1);
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_or(&self, bits: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_OR, Arithmetic::Or, bits, ordering)
    }

    /// Keeps bits of the address; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_and(!1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr());
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_and(&self, bits: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_AND, Arithmetic::And, bits, ordering)
    }

    /// Flips bits of the address; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut values = [1_u16, 2];
    ///     let first = &raw mut values[0];
    ///     let pointer = AtomicPtr::new(first);
    ///     assert_eq!(pointer.fetch_xor(1, SeqCst), first);
    ///     assert_eq!(pointer.load(SeqCst).addr(), first.addr() ^ 1);
    /// });
    /// ```
    #[track_caller]
    pub fn fetch_xor(&self, bits: usize, ordering: Ordering) -> *mut T {
        self.compute(&kinds::FETCH_XOR, Arithmetic::Xor, bits, ordering)
    }

    #[track_caller]
    fn compute(
        &self,
        kind: &'static Kind,
        arithmetic: Arithmetic,
        operand: usize,
        ordering: Ordering,
    ) -> *mut T {
        let operation = self.operation(kind);
        let also = encode_fetch(ordering, arithmetic, usize::BITS);
        pointer(perform(Operation { a: operand as u64, also, ..operation }))
    }

    /// The same as [`fetch_update`](AtomicPtr::fetch_update), under its new name.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let pointer = AtomicPtr::<u8>::default();
    ///     assert!(pointer.try_update(SeqCst, SeqCst, |_| None).is_err());
    /// });
    /// ```
    ///
    /// # Errors
    /// With the pointer, when the function returns nothing.
    #[track_caller]
    pub fn try_update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        update: impl FnMut(*mut T) -> Option<*mut T>,
    ) -> Result<*mut T, *mut T> {
        self.fetch_update(set_order, fetch_order, update)
    }

    /// Changes the pointer by a function that always knows a new one; returns the pointer before.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     assert!(AtomicPtr::<u8>::default().update(SeqCst, SeqCst, |same| same).is_null());
    /// });
    /// ```
    #[track_caller]
    pub fn update(
        &self,
        set_order: Ordering,
        fetch_order: Ordering,
        mut update: impl FnMut(*mut T) -> *mut T,
    ) -> *mut T {
        match self.fetch_update(set_order, fetch_order, |value| Some(update(value))) {
            Ok(before) | Err(before) => before,
        }
    }

    /// Writes the pointer if the present one is `current`, and returns what it was.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let null = std::ptr::null_mut::<u8>();
    ///     # #[allow(deprecated)]
    ///     let before = AtomicPtr::new(null).compare_and_swap(null, null, SeqCst);
    ///     assert!(before.is_null());
    /// });
    /// ```
    #[track_caller]
    #[deprecated(note = "as in std: use `compare_exchange`")]
    pub fn compare_and_swap(&self, current: *mut T, new: *mut T, ordering: Ordering) -> *mut T {
        match self.compare_exchange(current, new, ordering, without_release(ordering)) {
            Ok(before) | Err(before) => before,
        }
    }

    /// The pointer, to be changed without an operation.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| {
    ///     let mut pointer = AtomicPtr::<u8>::default();
    ///     assert!(pointer.get_mut().is_null());
    /// });
    /// ```
    pub fn get_mut(&mut self) -> &mut *mut T {
        let value = self.peek();
        self.lent.get_mut().insert(value)
    }

    /// The pointer, to be changed in a closure without an operation, as loom has it.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let mut x = selvedge::sync::atomic::AtomicPtr::<u8>::default();
    ///     assert!(x.with_mut(|pointer| pointer.is_null()));
    /// });
    /// ```
    pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut *mut T) -> R) -> R {
        f(self.get_mut())
    }

    /// Reads the pointer without synchronisation, as loom has it: a write of another thread that nothing orders before is a data
    /// race. A write that comes later in every sequentially consistent execution and that only relaxed accesses order
    /// after this is not noticed.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let x = selvedge::sync::atomic::AtomicPtr::<u8>::default();
    ///     // SAFETY: no other thread has it.
    ///     assert!(unsafe { x.unsync_load() }.is_null());
    /// });
    /// ```
    ///
    /// # Safety
    /// No other thread writes at the same time.
    #[track_caller]
    #[allow(unsafe_code, reason = "as loom's; nothing unsafe happens here")]
    pub unsafe fn unsync_load(&self) -> *mut T {
        tracker::expect_unsynchronised_load();
        let operation = self.operation(&kinds::UNSYNC_LOAD);
        let read = perform(Operation { also: encode_none(), ..operation });
        tracker::check_unsynchronised_load(self.object);
        pointer(read)
    }

    /// The pointer, at the end of the atomic's life.
    ///
    /// ```
    /// use selvedge::sync::atomic::{AtomicPtr, Ordering::SeqCst};
    /// selvedge::check(|| { assert!(AtomicPtr::<u8>::default().into_inner().is_null()); });
    /// ```
    pub fn into_inner(self) -> *mut T {
        self.peek()
    }

    /// The pointer, without an operation, as shuttle has it: what other threads do at the same time is not explored. For prints.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let x = selvedge::sync::atomic::AtomicPtr::<u8>::default();
    ///     // SAFETY: it is only shown.
    ///     println!("{:?}", unsafe { x.raw_load() });
    /// });
    /// ```
    ///
    /// # Safety
    /// Nothing that matters depends on the pointer.
    #[allow(unsafe_code, reason = "as shuttle's; nothing unsafe happens here")]
    pub unsafe fn raw_load(&self) -> *mut T {
        self.peek()
    }

    fn peek(&self) -> *mut T {
        let word = || with(|x| self.object.is_present(x).then(|| x.memory.get(self.object.location)));
        self.lent.get().unwrap_or_else(|| pointer(word().unwrap_or(0)))
    }
}

impl<T> Default for AtomicPtr<T> {
    #[track_caller]
    fn default() -> Self {
        Self::new(std::ptr::null_mut())
    }
}

impl<T> From<*mut T> for AtomicPtr<T> {
    #[track_caller]
    fn from(value: *mut T) -> Self {
        Self::new(value)
    }
}

impl<T> fmt::Debug for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        fmt::Pointer::fmt(self, f)
    }
}

impl<T> fmt::Pointer for AtomicPtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match showing(self.object) {
            Showing::ByOperation => fmt::Pointer::fmt(&self.load(Ordering::Relaxed), f),
            Showing::Content(word) => fmt::Pointer::fmt(&pointer::<T>(word), f),
            Showing::Outside => f.write_str("<outside of a check>"),
        }
    }
}

impl<T> crate::name::Named for AtomicPtr<T> {
    fn object(&self) -> Object {
        self.object
    }
}
