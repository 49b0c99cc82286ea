//! Statics of the checked program: made anew for each execution.
//!
//! A static is known by where it is declared, which means the same in every run of the program; so checkpoints can name it.

pub mod lazy;

use crate::runtime::with;
use std::ops::Deref;

/// A static of the checked program, declared by [`statics!`](macro@crate::statics).
///
/// ```
/// use selvedge::sync::atomic::{AtomicUsize, Ordering};
/// selvedge::statics! { static COUNT: AtomicUsize = AtomicUsize::new(0); }
///
/// selvedge::check(|| {
///     assert_eq!(COUNT.fetch_add(1, Ordering::Relaxed), 0);
/// });
/// ```
pub struct Static<T: 'static> {
    init: fn() -> T,
    key: u64,
}

impl<T: Sync + 'static> Static<T> {
    #[doc(hidden)]
    pub const fn new(declaration: &str, init: fn() -> T) -> Static<T> {
        Static { init, key: key(declaration) }
    }
}

/// The number of a declaration: its text folded by multiplication with a prime, as Fowler, Noll and Vo do.
const fn key(declaration: &str) -> u64 {
    let bytes = declaration.as_bytes();
    let mut key = 0xcbf2_9ce4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        key = (key ^ bytes[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    key
}

impl<T: Sync + 'static> Deref for Static<T> {
    type Target = T;

    /// The value of the present execution. It is made at the first use, which is no operation: statics exist before
    /// any thread. It is never dropped, as in std.
    ///
    /// # Panics
    /// With a message for the user when nothing is being checked.
    #[track_caller]
    fn deref(&self) -> &T {
        let key = self.key;
        if let Some(value) = with(|x| x.static_value(key)) {
            match value.downcast_ref::<T>() {
                Some(value) => return value,
                None => unreachable!("each static has its own place in the source"),
            }
        }
        let outer = with(|x| x.begin_static(key));
        let value: &'static T = Box::leak(Box::new((self.init)()));
        with(|x| x.end_static(outer, key, value));
        value
    }
}

impl<T: 'static> std::fmt::Debug for Static<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.debug_struct("Static").finish_non_exhaustive()
    }
}

/// Declares statics that are made anew for each execution. The types of this library cannot be made by a `const fn`, because
/// objects are named by the thread that makes them, and nobody runs a `const fn` of a static:
/// `static X: AtomicUsize = AtomicUsize::new(0);` becomes `statics! { static X: AtomicUsize = AtomicUsize::new(0); }`.
///
/// ```
/// use selvedge::sync::{LazyLock, Mutex};
/// selvedge::statics! {
///     /// Everything that was said.
///     pub static LOG: Mutex<Vec<u32>> = Mutex::new(Vec::new());
///     static SQUARE: LazyLock<u32> = LazyLock::new(|| 49);
/// }
/// selvedge::check(|| {
///     LOG.lock().unwrap().push(*SQUARE);
///     assert_eq!(LOG.lock().unwrap().len(), 1);
/// });
/// ```
#[macro_export]
macro_rules! statics {
    ($($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr;)*) => {
        $(
            #[$crate::per_execution(crate = $crate)]
            $(#[$attribute])*
            $visibility static $name: $type = $init;
        )*
    };
}

/// Declares one static that is not a `LazyLock`: its type becomes one that finds the value of the present execution.
#[doc(hidden)]
#[macro_export]
macro_rules! static_of_each_execution {
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr;) => {
        $(#[$attribute])*
        $visibility static $name: $crate::statics::Static<$type> = $crate::statics::Static::new(
            concat!(module_path!(), "::", stringify!($name), " ", file!(), ":", line!(), ":", column!()),
            || $init,
        );
    };
}

/// Declares one static that is a `LazyLock`. It stays one, so that `*NAME` is the value and `LazyLock::force(&NAME)` works: it finds the one
/// of the present execution by itself.
#[doc(hidden)]
#[macro_export]
macro_rules! lazy_lock_of_each_execution {
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr;) => {
        $(#[$attribute])*
        $visibility static $name: $type = <$type>::per_execution(|_| {
            $crate::static_of_each_execution! { static $name: $type = $init; }
            &$name
        });
    };
}
