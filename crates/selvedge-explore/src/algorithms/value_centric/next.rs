//! What each thread will do next, and whether that needs a decision.

use super::annotated::{AnnotatedOrder, Value};
use super::partial_order::Node;
use super::prospects::EVERYTHING;
use crate::{Observations, Readiness, ThreadStatus};
use selvedge_trace::{Access, AccessKind, Blocking, Decision, Footprint, LocationId, ThreadId, Variation};
use smallvec::SmallVec;
use std::ops::{Index, IndexMut};

/// What a thread will do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing yet: it has not started, or waits for something that it will observe.
    Idle,
    /// The thread has ended.
    Over,
    /// An operation that it performs in every continuation, and in the same way: it reads nothing.
    Inevitable,
    /// An operation whose outcome depends on what it observes, or on a choice.
    Branching(OperationId),
}

/// One of the [operations](Operations) that threads will perform next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationId(u32);

/// What threads will perform next at each node, and did at those above it.
#[derive(Debug, Default)]
pub struct Operations(Vec<Operation>);

impl Operations {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Forgets all but the first ones.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    fn push(&mut self, operation: Operation) -> OperationId {
        self.0.push(operation);
        OperationId(self.0.len() as u32 - 1)
    }
}

impl Index<OperationId> for Operations {
    type Output = Operation;

    #[inline]
    fn index(&self, id: OperationId) -> &Operation {
        &self.0[id.0 as usize]
    }
}

impl IndexMut<OperationId> for Operations {
    #[inline]
    fn index_mut(&mut self, id: OperationId) -> &mut Operation {
        &mut self.0[id.0 as usize]
    }
}

/// An operation whose outcome has to be decided.
#[derive(Clone, Debug)]
pub struct Operation {
    /// What it accesses, as far as that is known.
    pub accesses: SmallVec<[Access; 2]>,
    /// How it waits.
    pub blocking: Blocking,
    /// Whether what it accesses, or what it may choose, depends on what it observes.
    pub is_adaptive: bool,
    /// Whether at least the locations do not.
    pub has_fixed_locations: bool,
    /// The location on whose content alone it depends what it does there, if there is one and it never waits.
    pub sole: Option<LocationId>,
    /// What is known of that: numbers that it may hold, and what becomes of the operation.
    pub outcomes: SmallVec<[(i64, Outcome); 2]>,
    /// The locations after whose posts it comes: the same in every state.
    pub observed: SmallVec<[LocationId; 2]>,
}

/// What an operation does that accesses one location and never waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It reads.
    Reads,
    /// It reads and writes.
    Writes,
}

impl Outcome {
    /// The outcome of an operation with these accesses.
    pub fn of(accesses: &[Access]) -> Outcome {
        match accesses.iter().any(|access| writes(access.kind)) {
            true => Outcome::Writes,
            false => Outcome::Reads,
        }
    }
}

/// What an operation does besides reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects {
    /// The locations that it writes.
    pub written: SmallVec<[LocationId; 2]>,
    /// The locations after whose posts it comes.
    pub observed: SmallVec<[LocationId; 2]>,
}

impl Effects {
    /// Those of an operation with these accesses.
    pub fn of(accesses: &[Access]) -> Effects {
        let mut effects = Effects::default();
        for access in accesses {
            if writes(access.kind) {
                effects.written.push(access.location);
            } else if access.kind == AccessKind::Observe {
                effects.observed.push(access.location);
            }
        }
        effects
    }
}

/// Whether an access sees what the location holds.
pub fn reads(kind: AccessKind) -> bool {
    matches!(kind, AccessKind::Read | AccessKind::Write | AccessKind::Acquire | AccessKind::Retake)
}

/// Whether an access changes what the location holds.
pub fn writes(kind: AccessKind) -> bool {
    kind.is_write()
}

impl Operation {
    /// Whether it may write a location, or [everything](super::prospects::EVERYTHING).
    pub fn may_write(&self, location: LocationId) -> bool {
        let may = |access: &Access| self.is_adaptive || writes(access.kind);
        !self.has_fixed_locations
            || location == EVERYTHING
            || self.accesses.iter().any(|a| a.location == location && may(a))
    }
}

impl Next {
    /// Looks at what a thread will do in the present state of the program.
    pub fn of<P: Observations>(
        program: &mut P,
        thread: ThreadId,
        has_begun: bool,
        footprint: &mut Footprint,
        operations: &mut Operations,
    ) -> Next {
        if thread.index() >= program.thread_count() || program.status(thread) != ThreadStatus::Running {
            return if has_begun { Next::Over } else { Next::Idle };
        }
        let readiness = program.inspect(Decision { thread, choice: 0 }, footprint);
        let is_enabled = readiness == Readiness::Enabled;
        let accesses = footprint.accesses();
        if !is_enabled && !accesses.iter().any(|access| reads(access.kind)) {
            return Next::Idle;
        }
        let has_choice = is_enabled && program.choices(thread) > 1;
        // What looks at nothing does the same in every state.
        let looks = accesses.iter().any(|access| access.kind != AccessKind::Overwrite);
        let varies = footprint.variation == Variation::Varying || footprint.blocking == Blocking::Guard;
        let is_adaptive = varies && looks || has_choice;
        if !is_adaptive && !accesses.iter().any(|access| reads(access.kind)) {
            return Next::Inevitable;
        }
        let blocking = footprint.blocking;
        let has_fixed_locations = !is_adaptive || !has_choice && program.has_fixed_locations(thread);
        let never_waits = blocking == Blocking::Never;
        let sole = sole_location(accesses).filter(|_| is_adaptive && has_fixed_locations && never_waits);
        let content = sole.and_then(|location| program.content(location));
        let outcomes = content.map(|number| (number, Outcome::of(accesses)));
        Next::Branching(operations.push(Operation {
            accesses: SmallVec::from_slice(accesses),
            blocking,
            is_adaptive,
            has_fixed_locations,
            sole: sole.filter(|_| content.is_some()),
            observed: Effects::of(accesses).observed,
            outcomes: outcomes.into_iter().collect(),
        }))
    }
}

/// The one location that is read or written.
fn sole_location(accesses: &[Access]) -> Option<LocationId> {
    let mut accessed = accesses.iter().filter(|access| access.kind != AccessKind::Observe);
    match (accessed.next(), accessed.next()) {
        (Some(only), None) => Some(only.location),
        _ => None,
    }
}

/// What a step wrote, and what it left there.
pub type Writes = SmallVec<[(LocationId, Value); 1]>;

/// What a step wrote and posted.
pub fn performed<P: Observations>(
    program: &P,
    node: Node,
    accesses: &[Access],
    numbers: Numbers,
) -> (Writes, SmallVec<[LocationId; 1]>) {
    let written = |access: &Access| {
        let value = match (access.kind, program.content(access.location)) {
            (AccessKind::Release, _) if numbers == Numbers::Matter => Value::Free,
            (AccessKind::Acquire | AccessKind::Retake, _) => Value::Held(node),
            (_, Some(number)) if numbers == Numbers::Matter => Value::Number(number),
            _ => Value::Of(node),
        };
        (access.location, value)
    };
    let posts = accesses.iter().filter(|access| access.kind == AccessKind::Post);
    let writing = accesses.iter().filter(|access| writes(access.kind));
    (writing.map(written).collect(), posts.map(|access| access.location).collect())
}

/// Whether writes of the same number are taken to be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// They are: value-centric.
    Matter,
    /// No two writes are: data-centric.
    DoNotMatter,
}

impl AnnotatedOrder {
    /// Puts an event after all that it observes.
    pub fn order_after_observed(&mut self, node: Node, observed: &[LocationId]) {
        for &location in observed {
            for i in 0..self.place_mut(location).posts.len() {
                let post = self.place(location).posts[i];
                if post != node {
                    self.order.insert(post, node);
                }
            }
        }
    }
}
