//! What is learnt about a program while it is translated, and kept when the translation begins again.
//!
//! The translation begins with bold assumptions: nothing is shared, everything that is known stays known. Where the program
//! contradicts, the fact is noted and all is done again. Facts are only ever added, so that ends.

use crate::layout::Kind;
use crate::value::{Pointer, Value};
use selvedge_ir::Span;
use selvedge_llvm::instruction::{BlockId, LocalId};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A way to reach a function: the calls that lead there, each with the rounds of the loops around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextId(pub u32);

/// An instruction of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The function.
    pub function: usize,
    /// The block.
    pub block: BlockId,
    /// The place in the block.
    pub index: usize,
}

/// The rounds of the loops that are unrolled, by their heads.
pub type Rounds = Vec<(BlockId, u32)>;

/// What a context is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ContextKey {
    /// The beginning of the program.
    Main,
    /// A call, or the start of a thread.
    Called {
        /// From where.
        from: ContextId,
        /// By which instruction.
        site: Site,
        /// In which rounds of the loops around it.
        rounds: Rounds,
    },
    /// A call that has returned: its variables are others than those of the next call from there.
    Over {
        /// The call.
        call: ContextId,
    },
}

/// A piece of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKey {
    /// A global variable, by its place in the module.
    Global(usize),
    /// A global variable of which each thread has its own.
    ThreadLocal(usize, u32),
    /// A local variable, or allocated memory, by the instruction that makes it.
    Local(ContextId, LocalId),
}

/// A part of an object that is divided no further, except into the elements of arrays.
pub type LeafKey = (ObjectKey, u32);

/// An element of a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The leaf.
    pub leaf: LeafKey,
    /// The element, counted through all dimensions.
    pub element: u64,
}

/// Where a thread stands, as far as control is concerned.
pub type Position = (ContextId, BlockId, Rounds);

/// Something that holds a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The result of an instruction.
    Local(ContextId, LocalId),
    /// A cell of memory that only one thread uses.
    Cell(Cell),
}

/// How a value that differs from way to way is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// As a number of that many bits.
    Number(u32),
    /// As a multiple of `stride` bytes from `residue` on within an object.
    Offset {
        /// The object.
        object: Option<ObjectKey>,
        /// The distance of neighbours.
        stride: i64,
        /// The first.
        residue: i64,
    },
}

/// All that was learnt.
#[derive(Debug, Default)]
pub struct Facts {
    contexts: HashMap<ContextKey, ContextId>,
    keys: Vec<ContextKey>,
    /// Values that differ from way to way, by where the ways meet.
    pub general: HashMap<(Position, Place), Shape>,
    touched: BTreeMap<LeafKey, BTreeSet<u32>>,
    stored: BTreeSet<LeafKey>,
    forced: BTreeSet<LeafKey>,
    /// Local variables that other threads use.
    borrowed: BTreeSet<ObjectKey>,
    /// Blocks that some thread frees.
    pub freed: BTreeSet<ObjectKey>,
    /// The threads that use a block once there are several.
    users: BTreeMap<ObjectKey, BTreeSet<u32>>,
    /// Arrays with a computed index.
    pub indexed: BTreeSet<LeafKey>,
    /// Bytes that hold other values than 0 and 1.
    wide: BTreeSet<LeafKey>,
    /// Loops that are not unrolled.
    pub rolled: BTreeSet<(ContextId, BlockId)>,
    /// Threads that get a computed number.
    pub computed_arguments: BTreeSet<u32>,
    /// Whether main changes variables in more than one way before the first thread starts.
    pub explicit_start: bool,
    /// Whether threads other than main start threads.
    pub others_spawn: bool,
    /// Whether attributes make threads detached.
    pub detached: bool,
    /// Memory that is allocated: its size.
    pub heap: BTreeMap<ObjectKey, u64>,
    /// Memory that is allocated and holds zeros; other has any values at first.
    pub cleared: BTreeSet<ObjectKey>,
    /// How allocated memory is divided, as it was seen: offset, bits, stride if it is an array.
    pub divided: BTreeMap<ObjectKey, BTreeSet<(u64, u32, u64)>>,
    /// Where allocated memory holds addresses, by the offset; elsewhere it holds numbers.
    pub pointers: BTreeSet<(ObjectKey, u64)>,
    /// Locks that the type of an object does not tell: offset and kind.
    pub locks: BTreeMap<ObjectKey, BTreeSet<(u64, Kind)>>,
    /// Addresses that are stored in a variable of the program: it holds 0, or the place in its list counted from 1.
    pub addresses: BTreeMap<LeafKey, Vec<Value>>,
    /// Whether something was learnt since the last beginning.
    pub is_new: bool,
}

impl Facts {
    /// The number of a context.
    pub fn context(&mut self, key: ContextKey) -> ContextId {
        if let Some(&known) = self.contexts.get(&key) {
            return known;
        }
        let id = ContextId(self.keys.len() as u32);
        self.keys.push(key.clone());
        self.contexts.insert(key, id);
        id
    }

    /// The context that a context was reached from.
    pub fn reached_from(&self, context: ContextId) -> Option<ContextId> {
        match self.keys[context.0 as usize] {
            ContextKey::Main => None,
            ContextKey::Called { from, .. } => Some(from),
            ContextKey::Over { call } => Some(call),
        }
    }

    /// Whether a context is a call that has returned.
    pub fn is_over(&self, context: ContextId) -> bool {
        matches!(self.keys[context.0 as usize], ContextKey::Over { .. })
    }

    /// Notes that a thread uses a local variable of another one.
    pub fn borrow(&mut self, object: ObjectKey) {
        self.is_new |= self.borrowed.insert(object);
    }

    /// Whether a variable of the program holds the address of a local variable of a call.
    pub fn is_kept(&self, context: ContextId) -> bool {
        let is_its = |value: &Value| matches!(value, Value::Pointer(Pointer { object: Some(ObjectKey::Local(owner, _)), .. }) if *owner == context);
        self.addresses.values().flatten().any(is_its)
    }

    /// Whether other threads use local variables of a call.
    pub fn has_shared_locals(&self, context: ContextId) -> bool {
        let is_its = |object: &ObjectKey| matches!(object, ObjectKey::Local(owner, _) if *owner == context);
        self.borrowed.iter().any(is_its)
    }

    /// Whether threads share a leaf, so that it becomes a variable of the program.
    pub fn is_shared(&self, leaf: LeafKey) -> bool {
        let by_several = || self.touched.get(&leaf).is_some_and(|threads| threads.len() > 1);
        let changes = || self.stored.contains(&leaf) || self.indexed.contains(&leaf);
        self.forced.contains(&leaf) || (changes() && by_several())
    }

    /// The leaves that threads share.
    pub fn shared_leaves(&self) -> Vec<LeafKey> {
        let all: BTreeSet<LeafKey> = self.touched.keys().chain(&self.forced).copied().collect();
        all.into_iter().filter(|leaf| self.is_shared(*leaf)).collect()
    }

    fn learn(&mut self, leaf: LeafKey, change: impl FnOnce(&mut Facts)) {
        let before = self.is_shared(leaf);
        change(self);
        self.is_new |= self.is_shared(leaf) != before;
    }

    /// Notes that a thread uses a leaf.
    pub fn touch(&mut self, leaf: LeafKey, thread: u32, stores: bool) {
        self.learn(leaf, |facts| {
            facts.touched.entry(leaf).or_default().insert(thread);
            if stores {
                facts.stored.insert(leaf);
            }
        });
    }

    /// Notes that a thread uses a block when there are several threads.
    pub fn use_block(&mut self, object: ObjectKey, thread: u32) {
        let is_new = self.heap.contains_key(&object) && self.users.entry(object).or_default().insert(thread);
        self.is_new |= is_new && self.freed.contains(&object);
    }

    /// Whether other threads than this one use a block.
    pub fn is_used_by_others(&self, object: ObjectKey, thread: u32) -> bool {
        self.users.get(&object).is_some_and(|users| users.iter().any(|user| *user != thread))
    }

    /// Notes that a leaf is to be a variable of the program.
    pub fn force(&mut self, leaf: LeafKey) {
        self.learn(leaf, |facts| {
            facts.forced.insert(leaf);
        });
    }

    /// Notes that an array has a computed index.
    pub fn index(&mut self, leaf: LeafKey) {
        self.is_new |= self.indexed.insert(leaf);
    }

    /// Notes that a byte is no truth value.
    pub fn widen(&mut self, leaf: LeafKey) {
        self.is_new |= self.wide.insert(leaf);
    }

    /// Whether a byte is always 0 or 1.
    pub fn is_truth(&self, leaf: LeafKey) -> bool {
        !self.wide.contains(&leaf)
    }

    /// Notes that a loop cannot be unrolled.
    pub fn roll(&mut self, context: ContextId, head: BlockId) {
        self.is_new |= self.rolled.insert((context, head));
    }
}

/// Where a declaration is; programs need one for everything.
pub const NOWHERE: Span = Span { file: selvedge_ir::FileId(0), start: 0, end: 0 };
