//! The execution in progress, as the user's side of the library sees it.
//!
//! There is one for each thread of the operating system, and the look-alikes of std reach it without a handle, as std
//! reaches the system. A look-alike makes an [`Object`] and calls [`perform`](super::perform); that is all it needs.

use super::assumptions::{Assumptions, Semantics};
use super::attempts::Attempts;
use super::clocks::Clocks;
use super::failure::{Failure, FailureKind};
use super::fiber::{Body, Fiber, Published, Wake, Yielder};
use super::history::History;
use super::memory::{Memory, Saved};
use super::names::{Names, ThreadCell};
use super::object::{Object, ObjectInfo};
use super::observed::Observed;
use super::operation::{Drops, Place, SpinRead};
use super::panics::{self, Noted};
use super::program::Halt;
use super::stacks::{self, Stacks};
use super::watch::Pulse;
use super::{exiting, trap};
use crate::cell::tracker::Event;
use crate::reach;
use crate::sync::atomic::{compared, weaker};
use crate::sync::woken;
use crate::thread::local::Locals;
use selvedge_trace::{Footprint, LocationId, ThreadId};
use std::any::Any;
use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// What is going on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Nothing is being checked on this thread.
    #[default]
    Idle,
    /// An execution is in progress.
    Running,
    /// An execution is given up, and its threads go on without the explorer.
    Finishing,
    /// An execution is over, and the threads that have not ended are unwound.
    Abandoning,
}

/// Numbers for some more executions, as an interval that is open at its beginning: no two threads of the operating system have
/// the same, so that an object of one check is not taken for one of another that runs at the same time.
fn new_epochs() -> (u32, u32) {
    const AT_ONCE: u32 = 1 << 12;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = NEXT.fetch_add(AT_ONCE, Ordering::Relaxed);
    match first.checked_add(AT_ONCE) {
        Some(last) => (first, last),
        // After four thousand million executions, the numbers begin anew.
        None => new_epochs(),
    }
}

/// Something that cannot tell what it observes.
#[derive(Clone, Debug)]
pub struct Refused {
    /// What it is.
    pub what: String,
    /// Where the user called it.
    pub place: Option<Place>,
}

/// The execution in progress.
#[derive(Default)]
pub struct Execution {
    /// What is going on.
    pub mode: Mode,
    /// The number of the execution; objects remember it.
    pub epoch: u32,
    last_epoch: u32,
    /// The intervals of epochs of the present search, open at their beginnings.
    pub own_epochs: Vec<(u32, u32)>,
    /// The thread that runs.
    pub current: ThreadIndex,
    /// The model memory.
    pub memory: Memory,
    /// Its contents at the state to come back to.
    pub saved: Saved,
    /// The names of threads and objects.
    pub names: Names,
    /// What the threads did.
    pub history: History,
    /// The clocks of the race detector.
    pub clocks: Clocks,
    /// What threads read before they found that they must spin.
    pub spins: Vec<Box<[SpinRead]>>,
    /// What the user should know of this search though nothing is wrong.
    pub observed: Observed,
    /// Whether a thread that spins has waited in this search.
    pub has_spun: bool,
    /// Threads to start as soon as their parent suspends.
    pub spawned: Vec<(ThreadId, Body)>,
    /// What went wrong since the parent of the present step looked.
    pub failures: Vec<Failure>,
    /// Other threads that have a part in it.
    pub accomplices: Vec<ThreadId>,
    /// The drops that the search has looked at.
    pub drops: Drops,
    /// What is taken for granted.
    pub assumptions: Assumptions,
    /// Whether every operation says that its thread did something: as long as a search goes on, all of its operations do or none does, also
    /// after an assumption was refuted.
    pub posts_progress: bool,
    /// Set when something taken for granted turned out to be wrong.
    pub refuted: bool,
    /// What cannot tell what it observes, and where it is.
    pub refused: Option<Refused>,
    /// Whether loops without a hint give up.
    pub attempts: Attempts,
    /// Options.
    pub semantics: Semantics,
    /// Accesses to tracked cells, by location.
    pub accesses: Vec<Vec<Event>>,
    /// `Arc`s and tracked allocations that are alive: where each was made.
    pub live_arcs: Vec<(LocationId, Place)>,
    pub(super) threads: Vec<ThreadState>,
    /// The fibers of the threads that have begun and are suspended.
    pub(super) fibers: Vec<Option<Fiber>>,
    /// Stacks of fibers that have ended.
    pub stacks: Stacks,
    /// The contents of the memory where the fibers are, if the explorer has gone back.
    pub(super) at_fibers: Vec<u64>,
    /// Fibers that can neither go on nor be unwound: as long as others of the execution run, these may refer to their frames.
    left: Vec<ManuallyDrop<Fiber>>,
    /// How many operations the threads of an execution that is given up may still perform.
    pub(super) patience: usize,
    /// The values of statics, by key.
    statics: Vec<(u64, &'static dyn Any)>,
    /// The static that is being made, and how many objects it has so far.
    making_static: Option<(u64, u32)>,
    /// The fibers that are being unwound, one inside the other.
    pub(super) being_unwound: Vec<ThreadId>,
    latest_rank: u32,
    pub(super) infos: Vec<Option<ObjectInfo>>,
    given_names: Vec<String>,
    /// A footprint for whoever needs one for a moment.
    pub scratch: Footprint,
    /// Signs of life, once something was checked.
    pub pulse: Option<Arc<Pulse>>,
}

/// The index of the thread that runs; 0 is the main closure.
pub type ThreadIndex = u32;

/// What belongs to a thread of the present execution.
#[derive(Default)]
pub struct ThreadState {
    pub(super) yielder: Option<*const Yielder<Wake, Published>>,
    objects: u32,
    children: u32,
    /// How many of the children are in its script.
    announced: u32,
    /// The name that the user gave.
    pub name: Option<String>,
    /// Its thread-local variables.
    pub locals: Locals,
    /// Its place among the threads of this execution, in the order of their starts.
    pub rank: u32,
    /// The thread from whose frames it may borrow.
    pub scope_owner: Option<ThreadId>,
    /// How many values for statics it is making, one inside the other.
    pub making_statics: u32,
    /// Whether it was unwinding when it was last suspended.
    pub(super) unwinding: bool,
    /// Whether it drops the closure of a thread that is never started.
    pub(super) only_drops: bool,
    /// How many operations it has performed while it was unwound.
    pub(super) performed_at_once: u32,
    /// The address below which an operation finds no room on the stack.
    pub(super) floor: usize,
    /// The size of its stack, if somebody asked for one.
    pub stack_size: Option<usize>,
}

thread_local! {
    static EXECUTION: RefCell<Execution> = RefCell::new(Execution::default());
}

/// Looks at the execution in progress. Nothing of the user's may run inside.
#[inline]
pub fn with<R>(look: impl FnOnce(&mut Execution) -> R) -> R {
    let mut look = Some(look);
    let seen = EXECUTION.try_with(|x| look.take().map(|look| look(&mut x.borrow_mut())));
    match seen.ok().flatten() {
        Some(seen) => seen,
        None => with_none(look),
    }
}

/// The thread of the operating system ends, and the destructor of one of its locals uses what a check has left over: no execution is in progress.
#[cold]
fn with_none<R>(look: Option<impl FnOnce(&mut Execution) -> R>) -> R {
    match look {
        Some(look) => look(&mut Execution::default()),
        None => unreachable!("what was looked at has been returned"),
    }
}

/// The thread that runs, if an execution is in progress. For the hook of panics, which may come at any time.
pub fn current_thread() -> Option<ThreadIndex> {
    let look =
        |x: &RefCell<Execution>| x.try_borrow().ok().filter(|x| x.mode != Mode::Idle).map(|x| x.current);
    EXECUTION.try_with(look).ok().flatten()
}

/// Whether nothing looks at the execution right now. For handlers of signals, which may come at any time.
pub fn is_free() -> bool {
    EXECUTION.try_with(|x| x.try_borrow_mut().is_ok()).unwrap_or(false)
}

/// The content of a thread's life cell: it runs.
pub const RUNS: u64 = 1;
/// The content of a thread's life cell: it has ended.
pub const ENDED: u64 = 2;

impl Execution {
    /// Begins a new execution of the same search.
    pub fn begin(&mut self) {
        self.mode = Mode::Running;
        if !self.left.is_empty() {
            self.forget_left();
        }
        if self.epoch == self.last_epoch {
            (self.epoch, self.last_epoch) = new_epochs();
            self.own_epochs.push((self.epoch, self.last_epoch));
        }
        self.epoch += 1;
        self.memory.rollback(0);
        self.spins.clear();
        self.failures.clear();
        self.accomplices.clear();
        self.live_arcs.clear();
        self.latest_rank = 0;
        self.statics.clear();
        self.making_static = None;
        for state in &mut self.threads {
            *state = ThreadState::default();
        }
        if self.assumptions.cells_are_tracked {
            self.clocks.reset();
            self.accesses.iter_mut().for_each(Vec::clear);
        }
        self.start(ThreadId(0), 0, None);
    }

    /// Begins a new search: forgets all names.
    pub fn begin_search(&mut self, assumptions: Assumptions, semantics: Semantics) {
        self.memory.clear();
        self.names.clear();
        self.history.clear();
        self.drops.clear();
        self.attempts.clear();
        self.infos.clear();
        self.given_names.clear();
        self.assumptions = assumptions;
        self.posts_progress = assumptions.spins_are_lonely;
        self.semantics = semantics;
        self.refuted = false;
        self.refused = None;
        self.has_spun = false;
        self.observed = Observed::default();
        weaker::forget();
        compared::forget();
        woken::forget();
        reach::forget();
        let pulse = self.pulse.get_or_insert_with(Pulse::watched);
        pulse.set_silence(semantics.silence);
        trap::prepare(pulse);
        exiting::prepare();
        self.own_epochs.clear();
        self.own_epochs.push((self.epoch, self.last_epoch));
    }

    /// The user's code is about to run after an operation, or from the beginning of a thread.
    #[inline]
    pub fn goes_on(&self, place: Option<Place>) {
        if let Some(pulse) = &self.pulse {
            pulse.goes_on(place);
        }
    }

    /// The user's code has come back.
    #[inline]
    pub fn has_come_back(&self) {
        if let Some(pulse) = &self.pulse {
            pulse.has_come_back();
        }
    }

    /// Makes a thread known.
    fn start(&mut self, thread: ThreadId, rank: u32, name: Option<String>) {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, ThreadState::default);
        }
        self.threads[thread.index()].rank = rank;
        self.threads[thread.index()].name = name;
        if self.mode == Mode::Running || self.history.scripts.len() <= thread.index() {
            self.history.start(thread);
        }
        self.memory.initialise_all(self.names.cells(thread), 0);
    }

    /// The fiber of a thread, to be put back after use.
    #[inline]
    pub fn take_fiber(&mut self, thread: ThreadId) -> Option<Fiber> {
        self.fibers.get_mut(thread.index())?.take()
    }

    /// Keeps the fiber of a thread. There must be no other.
    #[inline]
    pub fn put_fiber(&mut self, thread: ThreadId, fiber: Fiber) {
        if self.fibers.len() <= thread.index() {
            self.fibers.resize_with(thread.index() + 1, || None);
        }
        let before = self.fibers[thread.index()].replace(fiber);
        debug_assert!(before.is_none(), "a thread has one fiber");
        // Nothing of the user's may run here.
        std::mem::forget(before);
    }

    /// Leaves a fiber that can neither go on nor be unwound.
    pub fn leave_fiber(&mut self, fiber: Fiber) {
        self.left.push(ManuallyDrop::new(fiber));
    }

    /// Keeps the frames of a fiber for as long as the process runs: it was interrupted anywhere, and what it waits for may be outside of
    /// the execution and refer to them.
    pub fn keep_fiber(&mut self, fiber: Fiber) {
        let _for_ever = ManuallyDrop::new(fiber);
    }

    /// Frees the stacks of the fibers that were left in the execution before.
    #[cold]
    fn forget_left(&mut self) {
        for fiber in self.left.drain(..) {
            #[allow(unsafe_code, reason = "frames are forgotten")]
            // SAFETY: all fibers of that execution have ended or were left, so none of those that may borrow from its frames
            // goes on.
            unsafe {
                ManuallyDrop::into_inner(fiber).forget_frames();
            }
        }
    }

    /// One more than the number of the last thread that has a fiber.
    pub fn fiber_count(&self) -> usize {
        self.fibers.iter().rposition(Option::is_some).map_or(0, |last| last + 1)
    }

    /// A fiber has begun.
    pub fn enter(&mut self, thread: ThreadId, yielder: &Yielder<Wake, Published>, floor: usize) {
        let state = &mut self.threads[thread.index()];
        state.yielder = Some(yielder);
        state.floor = floor;
    }

    /// The size of the stack of a thread that is about to begin.
    pub fn stack_size(&self, thread: ThreadId) -> usize {
        let wanted = self.threads[thread.index()].stack_size.or(self.semantics.stack_size);
        wanted.unwrap_or_else(stacks::default_size)
    }

    /// The closure of a thread has returned: whether there are thread-local variables to drop, and whether the end of the thread
    /// is an operation.
    pub fn leave(&mut self, thread: ThreadId) -> (bool, bool) {
        let end_is_observed = self.mode == Mode::Running && self.assumptions.ends_are_observed;
        (self.threads[thread.index()].locals.must_be_dropped(), end_is_observed)
    }

    /// A thread has panicked. What happens when an execution is given up says nothing about the program.
    pub fn note_panic(&mut self, thread: ThreadId, noted: Noted) {
        if self.mode != Mode::Running {
            return;
        }
        self.failures.push(Failure {
            kind: FailureKind::Panic,
            threads: vec![thread],
            sites: noted.site.into_iter().collect(),
            object: None,
            message: noted.message,
        });
    }

    /// Why the search cannot go on, if it [must halt](Execution::must_halt).
    pub fn halt(&mut self) -> Halt {
        if let Some(refused) = self.refused.take() {
            return Halt::Refused(refused);
        }
        if self.drops.vary {
            self.refute(|assumptions| assumptions.drops_are_ordered = true);
        }
        match self.history.divergence.take() {
            Some(divergence) if !self.refuted => Halt::Diverged(divergence),
            _ => Halt::Refuted,
        }
    }

    /// What a thread did happens before what follows a join.
    pub fn release_at_end(&mut self, thread: ThreadId) {
        if self.assumptions.cells_are_tracked {
            let life = self.names.cell(thread, ThreadCell::Life);
            self.clocks.release(thread, life);
        }
    }

    /// The state of a thread.
    pub fn thread(&mut self, thread: ThreadId) -> &mut ThreadState {
        &mut self.threads[thread.index()]
    }

    /// The state of the thread that runs.
    pub fn this_thread(&mut self) -> &mut ThreadState {
        &mut self.threads[self.current as usize]
    }

    /// The numbers of the children that a thread has started since this was last asked.
    #[inline]
    pub fn newborn(&mut self, thread: ThreadId) -> Range<u32> {
        let state = &mut self.threads[thread.index()];
        let before = std::mem::replace(&mut state.announced, state.children);
        before..state.children
    }

    /// Makes a child of the present thread, to be started when it suspends.
    pub fn spawn(&mut self, name: Option<String>, stack_size: Option<usize>, body: Body) -> ThreadId {
        let parent = ThreadId(self.current);
        let number = self.threads[parent.index()].children;
        self.threads[parent.index()].children += 1;
        let child = self.names.child(parent, number);
        self.latest_rank += 1;
        self.start(child, self.latest_rank, name);
        self.threads[child.index()].stack_size = stack_size;
        if self.assumptions.cells_are_tracked {
            self.clocks.spawn(parent, child);
        }
        self.spawned.push((child, body));
        child
    }

    /// Makes an object of the present thread.
    #[inline]
    pub fn make(&mut self, info: ObjectInfo, values: &[u64]) -> Object {
        if self.mode == Mode::Idle {
            return Object { epoch: 0, location: LocationId(0) };
        }
        let location = match &mut self.making_static {
            None => {
                let thread = &mut self.threads[self.current as usize];
                let number = thread.objects;
                thread.objects += 1;
                self.names.object(ThreadId(self.current), number, values.len() as u32)
            }
            Some((key, number)) => {
                *number += 1;
                self.names.static_object(*key, *number, values.len() as u32)
            }
        };
        for (place, &value) in (location.0..).zip(values) {
            self.memory.initialise(LocationId(place), value);
        }
        let index = location.0 as usize;
        if self.infos.len() <= index {
            self.infos.resize(index + 1, None);
        }
        self.infos[index] = Some(info);
        Object { epoch: self.epoch, location }
    }

    /// The value of a static in the present execution.
    pub fn static_value(&self, key: u64) -> Option<&'static dyn Any> {
        self.statics.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Objects made from now on belong to a static. Returns what they belonged to before.
    ///
    /// # Panics
    /// With a message for the user when nothing is being checked.
    #[track_caller]
    pub fn begin_static(&mut self, key: u64) -> Option<(u64, u32)> {
        assert!(
            self.mode != Mode::Idle,
            "selvedge: a static of `selvedge::statics!` was used outside of `selvedge::check`"
        );
        self.making_static.replace((key, 0))
    }

    /// Whether objects made now belong to a static, which lives for ever.
    pub fn is_making_static(&self) -> bool {
        let thread = self.threads.get(self.current as usize);
        self.making_static.is_some() || thread.is_some_and(|thread| thread.making_statics > 0)
    }

    /// A static is made.
    pub fn end_static(&mut self, outer: Option<(u64, u32)>, key: u64, value: &'static dyn Any) {
        self.making_static = outer;
        self.statics.push((key, value));
    }

    /// What is known of an object.
    pub fn info(&self, location: LocationId) -> Option<&ObjectInfo> {
        self.infos.get(location.0 as usize)?.as_ref()
    }

    /// The number of an object among those of its type, from 1.
    pub fn number_of_its_type(&self, location: LocationId, type_name: &str) -> usize {
        let earlier = self.infos.iter().take(location.0 as usize + 1).flatten();
        // Nearly always it is the very same text, which is much faster to see.
        let is_same = |name: &str| std::ptr::eq(name, type_name) || name == type_name;
        earlier.filter(|info| is_same(info.type_name)).count()
    }

    /// Gives an object a name.
    pub fn name_object(&mut self, object: Object, name: &str) {
        if object.epoch != self.epoch {
            return;
        }
        let known = self.given_names.iter().position(|given| given == name);
        let number = known.unwrap_or_else(|| {
            self.given_names.push(name.to_owned());
            self.given_names.len() - 1
        });
        if let Some(Some(info)) = self.infos.get_mut(object.location.0 as usize) {
            info.name = number as u32 + 1;
        }
    }

    /// The name that the user gave an object.
    pub fn given_name(&self, info: &ObjectInfo) -> Option<&str> {
        let number = (info.name as usize).checked_sub(1)?;
        self.given_names.get(number).map(String::as_str)
    }

    /// Something that was taken for granted is wrong: the search must begin again.
    pub fn refute(&mut self, correct: impl FnOnce(&mut Assumptions)) {
        let mut assumptions = self.assumptions;
        correct(&mut assumptions);
        if self.semantics.observations && self.mode == Mode::Running {
            self.refuse_assumptions(assumptions);
        }
        if assumptions != self.assumptions && self.mode == Mode::Running {
            self.assumptions = assumptions;
            self.refuted = true;
        }
    }

    /// Takes for granted again what a search was based on, whatever was refuted since.
    pub fn take_for_granted(&mut self, assumptions: Assumptions) {
        self.assumptions = assumptions;
        self.attempts.is_closed = true;
        self.posts_progress = assumptions.spins_are_lonely;
        self.refuted = false;
        self.refused = None;
        self.drops.clear();
    }

    /// What is known of the order of events, and not from what is read, cannot be told.
    fn refuse_assumptions(&mut self, assumptions: Assumptions) {
        let what = match assumptions {
            Assumptions { cells_are_tracked: true, .. } => "cells that are checked for data races",
            Assumptions { spins_are_lonely: true, .. } => "a thread that spins when nobody else can move",
            _ => return,
        };
        self.refused.get_or_insert(Refused { what: what.to_owned(), place: None });
    }

    /// Whether a lock that the present thread gives back is poisoned: it is unwinding, and not because its execution is given up.
    #[inline]
    pub fn poisons(&self) -> bool {
        self.is_unwinding() && self.mode != Mode::Abandoning
    }

    /// Whether the present thread is unwinding. While others do, too, Rust does not tell, and a thread that panicked counts as one that unwinds.
    #[inline]
    pub fn is_unwinding(&self) -> bool {
        if !std::thread::panicking() {
            panics::note_calm();
            return false;
        }
        self.is_unwinding_among_others()
    }

    #[cold]
    fn is_unwinding_among_others(&self) -> bool {
        let current = self.current as usize;
        let another_does =
            || self.threads.iter().enumerate().any(|(i, state)| i != current && state.unwinding);
        let is_known = || {
            panics::has_raised(self.current) || self.threads.get(current).is_some_and(|state| state.unwinding)
        };
        !panics::others_unwind() && !another_does() || is_known()
    }
}
