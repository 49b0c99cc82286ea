//! A reader-writer lock in one word: the number of readers, or a large number while somebody writes.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::{hint, thread};

const WRITER: usize = 1 << 16;

struct Lock {
    state: AtomicUsize,
    data: UnsafeCell<u32>,
}

// SAFETY: the state orders the accesses to the data; the checker sees whether it does.
#[allow(unsafe_code, reason = "a lock shares a cell")]
unsafe impl Sync for Lock {}

/// How a reader enters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enter {
    /// By one compare-exchange.
    AtOnce,
    /// By a look and an addition: a writer may come in between.
    InTwoSteps,
}

impl Lock {
    fn read(&self, enter: Enter) {
        loop {
            let state = self.state.load(Ordering::Acquire);
            if state >= WRITER {
                hint::spin_loop();
                continue;
            }
            let entered = match enter {
                Enter::InTwoSteps => {
                    self.state.fetch_add(1, Ordering::Acquire);
                    true
                }
                Enter::AtOnce => {
                    let (acquire, relaxed) = (Ordering::Acquire, Ordering::Relaxed);
                    self.state.compare_exchange(state, state + 1, acquire, relaxed).is_ok()
                }
            };
            if entered {
                break;
            }
        }
        self.data.with(|_data| ());
        self.state.fetch_sub(1, Ordering::Release);
    }

    fn write(&self) {
        while self.state.compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed).is_err() {
            hint::spin_loop();
        }
        self.data.with_mut(|_data| ());
        self.state.fetch_sub(WRITER, Ordering::Release);
    }
}

fn reader_and_writer(enter: Enter) {
    let lock = Arc::new(Lock { state: AtomicUsize::new(0), data: UnsafeCell::new(0) });
    let writer = thread::Builder::new().name("writer".to_owned()).spawn({
        let lock = lock.clone();
        move || lock.write()
    });
    lock.read(enter);
    writer.unwrap().join().unwrap();
}

/// A reader enters by one compare-exchange.
pub fn correct() {
    reader_and_writer(Enter::AtOnce);
}

/// A reader looks and then enters.
pub fn broken() {
    reader_and_writer(Enter::InTwoSteps);
}

#[allow(dead_code, reason = "the tests have another main function")]
fn main() {
    println!("{}", selvedge::Checker::new().run(correct));
    println!("{}", selvedge::Checker::new().run(broken));
}
