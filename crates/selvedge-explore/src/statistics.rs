//! What an exploration did, in numbers.

/// How an execution ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// All threads ended.
    Complete,
    /// No thread could go on, though some had not ended.
    Deadlock,
    /// A thread failed; the others went on to their ends.
    Failed,
    /// A thread found an assumption false; the others went on to their ends.
    Dropped,
    /// Everything that could go on was asleep: the execution was explored before, in another order.
    SleepSetBlocked,
    /// The execution came to a state that was explored before.
    Known,
    /// The last step led out of the bound.
    OverBound,
    /// A limit on the length of executions or on local code was reached.
    Cut,
}

/// Counters of an exploration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Executions in which all threads ended.
    pub complete: u64,
    /// Executions that ended in a deadlock.
    pub deadlocked: u64,
    /// Executions in which a thread failed.
    pub failed: u64,
    /// Executions in which an assumption was false.
    pub assume_blocked: u64,
    /// Executions given up because everything enabled was asleep.
    pub sleep_set_blocked: u64,
    /// Executions given up at a state that was explored before.
    pub at_known_state: u64,
    /// Steps and executions that led out of the bound.
    pub over_bound: u64,
    /// How often it was not certain that a trace is within the bound; then it is explored.
    pub bound_unknown: u64,
    /// Executions cut by a limit.
    pub cut: u64,
    /// States that were met again on the way from themselves: executions without end. Only searches of states count them, as long as no
    /// execution has come to its end.
    pub endless: u64,
    /// Operations performed, not counting those repeated to look at another place of the path.
    pub transitions: u64,
    /// Pairs of dependent events looked at: do they race?
    pub race_checks: u64,
    /// Pairs of operations compared: are they dependent?
    pub dependency_checks: u64,
    /// Orders of the operations of a section that were begun and could not be completed: the unsatisfiable trace
    /// constraint systems of the eager algorithms.
    pub unsatisfiable_systems: u64,
    /// The length of the longest execution.
    pub longest: u64,
}

impl Statistics {
    /// Counts an execution.
    pub fn count(&mut self, end: End) {
        let counter = match end {
            End::Complete => &mut self.complete,
            End::Deadlock => &mut self.deadlocked,
            End::Failed => &mut self.failed,
            End::Dropped => &mut self.assume_blocked,
            End::SleepSetBlocked => &mut self.sleep_set_blocked,
            End::Known => &mut self.at_known_state,
            End::OverBound => &mut self.over_bound,
            End::Cut => &mut self.cut,
        };
        *counter += 1;
    }

    /// Adds what another exploration did.
    pub fn add(&mut self, other: &Statistics) {
        self.complete += other.complete;
        self.deadlocked += other.deadlocked;
        self.failed += other.failed;
        self.assume_blocked += other.assume_blocked;
        self.sleep_set_blocked += other.sleep_set_blocked;
        self.at_known_state += other.at_known_state;
        self.over_bound += other.over_bound;
        self.bound_unknown += other.bound_unknown;
        self.cut += other.cut;
        self.endless += other.endless;
        self.transitions += other.transitions;
        self.race_checks += other.race_checks;
        self.dependency_checks += other.dependency_checks;
        self.unsatisfiable_systems += other.unsatisfiable_systems;
        self.longest = self.longest.max(other.longest);
    }

    /// Executions that went on until nothing could go on any more.
    pub fn maximal(&self) -> u64 {
        self.complete + self.deadlocked + self.failed + self.assume_blocked
    }

    /// All executions.
    pub fn executions(&self) -> u64 {
        self.maximal() + self.sleep_set_blocked + self.at_known_state + self.cut
    }
}
