//! Which instruction of the LLVM IR a step of a translated program is.
//!
//! The compact code keeps, for each operation, the span that it came from and nothing else of the source. So a copy of the program is
//! compiled whose spans are numbers of instructions; the code is the same, because spans have no influence on it.

use crate::steps::Named;
use selvedge_llvm::{Module, Site};
use selvedge_schedule::Instruction;
use selvedge_trace::ThreadId;
use selvedge_translate::{OccurrenceId, Translated};
use std::collections::{BTreeMap, BTreeSet};

/// The instructions of a program, by their places in the compact code.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// For each place what it comes from.
    occurrences: Vec<Option<OccurrenceId>>,
    /// For each occurrence its instruction, among those that occur.
    of_occurrence: Vec<u32>,
    sites: Vec<Site>,
    instructions: Vec<Instruction>,
    /// For each thread what it may execute, by numbers of occurrences.
    executed: Vec<BTreeSet<u32>>,
    /// For each thread, the thread that creates it, and as which of its own.
    pub creators: Vec<Option<(usize, u32)>>,
}

impl Sources {
    /// Those of a translated program.
    pub fn new(translated: &Translated, module: &Module) -> Sources {
        let Translated { program, names, .. } = translated;
        let code = selvedge_interp::compile(&names.marked(program));
        let mut numbers: BTreeMap<Site, u32> = BTreeMap::new();
        let (mut sites, mut of_occurrence) = (Vec::new(), Vec::new());
        for occurrence in names.occurrences() {
            let number = *numbers.entry(occurrence.site).or_insert_with(|| {
                sites.push(occurrence.site);
                sites.len() as u32 - 1
            });
            of_occurrence.push(number);
        }
        let instruction = |&site: &Site| {
            let name = module.site_name(site);
            Instruction { function: name.function, ordinal: name.ordinal, kind: name.kind, place: name.place }
        };
        Sources {
            occurrences: code.spans.iter().map(|&span| names.of_span(span)).collect(),
            of_occurrence,
            instructions: sites.iter().map(instruction).collect(),
            sites,
            executed: names.executed.iter().map(|all| all.iter().map(|id| id.0).collect()).collect(),
            creators: names.creations.iter().map(|c| c.map(|c| (c.creator, c.which))).collect(),
        }
    }

    /// What a place in the compact code comes from, in numbers.
    pub fn named(&self, pc: u32) -> Option<Named> {
        let occurrence = (*self.occurrences.get(pc as usize)?)?.0;
        Some(Named { instruction: self.of_occurrence[occurrence as usize], occurrence })
    }

    /// The occurrences of an instruction that a thread may execute once other threads may run.
    pub fn executed(&self, thread: ThreadId, instruction: u32) -> BTreeSet<u32> {
        let all = self.executed.get(thread.index()).into_iter().flatten();
        all.copied().filter(|&occurrence| self.of_occurrence[occurrence as usize] == instruction).collect()
    }

    /// The instruction with a number.
    pub fn site(&self, instruction: u32) -> Option<Site> {
        self.sites.get(instruction as usize).copied()
    }

    /// The instruction of a place in the compact code.
    pub fn instruction(&self, pc: u32) -> Option<&Instruction> {
        self.named(pc).map(|named| &self.instructions[named.instruction as usize])
    }
}
