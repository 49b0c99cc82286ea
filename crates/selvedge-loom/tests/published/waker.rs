//! A place for one waker: registered by the task, woken by several threads, with a state of two bits.

use super::tool::cell::UnsafeCell;
use super::tool::future::block_on;
use super::tool::sync::Arc;
use super::tool::sync::atomic::{AtomicUsize, Ordering};
use super::tool::thread;
use std::task::{Poll, Waker};

const IDLE: usize = 0;
const REGISTERING: usize = 1;
const WAKING: usize = 2;

struct WakerSlot {
    state: AtomicUsize,
    waker: UnsafeCell<Option<Waker>>,
}

#[allow(unsafe_code, reason = "the state orders the accesses")]
// SAFETY: the waker is accessed by whoever has set a bit in an idle state.
unsafe impl Sync for WakerSlot {}

#[allow(unsafe_code, reason = "the state says to whom the waker belongs")]
impl WakerSlot {
    fn register(&self, waker: &Waker) {
        match self.state.compare_exchange(IDLE, REGISTERING, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                // SAFETY: the bit `REGISTERING` is this thread's.
                self.waker.with_mut(|slot| unsafe { *slot = Some(waker.clone()) });
                let registered =
                    self.state.compare_exchange(REGISTERING, IDLE, Ordering::AcqRel, Ordering::Acquire);
                if registered.is_err() {
                    // SAFETY: the other side left the waker to this one.
                    let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
                    self.state.swap(IDLE, Ordering::AcqRel);
                    waker.unwrap().wake();
                }
            }
            Err(_) => {
                waker.wake_by_ref();
                thread::yield_now();
            }
        }
    }

    fn wake(&self) {
        if self.state.fetch_or(WAKING, Ordering::AcqRel) != IDLE {
            return;
        }
        // SAFETY: the bit `WAKING` is this thread's.
        let waker = self.waker.with_mut(|slot| unsafe { (*slot).take() });
        self.state.fetch_and(!WAKING, Ordering::Release);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Look {
    BeforeOnly,
    Afterwards,
}

fn explore(look: Look) {
    let shared = Arc::new((
        WakerSlot { state: AtomicUsize::new(IDLE), waker: UnsafeCell::new(None) },
        AtomicUsize::new(0),
    ));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.1.fetch_add(1, Ordering::SeqCst);
                shared.0.wake();
            })
        })
        .collect();
    block_on(std::future::poll_fn(|context| {
        if look == Look::BeforeOnly && shared.1.load(Ordering::SeqCst) == 2 {
            return Poll::Ready(());
        }
        shared.0.register(context.waker());
        match look == Look::Afterwards && shared.1.load(Ordering::SeqCst) == 2 {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }));
    for thread in threads {
        thread.join().unwrap();
    }
}

/// The task looks again when its waker is registered.
pub fn correct() {
    explore(Look::Afterwards);
}

/// The task looks only before: a wake-up in between is lost.
pub fn broken() {
    explore(Look::BeforeOnly);
}
