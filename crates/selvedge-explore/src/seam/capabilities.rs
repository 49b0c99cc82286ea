//! Capabilities of programs that make algorithms faster or coarser.
//!
//! Every method has a default that is right for every program: to have none of a capability, implement its trait without
//! methods. An algorithm names in the bounds of its functions which capabilities it asks for.
//!
//! A program whose reads are handed their values, as weak memory models need, would be one more capability: the algorithm
//! decides which write an operation observes, and the program says which ones it may choose from.

use crate::seam::fingerprint::Fingerprinter;
use crate::seam::lookahead::{Lookahead, is_certain};
use crate::{Algorithm, Mark, Program, Readiness, Search};
use selvedge_trace::{AccessKind, Decision, Footprint, LocationId, ThreadId};
use std::ops::Range;

/// A program with all capabilities, which [`explore`](crate::explore) asks for.
pub trait Explorable: Excursions + LooksAhead + Observations + States + Sized {
    /// Runs an algorithm: `algorithm.run(search)`. Every implementation says so itself, because that is where the compiler makes all
    /// algorithms for this kind of program; a default would have them made again in every crate that explores one.
    fn run(algorithm: Algorithm, search: &mut Search<Self>);
}

/// Programs that can be led to another place of the present path and back, faster than by going back and performing the path
/// again.
pub trait Excursions: Program {
    /// Whether it can be worth trying to [suppress](Excursions::suppress) operations.
    fn can_suppress(&self) -> bool {
        false
    }

    /// Takes back operations of the path until [`restore`](Excursions::restore): each is given by the marks before and after it,
    /// in the order of the path, and no other operation depends on any of them. Returns `false`, and does nothing, if the program cannot.
    fn suppress(&mut self, _operations: &[Range<Mark>]) -> bool {
        false
    }

    /// Performs an operation of the path again after [`leave`](Excursions::leave), at a place where nothing it depends on is
    /// missing, so that its thread does just what it did before. The default performs it like any other.
    fn repeat(&mut self, decision: Decision, footprint: &mut Footprint) {
        self.step(decision, footprint);
    }

    /// Goes back to a marked state until [`restore`](Excursions::restore); operations of the present path may be repeated from there.
    fn leave(&mut self, mark: Mark) {
        self.rollback(mark);
    }

    /// Comes back to the state in which `suppress` or `leave` was called. Returns `false` if that has to be done by going back to the
    /// mark and repeating the path, as by default.
    fn restore(&mut self) -> bool {
        false
    }
}

/// Programs that know operations of a thread before it gets there.
pub trait LooksAhead: Program {
    /// The next operations of an enabled thread that are certain: it will perform them, without having to wait,
    /// and each will access just that, whatever the other threads do in the meantime. The list may be shorter than
    /// it could be; by default it is the next operation, or nothing.
    fn lookahead(&mut self, thread: ThreadId, ahead: &mut Lookahead) {
        ahead.clear();
        let decision = Decision { thread, choice: 0 };
        let footprint = ahead.add();
        let readiness = self.pending(decision, footprint);
        if readiness == Readiness::Disabled || !is_certain(footprint) || self.choices(thread) != 1 {
            ahead.remove_last();
        }
    }
}

/// Programs that know what operations read and write, for equivalences coarser than happens-before. Without it these
/// equivalences are as fine as happens-before, or nearly so.
pub trait Observations: Program {
    /// Looks at the next operation of a thread like [`pending`](Program::pending), with all that it reads in the footprint, even
    /// where it is certain to come after everything else.
    fn inspect(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        self.pending(decision, footprint)
    }

    /// Whether the next operation of a thread accesses the same locations in every state, though perhaps in other ways, as a
    /// compare-exchange does. `false` is always right.
    fn has_fixed_locations(&self, _thread: ThreadId) -> bool {
        false
    }

    /// Predicts the footprint of a non-blocking operation, the next one of a thread, if a location held another value. Returns
    /// `false` if that cannot be predicted, or if the operation then has a choice.
    fn footprint_if(
        &mut self,
        _content: (LocationId, i64),
        _thread: ThreadId,
        _footprint: &mut Footprint,
    ) -> bool {
        false
    }

    /// Whether operations, and whether they wait, depend on nothing but the contents of the locations that they access. Then what
    /// threads did in one order predicts what they may do in another. `false` is always right: a thread that spins until no
    /// other can move, say, depends on more.
    fn footprints_depend_on_data_only(&self) -> bool {
        false
    }

    /// The value of a location in the present state. After a step, for the locations that it accessed: the values that it
    /// read, or wrote where it wrote. Nothing if the location holds no value, like a mutex, or values are not known.
    fn content(&self, _location: LocationId) -> Option<i64> {
        None
    }

    /// Whether operations depend on nothing but the [contents](Observations::content) of locations. Where they depend on more, like
    /// data under a lock, it counts which writes they observe.
    fn contents_tell_all(&self) -> bool {
        true
    }

    /// Whether a location *floats*: it holds a value that several threads may replace without looking at it, and all operations
    /// of the program that may access it are plain, that is, they wait for no condition, access the same in
    /// every state, and replace no other location that floats. `false` is always right.
    fn floats(&self, _location: LocationId) -> bool {
        false
    }

    /// Whether any location [floats](Observations::floats).
    fn has_floating_locations(&self) -> bool {
        false
    }

    /// The first thread that another one makes, where one thread makes all others.
    fn first_spawned(&self) -> Option<ThreadId> {
        None
    }
}

/// Programs whose states have fingerprints.
pub trait States: Program {
    /// Appends everything that decides how the program goes on to a description of the present state: equal descriptions,
    /// equal states. Returns `false` if the program cannot.
    fn snapshot(&self, _description: &mut Vec<i64>) -> bool {
        false
    }

    /// A number that equal states share and others, but for chance, do not; nothing if states cannot be told apart. By default
    /// it is a hash of the [`snapshot`](States::snapshot).
    fn fingerprint(&self) -> Option<u128> {
        let mut description = Vec::new();
        self.snapshot(&mut description).then(|| {
            let mut fingerprinter = Fingerprinter::default();
            description.iter().for_each(|word| fingerprinter.add(*word as u64));
            fingerprinter.take()
        })
    }

    /// Whether a search that reverses races may leave out what follows a state that it knows, going by the accesses after
    /// it. `false` is always right.
    fn may_skip_known_states(&self) -> bool {
        true
    }

    /// Whether the next operation of an enabled thread does nothing but observe. `false` is always right.
    fn only_observes(&mut self, thread: ThreadId) -> bool {
        let mut footprint = Footprint::default();
        self.pending(Decision { thread, choice: 0 }, &mut footprint);
        let accesses = footprint.accesses();
        !accesses.is_empty() && accesses.iter().all(|access| access.kind == AccessKind::Observe)
    }
}
