//! Panics of the checked program: noted, not printed.
//!
//! An exploration may see the same panic many times on its way to a report that shows it once. A hook before the
//! one that was installed keeps message and place of a panic inside a checked thread to itself, unless the user
//! replays one execution and wants to see everything.
//!
//! A destructor that is run by unwinding and waits for ever can neither go on nor be left: its fiber stays suspended, and for Rust
//! this thread of the operating system panics from then on. So who panics is noted here, too.

use super::execution::{self, ThreadIndex};
use super::failure::Site;
use std::cell::{Cell, RefCell};
use std::panic::PanicHookInfo;
use std::sync::Once;

/// A panic that was seen.
#[derive(Clone, Debug)]
pub struct Noted {
    /// Its message.
    pub message: String,
    /// Where it happened.
    pub site: Option<Site>,
}

/// Whether panics are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    /// By whatever hook there is: nothing is being checked, or one execution is replayed for the user.
    Usual,
    /// Not at all.
    Quiet,
}

thread_local! {
    static NOISE: Cell<Noise> = const { Cell::new(Noise::Usual) };
    /// The latest panic of each thread of the checked program: while one unwinds, others may panic, too.
    static LATEST: RefCell<Vec<(ThreadIndex, Noted)>> = const { RefCell::new(Vec::new()) };
    /// The threads of the checked program that panicked or were told to unwind in this execution.
    static RAISED: RefCell<Vec<ThreadIndex>> = const { RefCell::new(Vec::new()) };
    /// Whether a fiber was left in the middle of unwinding.
    static STUCK: Cell<bool> = const { Cell::new(false) };
}

/// Whether a thread of the checked program, the one that runs, is unwinding.
#[inline]
pub fn is_panicking(thread: ThreadIndex) -> bool {
    std::thread::panicking() && (!STUCK.get() || RAISED.with_borrow(|raised| raised.contains(&thread)))
}

/// A thread of the checked program begins to unwind.
pub fn note_raised(thread: ThreadIndex) {
    let _ = RAISED.try_with(|raised| raised.borrow_mut().push(thread));
}

/// A fiber is left in the middle of unwinding.
pub fn note_stuck() {
    STUCK.set(true);
}

/// Whether a fiber was left in the middle of unwinding: each further execution may leave another.
pub fn is_stuck() -> bool {
    STUCK.get()
}

/// Whether Rust unwinds on this thread of the operating system, as far as that can be known.
pub fn is_unwinding_here() -> bool {
    std::thread::panicking() && !STUCK.get()
}

/// Installs the hook, once for the process.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if let Some(thread) = execution::current_thread() {
                note_raised(thread);
                LATEST.with_borrow_mut(|latest| {
                    latest.retain(|(other, _)| *other != thread);
                    latest.push((thread, note(info)));
                });
            }
            if NOISE.get() == Noise::Usual {
                previous(info);
            }
        }));
    });
}

/// Sets whether panics on this thread are printed. Returns what was set before.
pub fn set_noise(noise: Noise) -> Noise {
    NOISE.replace(noise)
}

/// The latest panic of a thread of the checked program, forgotten by asking.
pub fn take_latest(thread: ThreadIndex) -> Option<Noted> {
    LATEST.with_borrow_mut(|latest| {
        let position = latest.iter().position(|(other, _)| *other == thread)?;
        Some(latest.swap_remove(position).1)
    })
}

/// Forgets all panics.
pub fn forget() {
    LATEST.with_borrow_mut(Vec::clear);
    RAISED.with_borrow_mut(Vec::clear);
}

fn note(info: &PanicHookInfo) -> Noted {
    let site =
        info.location().map(|l| Site { file: l.file().to_owned(), line: l.line(), column: l.column() });
    Noted { message: message_of(info.payload()), site }
}

/// The message of a panic's payload.
pub fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".to_owned())
}
