//! Thread-local variables.
//!
//! Each thread of each execution has its own, made at the first use and dropped at the end of the thread, latest
//! first. They live in the state of the thread, because all threads of the checked program share one of the system.

use crate::runtime::with;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::Rc;

/// The thread-local variables of a thread, by the addresses of their keys.
#[derive(Default)]
pub struct Locals {
    values: Vec<(usize, Rc<dyn Any>)>,
    are_destroyed: bool,
}

impl Locals {
    /// Whether there is something to drop at the end of the thread.
    pub fn must_be_dropped(&self) -> bool {
        !self.values.is_empty()
    }
}

/// Drops the variables of the present thread.
pub fn destroy() {
    while let Some(value) = with(|x| x.this_thread().locals.values.pop()) {
        drop(value);
    }
    with(|x| x.this_thread().locals.are_destroyed = true);
}

/// A key to a thread-local variable, declared by [`thread_local!`](crate::thread_local), like [`std::thread::LocalKey`].
///
/// ```
/// use std::cell::Cell;
/// selvedge::thread_local! { static DEPTH: Cell<u32> = const { Cell::new(0) }; }
///
/// selvedge::check(|| {
///     DEPTH.set(5);
///     let other = selvedge::thread::spawn(|| DEPTH.get());
///     assert_eq!(other.join().unwrap(), 0);
///     assert_eq!(DEPTH.with(|depth| depth.get()), 5);
/// });
/// ```
pub struct LocalKey<T: 'static> {
    init: fn() -> T,
}

/// The thread's variables have been dropped.
///
/// ```
/// use selvedge::thread::AccessError;
/// fn is_error<E: std::error::Error>() {}
/// is_error::<AccessError>();
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccessError;

impl fmt::Display for AccessError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("the thread-local variable has been dropped")
    }
}

impl std::error::Error for AccessError {}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn new(init: fn() -> T) -> LocalKey<T> {
        LocalKey { init }
    }

    /// Uses the variable of the present thread.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!(DEPTH.with(|depth| depth.get()), 1); });
    /// ```
    ///
    /// # Panics
    /// When the thread has dropped it.
    pub fn with<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        match self.try_with(f) {
            Ok(result) => result,
            Err(error) => panic!("{error}"),
        }
    }

    /// Uses the variable of the present thread.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!(DEPTH.try_with(|depth| depth.get()), Ok(1)); });
    /// ```
    ///
    /// # Errors
    /// When the thread has dropped it.
    pub fn try_with<R>(&'static self, f: impl FnOnce(&T) -> R) -> Result<R, AccessError> {
        let value = self.value()?;
        let value = value.downcast_ref::<T>().ok_or(AccessError)?;
        Ok(f(value))
    }

    fn value(&'static self) -> Result<Rc<dyn Any>, AccessError> {
        let key = std::ptr::from_ref(self).addr();
        let known = with(|x| {
            let locals = &x.this_thread().locals;
            let found = locals.values.iter().find(|(other, _)| *other == key);
            (found.map(|(_, value)| Rc::clone(value)), locals.are_destroyed)
        });
        match known {
            (Some(value), _) => Ok(value),
            (None, true) => Err(AccessError),
            (None, false) => {
                let value: Rc<dyn Any> = Rc::new((self.init)());
                with(|x| x.this_thread().locals.values.push((key, Rc::clone(&value))));
                Ok(value)
            }
        }
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// Sets the content of the cell.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| {
    ///     DEPTH.set(2);
    ///     assert_eq!(DEPTH.get(), 2);
    /// });
    /// ```
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// The content of the cell.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!(DEPTH.get(), 1); });
    /// ```
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// Takes the content of the cell, leaving the default.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!((DEPTH.take(), DEPTH.get()), (1, 0)); });
    /// ```
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// Sets the content of the cell and returns the one before.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!((DEPTH.replace(2), DEPTH.get()), (1, 2)); });
    /// ```
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// Borrows the content.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!(LOG.with_borrow(Vec::len), 1); });
    /// ```
    pub fn with_borrow<R>(&'static self, f: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| f(&cell.borrow()))
    }

    /// Borrows the content to change it.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| {
    ///     LOG.with_borrow_mut(|log| log.push(2));
    ///     assert_eq!(LOG.take(), [1, 2]);
    /// });
    /// ```
    pub fn with_borrow_mut<R>(&'static self, f: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| f(&mut cell.borrow_mut()))
    }

    /// Sets the content.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| {
    ///     LOG.set(Vec::new());
    ///     assert!(LOG.take().is_empty());
    /// });
    /// ```
    pub fn set(&'static self, value: T) {
        self.with(|cell| *cell.borrow_mut() = value);
    }

    /// Takes the content, leaving the default.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!(LOG.take(), [1]); });
    /// ```
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// Sets the content and returns the one before.
    ///
    /// ```
    /// use std::cell::{Cell, RefCell};
    /// selvedge::thread_local! {
    ///     static DEPTH: Cell<u32> = const { Cell::new(1) };
    ///     static LOG: RefCell<Vec<u32>> = RefCell::new(vec![1]);
    /// }
    /// selvedge::check(|| { assert_eq!(LOG.replace(vec![2]), [1]); });
    /// ```
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("LocalKey").finish_non_exhaustive()
    }
}

/// Declares thread-local variables, like [`std::thread_local!`].
///
/// ```
/// use std::cell::RefCell;
/// selvedge::thread_local! {
///     static LOG: RefCell<Vec<u32>> = RefCell::new(Vec::new());
/// }
/// selvedge::check(|| {
///     LOG.with_borrow_mut(|log| log.push(1));
///     assert_eq!(LOG.with_borrow(Vec::len), 1);
/// });
/// ```
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $init:block $(; $($rest:tt)*)?) => {
        $crate::thread_local!($(#[$attribute])* $visibility static $name: $type = $init);
        $($crate::thread_local!($($rest)*);)?
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr $(; $($rest:tt)*)?) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = $crate::thread::LocalKey::new(|| $init);
        $($crate::thread_local!($($rest)*);)?
    };
}
