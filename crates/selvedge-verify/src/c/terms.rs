//! The terms of a claim about a program in C: what was asked for, and what the program makes the claim rest on.

use super::question::Question;
use selvedge_claim::Terms;
use selvedge_claim::terms::{Addresses, Allocation, Demand, Reuse, Unsought, Wakeups};
use selvedge_machine::Machine;
use selvedge_machine::builtin::Builtin;
use selvedge_machine::code::Callee;

/// The terms of a claim about a program in C or C++, by the library functions that it calls.
pub fn of_machine(question: &Question, machine: &Machine, states: Option<usize>) -> Terms {
    let calls = |builtins: &[Builtin]| {
        machine.code().calls.iter().any(|call| match call.callee {
            Callee::Builtin(builtin) => builtins.contains(&builtin),
            _ => false,
        })
    };
    let allocates = calls(&[
        Builtin::Malloc,
        Builtin::Calloc,
        Builtin::Realloc,
        Builtin::AlignedAlloc,
        Builtin::NewAligned,
        Builtin::Strdup,
    ]);
    let frees = allocates && calls(&[Builtin::Free, Builtin::Realloc]);
    let waits =
        calls(&[Builtin::CondWait, Builtin::CondWaitCpp, Builtin::CondTimedWait, Builtin::CondTimedWaitC11]);
    let wakeups = match machine.options().spurious_wakeups {
        true => Wakeups::Spurious,
        false => Wakeups::OnlySignalled,
    };
    let checks = machine.options().checks;
    let is_default = question.property.is_none();
    let unsought = Unsought {
        races: is_default && !checks.races && machine.thread_room() > 1,
        leaks: is_default && !checks.leaks && allocates,
        overflow: is_default && !checks.overflow,
        uninitialised: is_default && !checks.uninitialised,
        deadlocks: is_default && !checks.deadlocks,
        aborts: is_default && !checks.aborts,
        arbitrary_values: false,
    };
    Terms {
        unsought,
        allocation: allocates.then_some(Allocation::NeverFails),
        reuse: reuse(machine).filter(|_| frees),
        addresses: addresses(machine),
        wakeups: waits.then_some(wakeups),
        states: states.map(|states| states as u64),
        vacuity: question.vacuity,
        demand: if is_default { Demand::WithinBound } else { Demand::Property },
        ..Terms::default()
    }
}

/// What is assumed of where objects lie, if that makes a difference: where nothing depends on it, it does not.
fn addresses(machine: &Machine) -> Option<Addresses> {
    match machine.options().addresses {
        selvedge_machine::Addresses::Speculated => None,
        selvedge_machine::Addresses::Ordered => Some(Addresses::Ordered),
        selvedge_machine::Addresses::Fixed => Some(Addresses::Fixed),
    }
}

/// What becomes of freed memory, if that makes a difference: where no address of a freed block is compared it does not.
fn reuse(machine: &Machine) -> Option<Reuse> {
    match machine.options().reuse {
        selvedge_machine::Reuse::Speculated => None,
        selvedge_machine::Reuse::Explored => Some(Reuse::Explored),
        selvedge_machine::Reuse::Excluded => Some(Reuse::Never),
    }
}
