//! Where everything is in memory: one cell for each location that events can access.
//!
//! Shared objects come first, then mutexes (0 or the holder + 1), condition variables, barriers (two cells: how
//! many have arrived and the parity of the round), and three cells for each thread: the condition it waits for, its life, and
//! whether it was spawned. The number of a cell is its [`LocationId`].

use selvedge_ir::{Program, Type};
use selvedge_trace::LocationId;

/// A range of cells under one name.
#[derive(Clone, Debug)]
pub struct CellArray {
    /// The name in the source text.
    pub name: String,
    /// The first cell.
    pub start: u32,
    /// The number of cells.
    pub length: u32,
    /// Whether an element is written with an index.
    pub is_array: bool,
    /// What the cells hold.
    pub content: Content,
}

/// What a range of cells holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Values of a shared object.
    Values(Type),
    /// Mutexes: 0 or the holder + 1.
    Mutexes,
    /// Condition variables.
    Condvars,
    /// The arrivals and the parity of the round of a barrier.
    Barrier,
    /// Something of each thread.
    Threads,
}

/// Where everything is in memory.
#[derive(Debug)]
pub struct Layout {
    /// All ranges, in the order of their cells: objects, mutexes, condition variables, barriers, threads.
    pub arrays: Vec<CellArray>,
    /// How many cells hold values; they are the first.
    pub value_cells: u32,
    /// The number of the first range of mutexes.
    pub mutexes: u32,
    /// The number of the first range of condition variables.
    pub condvars: u32,
    /// The number of the first range of a barrier.
    pub barriers: u32,
    /// The first of the cells that hold what each thread waits for: 0 or the cell + 1.
    pub waiting: u32,
    /// The first of the cells that stand for the life of each thread.
    pub life: u32,
    /// The first of the cells that say whether each thread was spawned.
    pub spawned: u32,
    /// The initial contents of memory.
    pub initial: Vec<i64>,
    /// The width of each barrier and how its arrivals are ordered.
    pub barrier_kinds: Vec<BarrierKind>,
    /// The names of all threads.
    pub thread_names: Vec<String>,
}

/// How wide a barrier is and how its arrivals are ordered.
#[derive(Clone, Copy, Debug)]
pub struct BarrierKind {
    /// How many threads go on together.
    pub width: u32,
    /// Whether the order of arrivals matters.
    pub arrivals: Arrivals,
}

/// Whether the order of arrivals at a barrier matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// No more threads use the barrier than it is wide: each round has the same members in any order.
    Commute,
    /// The order decides which threads go on together.
    Ordered,
}

impl Layout {
    /// Lays out a program with the given threads; `users` counts the threads that use each barrier.
    pub fn new(program: &Program, thread_names: Vec<String>, users: &[usize]) -> Layout {
        let mut layout = Layout {
            arrays: Vec::new(),
            value_cells: 0,
            mutexes: 0,
            condvars: 0,
            barriers: 0,
            waiting: 0,
            life: 0,
            spawned: 0,
            initial: Vec::new(),
            barrier_kinds: Vec::new(),
            thread_names,
        };
        for object in &program.objects {
            layout.add(&object.name, &object.initial, object.is_array, Content::Values(object.ty));
        }
        layout.value_cells = layout.initial.len() as u32;
        layout.mutexes = layout.arrays.len() as u32;
        for mutex in &program.mutexes {
            layout.add(&mutex.name, &vec![0; mutex.length as usize], mutex.is_array, Content::Mutexes);
        }
        layout.condvars = layout.arrays.len() as u32;
        for condvar in &program.condvars {
            layout.add(&condvar.name, &vec![0; condvar.length as usize], condvar.is_array, Content::Condvars);
        }
        layout.barriers = layout.arrays.len() as u32;
        for (barrier, &users) in program.barriers.iter().zip(users) {
            layout.add(&barrier.name, &[0, 0], false, Content::Barrier);
            let arrivals =
                if users <= barrier.width as usize { Arrivals::Commute } else { Arrivals::Ordered };
            layout.barrier_kinds.push(BarrierKind { width: barrier.width, arrivals });
        }
        let none = vec![0; layout.thread_names.len()];
        layout.waiting = layout.add("wake-up of", &none, false, Content::Threads);
        layout.life = layout.add("life of", &none, false, Content::Threads);
        layout.spawned = layout.add("start of", &none, false, Content::Threads);
        layout
    }

    fn add(&mut self, name: &str, initial: &[i64], is_array: bool, content: Content) -> u32 {
        let (start, length) = (self.initial.len() as u32, initial.len() as u32);
        self.arrays.push(CellArray { name: name.to_owned(), start, length, is_array, content });
        self.initial.extend_from_slice(initial);
        start
    }

    /// The range that holds a cell.
    pub fn array_of(&self, location: LocationId) -> &CellArray {
        let after = self.arrays.partition_point(|array| array.start <= location.0);
        // Empty ranges share their start with the next one, which then is the one that is found.
        &self.arrays[after - 1]
    }

    /// The name of a cell: `x`, `table[3]`, `wake-up of reader[0]`.
    pub fn name(&self, location: LocationId) -> String {
        let array = self.array_of(location);
        let index = location.0 - array.start;
        match array.content {
            Content::Threads => format!("{} {}", array.name, self.thread_names[index as usize]),
            _ if array.is_array => format!("{}[{index}]", array.name),
            _ => array.name.clone(),
        }
    }

    /// The name of an element of a range that may be out of range.
    pub fn element_name(&self, array: u32, index: i64) -> String {
        format!("{}[{index}]", self.arrays[array as usize].name)
    }
}
