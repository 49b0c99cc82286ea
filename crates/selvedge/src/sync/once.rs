//! Initialisation that happens once.

use crate::name::Named;
use crate::runtime::{Kind, Object, Operation, Outcome, Place, View, perform, perform_at_drop};
use selvedge_trace::AccessKind;
use std::fmt;
use std::panic::Location;

static CALL_ONCE: Kind = Kind::waiting("call_once", begin).telling();
static DONE: Kind = Kind::plain("end of call_once", done).telling();
static IS_COMPLETED: Kind = Kind::plain("is_completed", is_completed).telling();
static WAIT: Kind = Kind::waiting("wait", wait);

/// What the location of a [`Once`] holds.
const NEW: u64 = 0;
const RUNNING: u64 = 1;
const COMPLETE: u64 = 2;
const POISONED: u64 = 3;

fn show(state: u64) -> String {
    let words = match state {
        NEW => "not run",
        RUNNING => "running",
        COMPLETE => "complete",
        _ => "poisoned",
    };
    words.to_owned()
}

/// Becomes the one that runs the closure, or sees that it has run. The result is what was there.
fn begin(view: &mut View, operation: &Operation) -> Outcome {
    view.guarded();
    view.varies();
    match view.memory.get(operation.at) {
        RUNNING => {
            view.touch(operation.at, AccessKind::Read);
            Outcome::Wait
        }
        COMPLETE => {
            view.read(operation.at);
            view.acquire_clock(operation.at);
            Outcome::Done(COMPLETE)
        }
        other => {
            view.write(operation.at, RUNNING);
            view.acquire_clock(operation.at);
            Outcome::Done(other)
        }
    }
}

fn done(view: &mut View, operation: &Operation) -> Outcome {
    view.write(operation.at, operation.a);
    view.release_clock(operation.at);
    Outcome::Done(0)
}

fn is_completed(view: &mut View, operation: &Operation) -> Outcome {
    let completed = view.read(operation.at) == COMPLETE;
    if completed {
        view.acquire_clock(operation.at);
    }
    Outcome::Done(u64::from(completed))
}

/// Waits until a closure has run; one that panicked is enough if `a` is 0. The result is what was there.
fn wait(view: &mut View, operation: &Operation) -> Outcome {
    view.guarded();
    match view.read(operation.at) {
        state if state == COMPLETE || state == POISONED && operation.a == 0 => {
            view.acquire_clock(operation.at);
            Outcome::Done(state)
        }
        _ => Outcome::Wait,
    }
}

/// Runs a closure once, like [`std::sync::Once`].
///
/// ```
/// use selvedge::sync::{Arc, Once, atomic::{AtomicU32, Ordering}};
/// use selvedge::thread;
///
/// selvedge::check(|| {
///     let shared = Arc::new((Once::new(), AtomicU32::new(0)));
///     let other = thread::spawn({
///         let shared = shared.clone();
///         move || shared.0.call_once(|| { shared.1.fetch_add(1, Ordering::Relaxed); })
///     });
///     shared.0.call_once(|| { shared.1.fetch_add(1, Ordering::Relaxed); });
///     assert_eq!(shared.1.load(Ordering::Relaxed), 1);
///     other.join().unwrap();
/// });
/// ```
pub struct Once {
    object: Object,
}

/// Whether an earlier attempt to run the closure of a [`Once`] panicked, like [`std::sync::OnceState`].
///
/// ```
/// use selvedge::sync::{Once, OnceState};
/// selvedge::check(|| Once::new().call_once_force(|state: &OnceState| assert!(!state.is_poisoned())));
/// ```
#[derive(Debug)]
pub struct OnceState {
    poisoned: bool,
}

impl OnceState {
    /// Whether an earlier attempt panicked.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| { Once::new().call_once_force(|state| assert!(!state.is_poisoned())); });
    /// ```
    pub fn is_poisoned(&self) -> bool {
        self.poisoned
    }
}

impl Once {
    /// One whose closure has not run.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| { assert!(!Once::new().is_completed()); });
    /// ```
    #[track_caller]
    pub fn new() -> Once {
        Once { object: Object::new("Once", NEW, show) }
    }

    /// Whether this content of the location says that a closure has run.
    pub(super) fn is_complete(word: u64) -> bool {
        word == COMPLETE
    }

    /// Runs the closure, unless one has run; waits for one that runs.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| {
    ///     let (once, mut calls) = (Once::new(), 0);
    ///     once.call_once(|| calls += 1);
    ///     once.call_once(|| calls += 1);
    ///     assert_eq!(calls, 1);
    /// });
    /// ```
    ///
    /// # Panics
    /// When an earlier closure panicked.
    #[track_caller]
    pub fn call_once(&self, f: impl FnOnce()) {
        self.call(f_without_state(f), Poison::Panics);
    }

    /// The same, also when an earlier closure panicked.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| { Once::new().call_once_force(|state| assert!(!state.is_poisoned())); });
    /// ```
    #[track_caller]
    pub fn call_once_force(&self, f: impl FnOnce(&OnceState)) {
        self.call(f, Poison::IsIgnored);
    }

    /// Whether a closure has run.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| {
    ///     let once = Once::new();
    ///     once.call_once(|| ());
    ///     assert!(once.is_completed());
    /// });
    /// ```
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        perform(self.object.operation(&IS_COMPLETED)) != 0
    }

    /// Waits until a closure has run.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| {
    ///     let once = Once::new();
    ///     once.call_once(|| ());
    ///     once.wait();
    /// });
    /// ```
    ///
    /// # Panics
    /// When the closure panicked.
    #[track_caller]
    pub fn wait(&self) {
        let found = self.wait_until(Poison::Panics);
        assert!(found != POISONED, "Once instance has previously been poisoned");
    }

    /// Waits until a closure has run without a panic.
    ///
    /// ```
    /// use selvedge::sync::Once;
    /// selvedge::check(|| {
    ///     let once = Once::new();
    ///     once.call_once(|| ());
    ///     once.wait_force();
    /// });
    /// ```
    #[track_caller]
    pub fn wait_force(&self) {
        self.wait_until(Poison::IsIgnored);
    }

    #[track_caller]
    fn wait_until(&self, poison: Poison) -> u64 {
        let a = u64::from(poison == Poison::IsIgnored);
        perform(Operation { a, ..self.object.operation(&WAIT) })
    }

    #[track_caller]
    fn call(&self, f: impl FnOnce(&OnceState), poison: Poison) {
        let found = perform(self.object.operation(&CALL_ONCE));
        if found == COMPLETE {
            return;
        }
        let mut end = End { object: self.object, state: POISONED, place: Location::caller() };
        assert!(
            found != POISONED || poison == Poison::IsIgnored,
            "Once instance has previously been poisoned"
        );
        f(&OnceState { poisoned: found == POISONED });
        end.state = COMPLETE;
    }
}

fn f_without_state(f: impl FnOnce()) -> impl FnOnce(&OnceState) {
    move |_| f()
}

/// What a closure that panicked means for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Poison {
    Panics,
    IsIgnored,
}

/// Notes how a closure ended, also when it panics.
struct End {
    object: Object,
    state: u64,
    place: Place,
}

impl Drop for End {
    fn drop(&mut self) {
        let operation = self.object.operation(&DONE);
        perform_at_drop(Operation { a: self.state, place: self.place, ..operation });
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Once").finish_non_exhaustive()
    }
}

impl Named for Once {
    fn object(&self) -> Object {
        self.object
    }
}
