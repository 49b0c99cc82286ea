//! The counts of an `Arc`: what the operations of its handles do to them.

use crate::runtime::{
    Execution, Kind, Mode, Object, Operation, Outcome, Place, View, perform, perform_at_drop, with,
};
use selvedge_trace::{AccessKind, LocationId, ThreadId};
use std::panic::Location;

pub(super) static CLONE: Kind = Kind::plain("Arc::clone", clone).telling();
pub(super) static NEW_CYCLIC: Kind = Kind::plain("Arc::new_cyclic", new_cyclic);
pub(super) static DROP: Kind = Kind::plain("drop", drop_strong).telling();
pub(super) static STRONG_COUNT: Kind = Kind::plain("Arc::strong_count", strong_count).telling();
pub(super) static WEAK_COUNT: Kind = Kind::plain("Arc::weak_count", weak_count).telling();
pub(super) static WEAK_COUNT_OF_WEAK: Kind = Kind::plain("weak_count", weak_count_of_weak);
pub(super) static TRY_UNWRAP: Kind = Kind::plain("Arc::try_unwrap", try_unwrap).telling();
pub(super) static GET_MUT: Kind = Kind::plain("Arc::get_mut", get_mut).telling();
pub(super) static INCREMENT: Kind = Kind::plain("Arc::increment_strong_count", upgrade).telling();
pub(super) static UPGRADE: Kind = Kind::plain("upgrade", upgrade).telling();
static CHANGE_WEAK: Kind = Kind::plain("Weak", change_weak).telling();

/// The locations of an `Arc`: whether it lives (and the number of its handles), who looks at that number, and the number
/// of its weak handles.
fn parts(at: LocationId) -> (LocationId, LocationId, LocationId) {
    (at, LocationId(at.0 + 1), LocationId(at.0 + 2))
}

fn add_strong(view: &mut View, at: LocationId) {
    let (alive, count, _) = parts(at);
    view.touch_adding(count);
    view.memory.set(alive, view.memory.get(alive).wrapping_add(1));
}

fn clone(view: &mut View, operation: &Operation) -> Outcome {
    add_strong(view, operation.at);
    Outcome::Done(0)
}

/// The first handle of a content that weak handles know already.
fn new_cyclic(view: &mut View, operation: &Operation) -> Outcome {
    view.touch(operation.at, AccessKind::Write);
    clone(view, operation)
}

fn drop_strong(view: &mut View, operation: &Operation) -> Outcome {
    let (alive, count, _) = parts(operation.at);
    view.varies();
    let left = view.memory.get(alive).wrapping_sub(1);
    let is_last = left == 0;
    view.touch_adding(count);
    let conflicts = is_last || view.assumptions.drops_are_ordered;
    match conflicts {
        true => view.touch(alive, AccessKind::Write),
        false => view.touch_adding(alive),
    }
    view.last_drop(alive, is_last);
    view.memory.set(alive, left);
    view.release_clock(alive);
    if is_last {
        view.acquire_clock(alive);
    }
    Outcome::Done(left)
}

fn strong_count(view: &mut View, operation: &Operation) -> Outcome {
    let (alive, count, _) = parts(operation.at);
    view.touch(count, AccessKind::Read);
    view.note_read(count, alive);
    Outcome::Done(view.memory.get(alive))
}

fn weak_count(view: &mut View, operation: &Operation) -> Outcome {
    let (_, _, weak) = parts(operation.at);
    Outcome::Done(view.read(weak))
}

/// Nobody counts the weak handles of a content that is gone.
fn weak_count_of_weak(view: &mut View, operation: &Operation) -> Outcome {
    let (alive, ..) = parts(operation.at);
    view.varies();
    match view.read(alive) {
        0 => Outcome::Done(0),
        _ => weak_count(view, operation),
    }
}

fn try_unwrap(view: &mut View, operation: &Operation) -> Outcome {
    let (alive, count, _) = parts(operation.at);
    view.varies();
    view.touch(count, AccessKind::Read);
    if view.memory.get(alive) != 1 {
        return Outcome::Done(0);
    }
    view.touch(alive, AccessKind::Write);
    view.memory.set(alive, 0);
    view.acquire_clock(alive);
    Outcome::Done(1)
}

fn get_mut(view: &mut View, operation: &Operation) -> Outcome {
    let (alive, count, weak) = parts(operation.at);
    view.touch(count, AccessKind::Read);
    let is_unique = view.read(weak) == 0 && view.memory.get(alive) == 1;
    if is_unique {
        view.acquire_clock(alive);
    }
    Outcome::Done(u64::from(is_unique))
}

fn upgrade(view: &mut View, operation: &Operation) -> Outcome {
    let (alive, ..) = parts(operation.at);
    view.varies();
    view.touch(alive, AccessKind::Read);
    if view.memory.get(alive) == 0 {
        return Outcome::Done(0);
    }
    add_strong(view, operation.at);
    view.acquire_clock(alive);
    Outcome::Done(1)
}

/// Adds `a` to the number of weak handles.
fn change_weak(view: &mut View, operation: &Operation) -> Outcome {
    let (_, _, weak) = parts(operation.at);
    view.touch_adding(weak);
    view.memory.set(weak, view.memory.get(weak).wrapping_add(operation.a));
    Outcome::Done(0)
}

/// What the model knows of an `Arc`; each handle has a copy.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub(super) object: Object,
    pub(super) has_destructor: bool,
    /// Where the `Arc` was made.
    pub(super) made: Place,
}

impl Counts {
    #[track_caller]
    pub(super) fn new(has_destructor: bool) -> Counts {
        let counts = Counts::with(1, has_destructor);
        counts.note_beginning();
        counts
    }

    #[track_caller]
    pub(super) fn with(handles: u64, has_destructor: bool) -> Counts {
        let object = Object::with_locations("Arc", &[handles, 0, 0]);
        Counts { object, has_destructor, made: Location::caller() }
    }

    /// There is a content, which may leak.
    pub(super) fn note_beginning(&self) {
        with(|x| {
            if x.mode == Mode::Running && !x.is_making_static() {
                x.live_arcs.push((self.object.location, self.made));
            }
        });
    }

    /// Whether changes of the counts are operations.
    #[inline]
    pub(super) fn are_visible(&self) -> bool {
        self.has_destructor || with(|x| x.assumptions.counts_are_observed)
    }

    /// An operation that looks at the counts.
    #[track_caller]
    pub(super) fn observe(&self, kind: &'static Kind) -> u64 {
        with(|x| x.refute(|assumptions| assumptions.counts_are_observed = true));
        perform(self.object.operation(kind))
    }

    /// A handle was dropped without an operation.
    pub(super) fn note_drop(&self, x: &mut Execution, is_last: bool) {
        if x.assumptions.cells_are_tracked && self.object.is_present(x) && x.mode == Mode::Running {
            let thread = ThreadId(x.current);
            x.clocks.release(thread, self.object.location);
            if is_last {
                x.clocks.acquire(thread, self.object.location);
            }
        }
    }

    /// The content is gone: it does not leak.
    pub(super) fn note_end(&self, x: &mut Execution) {
        if self.object.is_present(x)
            && let Some(position) = x.live_arcs.iter().rposition(|(at, _)| *at == self.object.location)
        {
            x.live_arcs.swap_remove(position);
        }
    }

    pub(super) fn change_weak(&self, by: i64) {
        if with(|x| x.assumptions.counts_are_observed) {
            let operation = self.object.operation(&CHANGE_WEAK);
            perform_at_drop(Operation { a: by as u64, place: self.made, ..operation });
        }
    }
}
