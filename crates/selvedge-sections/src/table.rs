//! A program schedule as a compiled program follows it.

/// An instruction, or a part of one that takes several steps, by its number among those of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteId(pub u32);

/// Events that follow each other, whatever happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    /// The events, in the order of the path.
    pub events: Vec<Event>,
    /// What comes after them.
    pub next: Next,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread.
    pub thread: usize,
    /// The instruction.
    pub site: SiteId,
    /// What must have happened before.
    pub waits: Vec<Wait>,
}

/// A number of events of another thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wait {
    /// The other thread.
    pub thread: usize,
    /// How many, counted from the beginning of the chunk on; not positive for events of earlier chunks.
    pub events: i64,
}

/// Where a thread arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Arrival {
    /// At an instruction, before it is executed.
    At(SiteId),
    /// At its end.
    End,
}

/// What comes after a chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Next {
    /// Nothing: no thread has another event.
    #[default]
    Nothing,
    /// A chunk.
    Go(usize),
    /// The chunk that the next arrival of a thread says.
    Decide {
        /// The thread.
        thread: usize,
        /// Where it arrives, and what comes then.
        ways: Vec<(Arrival, usize)>,
    },
}

/// A program schedule as a compiled program follows it. It begins with the first chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// How many threads there are.
    pub threads: usize,
    /// The chunks.
    pub chunks: Vec<Chunk>,
    /// The instructions before which threads stand for ever that have no more events, ascending.
    pub standing: Vec<SiteId>,
}

impl Table {
    /// For each chunk and thread, whether an event of the thread can still come from the chunk's beginning on.
    pub fn reachable(&self) -> Vec<Vec<bool>> {
        let own = |chunk: &Chunk| {
            let mut has = vec![false; self.threads];
            chunk.events.iter().for_each(|event| has[event.thread] = true);
            // Who decides must arrive.
            if let Next::Decide { thread, .. } = chunk.next {
                has[thread] = true;
            }
            has
        };
        let mut reachable: Vec<Vec<bool>> = self.chunks.iter().map(own).collect();
        loop {
            let before = reachable.clone();
            for (number, chunk) in self.chunks.iter().enumerate() {
                for next in chunk.next.targets() {
                    for thread in 0..self.threads {
                        reachable[number][thread] |= before[next][thread];
                    }
                }
            }
            if reachable == before {
                return reachable;
            }
        }
    }
}

impl Next {
    /// The chunks that may come.
    pub fn targets(&self) -> Vec<usize> {
        match self {
            Next::Nothing => Vec::new(),
            Next::Go(next) => vec![*next],
            Next::Decide { ways, .. } => ways.iter().map(|way| way.1).collect(),
        }
    }
}
