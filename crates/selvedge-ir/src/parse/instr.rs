//! The reader of instructions and terminators, one line each.

use super::Fault;
use super::cursor::Cursor;
use super::expr::{expr, index, optional_index};
use super::function::Scope;
use super::lexer::Token;
use crate::{
    BlockId, CondvarRef, Expr, Instr, InstrKind, MutexRef, Place, RegisterId, RmwOp, Terminator,
    TerminatorKind, ThreadRef,
};

/// The block that a label refers to: `b7`, without leading zeros.
pub(super) fn label(word: &str) -> Option<BlockId> {
    let digits = word.strip_prefix('b')?;
    let id = BlockId(digits.parse().ok()?);
    (id.0.to_string() == digits).then_some(id)
}

/// Reads a terminator, if the line is one.
pub(super) fn terminator<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
) -> Result<Option<Terminator>, Fault> {
    let kind = if cursor.take_word("goto") {
        TerminatorKind::Goto(target(cursor)?)
    } else if cursor.take_word("branch") {
        let condition = expr(cursor, scope)?;
        cursor.symbol(",")?;
        let then = target(cursor)?;
        cursor.symbol(",")?;
        TerminatorKind::Branch { condition, then, otherwise: target(cursor)? }
    } else if cursor.take_word("return") {
        let is_bare = matches!(cursor.peek(), Token::Span(_) | Token::Newline | Token::End);
        TerminatorKind::Return(if is_bare { None } else { Some(expr(cursor, scope)?) })
    } else {
        return Ok(None);
    };
    Ok(Some(Terminator { kind, span: cursor.end_of_line()? }))
}

fn target(cursor: &mut Cursor<'_>) -> Result<BlockId, Fault> {
    match *cursor.peek() {
        Token::Word(word) => match label(word) {
            Some(block) => {
                cursor.advance();
                Ok(block)
            }
            None => cursor.expected("a label"),
        },
        _ => cursor.expected("a label"),
    }
}

/// Reads an instruction.
pub(super) fn instr<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<Instr, Fault> {
    let kind = match *cursor.peek() {
        Token::Register(_) => {
            let register = scope.register(cursor)?;
            cursor.symbol("=")?;
            value(cursor, scope, register)?
        }
        Token::Array(_) | Token::Global(_) => {
            let target = place(cursor, scope)?;
            cursor.symbol("=")?;
            InstrKind::Assign { target, value: expr(cursor, scope)? }
        }
        Token::Word(word) => {
            cursor.advance();
            match statement(cursor, scope, word)? {
                Some(kind) => kind,
                None => return cursor.fault_before(format!("there is no instruction called {word}")),
            }
        }
        _ => return cursor.expected("an instruction"),
    };
    Ok(Instr { kind, span: cursor.end_of_line()? })
}

fn place<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<Place, Fault> {
    match cursor.peek() {
        Token::Array(_) => {
            let array = scope.array(cursor)?;
            Ok(Place::Element { array, index: index(cursor, scope)? })
        }
        _ => {
            let object = scope.program.object(cursor)?;
            Ok(Place::Shared { object, index: optional_index(cursor, scope)? })
        }
    }
}

/// What comes after `%register =`.
fn value<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
    register: RegisterId,
) -> Result<InstrKind, Fault> {
    if cursor.take_word("choose") {
        let low = expr(cursor, scope)?;
        cursor.symbol("..")?;
        return Ok(InstrKind::Choose { target: register, low, high: expr(cursor, scope)? });
    }
    if let Token::Word(word @ ("rmw" | "cmpxchg" | "trylock" | "call")) = *cursor.peek() {
        cursor.advance();
        return with_result(cursor, scope, word, Some(register));
    }
    Ok(InstrKind::Assign { target: Place::Register(register), value: expr(cursor, scope)? })
}

/// An instruction that has a result, which may be dropped.
fn with_result<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
    word: &str,
    result: Option<RegisterId>,
) -> Result<InstrKind, Fault> {
    match word {
        "rmw" => rmw(cursor, scope, result),
        "cmpxchg" => compare_exchange(cursor, scope, result),
        "trylock" => Ok(InstrKind::TryLock { result, mutex: mutex(cursor, scope)? }),
        _ => call(cursor, scope, result),
    }
}

fn rmw<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
    result: Option<RegisterId>,
) -> Result<InstrKind, Fault> {
    let op = match cursor.take_word("add") {
        true => RmwOp::Add,
        false => {
            cursor.keyword("swap")?;
            RmwOp::Swap
        }
    };
    let object = scope.program.object(cursor)?;
    let index = optional_index(cursor, scope)?;
    cursor.symbol(",")?;
    Ok(InstrKind::Rmw { result, object, index, op, operand: expr(cursor, scope)? })
}

fn compare_exchange<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
    result: Option<RegisterId>,
) -> Result<InstrKind, Fault> {
    let object = scope.program.object(cursor)?;
    let index = optional_index(cursor, scope)?;
    cursor.symbol(",")?;
    let expected = expr(cursor, scope)?;
    cursor.symbol(",")?;
    Ok(InstrKind::CompareExchange { result, object, index, expected, desired: expr(cursor, scope)? })
}

fn call<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
    result: Option<RegisterId>,
) -> Result<InstrKind, Fault> {
    let function = scope.program.function(cursor)?;
    let mut arguments: Vec<Expr> = Vec::new();
    cursor.symbol("(")?;
    if !cursor.take_symbol(")") {
        arguments.push(expr(cursor, scope)?);
        while cursor.take_symbol(",") {
            arguments.push(expr(cursor, scope)?);
        }
        cursor.symbol(")")?;
    }
    Ok(InstrKind::Call { result, function, arguments })
}

/// What comes after the word that begins an instruction; nothing if no instruction begins so.
fn statement<'t>(
    cursor: &mut Cursor<'t>,
    scope: &Scope<'_, 't>,
    word: &str,
) -> Result<Option<InstrKind>, Fault> {
    let kind = match word {
        "rmw" | "cmpxchg" | "trylock" | "call" => with_result(cursor, scope, word, None)?,
        "lock" => InstrKind::Lock(mutex(cursor, scope)?),
        "unlock" => InstrKind::Unlock(mutex(cursor, scope)?),
        "wait" => {
            let condvar = condvar(cursor, scope)?;
            cursor.symbol(",")?;
            InstrKind::Wait { condvar, mutex: mutex(cursor, scope)? }
        }
        "signal" => InstrKind::Signal(condvar(cursor, scope)?),
        "broadcast" => InstrKind::Broadcast(condvar(cursor, scope)?),
        "arrive" => InstrKind::BarrierWait(scope.program.barrier(cursor)?),
        "spawn" => InstrKind::Spawn(thread(cursor, scope)?),
        "join" => InstrKind::Join(thread(cursor, scope)?),
        "assert" => InstrKind::Assert(expr(cursor, scope)?),
        "assume" => InstrKind::Assume(expr(cursor, scope)?),
        "await" => InstrKind::Await(expr(cursor, scope)?),
        "atomic" if cursor.take_word("begin") => InstrKind::AtomicBegin,
        "atomic" if cursor.take_word("end") => InstrKind::AtomicEnd,
        "atomic" => return cursor.expected("begin or end"),
        _ => return Ok(None),
    };
    Ok(Some(kind))
}

fn mutex<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<MutexRef, Fault> {
    let mutex = scope.program.mutex(cursor)?;
    Ok(MutexRef { mutex, index: optional_index(cursor, scope)? })
}

fn condvar<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<CondvarRef, Fault> {
    let condvar = scope.program.condvar(cursor)?;
    Ok(CondvarRef { condvar, index: optional_index(cursor, scope)? })
}

fn thread<'t>(cursor: &mut Cursor<'t>, scope: &Scope<'_, 't>) -> Result<ThreadRef, Fault> {
    let family = scope.program.family(cursor)?;
    Ok(ThreadRef { family, index: optional_index(cursor, scope)? })
}
