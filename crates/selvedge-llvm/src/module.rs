//! A module: everything that a text declares and defines.

use crate::constant::TypedConstant;
use crate::instruction::{DebugLocation, Instruction, LocalId};
use crate::metadata::Metadata;
use crate::types::{TypeId, Types};
use std::collections::HashMap;

/// A name of a global variable, function or alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub u32);

/// What a name stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// A global variable, by its place in the module.
    Global(usize),
    /// A function, by its place in the module.
    Function(usize),
    /// Another name for an address.
    Alias(TypedConstant),
}

/// A module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The types.
    pub types: Types,
    /// The global variables.
    pub globals: Vec<Global>,
    /// The functions, those without body included.
    pub functions: Vec<Function>,
    /// The debug information.
    pub metadata: Metadata,
    names: Vec<String>,
    symbols: HashMap<String, SymbolId>,
    definitions: Vec<Option<Definition>>,
}

/// A global variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Its name.
    pub symbol: SymbolId,
    /// Its type.
    pub ty: TypeId,
    /// Its initial value; nothing if it is defined elsewhere.
    pub initial: Option<TypedConstant>,
    /// Whether it never changes.
    pub is_constant: bool,
    /// Whether every thread has its own.
    pub is_thread_local: bool,
    /// The metadata node that describes it.
    pub debug: Option<u32>,
    /// What its address is a multiple of, if it says so.
    pub alignment: Option<u32>,
}

/// A parameter of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its type.
    pub ty: TypeId,
    /// Its register.
    pub local: LocalId,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub symbol: SymbolId,
    /// What it returns.
    pub result: TypeId,
    /// What it takes.
    pub parameters: Vec<Parameter>,
    /// Whether it takes more than that.
    pub varargs: bool,
    /// The blocks, the entry first; none if it is defined elsewhere.
    pub blocks: Vec<Block>,
    /// The number of registers.
    pub locals: usize,
    /// The metadata node that describes it.
    pub debug: Option<u32>,
}

/// A basic block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The instructions, the last of which leaves the block.
    pub instructions: Vec<Instruction>,
}

impl Module {
    /// The number of a name.
    pub fn symbol(&mut self, name: &str) -> SymbolId {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = SymbolId(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.definitions.push(None);
        self.symbols.insert(name.to_owned(), symbol);
        symbol
    }

    /// The number of a name that occurs.
    pub fn find(&self, name: &str) -> Option<SymbolId> {
        self.symbols.get(name).copied()
    }

    /// The name.
    pub fn name(&self, symbol: SymbolId) -> &str {
        &self.names[symbol.0 as usize]
    }

    /// The number of names.
    pub fn symbol_count(&self) -> usize {
        self.names.len()
    }

    /// What a name stands for.
    pub fn definition(&self, symbol: SymbolId) -> Option<&Definition> {
        self.definitions[symbol.0 as usize].as_ref()
    }

    /// Says what a name stands for.
    pub fn define(&mut self, symbol: SymbolId, definition: Definition) {
        self.definitions[symbol.0 as usize] = Some(definition);
    }

    /// A function by its name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        match self.definition(self.find(name)?)? {
            Definition::Function(place) => self.functions.get(*place),
            _ => None,
        }
    }

    /// The line and column that a location stands for.
    pub fn line_column(&self, location: DebugLocation) -> Option<(u32, u32)> {
        let node = self.metadata.node(location.0)?;
        Some((node.number("line").unwrap_or(0) as u32, node.number("column").unwrap_or(0) as u32))
    }
}
