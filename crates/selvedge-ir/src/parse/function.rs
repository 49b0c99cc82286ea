//! The reader of functions: the line with the name, registers, arrays, blocks, and the closing brace.

use super::Fault;
use super::cursor::Cursor;
use super::declarations::Budget;
use super::instr;
use super::lexer::Token;
use super::names::{Names, Table};
use crate::{ArrayId, Block, BlockId, Function, LocalArray, Register, RegisterId};

/// What the names in the code of a function refer to.
pub(super) struct Scope<'s, 't> {
    pub(super) program: &'s Names<'t>,
    registers: Table<'t>,
    arrays: Table<'t>,
}

impl<'t> Scope<'_, 't> {
    /// `%name`
    pub(super) fn register(&self, cursor: &mut Cursor<'t>) -> Result<RegisterId, Fault> {
        let Token::Register(name) = cursor.peek() else { return cursor.expected("a register") };
        cursor.advance();
        self.registers.find(cursor, '%', name).map(RegisterId)
    }

    /// `$name`
    pub(super) fn array(&self, cursor: &mut Cursor<'t>) -> Result<ArrayId, Fault> {
        let Token::Array(name) = cursor.peek() else { return cursor.expected("an array") };
        cursor.advance();
        self.arrays.find(cursor, '$', name).map(ArrayId)
    }

    /// `%name: type`, which declares a register.
    fn declare_register(&mut self, cursor: &mut Cursor<'t>) -> Result<Register, Fault> {
        let Token::Register(name) = cursor.peek() else { return cursor.expected("a register") };
        cursor.advance();
        self.registers.declare(cursor, '%', name)?;
        cursor.symbol(":")?;
        Ok(Register { name: name.to_string(), ty: cursor.ty()? })
    }

    /// `$name: type[] = [values]`, which declares an array.
    fn declare_array(&mut self, cursor: &mut Cursor<'t>, budget: &mut Budget) -> Result<LocalArray, Fault> {
        let Token::Array(name) = cursor.peek() else { return cursor.expected("an array") };
        cursor.advance();
        self.arrays.declare(cursor, '$', name)?;
        cursor.symbol(":")?;
        let ty = cursor.ty()?;
        for symbol in ["[", "]", "="] {
            cursor.symbol(symbol)?;
        }
        Ok(LocalArray { name: name.to_string(), ty, initial: budget.values(cursor)? })
    }
}

/// Reads a function, after the word `function`.
pub(super) fn function<'t>(
    cursor: &mut Cursor<'t>,
    program: &Names<'t>,
    budget: &mut Budget,
) -> Result<Function, Fault> {
    let mut scope = Scope { program, registers: Table::new("register"), arrays: Table::new("array") };
    let name = cursor.global()?.to_owned();
    let mut registers = parameters(cursor, &mut scope)?;
    let parameters = registers.len();
    let returns = match cursor.take_symbol("->") {
        true => Some(cursor.ty()?),
        false => None,
    };
    cursor.symbol("{")?;
    let span = cursor.end_of_line()?;
    while cursor.take_word("register") {
        registers.push(scope.declare_register(cursor)?);
        cursor.end_of_line()?;
    }
    let mut arrays = Vec::new();
    while cursor.take_word("array") {
        arrays.push(scope.declare_array(cursor, budget)?);
        cursor.end_of_line()?;
    }
    let mut blocks = Vec::new();
    while !cursor.take_symbol("}") {
        blocks.push(block(cursor, &scope, BlockId::at(blocks.len()))?);
    }
    cursor.end_of_line()?;
    Ok(Function { name, parameters, returns, registers, arrays, blocks, span })
}

fn parameters<'t>(cursor: &mut Cursor<'t>, scope: &mut Scope<'_, 't>) -> Result<Vec<Register>, Fault> {
    let mut parameters = Vec::new();
    cursor.symbol("(")?;
    if cursor.take_symbol(")") {
        return Ok(parameters);
    }
    loop {
        parameters.push(scope.declare_register(cursor)?);
        if !cursor.take_symbol(",") {
            cursor.symbol(")")?;
            return Ok(parameters);
        }
    }
}

/// A label, which must be that of block `id`, instructions and a terminator.
fn block<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>, id: BlockId) -> Result<Block, Fault> {
    let is_label = matches!(*cursor.peek(), Token::Word(word) if instr::label(word) == Some(id));
    if !is_label {
        return cursor.expected(&format!("the label b{}: or }}", id.0));
    }
    cursor.advance();
    cursor.symbol(":")?;
    cursor.end_of_line()?;
    let mut instrs = Vec::new();
    loop {
        if let Some(terminator) = instr::terminator(cursor, scope)? {
            return Ok(Block { instrs, terminator });
        }
        instrs.push(instr::instr(cursor, scope)?);
    }
}
