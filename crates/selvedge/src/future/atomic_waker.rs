//! A place for the waker of a task.

use crate::name::Named;
use crate::runtime::object::show_number;
use crate::runtime::{Kind, Object, Operation, Outcome, View, perform};
use std::fmt;
use std::sync::Mutex;
use std::task::Waker;

static REGISTER: Kind = Kind::plain("register", register);
static TAKE: Kind = Kind::plain("take_waker", take);

/// The location holds whether there is a waker.
fn register(view: &mut View, operation: &Operation) -> Outcome {
    view.write(operation.at, 1);
    view.release_clock(operation.at);
    Outcome::Done(0)
}

fn take(view: &mut View, operation: &Operation) -> Outcome {
    view.varies();
    let found = view.read(operation.at);
    if found != 0 {
        view.write(operation.at, 0);
    }
    view.acquire_clock(operation.at);
    view.release_clock(operation.at);
    Outcome::Done(found)
}

/// Keeps the waker of a task that waits for something until that happens, like the types of this name in the crates `futures` and `loom`.
/// Registering a waker and taking it are one operation each.
///
/// ```
/// use selvedge::future::{self, AtomicWaker};
/// use selvedge::sync::{Arc, atomic::{AtomicBool, Ordering::SeqCst}};
/// use std::task::Poll;
///
/// selvedge::check(|| {
///     let shared = Arc::new((AtomicBool::new(false), AtomicWaker::new()));
///     let other = shared.clone();
///     let setter = selvedge::thread::spawn(move || {
///         other.0.store(true, SeqCst);
///         other.1.wake();
///     });
///     future::block_on(std::future::poll_fn(|context| {
///         shared.1.register_by_ref(context.waker());
///         if shared.0.load(SeqCst) { Poll::Ready(()) } else { Poll::Pending }
///     }));
///     setter.join().unwrap();
/// });
/// ```
pub struct AtomicWaker {
    object: Object,
    waker: Mutex<Option<Waker>>,
}

impl AtomicWaker {
    /// A place without a waker.
    ///
    /// ```
    /// use selvedge::future::AtomicWaker;
    /// selvedge::check(|| assert!(AtomicWaker::new().take_waker().is_none()));
    /// ```
    #[track_caller]
    pub fn new() -> AtomicWaker {
        AtomicWaker { object: Object::new("AtomicWaker", 0, show_number), waker: Mutex::new(None) }
    }

    /// Keeps a waker in place of the one that was there.
    ///
    /// ```
    /// use selvedge::future::AtomicWaker;
    /// selvedge::check(|| {
    ///     let place = AtomicWaker::new();
    ///     place.register(std::task::Waker::noop().clone());
    ///     assert!(place.take_waker().is_some());
    /// });
    /// ```
    #[track_caller]
    pub fn register(&self, waker: Waker) {
        perform(self.object.operation(&REGISTER));
        let before = self.replace(Some(waker));
        drop(before);
    }

    /// Keeps a clone of a waker.
    ///
    /// ```
    /// use selvedge::future::AtomicWaker;
    /// selvedge::check(|| {
    ///     let place = AtomicWaker::new();
    ///     place.register_by_ref(std::task::Waker::noop());
    ///     assert!(place.take_waker().is_some());
    /// });
    /// ```
    #[track_caller]
    pub fn register_by_ref(&self, waker: &Waker) {
        self.register(waker.clone());
    }

    /// Wakes the task whose waker is here, if there is one.
    ///
    /// ```
    /// selvedge::check(|| selvedge::future::AtomicWaker::new().wake());
    /// ```
    #[track_caller]
    pub fn wake(&self) {
        if let Some(waker) = self.take_waker() {
            waker.wake();
        }
    }

    /// Takes the waker out.
    ///
    /// ```
    /// use selvedge::future::AtomicWaker;
    /// selvedge::check(|| assert!(AtomicWaker::new().take_waker().is_none()));
    /// ```
    #[track_caller]
    pub fn take_waker(&self) -> Option<Waker> {
        match perform(self.object.operation(&TAKE)) {
            0 => None,
            _ => self.replace(None),
        }
    }

    fn replace(&self, waker: Option<Waker>) -> Option<Waker> {
        match self.waker.lock() {
            Ok(mut place) => std::mem::replace(&mut place, waker),
            Err(poisoned) => std::mem::replace(&mut poisoned.into_inner(), waker),
        }
    }
}

impl Default for AtomicWaker {
    #[track_caller]
    fn default() -> Self {
        AtomicWaker::new()
    }
}

impl fmt::Debug for AtomicWaker {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("AtomicWaker").finish_non_exhaustive()
    }
}

impl Named for AtomicWaker {
    fn object(&self) -> Object {
        self.object
    }
}
