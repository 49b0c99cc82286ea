//! Operations in words: the call, and what it did.

use super::names::{self, Thing};
use crate::runtime::Operation;
use crate::runtime::names::ThreadCell;
use selvedge_trace::{Access, AccessKind, LocationId, ThreadId};

/// The content of a location before and after a step.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// The access.
    pub access: Access,
    /// Before.
    pub before: u64,
    /// After.
    pub after: u64,
}

/// An operation as a call.
pub fn statement(operation: &Operation) -> String {
    let name = operation.kind.name;
    match names::thing(operation.at) {
        Thing::Object(first, info, _) => {
            let object = names::object(first);
            let operands = (operation.kind.operands)(operation, &info.show);
            match name {
                "drop" | "drop Sender" | "drop Receiver" => format!("drop({object})"),
                _ if name.contains("::") => format!("{name}(&{object})"),
                _ if name.contains(' ') => format!("{name} of {object}"),
                _ => format!("{object}.{name}({operands})"),
            }
        }
        Thing::Thread(_, ThreadCell::Token) if name.starts_with("park") => format!("{name}()"),
        Thing::Thread(thread, ThreadCell::Life | ThreadCell::Token)
            if operation.at.0 != 0 || name == "join" =>
        {
            match name {
                "scope" => format!("end of scope: {}.join()", names::thread(thread)),
                _ => format!("{}.{name}()", names::thread(thread)),
            }
        }
        _ => format!("{name}({})", (operation.kind.operands)(operation, &|value| value.to_string())),
    }
}

/// What a step did, one phrase for each effect that matters to a reader.
pub fn phrases(operation: &Operation, changes: &[Change]) -> Vec<String> {
    changes.iter().filter_map(|change| phrase(operation, change, changes)).collect()
}

fn phrase(operation: &Operation, change: &Change, all: &[Change]) -> Option<String> {
    match names::thing(change.access.location) {
        Thing::Object(first, info, part) => {
            let name = names::object(first);
            match info.type_name {
                "Mutex" | "RwLock" if operation.kind.name == "clear_poison" => None,
                "Mutex" => Some(mutex(&name, change)),
                "RwLock" => Some(lock(&name, change)),
                "Condvar" => condvar(operation, &name, all),
                "Barrier" => Some(barrier(&name, change)),
                "Arc" => (part == 0).then(|| counted(&name, change)),
                "channel" => channel(&name, part, change),
                "task" => None,
                _ if change.access.kind.is_read() => {
                    Some(format!("reads {name} = {}", (info.show)(change.before)))
                }
                _ => Some(format!("{name}: {} → {}", (info.show)(change.before), (info.show)(change.after))),
            }
        }
        Thing::Thread(thread, cell) => thread_cell(thread, cell, change),
        Thing::Nameless => None,
    }
}

fn mutex(name: &str, change: &Change) -> String {
    match change.access.kind {
        AccessKind::Acquire => format!("takes {name}"),
        AccessKind::Release => format!("frees {name}"),
        _ => held(name, change.before),
    }
}

/// Who holds a mutex.
pub fn held(name: &str, holder: u64) -> String {
    match holder {
        0 => format!("{name} is free"),
        holder => format!("{name} is held by {}", names::thread(ThreadId(holder as u32 - 1))),
    }
}

fn lock(name: &str, change: &Change) -> String {
    let state = |word: u64| match word {
        0 => "free".to_owned(),
        word if word >> 63 != 0 => "writing".to_owned(),
        1 => "1 reader".to_owned(),
        readers => format!("{readers} readers"),
    };
    match change.before == change.after {
        true => format!("{name} is {}", state(change.before)),
        false => format!("{name}: {} → {}", state(change.before), state(change.after)),
    }
}

fn condvar(operation: &Operation, name: &str, all: &[Change]) -> Option<String> {
    let wakes = all.iter().any(|change| change.access.kind == AccessKind::Post);
    match operation.kind.name {
        "wait" => Some(format!("waits for {name}")),
        "wait_timeout" => Some("the time is up".to_owned()),
        _ if wakes => None,
        _ => Some(format!("nobody waits for {name}")),
    }
}

fn barrier(name: &str, change: &Change) -> String {
    match change.access.kind {
        AccessKind::Observe => format!("goes on after {name}"),
        _ => format!("arrives at {name}"),
    }
}

fn counted(name: &str, change: &Change) -> String {
    format!("handles of {name}: {} → {}", change.before, change.after)
}

fn channel(name: &str, part: u32, change: &Change) -> Option<String> {
    match part {
        0 if change.before != change.after => Some(format!("sends message {} of {name}", change.after)),
        2 if change.access.kind == AccessKind::Observe => Some(format!("all senders of {name} are gone")),
        3 if change.before != change.after => Some(format!("nobody receives from {name} any more")),
        3 if change.before == 0 => Some(format!("nobody receives from {name}")),
        5 if change.after > change.before => Some(format!("waits for a message of {name}")),
        5 if change.before == 0 => Some(format!("nobody waits for a message of {name}")),
        _ => None,
    }
}

fn thread_cell(thread: ThreadId, cell: ThreadCell, change: &Change) -> Option<String> {
    let name = names::thread(thread);
    match (cell, change.access.kind) {
        (ThreadCell::Life, AccessKind::Observe) => Some(format!("{name} has ended")),
        (ThreadCell::Waiting, AccessKind::Post) => Some(format!("wakes {name}")),
        (ThreadCell::Waiting, AccessKind::Observe) => Some("wakes up".to_owned()),
        (ThreadCell::Token, _) if change.after > change.before => Some(format!("lets {name} go on")),
        (ThreadCell::Token, _) if change.after < change.before => Some("was let go on".to_owned()),
        _ => None,
    }
}

/// What a thread that waits for ever waits for, given what its cells hold.
pub fn waits_for(operation: &Operation, content: &dyn Fn(LocationId) -> u64) -> String {
    let name = || names::object(operation.at);
    let mutex_word = |at: LocationId| held(&names::object(at), content(at));
    match operation.kind.name {
        "lock" => format!("waits for {}", mutex_word(operation.at).replace(" is held", ", held")),
        "wait" if operation.also != 0 => {
            format!("waits for a notification of {}, which nobody sends any more", name())
        }
        "wait" => format!("waits at {} for others", name()),
        "wait_timeout" => {
            format!("waits for {}", mutex_word(LocationId(operation.also)).replace(" is held", ", held"))
        }
        "join" | "scope" => match names::thing(operation.at) {
            Thing::Thread(thread, _) => format!("waits for the end of {}", names::thread(thread)),
            _ => "waits for the end of a thread".to_owned(),
        },
        "recv" => format!("waits for a message of {}, which nobody sends any more", name()),
        "send" => format!("waits for room in {}, which nobody makes any more", name()),
        "read" | "write" => format!("waits for {}", name()),
        "park" => "waits to be unparked, which nobody does any more".to_owned(),
        "block_on" => "waits to be woken, which nobody does any more".to_owned(),
        "call_once" => format!("waits for the initialisation of {}", name()),
        "spin_loop" | "yield_now" | "sleep" | "retry" => {
            "spins: nothing that it reads changes any more".to_owned()
        }
        _ => "waits for ever".to_owned(),
    }
}
