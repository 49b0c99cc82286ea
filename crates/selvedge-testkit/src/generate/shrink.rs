//! Making a failing program smaller: leave out what is not needed for the failure.

use super::{RandomProgram, Statement};

/// The smallest program that can be reached from `program` by leaving things out while it still fails.
pub fn shrink(mut program: RandomProgram, fails: &dyn Fn(&RandomProgram) -> bool) -> RandomProgram {
    loop {
        let Some(smaller) = candidates(&program).into_iter().find(|candidate| fails(candidate)) else {
            return program;
        };
        program = smaller;
    }
}

fn candidates(program: &RandomProgram) -> Vec<RandomProgram> {
    let mut all = Vec::new();
    if program.threads.len() > 1 {
        for thread in 0..program.threads.len() {
            let mut smaller = program.clone();
            smaller.threads.remove(thread);
            all.push(smaller);
        }
    }
    for thread in 0..program.threads.len() {
        for body in smaller_bodies(&program.threads[thread]) {
            let mut smaller = program.clone();
            smaller.threads[thread] = body;
            all.push(smaller);
        }
    }
    all.extend(
        smaller_bodies(&program.function)
            .into_iter()
            .map(|function| RandomProgram { function, ..program.clone() }),
    );
    if program.finally.is_some() {
        all.push(RandomProgram { finally: None, ..program.clone() });
    }
    if program.spawns {
        all.push(RandomProgram { spawns: false, ..program.clone() });
    }
    all
}

/// The body with one statement left out, or replaced by its own body, or with that body made smaller.
fn smaller_bodies(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut all = Vec::new();
    for (i, statement) in body.iter().enumerate() {
        let with = |replacement: Vec<Statement>| {
            body[..i].iter().cloned().chain(replacement).chain(body[i + 1..].iter().cloned()).collect()
        };
        all.push(with(Vec::new()));
        for inner in inner_bodies(statement) {
            all.push(with(inner.clone()));
        }
        for smaller in smaller_statements(statement) {
            all.push(with(vec![smaller]));
        }
    }
    all
}

fn inner_bodies(statement: &Statement) -> Vec<&Vec<Statement>> {
    match statement {
        Statement::If(_, then, otherwise) => vec![then, otherwise],
        Statement::For(_, body)
        | Statement::Atomic(body)
        | Statement::Locked(_, body)
        | Statement::TryLocked(_, body) => vec![body],
        _ => Vec::new(),
    }
}

fn smaller_statements(statement: &Statement) -> Vec<Statement> {
    let each = |body: &[Statement], rebuild: &dyn Fn(Vec<Statement>) -> Statement| {
        smaller_bodies(body).into_iter().map(rebuild).collect::<Vec<_>>()
    };
    match statement {
        Statement::If(condition, then, otherwise) => {
            let mut all = each(then, &|t| Statement::If(condition.clone(), t, otherwise.clone()));
            all.extend(each(otherwise, &|o| Statement::If(condition.clone(), then.clone(), o)));
            all
        }
        Statement::For(times, body) => each(body, &|b| Statement::For(*times, b)),
        Statement::Atomic(body) => each(body, &Statement::Atomic),
        Statement::Locked(mutex, body) => each(body, &|b| Statement::Locked(*mutex, b)),
        Statement::TryLocked(mutex, body) => each(body, &|b| Statement::TryLocked(*mutex, b)),
        _ => Vec::new(),
    }
}
