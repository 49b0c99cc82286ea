//! Blocks: the fewest places at which threads must be left, when nothing waits.
//!
//! A linear extension cuts the events of each thread into blocks that it runs through without a switch. If no thread
//! ever waits, every cut is a preemption, whenever the thread goes on, and the least cost of a trace is the least number
//! of cuts after which the blocks can be put in an order: after which the graph of blocks, with an edge where an event of one
//! happens before an event of the other, has no cycle. A cycle must be cut where it goes backwards: at a block which it
//! enters at a later event than the one by which it leaves. So the search looks for a cycle, tries the places at which it can
//! be cut, and goes on; it is never deeper than the bound. (The slides [Sachinoglou2018, algorithm 11] look for Hamiltonian paths in such a
//! graph.)

use selvedge_trace::{EventId, HappensBefore};

/// Finds cuts; keeps its memory from one use to the next.
#[derive(Debug, Default)]
pub struct Blocks {
    /// For each event: the latest events of other threads that happen before it.
    before: Vec<Vec<u32>>,
    /// For each event: its place among those of its thread, and whether the thread is cut before it.
    events: Vec<Place>,
    by_thread: Vec<Vec<u32>>,
    block_of: Vec<u32>,
    /// For each block: its first event and how many there are.
    blocks: Vec<(u32, u32)>,
    state: Vec<Visit>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    thread: u32,
    index: u32,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Done,
}

/// A place at which a cycle can be cut: before an event from `first` to `last` of a thread.
#[derive(Clone, Copy, Debug)]
struct Backward {
    thread: u32,
    first: u32,
    last: u32,
}

/// An edge of the graph by which a search came to a block, or left it.
#[derive(Clone, Copy, Debug)]
struct Step {
    block: u32,
    /// The event by which the block is left, backwards in time: the search follows what happens before.
    from: u32,
    /// The event of the next block.
    to: u32,
}

impl Blocks {
    /// Whether so many cuts suffice.
    pub fn suffice(&mut self, order: &HappensBefore, cuts: u32) -> bool {
        self.start(order);
        self.cut(cuts)
    }

    fn start(&mut self, order: &HappensBefore) {
        self.by_thread.resize(order.thread_count(), Vec::new());
        self.by_thread.iter_mut().for_each(Vec::clear);
        self.events.clear();
        self.before.resize(order.len().max(self.before.len()), Vec::new());
        for e in order.events() {
            let event = order.event(e);
            let thread = event.thread().index();
            let before = &mut self.before[e.index()];
            before.clear();
            for (other, &count) in order.clock(e).iter().enumerate() {
                if other != thread && count > 0 {
                    before.push(self.by_thread[other][count as usize - 1]);
                }
            }
            self.events.push(Place { thread: thread as u32, index: event.index - 1, is_cut: false });
            self.by_thread[thread].push(e.0);
        }
    }

    fn cut(&mut self, cuts: u32) -> bool {
        self.find_blocks();
        let Some(backwards) = self.cycle() else { return true };
        if cuts == 0 {
            return false;
        }
        backwards.into_iter().any(|Backward { thread, first, last }| {
            (first..=last).any(|index| {
                let e = self.by_thread[thread as usize][index as usize] as usize;
                self.events[e].is_cut = true;
                let suffices = self.cut(cuts - 1);
                if !suffices {
                    self.events[e].is_cut = false;
                }
                suffices
            })
        })
    }

    fn find_blocks(&mut self) {
        self.block_of.clear();
        self.block_of.resize(self.events.len(), 0);
        self.blocks.clear();
        for events in &self.by_thread {
            for (i, &e) in events.iter().enumerate() {
                if i == 0 || self.events[e as usize].is_cut {
                    self.blocks.push((e, 0));
                }
                if let Some(last) = self.blocks.last_mut() {
                    last.1 += 1;
                }
                self.block_of[e as usize] = self.blocks.len() as u32 - 1;
            }
        }
    }

    /// A cycle of blocks, by the places at which it goes backwards; nothing if there is none.
    fn cycle(&mut self) -> Option<Vec<Backward>> {
        self.state.clear();
        self.state.resize(self.blocks.len(), Visit::New);
        let mut steps: Vec<Step> = Vec::new();
        for block in 0..self.blocks.len() as u32 {
            if self.state[block as usize] == Visit::New
                && let Some(start) = self.visit(block, &mut steps)
            {
                let cycle: Vec<Step> = steps.iter().copied().skip_while(|step| step.block != start).collect();
                return Some(self.backwards(&cycle));
            }
        }
        None
    }

    /// Follows what happens before the events of a block. Returns the block at which a cycle closes.
    fn visit(&mut self, block: u32, steps: &mut Vec<Step>) -> Option<u32> {
        self.state[block as usize] = Visit::Open;
        let (first, count) = self.blocks[block as usize];
        let Place { thread, index, .. } = self.events[first as usize];
        for i in (index..index + count).rev() {
            let from = self.by_thread[thread as usize][i as usize];
            let earlier_block =
                (i == index && index > 0).then(|| self.by_thread[thread as usize][i as usize - 1]);
            for n in 0..self.before[from as usize].len() + 1 {
                let to = match self.before[from as usize].get(n) {
                    Some(&to) => to,
                    None => match earlier_block {
                        Some(to) => to,
                        None => continue,
                    },
                };
                let next = self.block_of[to as usize];
                match self.state[next as usize] {
                    Visit::Done => {}
                    Visit::Open => {
                        steps.push(Step { block, from, to });
                        return Some(next);
                    }
                    Visit::New => {
                        steps.push(Step { block, from, to });
                        if let Some(start) = self.visit(next, steps) {
                            return Some(start);
                        }
                        steps.pop();
                    }
                }
            }
        }
        self.state[block as usize] = Visit::Done;
        None
    }

    /// Where a cycle goes backwards: it comes to a block at one event (going back in time) and leaves it by a later one.
    fn backwards(&self, cycle: &[Step]) -> Vec<Backward> {
        let mut places = Vec::new();
        for (n, step) in cycle.iter().enumerate() {
            let came = cycle[(n + cycle.len() - 1) % cycle.len()].to;
            let (came, left) = (self.events[came as usize], self.events[step.from as usize]);
            if left.index > came.index {
                places.push(Backward { thread: left.thread, first: came.index + 1, last: left.index });
            }
        }
        places.sort_by_key(|place| place.last - place.first);
        places
    }

    /// After [`suffice`](Self::suffice): the number of cuts made.
    pub fn cuts(&self) -> u32 {
        self.events.iter().filter(|event| event.is_cut).count() as u32
    }

    /// After [`suffice`](Self::suffice): the events, block by block.
    pub fn sequence(&self) -> Vec<EventId> {
        let mut waits = vec![0; self.blocks.len()];
        let mut after: Vec<Vec<u32>> = vec![Vec::new(); self.blocks.len()];
        for (e, place) in self.events.iter().enumerate() {
            let own =
                (place.index > 0).then(|| self.by_thread[place.thread as usize][place.index as usize - 1]);
            let block = self.block_of[e];
            for &earlier in self.before[e].iter().chain(&own) {
                let earlier = self.block_of[earlier as usize];
                if earlier != block {
                    after[earlier as usize].push(block);
                    waits[block as usize] += 1;
                }
            }
        }
        let mut ready: Vec<u32> = (0..waits.len() as u32).rev().filter(|&b| waits[b as usize] == 0).collect();
        let mut sequence = Vec::new();
        while let Some(block) = ready.pop() {
            let (first, count) = self.blocks[block as usize];
            let Place { thread, index, .. } = self.events[first as usize];
            let events = &self.by_thread[thread as usize][index as usize..][..count as usize];
            sequence.extend(events.iter().map(|&e| EventId(e)));
            for &next in &after[block as usize] {
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    ready.push(next);
                }
            }
        }
        sequence
    }
}
