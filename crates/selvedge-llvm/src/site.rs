//! Instructions by name: what a schedule and a compiled program call the same instruction.
//!
//! An instruction is known by its function and its position over all instructions of the function's blocks, in the order of the text, as
//! clang writes it. Both stay the same as long as the text does.

use crate::Module;
use crate::constant::Constant;
use crate::instruction::{BlockId, Operand, Operation};
use crate::module::Definition;
use std::fmt;

/// An instruction of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The function, by its place in the module.
    pub function: u32,
    /// The position in the function, counted from 0 over all instructions of its blocks.
    pub ordinal: u32,
}

/// An instruction in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteName {
    /// The function, as the IR names it, without `@`.
    pub function: String,
    /// The position in the function.
    pub ordinal: u32,
    /// What it does, in a word: `load`, `store`, `cmpxchg`, or the name of the function that it calls.
    pub kind: String,
    /// Where it is in the source: `file:line:column`; `?` if there is no debug information.
    pub place: String,
}

impl fmt::Display for SiteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {}", self.kind, self.place)
    }
}

impl Module {
    /// The instruction at an index of a block.
    pub fn site(&self, function: usize, block: BlockId, index: usize) -> Site {
        let before = &self.functions[function].blocks[..block.0 as usize];
        let before: usize = before.iter().map(|block| block.instructions.len()).sum();
        Site { function: function as u32, ordinal: (before + index) as u32 }
    }

    /// An instruction in words.
    pub fn site_name(&self, site: Site) -> SiteName {
        let function = &self.functions[site.function as usize];
        let mut instructions = function.blocks.iter().flat_map(|block| &block.instructions);
        let instruction = instructions.nth(site.ordinal as usize);
        let place = instruction.and_then(|instruction| {
            let location = instruction.location?;
            let (line, column) = self.line_column(location)?;
            let scope = self.metadata.node(location.0)?.reference("scope")?;
            let (file, _) = self.metadata.file_of(scope)?;
            let file = file.rsplit('/').next().unwrap_or(file);
            Some(format!("{file}:{line}:{column}"))
        });
        SiteName {
            function: self.name(function.symbol).to_owned(),
            ordinal: site.ordinal,
            kind: instruction.map_or_else(|| "?".to_owned(), |instruction| self.kind(&instruction.operation)),
            place: place.unwrap_or_else(|| "?".to_owned()),
        }
    }

    /// What an operation does, in a word.
    pub fn kind(&self, operation: &Operation) -> String {
        let word = match operation {
            Operation::Load { .. } => "load",
            Operation::Store { .. } => "store",
            Operation::ReadModifyWrite { .. } => "atomicrmw",
            Operation::CompareExchange { .. } => "cmpxchg",
            Operation::Fence(_) => "fence",
            Operation::Return(_) => "ret",
            Operation::Branch(_) | Operation::ConditionalBranch(..) => "br",
            Operation::Switch(..) => "switch",
            Operation::Call(call) => return self.callee(&call.callee),
            Operation::Invoke(call, ..) => return self.callee(&call.callee),
            _ => "computation",
        };
        word.to_owned()
    }

    fn callee(&self, callee: &Operand) -> String {
        match callee {
            Operand::Constant(Constant::Symbol(symbol)) => match self.definition(*symbol) {
                Some(Definition::Function(place)) => self.name(self.functions[*place].symbol).to_owned(),
                _ => self.name(*symbol).to_owned(),
            },
            _ => "call".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "define void @f() !dbg !3 {\n  fence seq_cst\n  br label %2\n\n2:\n  call void @g(), !dbg !5\n  ret void\n}\n\
                        declare void @g()\n!3 = distinct !DISubprogram(name: \"f\", file: !4, line: 1)\n\
                        !4 = !DIFile(filename: \"src/queue.c\", directory: \"/\")\n!5 = !DILocation(line: 7, column: 3, scope: !3)\n";

    #[test]
    fn instructions_are_counted_over_all_blocks() {
        let module = crate::read(TEXT).expect("reads");
        let site = module.site(0, BlockId(1), 0);
        assert_eq!(site, Site { function: 0, ordinal: 2 });
        let name = module.site_name(site);
        assert_eq!((name.function.as_str(), name.ordinal), ("f", 2));
        assert_eq!(name.to_string(), "g at queue.c:7:3");
        assert_eq!(module.site_name(Site { function: 0, ordinal: 0 }).to_string(), "fence at ?");
    }
}
