//! A value that is made at its first use.

use super::once_lock::{OnceLock, debug_once};
use crate::alloc;
use crate::name::Named;
use crate::runtime::{Mode, Object, with};
use std::cell::Cell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::{RefUnwindSafe, UnwindSafe};

/// A value that is made at its first use, like [`std::sync::LazyLock`]. A static gets the attribute
/// [`per_execution`](crate::per_execution).
///
/// ```
/// use selvedge::sync::{Arc, LazyLock};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let value: Arc<LazyLock<u32>> = Arc::new(LazyLock::new(|| 7));
///     let other = thread::spawn({ let value = value.clone(); move || **value });
///     assert_eq!(**value, other.join().unwrap());
/// });
/// ```
pub struct LazyLock<T, F = fn() -> T> {
    place: Place<T, F>,
}

/// Where the value is.
enum Place<T, F> {
    Here(Lazy<T, F>),
    /// In another one, which is made anew for each execution: this is a static.
    PerExecution(for<'a> fn(&'a LazyLock<T, F>) -> &'a LazyLock<T, F>),
}

struct Lazy<T, F> {
    cell: OnceLock<T>,
    init: Cell<Option<F>>,
    lifetime: Lifetime,
}

/// How long a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lifetime {
    /// As long as its owner.
    Owned,
    /// For ever, as part of a static: `Arc`s that it is made of are no leaks.
    Static,
}

#[allow(unsafe_code, reason = "like std's")]
// SAFETY: `init` is taken by the one closure that the cell runs, and touched by nobody else.
unsafe impl<T: Send + Sync, F: Send> Sync for LazyLock<T, F> {}
impl<T: RefUnwindSafe + UnwindSafe, F: UnwindSafe> RefUnwindSafe for LazyLock<T, F> {}
impl<T: UnwindSafe, F: UnwindSafe> UnwindSafe for LazyLock<T, F> {}

impl<T, F: FnOnce() -> T> LazyLock<T, F> {
    /// A value to be made by a closure.
    ///
    /// ```
    /// use selvedge::sync::LazyLock;
    /// selvedge::check(|| {
    ///     let lazy = LazyLock::new(|| 7);
    ///     assert_eq!(*lazy, 7);
    /// });
    /// ```
    #[track_caller]
    pub fn new(init: F) -> LazyLock<T, F> {
        let lifetime = match with(|x| x.is_making_static()) {
            true => Lifetime::Static,
            false => Lifetime::Owned,
        };
        let lazy = Lazy { cell: OnceLock::new(), init: Cell::new(Some(init)), lifetime };
        LazyLock { place: Place::Here(lazy) }
    }

    /// The value.
    ///
    /// ```
    /// use selvedge::sync::LazyLock;
    /// selvedge::check(|| {
    ///     let lazy = LazyLock::new(|| 7);
    ///     assert_eq!(LazyLock::force(&lazy), &7);
    /// });
    /// ```
    ///
    /// # Panics
    /// When the closure panics, or has panicked before.
    #[track_caller]
    pub fn force(this: &LazyLock<T, F>) -> &T {
        let Lazy { cell, init, lifetime } = this.lazy();
        cell.get_or_init(|| match init.take() {
            Some(init) if *lifetime == Lifetime::Static => alloc::without_leaks(init),
            Some(init) => init(),
            None => panic!("{POISONED}"),
        })
    }

    /// The value, to be changed.
    ///
    /// ```
    /// use selvedge::sync::LazyLock;
    /// selvedge::check(|| {
    ///     let mut lazy = LazyLock::new(|| 7);
    ///     *LazyLock::force_mut(&mut lazy) += 1;
    ///     assert_eq!(*lazy, 8);
    /// });
    /// ```
    ///
    /// # Panics
    /// When the closure panics, or has panicked before.
    #[track_caller]
    pub fn force_mut(this: &mut LazyLock<T, F>) -> &mut T {
        LazyLock::force(this);
        match this.lazy_mut().cell.get_mut() {
            Some(value) => value,
            None => unreachable!("the value has been made"),
        }
    }
}

impl<T, F> LazyLock<T, F> {
    /// The value, to be changed, if it is made.
    ///
    /// ```
    /// use selvedge::sync::LazyLock;
    /// selvedge::check(|| {
    ///     let mut lazy = LazyLock::new(|| 7);
    ///     assert_eq!(LazyLock::get_mut(&mut lazy), None);
    ///     LazyLock::force(&lazy);
    ///     assert_eq!(LazyLock::get_mut(&mut lazy), Some(&mut 7));
    /// });
    /// ```
    ///
    /// # Panics
    /// When the closure has panicked.
    #[track_caller]
    pub fn get_mut(this: &mut LazyLock<T, F>) -> Option<&mut T> {
        let Lazy { cell, init, .. } = this.lazy_mut();
        let is_taken = init.get_mut().is_none();
        let value = cell.get_mut();
        assert!(value.is_some() || !is_taken, "{POISONED}");
        value
    }

    /// The value, if it is made.
    ///
    /// ```
    /// use selvedge::sync::LazyLock;
    /// selvedge::check(|| {
    ///     let lazy = LazyLock::new(|| 7);
    ///     assert_eq!(LazyLock::get(&lazy), None);
    ///     LazyLock::force(&lazy);
    ///     assert_eq!(LazyLock::get(&lazy), Some(&7));
    /// });
    /// ```
    #[track_caller]
    pub fn get(this: &LazyLock<T, F>) -> Option<&T> {
        this.lazy().cell.get()
    }

    /// A static that stands for a value of each execution, which `find` finds.
    #[doc(hidden)]
    pub const fn per_execution(find: for<'a> fn(&'a LazyLock<T, F>) -> &'a LazyLock<T, F>) -> LazyLock<T, F> {
        LazyLock { place: Place::PerExecution(find) }
    }

    #[track_caller]
    fn lazy(&self) -> &Lazy<T, F> {
        match &self.place {
            Place::Here(lazy) => lazy,
            Place::PerExecution(find) => find(self).lazy(),
        }
    }

    fn lazy_mut(&mut self) -> &mut Lazy<T, F> {
        match &mut self.place {
            Place::Here(lazy) => lazy,
            Place::PerExecution(_) => unreachable!("statics are shared"),
        }
    }
}

const POISONED: &str = "LazyLock instance has previously been poisoned";

impl<T, F: FnOnce() -> T> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F: FnOnce() -> T> DerefMut for LazyLock<T, F> {
    #[track_caller]
    fn deref_mut(&mut self) -> &mut T {
        LazyLock::force_mut(self)
    }
}

impl<T: Default> Default for LazyLock<T> {
    #[track_caller]
    fn default() -> Self {
        LazyLock::new(T::default)
    }
}

impl<T: fmt::Debug, F> fmt::Debug for LazyLock<T, F> {
    /// Looks whether the value is made, like std's, which is an operation.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match with(|x| x.mode) {
            Mode::Idle => f.write_str("LazyLock(<outside of a check>)"),
            _ => debug_once(f, "LazyLock", self.lazy().cell.shown()),
        }
    }
}

impl<T, F> Named for LazyLock<T, F> {
    fn object(&self) -> Object {
        self.lazy().cell.object()
    }
}
