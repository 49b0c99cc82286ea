//! Statics that are made at their first use, anew in each execution.

use selvedge::statics::Static;
use selvedge::sync::LazyLock;
use std::fmt;
use std::ops::Deref;

pub use crate::thread::{AccessError, panicking, yield_now};

/// A static of [`lazy_static!`](macro@crate::lazy_static). Its value is made at the first use in each execution, by one thread while
/// others wait, and is never dropped, as that of the crate `lazy_static`; an `Arc` that it holds from the beginning is no leak.
///
/// ```
/// use selvedge_loom::sync::Mutex;
/// selvedge_loom::lazy_static! {
///     static ref LOG: Mutex<Vec<u32>> = Mutex::new(vec![]);
/// }
/// selvedge_loom::model(|| {
///     LOG.get().lock().unwrap().push(1);
///     assert_eq!(*LOG.lock().unwrap(), [1]);
/// });
/// ```
pub struct Lazy<T: 'static> {
    value: Static<LazyLock<T>>,
}

impl<T: Send + Sync + 'static> Lazy<T> {
    #[doc(hidden)]
    pub const fn new(declaration: &str, make: fn() -> LazyLock<T>) -> Lazy<T> {
        Lazy { value: Static::new(declaration, make) }
    }

    /// The value in the present execution.
    ///
    /// ```
    /// selvedge_loom::lazy_static! { static ref SEVEN: u32 = 7; }
    /// selvedge_loom::model(|| assert_eq!(*SEVEN.get(), 7));
    /// ```
    ///
    /// # Panics
    /// With a message for the user when nothing is being checked.
    #[track_caller]
    pub fn get(&'static self) -> &'static T {
        &self.value
    }
}

impl<T: Send + Sync + 'static> Deref for Lazy<T> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: 'static> fmt::Debug for Lazy<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Lazy").finish_non_exhaustive()
    }
}

/// Declares statics that are made at their first use, anew in each execution, like that of the crate `lazy_static`.
///
/// ```
/// use selvedge_loom::sync::atomic::{AtomicUsize, Ordering};
/// selvedge_loom::lazy_static! {
///     /// How often it was asked.
///     pub static ref ASKED: AtomicUsize = AtomicUsize::new(0);
///     static ref LIMIT: usize = 2;
/// }
/// selvedge_loom::model(|| assert!(ASKED.fetch_add(1, Ordering::SeqCst) < *LIMIT));
/// ```
#[macro_export]
macro_rules! lazy_static {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static ref $name:ident: $type:ty = $init:expr; $($rest:tt)*) => {
        $(#[$attribute])*
        $visibility static $name: $crate::lazy_static::Lazy<$type> = $crate::lazy_static::Lazy::new(
            concat!(module_path!(), "::", stringify!($name), " ", file!(), ":", line!(), ":", column!()),
            || $crate::lazy_static::locked(|| $init),
        );
        $crate::lazy_static! { $($rest)* }
    };
}

#[doc(hidden)]
pub fn locked<T>(init: fn() -> T) -> LazyLock<T> {
    LazyLock::new(init)
}
