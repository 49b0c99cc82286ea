//! Do both increments count?

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::thread;

// #[selvedge::test]
fn both_increments_count() {
    let hits = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let hits = hits.clone();
        move || {
            let before = hits.load(Ordering::Acquire);
            hits.store(before + 1, Ordering::Release);
        }
    });
    hits.fetch_add(1, Ordering::AcqRel);
    other.join().unwrap();
    assert_eq!(hits.load(Ordering::Acquire), 2, "an update was lost");
}

/// The test, for the test of the documentation.
pub fn run() {
    both_increments_count();
}
