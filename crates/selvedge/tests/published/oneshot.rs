//! RUSTSEC-2021-0124 in miniature: tokio's one-shot channel. After `close`, the receiver may look at the value while the sender,
//! who finds the channel closed, takes it back.

use selvedge::cell::UnsafeCell;
use selvedge::sync::Arc;
use selvedge::sync::atomic::{AtomicUsize, Ordering};
use selvedge::thread;

const VALUE_SENT: usize = 1;
const CLOSED: usize = 2;

struct Inner {
    state: AtomicUsize,
    value: UnsafeCell<Option<u32>>,
}

// SAFETY: the state decides who may use the value; the checker sees whether it does.
#[allow(unsafe_code, reason = "a channel shares a cell")]
unsafe impl Sync for Inner {}

/// When the receiver takes the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Receive {
    /// When it was sent.
    WhenSent,
    /// When it was sent or the channel is closed, as it was.
    WhenSentOrClosed,
}

impl Inner {
    fn send(&self, value: u32) -> Result<(), u32> {
        self.put(Some(value));
        let state = self.state.load(Ordering::Acquire);
        let is_closed =
            state & CLOSED != 0 || self.state.fetch_or(VALUE_SENT, Ordering::AcqRel) & CLOSED != 0;
        match is_closed {
            false => Ok(()),
            true => self.take().map_or(Ok(()), Err),
        }
    }

    fn close_and_receive(&self, receive: Receive) -> Option<u32> {
        let state = self.state.fetch_or(CLOSED, Ordering::AcqRel);
        let is_sent = state & VALUE_SENT != 0;
        match is_sent || receive == Receive::WhenSentOrClosed {
            true => self.take(),
            false => None,
        }
    }

    #[allow(unsafe_code, reason = "writes the cell")]
    fn put(&self, value: Option<u32>) {
        // SAFETY: nobody else uses the cell before the state says so.
        self.value.with_mut(|cell| unsafe { *cell = value });
    }

    #[allow(unsafe_code, reason = "writes the cell")]
    fn take(&self) -> Option<u32> {
        // SAFETY: the state says that it is ours; the checker stops us if it does not.
        self.value.with_mut(|cell| unsafe { (*cell).take() })
    }
}

fn send_and_close(receive: Receive) {
    let inner = Arc::new(Inner { state: AtomicUsize::new(0), value: UnsafeCell::new(None) });
    let sender = thread::Builder::new().name("sender".to_owned()).spawn({
        let inner = inner.clone();
        move || inner.send(5)
    });
    let received = inner.close_and_receive(receive);
    let sent = sender.unwrap().join().unwrap();
    assert_eq!(received.is_some(), sent.is_ok());
}

pub fn mended() {
    send_and_close(Receive::WhenSent);
}

pub fn published() {
    send_and_close(Receive::WhenSentOrClosed);
}
