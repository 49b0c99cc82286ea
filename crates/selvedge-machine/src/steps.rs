//! An execution told step by step: where each thread was in the source and what it read and wrote.

use crate::Machine;
use crate::code::Place;
use crate::machine::locations::ThreadLocation;
use crate::names;
use selvedge_explore::{Path, Program};
use selvedge_trace::{AccessKind, Decision, Footprint, ThreadId};

/// A step of an execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// Who performed it.
    pub decision: Decision,
    /// Where in the source.
    pub place: Place,
    /// The function of the library that was called, if one was.
    pub call: Option<String>,
    /// What it did, in words.
    pub effects: Vec<String>,
}

/// Performs a schedule from the beginning and records each step.
pub fn steps(machine: Machine, schedule: &[Decision]) -> (Vec<StepRecord>, Path<Machine>) {
    let mut path = Path::new(machine);
    let records = schedule.iter().map(|&decision| step(&mut path, decision)).collect();
    (records, path)
}

/// A piece of memory that a step accesses.
struct Piece {
    address: u64,
    size: u64,
    kind: AccessKind,
    before: u64,
}

fn step(path: &mut Path<Machine>, decision: Decision) -> StepRecord {
    let machine = &mut path.program;
    let place = machine.place(decision.thread);
    let call = machine.next_call(decision.thread).map(str::to_owned).filter(|name| !name.is_empty());
    let choices = machine.choices(decision.thread);
    let mut footprint = Footprint::default();
    machine.pending(decision, &mut footprint);
    let pieces = pieces(machine, &footprint);
    let orders = machine.orders().len();
    let mut effects = machine.survey(decision, &mut footprint, |after, _| {
        let decided = after.orders()[orders..].iter().map(|pair| order_phrase(after, *pair));
        pieces.iter().map(|piece| phrase(after, piece)).chain(decided).collect::<Vec<_>>()
    });
    let others = footprint.accesses().iter();
    let threads: Vec<String> = others
        .filter_map(|access| thread_phrase(machine, decision.thread, access.location.0, access.kind))
        .collect();
    effects.extend(threads);
    if choices > 1 {
        effects.push(format!("takes alternative {} of {choices}", decision.choice + 1));
    }
    path.push(decision);
    StepRecord { decision, place, call, effects }
}

/// The accesses to memory of a footprint, neighbours of one kind as one piece.
fn pieces(machine: &Machine, footprint: &Footprint) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    for access in footprint.accesses() {
        let Some((base, offset, size)) = machine.locations().find(access.location.0) else { continue };
        let address = base + offset;
        match pieces.last_mut() {
            Some(last)
                if last.address + last.size == address && last.kind == access.kind && last.size < 8 =>
            {
                last.size += size;
            }
            _ => pieces.push(Piece { address, size, kind: access.kind, before: 0 }),
        }
    }
    for piece in &mut pieces {
        piece.size = fitting(machine, piece);
        piece.before = content(machine, piece);
    }
    pieces.retain(|piece| piece.size > 0);
    pieces.truncate(6);
    pieces
}

/// The bytes of a piece that belong to its object.
fn fitting(machine: &Machine, piece: &Piece) -> u64 {
    let memory = machine.memory();
    let Some(id) = memory.find(piece.address) else { return 0 };
    let object = memory.object(id);
    (object.base + object.size).saturating_sub(piece.address).min(piece.size).min(8)
}

fn content(machine: &Machine, piece: &Piece) -> u64 {
    let memory = machine.memory();
    match memory.access(piece.address, piece.size) {
        Ok(id) => {
            let object = memory.object(id);
            memory.load(object.start + (piece.address - object.base) as usize, piece.size as usize)
        }
        Err(_) => 0,
    }
}

fn phrase(after: &Machine, piece: &Piece) -> String {
    let (code, module, memory) = (after.code(), after.module(), after.memory());
    let (name, ty) = names::describe(code, module, memory, piece.address, piece.size);
    let text = |word: u64| names::value(code, module, memory, word, piece.size, ty);
    let now = content(after, piece);
    // A lock, not the field in which its owner is noted.
    let whole = name.find(".__").map_or(name.as_str(), |at| &name[..at]);
    match piece.kind {
        AccessKind::Acquire => format!("takes {whole}"),
        AccessKind::Release => format!("frees {whole}"),
        AccessKind::Read | AccessKind::Observe => format!("reads {name} = {}", text(piece.before)),
        _ => format!("{name}: {} → {}", text(piece.before), text(now)),
    }
}

/// Which object comes first in memory.
fn order_phrase(after: &Machine, (first, second): (u64, u64)) -> String {
    let memory = after.memory();
    let name = |address: u64| {
        let object = memory.find(address);
        object.map_or_else(String::new, |id| names::describe_object(after.code(), memory, id))
    };
    format!("{} comes before {} in memory", name(first), name(second))
}

fn thread_phrase(machine: &Machine, own: ThreadId, location: u32, kind: AccessKind) -> Option<String> {
    let (thread, about) = machine.locations().thread_of(location)?;
    let id = ThreadId::at(thread);
    let name = machine.thread_name(id);
    match (about, kind) {
        (ThreadLocation::Waking, AccessKind::Post) => Some(format!("wakes {name}")),
        (ThreadLocation::Waking, AccessKind::Observe | AccessKind::Read) => Some("wakes up".to_owned()),
        (ThreadLocation::Life, AccessKind::Observe) if id != own => Some(format!("{name} has ended")),
        (ThreadLocation::Spawned, AccessKind::Post) => Some(format!("starts {name}")),
        _ => None,
    }
}
