//! Which instruction of the LLVM IR each step of the new program comes from, and by which calls the thread came to it.
//!
//! Calls are followed in line and loops may be unrolled, so that one instruction of the module can be many of the program; an
//! [`Occurrence`] tells these apart as far as calls do. The names are beside the program, which knows nothing of LLVM:
//! [`Names::marked`] gives a copy of the program whose spans are numbers of occurrences, for those who keep spans and nothing else.

use selvedge_ir::{BlockId, FunctionId, Program, Span};
use selvedge_llvm::Site;
use std::collections::{BTreeSet, HashMap};

/// An instruction of the module, as a thread comes to it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Occurrence {
    /// The instruction.
    pub site: Site,
    /// The calls that led there, the outermost first.
    pub calls: Vec<Site>,
    /// The rounds of the loops around it that were unrolled.
    pub rounds: Vec<u32>,
}

/// An occurrence, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OccurrenceId(pub u32);

/// Who created a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Creation {
    /// The thread that did.
    pub creator: usize,
    /// As which of its own, counted from 1.
    pub which: u32,
}

/// Where the instructions of a program come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    occurrences: Vec<Occurrence>,
    numbers: HashMap<Occurrence, OccurrenceId>,
    /// For each function and block, the instructions and, last, the terminator.
    functions: Vec<Vec<Vec<Option<OccurrenceId>>>>,
    /// For each thread what it may execute once other threads may run, whether or not that became an instruction of the program.
    pub executed: Vec<BTreeSet<OccurrenceId>>,
    /// For each thread who created it; nothing for the first.
    pub creations: Vec<Option<Creation>>,
}

impl Names {
    /// The number of an occurrence.
    pub(crate) fn number(&mut self, occurrence: Occurrence) -> OccurrenceId {
        if let Some(&known) = self.numbers.get(&occurrence) {
            return known;
        }
        let id = OccurrenceId(self.occurrences.len() as u32);
        self.occurrences.push(occurrence.clone());
        self.numbers.insert(occurrence, id);
        id
    }

    /// Notes that a thread may execute something.
    pub(crate) fn execute(&mut self, thread: u32, occurrence: OccurrenceId) {
        let thread = thread as usize;
        if self.executed.len() <= thread {
            self.executed.resize_with(thread + 1, BTreeSet::new);
        }
        self.executed[thread].insert(occurrence);
    }

    /// Adds a function: for each block, what its instructions and its terminator come from.
    pub(crate) fn add_function(&mut self, blocks: Vec<Vec<Option<OccurrenceId>>>) {
        self.functions.push(blocks);
    }

    /// An occurrence.
    pub fn occurrence(&self, id: OccurrenceId) -> &Occurrence {
        &self.occurrences[id.0 as usize]
    }

    /// All occurrences, by their numbers.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// What an instruction of the program comes from; the terminator of a block comes after its instructions.
    pub fn of(&self, function: FunctionId, block: BlockId, index: usize) -> Option<OccurrenceId> {
        *self.functions.get(function.index())?.get(block.index())?.get(index)?
    }

    /// The occurrence that a span of the [marked](Self::marked) program stands for.
    pub fn of_span(&self, span: Span) -> Option<OccurrenceId> {
        let number = span.start.checked_sub(1)?;
        ((number as usize) < self.occurrences.len()).then_some(OccurrenceId(number))
    }

    /// The same program with a span for each occurrence in place of those of the source text.
    #[must_use]
    pub fn marked(&self, program: &Program) -> Program {
        let mut program = program.clone();
        for (number, function) in program.functions.iter_mut().enumerate() {
            for (block, code) in function.blocks.iter_mut().enumerate() {
                let (function, at) = (FunctionId::at(number), BlockId::at(block));
                let span = |index| {
                    let number = self.of(function, at, index).map_or(0, |id| id.0 + 1);
                    Span::new(number, number)
                };
                let last = code.instrs.len();
                code.instrs.iter_mut().enumerate().for_each(|(index, instr)| instr.span = span(index));
                code.terminator.span = span(last);
            }
        }
        program
    }
}
