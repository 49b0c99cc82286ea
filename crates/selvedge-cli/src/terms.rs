//! The terms of a claim: what the arguments ask for, and what the program makes the claim rest on.

use crate::args::CheckArgs;
use selvedge_ir::Program;
use selvedge_machine::Machine;
use selvedge_machine::builtin::Builtin;
use selvedge_machine::code::Callee;
use selvedge_report::Terms;
use selvedge_report::terms::{Addresses, Allocation, Demand, Reuse, Threads, Unsought, Vacuity, Wakeups};

/// What the arguments ask for.
fn asked(args: &CheckArgs) -> Terms {
    let vacuity = if args.allow_vacuous { Vacuity::Allowed } else { Vacuity::Refused };
    let demand = if args.property.is_some() { Demand::Property } else { Demand::WithinBound };
    Terms { vacuity, demand, ..Terms::default() }
}

/// The terms of a claim about a program of the intermediate representation.
pub fn of_program(args: &CheckArgs, program: &Program) -> Terms {
    let threads = if program.thread_count() == 0 { Threads::None } else { Threads::Some };
    Terms { threads, wakeups: wakeups_of(program), ..asked(args) }
}

/// When the threads of a program wake up, if it has condition variables.
pub fn wakeups_of(program: &Program) -> Option<Wakeups> {
    (!program.condvars.is_empty()).then_some(Wakeups::OnlySignalled)
}

/// The terms of a claim about a program in C or C++, by the library functions that it calls.
pub fn of_machine(args: &CheckArgs, machine: &Machine, states: Option<usize>) -> Terms {
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
    let is_default = args.property.is_none();
    let unsought = Unsought {
        races: is_default && !checks.races && machine.thread_room() > 1,
        leaks: is_default && !checks.leaks && allocates,
        overflow: is_default && !checks.overflow,
        uninitialised: is_default && !checks.uninitialised,
    };
    Terms {
        unsought,
        allocation: allocates.then_some(Allocation::NeverFails),
        reuse: reuse(machine).filter(|_| frees),
        addresses: addresses(machine),
        wakeups: waits.then_some(wakeups),
        states: states.map(|states| states as u64),
        ..asked(args)
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
