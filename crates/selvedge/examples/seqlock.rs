//! A sequence lock: readers do not write, and try again when a writer was there.

use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{hint, thread};

#[derive(Default)]
struct SeqLock {
    /// Odd while somebody writes.
    version: AtomicUsize,
    low: AtomicUsize,
    high: AtomicUsize,
}

/// What a reader looks at after it has read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Validate {
    Version,
    Nothing,
}

impl SeqLock {
    fn write(&self, value: usize) {
        self.version.fetch_add(1, Ordering::AcqRel);
        self.low.store(value, Ordering::Release);
        self.high.store(value, Ordering::Release);
        self.version.fetch_add(1, Ordering::AcqRel);
    }

    fn read(&self, validate: Validate) -> (usize, usize) {
        loop {
            let before = self.version.load(Ordering::Acquire);
            if before % 2 == 1 {
                hint::spin_loop();
                continue;
            }
            let pair = (self.low.load(Ordering::Acquire), self.high.load(Ordering::Acquire));
            if validate == Validate::Nothing || self.version.load(Ordering::Acquire) == before {
                return pair;
            }
        }
    }
}

fn write_and_read(validate: Validate) {
    let lock = Arc::new(SeqLock::default());
    let writer = thread::Builder::new().name("writer".to_owned()).spawn({
        let lock = lock.clone();
        move || lock.write(1)
    });
    let (low, high) = lock.read(validate);
    assert_eq!(low, high, "half of a write was seen");
    writer.unwrap().join().unwrap();
}

/// A reader compares the version before and after.
pub fn correct() {
    write_and_read(Validate::Version);
}

/// A reader looks at the version only before.
pub fn broken() {
    write_and_read(Validate::Nothing);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
