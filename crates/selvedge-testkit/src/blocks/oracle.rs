//! What programs on blocks can print, by trying everything.

use super::layout::Layout;
use super::{Landmark, Operation, Program, Question, REGISTERS, SHARED};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// An address: 0, or a number that says nothing but which one it is.
pub type Address = u32;

/// Where the addresses of functions begin, and after them the handles of threads; blocks have lesser ones.
const LANDMARKS: Address = 1_000_000;

/// What programs can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    /// What they print.
    pub outputs: BTreeSet<String>,
    /// Whether some execution goes on by the number of an address.
    pub depends_on_number: bool,
    /// Whether some execution goes on by a number computed from an address that happens to be the same in every layout.
    pub may_seem_to: bool,
}

/// A block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Block {
    size: u64,
    /// The bytes of the first block that had its address.
    first: u64,
    live: bool,
    content: u64,
}

/// A state of a program.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    registers: Vec<[Address; REGISTERS]>,
    seen: Vec<u64>,
    shared: [Address; SHARED],
    made: Vec<u32>,
    blocks: BTreeMap<Address, Block>,
    layout: Layout,
}

/// What a program can do, by trying everything.
pub fn outcomes(program: &Program) -> Outcomes {
    let threads = program.threads.len();
    let start = State {
        at: vec![0; threads],
        registers: vec![[0; REGISTERS]; threads],
        seen: vec![1; threads],
        shared: [0; SHARED],
        made: vec![0; threads],
        blocks: BTreeMap::new(),
        layout: Layout::default(),
    };
    let mut outcomes = Outcomes::default();
    let (mut known, mut todo) = (HashSet::from([start.clone()]), vec![start]);
    while let Some(state) = todo.pop() {
        let mut has_ended = true;
        for thread in 0..threads {
            let Some(&operation) = program.threads[thread].get(state.at[thread]) else { continue };
            has_ended = false;
            state.note_question(thread, operation, &mut outcomes);
            for next in state.after(thread, operation) {
                if known.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        if has_ended {
            let seen: Vec<String> = state.seen.iter().map(u64::to_string).collect();
            outcomes.outputs.insert(seen.join(" ") + "\n");
        }
    }
    outcomes
}

/// How many units of 16 bytes a block takes.
fn units(size: u64) -> u64 {
    size.div_ceil(16).max(1)
}

impl State {
    /// The states after an operation of a thread.
    fn after(&self, thread: usize, operation: Operation) -> Vec<State> {
        let mut next = self.clone();
        next.at[thread] += 1;
        let registers = self.registers[thread];
        match operation {
            Operation::Allocate(to, size) => return next.allocated(thread, to, size, None),
            Operation::Free(of) => next.end(registers[of]),
            Operation::Resize(of, old, size) => {
                next.registers[thread][old] = registers[of];
                return next.allocated(thread, of, size, Some(registers[of]));
            }
            Operation::Write(of, value) => {
                next.blocks.entry(registers[of]).and_modify(|block| block.content = value);
            }
            Operation::Read(of) => next.see(thread, 5, self.blocks[&registers[of]].content),
            Operation::Publish(from, to) => next.shared[to] = registers[from],
            Operation::Take(to, from) => next.registers[thread][to] = self.shared[from],
            Operation::Compare(a, b) => next.see(thread, 2, u64::from(registers[a] == registers[b])),
            Operation::Exchange(at, expected, new) => {
                let is_it = self.shared[at] == registers[expected];
                if is_it {
                    next.shared[at] = registers[new];
                }
                next.see(thread, 2, u64::from(is_it));
            }
            Operation::Order(a, b, _) => {
                return next.with_layouts(thread, self.layout.orders(registers[a], registers[b]));
            }
            Operation::Encode(..) => {}
            Operation::Name(to, landmark) => {
                next.registers[thread][to] = match landmark {
                    Landmark::Function(function) => LANDMARKS + function as Address,
                    Landmark::Thread => LANDMARKS + 1000 + thread as Address,
                }
            }
            Operation::Number(a, b, question) => {
                return next.with_layouts(thread, self.answers(registers[a], registers[b], question));
            }
        }
        vec![next]
    }

    /// The layouts with the answers to a question about an address, and maybe another one.
    fn answers(&self, a: Address, b: Address, question: Question) -> Vec<(Layout, bool)> {
        match question {
            Question::Aligned if a < LANDMARKS => vec![(self.layout.clone(), true)],
            Question::Less => self.layout.orders(a, b),
            _ if a == 0 => vec![(self.layout.clone(), false)],
            _ => self.layout.answers(a, question),
        }
    }

    fn with_layouts(&self, thread: usize, layouts: Vec<(Layout, bool)>) -> Vec<State> {
        let with = |(layout, answer): (Layout, bool)| {
            let mut next = State { layout, ..self.clone() };
            next.see(thread, 2, u64::from(answer));
            next
        };
        layouts.into_iter().map(with).collect()
    }

    /// Notes whether an operation of a thread depends on the number of an address.
    fn note_question(&self, thread: usize, operation: Operation, outcomes: &mut Outcomes) {
        let Operation::Number(a, b, question) = operation else { return };
        let (a, b) = (self.registers[thread][a], self.registers[thread][b]);
        match question {
            Question::Aligned => outcomes.depends_on_number |= a >= LANDMARKS,
            Question::Less => {
                outcomes.depends_on_number |= a != 0 && b != 0 && a != b;
                outcomes.may_seem_to |= a != b;
            }
            Question::Bits | Question::Large => outcomes.depends_on_number |= a != 0,
        }
    }

    fn see(&mut self, thread: usize, factor: u64, what: u64) {
        self.seen[thread] = self.seen[thread] * factor + what;
    }

    fn end(&mut self, address: Address) {
        self.blocks.entry(address).and_modify(|block| block.live = false);
    }

    /// The states after an allocation that may be the resizing of a block.
    fn allocated(&self, thread: usize, to: usize, size: u64, old: Option<Address>) -> Vec<State> {
        let is_free = |block: &Block| !block.live && units(size) <= units(block.size);
        let mut addresses: Vec<Address> =
            self.blocks.iter().filter(|(_, block)| is_free(block)).map(|(address, _)| *address).collect();
        addresses.push(1000 * (thread as u32 + 1) + self.made[thread]);
        let content = old.map_or(0, |old| self.blocks[&old].content);
        // A block may grow in its place up to twice its first size, or 64 bytes.
        addresses.extend(old.filter(|old| size <= 64.max(2 * self.blocks[old].first)));
        let with = |address: Address| {
            let mut next = self.clone();
            if let Some(old) = old {
                next.end(old);
            }
            next.made[thread] += u32::from(!self.blocks.contains_key(&address));
            let first = self.blocks.get(&address).map_or(size, |block| block.first);
            next.blocks.insert(address, Block { size, first, live: true, content });
            next.registers[thread][to] = address;
            next
        };
        addresses.into_iter().map(with).collect()
    }
}
