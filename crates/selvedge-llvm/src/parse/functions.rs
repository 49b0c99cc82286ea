//! Functions: heads, blocks, registers.

use super::Parser;
use super::cursor::Parsed;
use crate::instruction::{BlockId, LocalId, Operation};
use crate::lexer::Token;
use crate::module::{Block, Definition, Function, Parameter, SymbolId};
use std::collections::HashMap;

/// The names of one function.
#[derive(Debug)]
pub struct Names {
    /// The function.
    pub symbol: SymbolId,
    locals: HashMap<String, LocalId>,
    blocks: HashMap<String, BlockId>,
    next_local: u32,
    order: Vec<BlockId>,
    next_block: u32,
    /// The next number for something without a name.
    unnamed: u32,
}

impl Names {
    fn of(symbol: SymbolId) -> Names {
        let (locals, blocks) = (HashMap::new(), HashMap::new());
        Names { symbol, locals, blocks, next_local: 0, order: Vec::new(), next_block: 0, unnamed: 0 }
    }

    pub fn local(&mut self, name: &str) -> LocalId {
        let next = LocalId(self.next_local);
        let local = *self.locals.entry(name.to_owned()).or_insert(next);
        if local == next {
            self.next_local += 1;
        }
        local
    }

    pub fn block(&mut self, name: &str) -> BlockId {
        let next = BlockId(self.next_block);
        let block = *self.blocks.entry(name.to_owned()).or_insert(next);
        if block == next {
            self.next_block += 1;
        }
        block
    }

    /// A name for something that was given none.
    fn fresh(&mut self) -> String {
        self.unnamed += 1;
        (self.unnamed - 1).to_string()
    }

    fn is_used(&mut self, name: &str) {
        if let Ok(number) = name.parse::<u32>() {
            self.unnamed = self.unnamed.max(number + 1);
        }
    }
}

/// The head of a function.
struct Head {
    function: Function,
    names: Names,
}

impl Parser {
    pub(super) fn function_declaration(&mut self) -> Parsed<()> {
        let Head { function, .. } = self.head()?;
        let symbol = function.symbol;
        if self.module.definition(symbol).is_none() {
            self.module.define(symbol, Definition::Function(self.module.functions.len()));
            self.module.functions.push(function);
        }
        Ok(())
    }

    pub(super) fn function_definition(&mut self) -> Parsed<()> {
        let Head { mut function, mut names } = self.head()?;
        self.cursor.expect(b'{')?;
        self.body(&mut function, &mut names)?;
        function.locals = names.next_local as usize;
        self.module.define(function.symbol, Definition::Function(self.module.functions.len()));
        self.module.functions.push(function);
        Ok(())
    }

    fn head(&mut self) -> Parsed<Head> {
        let line = self.cursor.line();
        self.cursor.next()?;
        // Metadata may be attached to a declaration before its type.
        while let Some(Token::MetadataName(_)) = self.cursor.peek() {
            self.cursor.next()?;
            self.metadata_number()?;
        }
        self.attributes()?;
        let result = self.ty()?;
        let Token::Global(name) = self.cursor.next()? else {
            return Err(self.cursor.error("expected the name of a function"));
        };
        let symbol = self.module.symbol(&name);
        let mut names = Names::of(symbol);
        let mut parameters = Vec::new();
        let mut varargs = false;
        self.cursor.expect(b'(')?;
        while !self.cursor.take(b')') {
            if self.cursor.peek() == Some(&Token::Dots) {
                self.cursor.next()?;
                varargs = true;
            } else {
                parameters.push(self.parameter(&mut names)?);
            }
            self.cursor.take(b',');
        }
        let debug = self.attachments(line)?;
        let (blocks, locals) = (Vec::new(), 0);
        let function = Function { symbol, result, parameters, varargs, blocks, locals, debug };
        Ok(Head { function, names })
    }

    fn parameter(&mut self, names: &mut Names) -> Parsed<Parameter> {
        let ty = self.ty()?;
        self.attributes()?;
        let name = match self.cursor.peek() {
            Some(Token::Local(name)) => {
                let name = name.clone();
                self.cursor.next()?;
                names.is_used(&name);
                name
            }
            _ => names.fresh(),
        };
        Ok(Parameter { ty, local: names.local(&name) })
    }

    fn body(&mut self, function: &mut Function, names: &mut Names) -> Parsed<()> {
        let mut blocks: Vec<(BlockId, Block)> = Vec::new();
        while !self.cursor.take(b'}') {
            let label = match self.cursor.peek().cloned() {
                Some(Token::Label(label)) => {
                    self.cursor.next()?;
                    names.is_used(&label);
                    Some(label)
                }
                // The entry needs no label, and neither does a block that nothing jumps to.
                _ if blocks.last().is_none_or(|(_, block)| ended(block)) => Some(names.fresh()),
                _ => None,
            };
            if let Some(label) = label {
                let id = names.block(&label);
                names.order.push(id);
                blocks.push((id, Block::default()));
                continue;
            }
            let instruction = self.instruction(names)?;
            if let Some((_, block)) = blocks.last_mut()
                && !matches!(instruction.operation, Operation::Nothing)
            {
                block.instructions.push(instruction);
            }
        }
        // The entry comes first; the others where their numbers say.
        let renumbered: HashMap<BlockId, BlockId> =
            blocks.iter().enumerate().map(|(place, (id, _))| (*id, BlockId(place as u32))).collect();
        function.blocks = blocks.into_iter().map(|(_, block)| block).collect();
        for block in &mut function.blocks {
            for instruction in &mut block.instructions {
                if !renumber(&mut instruction.operation, &renumbered) {
                    return Err(self.cursor.error("a branch to a block that does not exist"));
                }
            }
        }
        Ok(())
    }
}

fn ended(block: &Block) -> bool {
    block.instructions.last().is_some_and(|last| last.operation.ends_block())
}

/// Replaces the blocks that an operation names; whether all exist.
fn renumber(operation: &mut Operation, places: &HashMap<BlockId, BlockId>) -> bool {
    let mut all = true;
    let mut replace = |block: &mut BlockId| match places.get(block) {
        Some(place) => *block = *place,
        None => all = false,
    };
    match operation {
        Operation::Branch(to) => replace(to),
        Operation::ConditionalBranch(_, a, b) | Operation::Invoke(_, a, b) => {
            replace(a);
            replace(b);
        }
        Operation::Switch(_, default, cases) => {
            replace(default);
            cases.iter_mut().for_each(|case| replace(&mut case.1));
        }
        Operation::IndirectBranch(_, cases) => cases.iter_mut().for_each(|case| replace(&mut case.1)),
        Operation::Phi(_, incoming) => incoming.iter_mut().for_each(|from| replace(&mut from.1)),
        _ => {}
    }
    all
}
