//! Whole programs: declarations of memory, synchronisation, functions and threads.

use crate::{Function, FunctionId, Span, Type};

/// A concurrent program; the default is the empty one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// The names of the source files; spans refer to them.
    pub files: Vec<String>,
    /// Shared memory.
    pub objects: Vec<Object>,
    /// Mutexes.
    pub mutexes: Vec<SyncArray>,
    /// Condition variables.
    pub condvars: Vec<SyncArray>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
    /// The code of the threads and the functions they call.
    pub functions: Vec<Function>,
    /// The threads, in order: the members of the first family are the first threads.
    pub families: Vec<ThreadFamily>,
    /// Code that runs, alone, after all threads have ended. A function without parameters.
    pub finally: Option<FunctionId>,
}

/// A shared variable or array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name; unique in the program.
    pub name: String,
    /// The type of the elements.
    pub ty: Type,
    /// Whether it is written as an array in the source text, even if of length 1.
    pub is_array: bool,
    /// The initial values of the elements.
    pub initial: Vec<i64>,
    /// Its declaration.
    pub span: Span,
}

/// A mutex or condition variable, or an array of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncArray {
    /// The name; unique in the program.
    pub name: String,
    /// Whether it is written as an array in the source text, even if of length 1.
    pub is_array: bool,
    /// How many there are.
    pub length: u32,
    /// Its declaration.
    pub span: Span,
}

/// A barrier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The name; unique in the program.
    pub name: String,
    /// How many threads must arrive before they go on; at least 1.
    pub width: u32,
    /// Its declaration.
    pub span: Span,
}

/// Threads that run the same code and differ in their index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadFamily {
    /// The name; unique in the program.
    pub name: String,
    /// Whether it is written as an array in the source text, even if of length 1.
    pub is_array: bool,
    /// How many threads there are.
    pub count: u32,
    /// Their code: a function without parameters.
    pub function: FunctionId,
    /// When they start.
    pub start: Start,
    /// The declaration.
    pub span: Span,
}

/// When the threads of a family start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the program.
    AtOnce,
    /// When another thread spawns them; one that is not spawned never runs.
    WhenSpawned,
}

impl Program {
    /// The number of threads, over all families.
    pub fn thread_count(&self) -> usize {
        self.families.iter().map(|family| family.count as usize).sum()
    }

    /// The names of all threads in order: `writer`, `reader[0]`, `reader[1]`, …
    pub fn thread_names(&self) -> Vec<String> {
        let member = |family: &ThreadFamily, i: u32| match family.is_array {
            true => format!("{}[{i}]", family.name),
            false => family.name.clone(),
        };
        self.families.iter().flat_map(|f| (0..f.count).map(move |i| member(f, i))).collect()
    }
}
