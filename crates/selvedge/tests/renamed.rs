//! The crate under another name, and re-exported: the macros say where it is by `crate = path`.

mod checked {
    //! A module that re-exports the crate, as a library of helpers for tests would.
    pub use selvedge as under_another_name;
}

use checked::under_another_name as other;
use other::sync::atomic::{AtomicUsize, Ordering};

#[other::per_execution(crate = crate::checked::under_another_name)]
static HITS: AtomicUsize = AtomicUsize::new(0);

#[other::per_execution(crate = other)]
static LAZY: other::sync::LazyLock<usize> = other::sync::LazyLock::new(|| 7);

other::statics! {
    static COUNT: AtomicUsize = AtomicUsize::new(1);
}

#[other::test(crate = crate::checked::under_another_name)]
fn a_static_is_made_anew_under_any_name() {
    assert_eq!(HITS.fetch_add(1, Ordering::SeqCst) + *LAZY + COUNT.load(Ordering::SeqCst), 8);
}

#[other::test(crate = other, max_executions(3), keep_going())]
fn arguments_follow_the_path() {
    other::choose(2);
}
