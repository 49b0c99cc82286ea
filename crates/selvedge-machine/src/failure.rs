//! What can be wrong with the checked program, and what the machine cannot do.

use crate::code::Place;
use selvedge_trace::ThreadId;

/// Something wrong with the checked program: a kind of failure at a place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Failure {
    /// What is wrong.
    pub kind: FailureKind,
    /// Where; for a deadlock, where the first blocked thread stands.
    pub place: Place,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureKind {
    /// An assertion is false.
    Assertion(String),
    /// A function that must not be called is called.
    ErrorCall(String),
    /// The program gives up.
    Abort(String),
    /// The address of an access is null or nearly so.
    NullDereference,
    /// The address of an access belongs to no object.
    WildDereference,
    /// An access beyond the end, or before the beginning, of an object.
    OutOfBounds(String),
    /// An access to an object that was freed, or whose function has returned.
    UseAfterFree(String),
    /// A write to a constant.
    WriteToConstant(String),
    /// A second `free`.
    DoubleFree(String),
    /// A `free` of something that `malloc` did not give.
    InvalidFree(String),
    /// A read of memory that nobody wrote.
    Uninitialised(String),
    /// Something that must not depend on an uninitialised value does: a branch, or an address.
    UninitialisedUse(String),
    /// Memory that is never freed.
    Leak(String),
    /// Division by zero, or the one quotient that does not fit.
    Division,
    /// A shift by more bits than there are.
    Shift,
    /// Signed overflow.
    Overflow,
    /// A place that the compiler says cannot be reached.
    Unreachable,
    /// A call of an address where there is no function.
    WildCall,
    /// Misuse of a lock or thread.
    Misuse(String),
    /// Two accesses at the same time, one of them a write, without order between them: the other one's place.
    DataRace(String, Place),
    /// No thread can go on, though these have not ended, each at its place.
    Deadlock(Vec<(ThreadId, Place)>),
}

/// Which check a failure belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Assertions and calls of error functions.
    Assertion,
    /// Giving up.
    Abort,
    /// Memory.
    Memory,
    /// Other undefined behaviour.
    Undefined,
    /// Locks and threads.
    Lock,
    /// Deadlocks.
    Deadlock,
    /// Data races.
    Race,
    /// Leaks.
    Leak,
    /// Reads of memory that nobody wrote.
    Uninitialised,
    /// Signed overflow.
    Overflow,
}

impl FailureKind {
    /// A short name for machines.
    pub fn name(&self) -> &'static str {
        match self {
            FailureKind::Assertion(_) => "assertion",
            FailureKind::ErrorCall(_) => "error-call",
            FailureKind::Abort(_) => "abort",
            FailureKind::NullDereference => "null-dereference",
            FailureKind::WildDereference => "wild-dereference",
            FailureKind::OutOfBounds(_) => "out-of-bounds",
            FailureKind::UseAfterFree(_) => "use-after-free",
            FailureKind::WriteToConstant(_) => "write-to-constant",
            FailureKind::DoubleFree(_) => "double-free",
            FailureKind::InvalidFree(_) => "invalid-free",
            FailureKind::Uninitialised(_) => "uninitialised",
            FailureKind::UninitialisedUse(_) => "uninitialised-use",
            FailureKind::Leak(_) => "leak",
            FailureKind::Division => "division",
            FailureKind::Shift => "shift",
            FailureKind::Overflow => "overflow",
            FailureKind::Unreachable => "unreachable",
            FailureKind::WildCall => "wild-call",
            FailureKind::Misuse(_) => "misuse",
            FailureKind::DataRace(..) => "data-race",
            FailureKind::Deadlock(_) => "deadlock",
        }
    }

    /// Which check it belongs to.
    pub fn class(&self) -> Class {
        match self {
            FailureKind::Assertion(_) | FailureKind::ErrorCall(_) => Class::Assertion,
            FailureKind::Abort(_) => Class::Abort,
            FailureKind::Misuse(_) => Class::Lock,
            FailureKind::DataRace(..) => Class::Race,
            FailureKind::Leak(_) => Class::Leak,
            FailureKind::Uninitialised(_) => Class::Uninitialised,
            FailureKind::Overflow => Class::Overflow,
            FailureKind::Deadlock(_) => Class::Deadlock,
            FailureKind::Division
            | FailureKind::Shift
            | FailureKind::Unreachable
            | FailureKind::WildCall
            | FailureKind::UninitialisedUse(_) => Class::Undefined,
            _ => Class::Memory,
        }
    }

    /// What is wrong, in one line without the place.
    pub fn message(&self) -> String {
        match self {
            FailureKind::Assertion(condition) => format!("assertion failed: `{condition}`"),
            FailureKind::ErrorCall(function) => format!("call of `{function}`"),
            FailureKind::Abort(how) => how.clone(),
            FailureKind::NullDereference => "null pointer dereferenced".to_owned(),
            FailureKind::WildDereference => "access to an address where there is nothing".to_owned(),
            FailureKind::OutOfBounds(what) => format!("access out of bounds: {what}"),
            FailureKind::UseAfterFree(what) => format!("use after free: {what}"),
            FailureKind::WriteToConstant(what) => format!("write to a constant: {what}"),
            FailureKind::DoubleFree(what) => format!("double free: {what}"),
            FailureKind::InvalidFree(what) => format!("free of something that was not allocated: {what}"),
            FailureKind::Uninitialised(what) => format!("read of memory that nobody wrote: {what}"),
            FailureKind::UninitialisedUse(what) => format!("{what} depends on an uninitialised value"),
            FailureKind::Leak(what) => format!("memory is never freed: {what}"),
            FailureKind::Division => "division by zero, or the quotient does not fit".to_owned(),
            FailureKind::Shift => "shift by more bits than there are".to_owned(),
            FailureKind::Overflow => "signed overflow".to_owned(),
            FailureKind::Unreachable => {
                "a place is reached that the compiler takes for unreachable".to_owned()
            }
            FailureKind::WildCall => "call of an address where there is no function".to_owned(),
            FailureKind::Misuse(what) => what.clone(),
            FailureKind::DataRace(what, _) => format!("data race: {what}"),
            FailureKind::Deadlock(blocked) => match blocked.len() {
                1 => "deadlock: a thread waits for ever".to_owned(),
                n => format!("deadlock: {n} threads wait for ever"),
            },
        }
    }
}

/// Why an execution was cut: something that the machine does not do, or was told not to do. Never counts as safe.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    /// Why.
    pub reason: CutReason,
    /// Where.
    pub place: Place,
}

/// Why an execution was cut.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutReason {
    /// A loop went round as often as allowed.
    Unroll(u32),
    /// A loop that waits went round as often as it was thought worth while, and counted its rounds.
    Counted(u32),
    /// The machine cannot do it.
    Unsupported(String),
    /// A function of which nothing is known.
    UnknownFunction(String),
    /// A nondeterministic value with too many values.
    ManyValues,
    /// Local code ran for too long.
    Endless,
    /// Calls were nested too deeply.
    DeepCalls,
    /// There are more threads than expected.
    ManyThreads,
    /// More threads use a barrier than go on together, though it was taken for granted that there are not.
    CrowdedBarrier,
    /// Too much memory.
    ManyObjects,
    /// Something is wrong that is not looked for; nobody knows what comes after it.
    Undefined(String),
    /// Something depends on memory that nobody wrote.
    Unwritten,
    /// Something depends on the number of an address, which differs from machine to machine.
    AddressNumber,
    /// A thread knows the address of an object that nobody gave it.
    HiddenAddress(String),
    /// Something that `data-centric` and `value-centric` cannot treat.
    Untold(String),
}

impl CutReason {
    /// The reason, in words.
    pub fn message(&self) -> String {
        match self {
            CutReason::Unroll(rounds) => format!("a loop was cut after {rounds} rounds (--unroll)"),
            CutReason::Counted(rounds) => format!(
                "a loop that waits counts its rounds, of which there can be any number, and was cut after {rounds} (--unroll N cuts loops after N)"
            ),
            CutReason::Unsupported(what) => format!("not supported: {what}"),
            CutReason::UnknownFunction(name) => selvedge_code::functions::refusal(name),
            CutReason::ManyValues => "a nondeterministic value has too many values to try all".to_owned(),
            CutReason::Endless => "a thread runs local code for too long".to_owned(),
            CutReason::DeepCalls => "calls are nested too deeply".to_owned(),
            CutReason::ManyThreads => "there are too many threads".to_owned(),
            CutReason::CrowdedBarrier => "more threads use a barrier than go on together".to_owned(),
            CutReason::ManyObjects => "the program takes too much memory".to_owned(),
            CutReason::Undefined(what) => format!("undefined behaviour, which is not looked for: {what}"),
            CutReason::Unwritten => "an uninitialised value was used (assumed to be 0)".to_owned(),
            CutReason::AddressNumber => {
                "the program depends on the number of an address (--fixed-addresses takes those of one layout)".to_owned()
            }
            CutReason::Untold(what) => format!("not supported by value-centric and data-centric: {what}"),
            CutReason::HiddenAddress(what) => {
                format!(
                    "a thread accesses {what}, the address of which it got in a way that cannot be followed"
                )
            }
        }
    }
}
