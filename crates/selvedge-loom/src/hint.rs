//! Hints.

pub use selvedge::hint::spin_loop;

/// A place that is never reached; unlike that of std, this one panics if it is, as loom's does.
///
/// ```
/// selvedge_loom::model(|| {
///     if false {
///         // SAFETY: not reached.
///         unsafe { selvedge_loom::hint::unreachable_unchecked() }
///     }
/// });
/// ```
///
/// # Safety
/// As for `std::hint::unreachable_unchecked`: never reached in the real program.
///
/// # Panics
/// When it is reached.
#[track_caller]
#[allow(unsafe_code, reason = "the name of std's function; nothing unsafe happens here")]
pub unsafe fn unreachable_unchecked() -> ! {
    unreachable!("`unreachable_unchecked` was reached")
}
