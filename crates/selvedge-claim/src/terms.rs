//! The terms of a claim: what was asked for and what is assumed, as data.
//!
//! [`scope`](crate::scope) is the only place that puts them into words. A new assumption is a field here and a phrase in
//! [`Terms::assumptions`].

/// What a claim is about and what it rests on, besides the memory model and the bounds of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// Whether a claim about no execution at all is accepted.
    pub vacuity: Vacuity,
    /// What has to be explored to verify.
    pub demand: Demand,
    /// Whether the program has threads.
    pub threads: Threads,
    /// What allocation does, if the program allocates.
    pub allocation: Option<Allocation>,
    /// What becomes of freed memory, if the program frees some.
    pub reuse: Option<Reuse>,
    /// Where objects lie in memory, if something may depend on it.
    pub addresses: Option<Addresses>,
    /// When threads wake up, if the program has condition variables.
    pub wakeups: Option<Wakeups>,
    /// What the default does not look for in C and C++ and was not asked for, and what the user ignores.
    pub unsought: Unsought,
    /// The number of states, if states were explored and told apart by hashes.
    pub states: Option<u64>,
}

/// Whether "verified" may be said when no execution gets past its assumptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vacuity {
    /// No: such a search is inconclusive.
    #[default]
    Refused,
    /// Yes: the user asked for it.
    Allowed,
}

/// What has to be explored to verify.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Demand {
    /// What the bound allows.
    #[default]
    WithinBound,
    /// Every execution: a property holds or does not, whatever the bound.
    Property,
}

/// Whether the program has threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// At least one.
    #[default]
    Some,
    /// None: there is nothing to check.
    None,
}

/// What allocation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allocation {
    /// It always succeeds.
    NeverFails,
}

/// What becomes of freed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// No later allocation gets the same address.
    Never,
    /// Later allocations may get the same address.
    Explored,
}

/// Where objects lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Where one layout has put them.
    Fixed,
    /// Those that are compared, in any order.
    Ordered,
}

/// What may be wrong with a program and was not looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsought {
    /// Data races.
    pub races: bool,
    /// Memory that is never freed.
    pub leaks: bool,
    /// Signed overflow.
    pub overflow: bool,
    /// Reads of uninitialised memory on which nothing depends.
    pub uninitialised: bool,
    /// Threads that wait for ever: the user ignores them.
    pub deadlocks: bool,
    /// `abort` and uncaught exceptions: the user takes them for the end of the program.
    pub aborts: bool,
    /// Branches and addresses that depend on values of which it is not known whether they are uninitialised: those are any values.
    pub arbitrary_values: bool,
}

/// When threads wake up from condition variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wakeups {
    /// When they are signalled.
    OnlySignalled,
    /// At any time.
    Spurious,
}

impl Terms {
    /// What is assumed of executions that were not explored, one phrase each.
    pub fn assumptions(&self) -> Vec<&'static str> {
        let allocation = self.allocation.map(|Allocation::NeverFails| "allocation never fails");
        let reuse = (self.reuse == Some(Reuse::Never)).then_some("freed memory is not reused");
        let wakeups = self.wakeups.and_then(|wakeups| match wakeups {
            Wakeups::OnlySignalled => Some("threads wake up only when signalled"),
            Wakeups::Spurious => None,
        });
        let fixed = "addresses are those of one layout";
        let addresses = (self.addresses == Some(Addresses::Fixed)).then_some(fixed);
        [allocation, reuse, addresses, wakeups].into_iter().flatten().collect()
    }

    /// What was not looked for, one phrase each.
    pub fn not_looked_for(&self) -> Vec<&'static str> {
        let Unsought { races, leaks, overflow, uninitialised, deadlocks, aborts, arbitrary_values } =
            self.unsought;
        let phrases = [
            (races, "data races"),
            (leaks, "leaks"),
            (overflow, "signed overflow"),
            (uninitialised, "copies of uninitialised memory"),
            (deadlocks, "deadlocks"),
            (aborts, "aborts"),
            (arbitrary_values, "uses of values that may be uninitialised"),
        ];
        phrases.into_iter().filter(|(is_unsought, _)| *is_unsought).map(|(_, phrase)| phrase).collect()
    }

    /// What happens only on some systems and was explored all the same, one phrase each.
    pub fn allowances(&self) -> Vec<&'static str> {
        let wakeups = (self.wakeups == Some(Wakeups::Spurious)).then_some("spurious wake-ups");
        let reuse = (self.reuse == Some(Reuse::Explored)).then_some("reuse of freed memory");
        let orders = "every order of objects that are compared by address";
        let addresses = (self.addresses == Some(Addresses::Ordered)).then_some(orders);
        wakeups.into_iter().chain(reuse).chain(addresses).collect()
    }
}
