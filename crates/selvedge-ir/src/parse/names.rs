//! The names a program declares, by kind, collected before its code is read.

use std::collections::HashMap;

use super::Fault;
use super::cursor::Cursor;
use super::lexer::{Located, Token};
use crate::{BarrierId, CondvarId, FamilyId, FunctionId, MutexId, ObjectId};

/// The names of one kind, numbered in the order of their declaration. Only looked up, never iterated.
pub(super) struct Table<'t> {
    kind: &'static str,
    numbers: HashMap<&'t str, u32>,
}

impl<'t> Table<'t> {
    pub(super) fn new(kind: &'static str) -> Self {
        Table { kind, numbers: HashMap::new() }
    }

    /// Gives `name`, which `cursor` has just passed, the next number.
    pub(super) fn declare(&mut self, cursor: &Cursor<'t>, sigil: char, name: &'t str) -> Result<(), Fault> {
        let Ok(number) = u32::try_from(self.numbers.len()) else {
            return cursor.fault_before(format!("there are too many of the kind {}", self.kind));
        };
        match self.numbers.insert(name, number) {
            None => Ok(()),
            Some(_) => cursor.fault_before(format!("{sigil}{name} is declared twice")),
        }
    }

    /// The number of `name`, which `cursor` has just passed.
    pub(super) fn find(&self, cursor: &Cursor<'t>, sigil: char, name: &str) -> Result<u32, Fault> {
        match self.numbers.get(name) {
            Some(&number) => Ok(number),
            None => cursor.fault_before(format!("there is no {} {sigil}{name}", self.kind)),
        }
    }
}

/// The names that a program declares.
pub(super) struct Names<'t> {
    objects: Table<'t>,
    mutexes: Table<'t>,
    condvars: Table<'t>,
    barriers: Table<'t>,
    functions: Table<'t>,
    families: Table<'t>,
}

impl<'t> Names<'t> {
    /// Collects the names from the lines that begin with the word for a declaration.
    pub(super) fn declared(tokens: &'t [Located<'t>]) -> Result<Self, Fault> {
        let mut names = Names {
            objects: Table::new("object"),
            mutexes: Table::new("mutex"),
            condvars: Table::new("condvar"),
            barriers: Table::new("barrier"),
            functions: Table::new("function"),
            families: Table::new("family"),
        };
        let mut cursor = Cursor::new(tokens);
        while *cursor.peek() != Token::End {
            if let Token::Word(word) = *cursor.advance()
                && let (Some(table), Token::Global(name)) = (names.table(word), cursor.peek())
            {
                cursor.advance();
                table.declare(&cursor, '@', name)?;
            }
            while !matches!(cursor.advance(), Token::Newline | Token::End) {}
        }
        Ok(names)
    }

    fn table(&mut self, word: &str) -> Option<&mut Table<'t>> {
        match word {
            "object" => Some(&mut self.objects),
            "mutex" => Some(&mut self.mutexes),
            "condvar" => Some(&mut self.condvars),
            "barrier" => Some(&mut self.barriers),
            "function" => Some(&mut self.functions),
            "family" => Some(&mut self.families),
            _ => None,
        }
    }

    pub(super) fn object(&self, cursor: &mut Cursor<'t>) -> Result<ObjectId, Fault> {
        let name = cursor.global()?;
        self.objects.find(cursor, '@', name).map(ObjectId)
    }

    pub(super) fn mutex(&self, cursor: &mut Cursor<'t>) -> Result<MutexId, Fault> {
        let name = cursor.global()?;
        self.mutexes.find(cursor, '@', name).map(MutexId)
    }

    pub(super) fn condvar(&self, cursor: &mut Cursor<'t>) -> Result<CondvarId, Fault> {
        let name = cursor.global()?;
        self.condvars.find(cursor, '@', name).map(CondvarId)
    }

    pub(super) fn barrier(&self, cursor: &mut Cursor<'t>) -> Result<BarrierId, Fault> {
        let name = cursor.global()?;
        self.barriers.find(cursor, '@', name).map(BarrierId)
    }

    pub(super) fn function(&self, cursor: &mut Cursor<'t>) -> Result<FunctionId, Fault> {
        let name = cursor.global()?;
        self.functions.find(cursor, '@', name).map(FunctionId)
    }

    pub(super) fn family(&self, cursor: &mut Cursor<'t>) -> Result<FamilyId, Fault> {
        let name = cursor.global()?;
        self.families.find(cursor, '@', name).map(FamilyId)
    }
}
