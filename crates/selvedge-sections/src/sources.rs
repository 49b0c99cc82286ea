//! Which instruction of the LLVM IR a step of a translated program is.
//!
//! The compact code keeps, for each operation, the span that it came from and nothing else of the source. So a copy of the program is
//! compiled whose spans are numbers of instructions; the code is the same, because spans have no influence on it.

use selvedge_llvm::Module;
use selvedge_schedule::Instruction;
use selvedge_translate::{OccurrenceId, Translated};

/// The instructions of a program, by their places in the compact code.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    occurrences: Vec<Option<OccurrenceId>>,
    instructions: Vec<Instruction>,
    /// For each thread, the thread that creates it, and as which of its own.
    pub creators: Vec<Option<(usize, u32)>>,
}

impl Sources {
    /// Those of a translated program.
    pub fn new(translated: &Translated, module: &Module) -> Sources {
        let Translated { program, names } = translated;
        let code = selvedge_interp::compile(&names.marked(program));
        let instruction = |occurrence: &selvedge_translate::Occurrence| {
            let name = module.site_name(occurrence.site);
            Instruction { function: name.function, ordinal: name.ordinal, kind: name.kind, place: name.place }
        };
        Sources {
            occurrences: code.spans.iter().map(|&span| names.of_span(span)).collect(),
            instructions: names.occurrences().iter().map(instruction).collect(),
            creators: names.creations.iter().map(|c| c.map(|c| (c.creator, c.which))).collect(),
        }
    }

    /// The instruction, with the calls that led to it, of a place in the compact code.
    pub fn occurrence(&self, pc: u32) -> Option<OccurrenceId> {
        *self.occurrences.get(pc as usize)?
    }

    /// The instruction of a place in the compact code.
    pub fn instruction(&self, pc: u32) -> Option<&Instruction> {
        self.occurrence(pc).map(|occurrence| &self.instructions[occurrence.0 as usize])
    }
}
