//! What to look for, and how far to go.

/// What to look for, and how far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// What counts as a failure.
    pub checks: Checks,
    /// How often a loop may go round, if that is limited.
    pub unroll: Option<u32>,
    /// How often a loop that only waits and counts its rounds may go round, if there is no such limit for all loops.
    pub patience: Option<u32>,
    /// Whether a thread may wake up from a condition variable without a signal.
    pub spurious_wakeups: bool,
    /// Whether variables become registers.
    pub promotion: Promotion,
    /// How it is known which left shifts overflow.
    pub left_shifts: LeftShifts,
    /// How many threads to expect at first.
    pub threads: usize,
    /// How many threads there must be room for at least.
    pub room: usize,
    /// How much operations tell of themselves.
    pub telling: Telling,
    /// Whether the order in which threads arrive at a barrier matters.
    pub arrivals: Arrivals,
    /// Whether the order of those who join or detach one thread matters.
    pub claims: Claims,
    /// What to do with inputs of very many values.
    pub inputs: Inputs,
    /// Whether freed memory may come back.
    pub reuse: Reuse,
    /// What may depend on where objects lie in memory.
    pub addresses: Addresses,
    /// What becomes of a thread that assumes something about shared memory.
    pub assumptions: Assumptions,
}

/// Whether a block of the heap may have the address of one that was freed before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// It has not. That makes a difference only where the address of a freed block is compared with another one, which is
    /// watched for.
    Speculated,
    /// It may: each allocation decides.
    Explored,
    /// It has not, whatever is compared.
    Excluded,
}

/// What may depend on where objects lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Nothing: addresses of different objects are not compared by their order, which is watched for. Where something depends on
    /// the number of an address otherwise, the answer is in doubt.
    Speculated,
    /// The order of objects that are compared: the search decides it. Where something depends on the number of an address
    /// otherwise, the answer is in doubt.
    Ordered,
    /// Anything: objects lie where the machine has put them.
    Fixed,
}

/// What becomes of a thread that reads shared memory only to assume something about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumptions {
    /// It waits until the assumption holds: then the executions that would be dropped are not begun.
    Wait,
    /// It reads, and stops if the assumption is false: as it is written.
    Drop,
}

/// What to do when the number of an input is needed and there are too many possibilities to try all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inputs {
    /// The execution is cut there.
    All,
    /// A few of them are tried: for those who only look for violations.
    Samples,
    /// The same, and what is computed from an input has its number, too, instead of standing for itself.
    Numbers,
}

/// Whether the order in which threads arrive at a barrier matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// It does not, unless a rehearsal or the text of the program shows that it may: more threads use the barrier than go on
    /// together, or somebody looks at what the barrier returns.
    Commute,
    /// It does.
    Ordered,
}

/// Whether the order of those who join or detach one thread matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claims {
    /// It does not, unless two do in some execution: whoever comes second has done wrong.
    Commute,
    /// It does.
    Ordered,
}

/// How often a loop that only waits and counts may go round as a rule: a number is as good as another for most who look at the count, and each of them is
/// an execution more.
const PATIENCE: u32 = 32;

/// How much operations tell of themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Telling {
    /// As much as decides with which others they commute.
    Order,
    /// All that they read, and what they leave in memory: what `data-centric` and `value-centric` need.
    Observations,
}

/// How it is known which left shifts overflow: LLVM IR does not say which are of signed numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftShifts {
    /// The compiler has put a test before each of signed numbers (`-fsanitize=shift-base`).
    Instrumented,
    /// It is not: if overflow is looked for, one that would overflow if it were signed ends in doubt.
    Unknown,
}

/// Whether variables whose address nobody takes become registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    /// They do.
    Registers,
    /// They stay in memory.
    Memory,
}

/// What counts as a failure. What does not, and cannot be ignored, cuts the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Assertions, `reach_error` and its like.
    pub assertions: bool,
    /// `abort`, uncaught exceptions.
    pub aborts: bool,
    /// Accesses to memory that is not there, and wrong frees.
    pub memory: bool,
    /// Division by zero and other undefined behaviour.
    pub undefined: bool,
    /// Misuse of locks and threads.
    pub locks: bool,
    /// Threads that wait for ever.
    pub deadlocks: bool,
    /// Data races.
    pub races: bool,
    /// Memory that is never freed.
    pub leaks: bool,
    /// Reads of memory that nobody wrote.
    pub uninitialised: bool,
    /// Signed overflow.
    pub overflow: bool,
}

impl Default for Checks {
    fn default() -> Self {
        Checks {
            assertions: true,
            aborts: true,
            memory: true,
            undefined: true,
            locks: true,
            deadlocks: true,
            races: false,
            leaks: false,
            uninitialised: false,
            overflow: false,
        }
    }
}

impl Checks {
    /// Nothing at all.
    pub const NONE: Checks = Checks {
        assertions: false,
        aborts: false,
        memory: false,
        undefined: false,
        locks: false,
        deadlocks: false,
        races: false,
        leaks: false,
        uninitialised: false,
        overflow: false,
    };
}

impl Default for Options {
    fn default() -> Self {
        Options {
            checks: Checks::default(),
            unroll: None,
            patience: Some(PATIENCE),
            spurious_wakeups: false,
            promotion: Promotion::Registers,
            left_shifts: LeftShifts::Unknown,
            threads: 8,
            room: 1,
            telling: Telling::Order,
            arrivals: Arrivals::Commute,
            claims: Claims::Commute,
            inputs: Inputs::All,
            reuse: Reuse::Speculated,
            addresses: Addresses::Speculated,
            assumptions: Assumptions::Wait,
        }
    }
}
