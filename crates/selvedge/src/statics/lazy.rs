//! Statics that are made at their first use, anew in each execution, as the crate `lazy_static` has them.

use super::Static;
use crate::sync::LazyLock;
use std::fmt;
use std::ops::Deref;

/// A static of [`lazy_static!`](macro@crate::lazy_static). Its value is made at the first use in each execution, by one thread while
/// others wait, and is never dropped, as that of the crate `lazy_static`; an `Arc` that it holds from the beginning is no leak.
///
/// ```
/// use selvedge::sync::Mutex;
/// selvedge::lazy_static! {
///     static ref LOG: Mutex<Vec<u32>> = Mutex::new(vec![]);
/// }
/// selvedge::check(|| {
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
    /// selvedge::lazy_static! { static ref SEVEN: u32 = 7; }
    /// selvedge::check(|| assert_eq!(*SEVEN.get(), 7));
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
/// use selvedge::sync::atomic::{AtomicUsize, Ordering};
/// selvedge::lazy_static! {
///     /// How often it was asked.
///     pub static ref ASKED: AtomicUsize = AtomicUsize::new(0);
///     static ref LIMIT: usize = 2;
/// }
/// selvedge::check(|| assert!(ASKED.fetch_add(1, Ordering::SeqCst) < *LIMIT));
/// ```
#[macro_export]
macro_rules! lazy_static {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static ref $name:ident: $type:ty = $init:expr; $($rest:tt)*) => {
        $(#[$attribute])*
        $visibility static $name: $crate::statics::lazy::Lazy<$type> = $crate::statics::lazy::Lazy::new(
            concat!(module_path!(), "::", stringify!($name), " ", file!(), ":", line!(), ":", column!()),
            || $crate::statics::lazy::locked(|| $init),
        );
        $crate::lazy_static! { $($rest)* }
    };
}

/// Statics that [`initialize`] makes.
///
/// ```
/// use selvedge::statics::lazy::LazyStatic;
/// selvedge::lazy_static! { static ref SEVEN: u32 = 7; }
/// selvedge::check(|| LazyStatic::initialize(&SEVEN));
/// ```
pub trait LazyStatic {
    /// Makes the value, if it is not made yet.
    fn initialize(lazy: &Self);
}

impl<T: Send + Sync + 'static> LazyStatic for Lazy<T> {
    #[track_caller]
    fn initialize(lazy: &Self) {
        let _: &T = lazy;
    }
}

/// Makes the value of a static, if it is not made yet.
///
/// ```
/// selvedge::lazy_static! { static ref SEVEN: u32 = 7; }
/// selvedge::check(|| selvedge::statics::lazy::initialize(&SEVEN));
/// ```
#[track_caller]
pub fn initialize<T: LazyStatic>(lazy: &T) {
    LazyStatic::initialize(lazy);
}

#[doc(hidden)]
pub fn locked<T>(init: fn() -> T) -> LazyLock<T> {
    LazyLock::new(init)
}
