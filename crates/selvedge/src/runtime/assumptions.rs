//! What decides the meaning of operations in a search: what is taken for granted, and options.

use std::time::Duration;

/// What the search takes for granted until a program shows otherwise; then it begins again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assumptions {
    /// Somebody looks at the counts of `Arc`s, so changing them is an operation.
    pub counts_are_observed: bool,
    /// Any of several drops of a handle may be the last one, so their order matters.
    pub drops_are_ordered: bool,
    /// There are tracked cells, so clocks are kept.
    pub cells_are_tracked: bool,
    /// Somebody asks whether a thread has ended, so the end is an operation of its own.
    pub ends_are_observed: bool,
    /// A thread spins when nobody else can move, so that comes after everything that the others did.
    pub spins_are_lonely: bool,
    /// More threads use a barrier than fit, so the order of arrivals matters.
    pub arrivals_are_ordered: bool,
    /// Somebody tries to send on a channel without room, so that it matters whether a receiver waits.
    pub receivers_are_awaited: bool,
    /// How many rounds loops without a hint may make before they give up; 0 if none does.
    pub attempts: u32,
}

impl Assumptions {
    /// The number of assumptions.
    pub const FLAGS: usize = 7;

    /// All that are true or false, in the order of the fields.
    pub fn flags(self) -> [bool; Self::FLAGS] {
        [
            self.counts_are_observed,
            self.drops_are_ordered,
            self.cells_are_tracked,
            self.ends_are_observed,
            self.spins_are_lonely,
            self.arrivals_are_ordered,
            self.receivers_are_awaited,
        ]
    }

    /// The assumptions with these flags, and this number of attempts.
    pub fn from_flags(flags: [bool; Self::FLAGS], attempts: u32) -> Assumptions {
        let [
            counts_are_observed,
            drops_are_ordered,
            cells_are_tracked,
            ends_are_observed,
            spins_are_lonely,
            arrivals_are_ordered,
            receivers_are_awaited,
        ] = flags;
        Assumptions {
            counts_are_observed,
            drops_are_ordered,
            cells_are_tracked,
            ends_are_observed,
            spins_are_lonely,
            arrivals_are_ordered,
            receivers_are_awaited,
            attempts,
        }
    }
}

/// Options that change what operations do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// `compare_exchange_weak` may fail though the value is right.
    pub spurious_failures: bool,
    /// `Condvar::wait` may return though nobody notified.
    pub spurious_wakeups: bool,
    /// How often a thread goes on spinning when nobody else can move.
    pub lonely_rounds: u64,
    /// A thread that spins does not wait: every attempt is explored.
    pub every_attempt: bool,
    /// Operations tell what they observe, not only with which others they commute.
    pub observations: bool,
    /// The size of the stacks of threads, if somebody asked for one.
    pub stack_size: Option<usize>,
    /// How long a thread may run without coming to an operation.
    pub silence: Option<Duration>,
}

impl Default for Semantics {
    fn default() -> Self {
        Semantics {
            spurious_failures: false,
            spurious_wakeups: false,
            lonely_rounds: 100,
            every_attempt: false,
            observations: false,
            stack_size: None,
            silence: Some(Duration::from_secs(20)),
        }
    }
}
