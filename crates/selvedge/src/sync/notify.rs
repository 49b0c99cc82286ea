//! A notification for one waiter, like loom's.

use crate::choose;
use crate::future::{wait, wake};
use crate::name::Named;
use crate::runtime::object::show_number;
use crate::runtime::{Kind, Object, perform, with};
use std::cell::Cell;
use std::fmt;

static WAIT: Kind = Kind::waiting("wait", wait);
static NOTIFY: Kind = Kind::plain("notify", wake);

/// A notification for one waiter, like loom's `Notify`: [`notify`](Notify::notify) leaves a token, [`wait`](Notify::wait) takes it. As
/// in loom, a wait may return without a token once in each execution; both ways are explored.
///
/// ```
/// use selvedge::sync::{Arc, Notify, atomic::{AtomicBool, Ordering}};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let shared = Arc::new((Notify::new(), AtomicBool::new(false)));
///     let other = thread::spawn({
///         let shared = shared.clone();
///         move || {
///             shared.1.store(true, Ordering::SeqCst);
///             shared.0.notify();
///         }
///     });
///     while !shared.1.load(Ordering::SeqCst) {
///         shared.0.wait();
///     }
///     other.join().unwrap();
/// });
/// ```
pub struct Notify {
    object: Object,
    waits: Cell<Waits>,
}

/// What became of the waits so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// None has returned without a token.
    Regular,
    /// One has.
    WokenSpuriously,
}

#[allow(unsafe_code, reason = "the cell is used on one thread of the operating system only")]
// SAFETY: `waits` is accessed by `wait` only, after `choose` or under `object`'s epoch, both of which panic on any other thread of the
// operating system than the one that runs the execution; nothing of another checked thread runs between reading and writing it.
unsafe impl Sync for Notify {}

impl Notify {
    /// A notification without a token.
    ///
    /// ```
    /// selvedge::check(|| { let _notify = selvedge::sync::Notify::new(); });
    /// ```
    #[track_caller]
    pub fn new() -> Notify {
        Notify { object: Object::new("Notify", 0, show_number), waits: Cell::new(Waits::Regular) }
    }

    /// Leaves a token for the waiter, if there is none yet.
    ///
    /// ```
    /// selvedge::check(|| selvedge::sync::Notify::new().notify());
    /// ```
    #[track_caller]
    pub fn notify(&self) {
        perform(self.object.operation(&NOTIFY));
    }

    /// Waits for a token and takes it; may return without one, once in each execution.
    ///
    /// ```
    /// selvedge::check(|| {
    ///     let notify = selvedge::sync::Notify::new();
    ///     notify.notify();
    ///     notify.wait();
    /// });
    /// ```
    ///
    /// # Panics
    /// With a message for the user when nothing is being checked.
    #[track_caller]
    pub fn wait(&self) {
        let is_present = with(|x| self.object.is_present(x));
        if is_present && self.waits.get() == Waits::Regular && choose(2) == 1 {
            self.waits.set(Waits::WokenSpuriously);
            return;
        }
        perform(self.object.operation(&WAIT));
    }
}

impl Default for Notify {
    #[track_caller]
    fn default() -> Self {
        Notify::new()
    }
}

impl fmt::Debug for Notify {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Notify").finish_non_exhaustive()
    }
}

impl Named for Notify {
    fn object(&self) -> Object {
        self.object
    }
}
