//! What a test may return.

use std::fmt::Debug;

/// What a function with `#[selvedge::test]` may return: nothing, or a result whose error fails the test, as with `#[test]`.
pub trait Outcome {
    /// Fails the test if something is wrong.
    ///
    /// # Panics
    /// With the error.
    #[track_caller]
    fn conclude(self);
}

impl Outcome for () {
    fn conclude(self) {}
}

impl<T: Outcome, E: Debug> Outcome for Result<T, E> {
    fn conclude(self) {
        match self {
            Ok(inner) => inner.conclude(),
            Err(error) => panic!("the test returned an error: {error:?}"),
        }
    }
}
