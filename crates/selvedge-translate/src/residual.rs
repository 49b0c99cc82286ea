//! The function that a thread becomes, while it is made.

use crate::facts::{ContextId, NOWHERE, Place};
use crate::names::OccurrenceId;
use selvedge_ir::{
    ArrayId, Block, BlockId, Expr, Function, Instr, InstrKind, LocalArray, Register, RegisterId, Span,
    Terminator, TerminatorKind, Type,
};
use selvedge_llvm::instruction::LocalId;
use std::collections::{BTreeSet, HashMap};

/// What a register is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The value of a place; of an address, the computed part.
    Value(Place),
    /// Something on the way to the result of an instruction.
    Step(ContextId, LocalId, u32),
    /// Holds a value while others are set.
    Spare(u32),
}

/// A function that is being made.
#[derive(Debug)]
pub struct Residual {
    function: Function,
    /// What the instructions of the blocks come from.
    marks: Vec<Vec<Option<OccurrenceId>>>,
    terminators: Vec<Option<OccurrenceId>>,
    ends: Vec<bool>,
    registers: HashMap<(Purpose, Type), RegisterId>,
    names: BTreeSet<String>,
    /// The block that instructions are added to.
    pub at: BlockId,
    /// What is being translated.
    pub here: Option<OccurrenceId>,
}

impl Residual {
    /// A function with an empty first block.
    pub fn new(name: String) -> Residual {
        let function = Function {
            name,
            parameters: 0,
            returns: None,
            registers: Vec::new(),
            arrays: Vec::new(),
            blocks: Vec::new(),
            span: NOWHERE,
        };
        let mut residual = Residual {
            function,
            marks: Vec::new(),
            terminators: Vec::new(),
            ends: Vec::new(),
            registers: HashMap::new(),
            names: BTreeSet::new(),
            at: BlockId(0),
            here: None,
        };
        residual.block();
        residual
    }

    /// A new block, to which something must lead.
    pub fn block(&mut self) -> BlockId {
        let terminator = Terminator { kind: TerminatorKind::Return(None), span: NOWHERE };
        self.function.blocks.push(Block { instrs: Vec::new(), terminator });
        self.marks.push(Vec::new());
        self.terminators.push(None);
        self.ends.push(false);
        BlockId::at(self.function.blocks.len() - 1)
    }

    /// Adds an instruction.
    pub fn emit(&mut self, kind: InstrKind, span: Span) {
        self.emit_in(self.at, kind, span);
    }

    /// Adds an instruction to the end of a block.
    pub fn emit_in(&mut self, block: BlockId, kind: InstrKind, span: Span) {
        self.function.blocks[block.index()].instrs.push(Instr { kind, span });
        self.marks[block.index()].push(self.here);
    }

    /// Ends the block at hand.
    pub fn end(&mut self, kind: TerminatorKind, span: Span) {
        self.function.blocks[self.at.index()].terminator = Terminator { kind, span };
        self.terminators[self.at.index()] = self.here;
        self.ends[self.at.index()] = true;
    }

    /// Goes on in a new block.
    pub fn go_on(&mut self, span: Span) -> BlockId {
        let next = self.block();
        self.end(TerminatorKind::Goto(next), span);
        self.at = next;
        next
    }

    /// The register for a purpose.
    pub fn register(&mut self, purpose: Purpose, ty: Type, name: &dyn Fn() -> String) -> RegisterId {
        if let Some(&known) = self.registers.get(&(purpose, ty)) {
            return known;
        }
        let name = self.unused(name());
        let id = RegisterId::at(self.function.registers.len());
        self.function.registers.push(Register { name, ty });
        self.registers.insert((purpose, ty), id);
        id
    }

    /// The type of a register.
    pub fn type_of(&self, register: RegisterId) -> Type {
        self.function.registers[register.index()].ty
    }

    fn unused(&mut self, name: String) -> String {
        let mut candidate = name.clone();
        let mut number = 2;
        while !self.names.insert(candidate.clone()) {
            candidate = format!("{name}.{number}");
            number += 1;
        }
        candidate
    }

    /// A new array.
    pub fn array(&mut self, name: String, initial: Vec<i64>) -> ArrayId {
        let name = self.unused(name);
        self.function.arrays.push(LocalArray { name, ty: Type::Int, initial });
        ArrayId::at(self.function.arrays.len() - 1)
    }

    /// The instructions of a block and where it leads.
    pub fn look(&self, block: BlockId) -> (&[Instr], Vec<BlockId>) {
        let block = &self.function.blocks[block.index()];
        let next = match &block.terminator.kind {
            TerminatorKind::Goto(to) => vec![*to],
            TerminatorKind::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            TerminatorKind::Return(_) => Vec::new(),
        };
        (&block.instrs, next)
    }

    /// The finished function, and what its instructions and terminators come from.
    pub fn finish(self) -> (Function, Vec<Vec<Option<OccurrenceId>>>) {
        debug_assert!(self.ends.iter().all(|ends| *ends), "every block has an end");
        let marks = self.marks.into_iter().zip(self.terminators);
        let marks = marks.map(|(mut marks, last)| {
            marks.push(last);
            marks
        });
        (self.function, marks.collect())
    }
}

/// The number of operators and operands of an expression.
pub fn size(expr: &Expr) -> usize {
    let mut size = 0;
    expr.walk(&mut |_| size += 1);
    size
}

/// Whether an expression reads a register.
pub fn mentions(expr: &Expr, register: RegisterId) -> bool {
    let mut found = false;
    expr.walk(&mut |part| found |= *part == Expr::Register(register));
    found
}
