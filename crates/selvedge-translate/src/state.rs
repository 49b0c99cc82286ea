//! What is known where a thread stands: its calls, the values of registers, the memory that nobody else uses.

use crate::facts::{Cell, ContextId, ObjectKey, Place, Position, Rounds};
use crate::value::Value;
use selvedge_ir as ir;
use selvedge_llvm::instruction::{BlockId, LocalId};
use std::collections::{BTreeMap, BTreeSet};

/// A call that has not returned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function, by its place in the module.
    pub function: usize,
    /// How it was reached.
    pub context: ContextId,
    /// The block.
    pub block: BlockId,
    /// The next instruction of the block.
    pub index: usize,
    /// The values of registers.
    pub values: BTreeMap<LocalId, Value>,
    /// The rounds of loops that are unrolled.
    pub rounds: Rounds,
    /// Whether an atomic section ends when it returns.
    pub is_atomic: bool,
}

/// An atomic section that has begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Section {
    /// The block that comes before it, to which choices of the section go.
    pub before: ir::BlockId,
    /// How deep sections are nested.
    pub depth: u32,
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The calls, the innermost last.
    pub frames: Vec<Frame>,
    /// The memory that only this thread uses; what is missing has its first value.
    pub cells: BTreeMap<Cell, Value>,
    /// Whether there may be other threads.
    pub spawned: bool,
    /// The threads that were started here and not joined.
    pub running: BTreeSet<u32>,
    /// The threads that were joined or detached here.
    pub claimed: BTreeSet<u32>,
    /// Whether a barrier was destroyed here.
    pub has_destroyed: bool,
    /// The mutexes that were destroyed here.
    pub destroyed: BTreeSet<Cell>,
    /// The blocks that were freed here.
    pub freed: BTreeSet<ObjectKey>,
    /// How often the thread holds reader-writer locks for reading.
    pub reads: BTreeMap<Cell, u32>,
    /// The atomic section.
    pub section: Option<Section>,
}

impl State {
    /// The call at hand.
    pub fn top(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    /// The call at hand.
    pub fn top_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Where the thread stands.
    pub fn position(&self) -> Position {
        let top = self.top();
        (top.context, top.block, top.rounds.clone())
    }

    /// The value of a place, if one is noted.
    pub fn get(&self, place: Place) -> Option<&Value> {
        match place {
            Place::Cell(cell) => self.cells.get(&cell),
            Place::Local(context, local) => {
                self.frames.iter().find(|frame| frame.context == context)?.values.get(&local)
            }
        }
    }

    /// Gives a place a value.
    pub fn set(&mut self, place: Place, value: Value) {
        match place {
            Place::Cell(cell) => {
                self.cells.insert(cell, value);
            }
            Place::Local(context, local) => {
                if let Some(frame) = self.frames.iter_mut().find(|frame| frame.context == context) {
                    frame.values.insert(local, value);
                }
            }
        }
    }

    /// The registers that have a value.
    pub fn locals(&self) -> impl Iterator<Item = Place> {
        let of = |frame: &Frame| {
            let context = frame.context;
            frame.values.keys().map(move |&local| Place::Local(context, local)).collect::<Vec<_>>()
        };
        self.frames.iter().flat_map(of)
    }

    /// All places that have a value.
    pub fn places(&self) -> BTreeSet<Place> {
        self.cells.keys().map(|&cell| Place::Cell(cell)).chain(self.locals()).collect()
    }
}
