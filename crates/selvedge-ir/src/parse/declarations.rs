//! The reader of declarations, one line each; functions are read elsewhere.

use super::Fault;
use super::cursor::Cursor;
use super::function;
use super::lexer::Token;
use super::names::Names;
use crate::limits::MAX_VALUES;
use crate::{Barrier, Object, Program, Start, SyncArray, ThreadFamily};

/// Reads a whole program.
pub(super) fn program<'t>(mut cursor: Cursor<'t>, names: &Names<'t>) -> Result<Program, Fault> {
    let mut program = Program::default();
    let mut budget = Budget { left: MAX_VALUES };
    while *cursor.peek() != Token::End {
        declaration(&mut cursor, names, &mut budget, &mut program)?;
    }
    Ok(program)
}

fn declaration<'t>(
    cursor: &mut Cursor<'t>,
    names: &Names<'t>,
    budget: &mut Budget,
    program: &mut Program,
) -> Result<(), Fault> {
    let Token::Word(word) = *cursor.peek() else { return cursor.expected("a declaration") };
    cursor.advance();
    match word {
        "file" => program.files.push(file(cursor)?),
        "object" => program.objects.push(object(cursor, budget)?),
        "mutex" => program.mutexes.push(sync_array(cursor)?),
        "condvar" => program.condvars.push(sync_array(cursor)?),
        "barrier" => program.barriers.push(barrier(cursor)?),
        "function" => program.functions.push(function::function(cursor, names, budget)?),
        "family" => program.families.push(family(cursor, names)?),
        "finally" if program.finally.is_some() => return cursor.fault_before("finally is declared twice"),
        "finally" => {
            program.finally = Some(names.function(cursor)?);
            cursor.end_of_line()?;
        }
        _ => return cursor.fault_before(format!("there is no declaration called {word}")),
    }
    Ok(())
}

fn file(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let Token::Text(name) = cursor.peek() else { return cursor.expected("a file name in quotes") };
    cursor.advance();
    cursor.end_of_line()?;
    Ok(name.to_string())
}

fn object(cursor: &mut Cursor<'_>, budget: &mut Budget) -> Result<Object, Fault> {
    let name = cursor.global()?.to_owned();
    cursor.symbol(":")?;
    let ty = cursor.ty()?;
    let is_array = cursor.take_symbol("[");
    if is_array {
        cursor.symbol("]")?;
    }
    cursor.symbol("=")?;
    let initial = match is_array {
        true => budget.values(cursor)?,
        false => budget.value(cursor)?,
    };
    Ok(Object { name, ty, is_array, initial, span: cursor.end_of_line()? })
}

/// What is declared as `@name` or `@name[length]`.
struct Declared {
    name: String,
    is_array: bool,
    length: u32,
}

fn declared(cursor: &mut Cursor<'_>) -> Result<Declared, Fault> {
    let name = cursor.global()?.to_owned();
    let is_array = cursor.take_symbol("[");
    let mut length = 1;
    if is_array {
        length = cursor.count()?;
        cursor.symbol("]")?;
    }
    Ok(Declared { name, is_array, length })
}

fn sync_array(cursor: &mut Cursor<'_>) -> Result<SyncArray, Fault> {
    let Declared { name, is_array, length } = declared(cursor)?;
    Ok(SyncArray { name, is_array, length, span: cursor.end_of_line()? })
}

fn barrier(cursor: &mut Cursor<'_>) -> Result<Barrier, Fault> {
    let name = cursor.global()?.to_owned();
    cursor.keyword("width")?;
    Ok(Barrier { name, width: cursor.count()?, span: cursor.end_of_line()? })
}

fn family<'t>(cursor: &mut Cursor<'t>, names: &Names<'t>) -> Result<ThreadFamily, Fault> {
    let Declared { name, is_array, length: count } = declared(cursor)?;
    cursor.keyword("runs")?;
    let function = names.function(cursor)?;
    let start = if cursor.take_word("at") {
        cursor.keyword("once")?;
        Start::AtOnce
    } else {
        cursor.keyword("when")?;
        cursor.keyword("spawned")?;
        Start::WhenSpawned
    };
    Ok(ThreadFamily { name, is_array, count, function, start, span: cursor.end_of_line()? })
}

/// How many initial values the program may still have.
pub(super) struct Budget {
    left: usize,
}

impl Budget {
    /// `[value, value x times, …]`
    pub(super) fn values(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<i64>, Fault> {
        let mut values = Vec::new();
        cursor.symbol("[")?;
        if cursor.take_symbol("]") {
            return Ok(values);
        }
        loop {
            let value = cursor.integer()?;
            let times = match cursor.take_word("x") {
                true => self.take(cursor.count()?, cursor)?,
                false => self.take(1, cursor)?,
            };
            values.resize(values.len() + times, value);
            if !cursor.take_symbol(",") {
                cursor.symbol("]")?;
                return Ok(values);
            }
        }
    }

    fn value(&mut self, cursor: &mut Cursor<'_>) -> Result<Vec<i64>, Fault> {
        let value = cursor.integer()?;
        self.take(1, cursor)?;
        Ok(vec![value])
    }

    fn take(&mut self, times: u32, cursor: &Cursor<'_>) -> Result<usize, Fault> {
        match self.left.checked_sub(times as usize) {
            Some(left) => {
                self.left = left;
                Ok(times as usize)
            }
            None => cursor.fault_before(format!("the program has more than {MAX_VALUES} initial values")),
        }
    }
}
