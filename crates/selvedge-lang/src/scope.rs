//! What names mean: the table of declarations, and the nested scopes of local variables.

use std::collections::BTreeMap;

use selvedge_ir::{
    ArrayId, Barrier, BarrierId, CondvarId, FamilyId, FunctionId, MutexId, Object, ObjectId, RegisterId,
    Span, SyncArray,
};

use crate::constants::Constant;
use crate::spelling;

/// The declarations of a program.
#[derive(Debug, Default)]
pub struct Globals {
    /// What each name means.
    pub names: BTreeMap<String, Global>,
    /// Shared memory.
    pub objects: Vec<Object>,
    /// Mutexes.
    pub mutexes: Vec<SyncArray>,
    /// Condition variables.
    pub condvars: Vec<SyncArray>,
    /// Barriers.
    pub barriers: Vec<Barrier>,
    /// Functions: those of threads, those that threads call, and `finally`.
    pub functions: Vec<FunctionHead>,
    /// Families of threads.
    pub families: Vec<FamilyHead>,
    /// The function that runs last.
    pub finally: Option<FunctionId>,
    /// Elements of all arrays so far.
    pub elements: i64,
}

/// The meaning of a name and where it is declared.
#[derive(Debug)]
pub struct Global {
    /// The meaning.
    pub kind: GlobalKind,
    /// The name in its declaration.
    pub span: Span,
}

/// What a name can mean.
#[derive(Clone, Copy, Debug)]
pub enum GlobalKind {
    /// A constant.
    Constant(Constant),
    /// A shared variable or array.
    Shared(ObjectId),
    /// A mutex or array of them.
    Mutex(MutexId),
    /// A condition variable or array of them.
    Condvar(CondvarId),
    /// A barrier.
    Barrier(BarrierId),
    /// A function.
    Function(FunctionId),
    /// A thread or array of them.
    Thread(FamilyId),
    /// Something whose declaration is wrong; uses of it are not reported.
    Unknown,
}

impl GlobalKind {
    /// In words, with article.
    pub fn describe(self) -> &'static str {
        match self {
            GlobalKind::Constant(_) => "a constant",
            GlobalKind::Shared(_) => "a shared variable",
            GlobalKind::Mutex(_) => "a mutex",
            GlobalKind::Condvar(_) => "a condition variable",
            GlobalKind::Barrier(_) => "a barrier",
            GlobalKind::Function(_) => "a function",
            GlobalKind::Thread(_) => "a thread",
            GlobalKind::Unknown => "unknown",
        }
    }
}

/// What callers need to know of a function.
#[derive(Debug)]
pub struct FunctionHead {
    /// Its name.
    pub name: String,
    /// How many parameters it has.
    pub parameters: usize,
    /// Whether it returns a value.
    pub outcome: Outcome,
    /// Its declaration.
    pub span: Span,
}

/// Whether a function returns a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An integer.
    Value,
    /// No value: the function returns none.
    Nothing,
}

/// A family of threads.
#[derive(Debug)]
pub struct FamilyHead {
    /// Its name.
    pub name: String,
    /// The number of threads, for an array.
    pub count: Option<u32>,
    /// Its code.
    pub function: FunctionId,
    /// Its declaration.
    pub span: Span,
}

/// The meaning of a local name and where it is declared.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// The meaning.
    pub kind: LocalKind,
    /// The name in its declaration.
    pub span: Span,
}

/// What a local name can mean.
#[derive(Clone, Copy, Debug)]
pub enum LocalKind {
    /// A variable.
    Variable(RegisterId),
    /// The variable of a `for` loop, which the program cannot change.
    Counter(RegisterId),
    /// An array.
    Array(ArrayId),
    /// Something whose declaration is wrong; uses of it are not reported.
    Unknown,
}

/// The local names in scope, innermost block last.
#[derive(Debug, Default)]
pub struct Scopes {
    blocks: Vec<BTreeMap<String, Local>>,
}

impl Scopes {
    /// Begins a block.
    pub fn enter(&mut self) {
        self.blocks.push(BTreeMap::new());
    }

    /// Ends the innermost block.
    pub fn leave(&mut self) {
        self.blocks.pop();
    }

    /// The innermost meaning of a name.
    pub fn get(&self, name: &str) -> Option<Local> {
        self.blocks.iter().rev().find_map(|block| block.get(name)).copied()
    }

    /// Declares a name in the innermost block; returns the earlier declaration in that block, if any.
    pub fn declare(&mut self, name: &str, local: Local) -> Option<Local> {
        self.blocks.last_mut().and_then(|block| block.insert(name.to_string(), local))
    }

    /// The known name closest to a misspelt one.
    pub fn closest<'s>(&'s self, name: &str, globals: &'s Globals) -> Option<&'s str> {
        let locals = self.blocks.iter().flat_map(|block| block.keys());
        spelling::closest(name, locals.chain(globals.names.keys()).map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(register: u32) -> Local {
        Local { kind: LocalKind::Variable(RegisterId(register)), span: Span::new(0, 0) }
    }

    #[test]
    fn inner_names_hide_outer_ones_until_their_block_ends() {
        let mut scopes = Scopes::default();
        scopes.enter();
        assert!(scopes.declare("v", variable(0)).is_none());
        scopes.enter();
        assert!(scopes.declare("v", variable(1)).is_none());
        assert!(matches!(scopes.get("v"), Some(Local { kind: LocalKind::Variable(RegisterId(1)), .. })));
        scopes.leave();
        assert!(matches!(scopes.get("v"), Some(Local { kind: LocalKind::Variable(RegisterId(0)), .. })));
        assert!(scopes.declare("v", variable(2)).is_some());
    }
}
