//! The root thread that a user asks for, by its number or its name.

use crate::VerifyError;
use selvedge_explore::Program as _;
use selvedge_interp::Interpreter;
use selvedge_trace::ThreadId;

/// Names of threads that are listed.
const MOST_LISTED: usize = 16;

/// The root thread of a model.
pub(crate) fn of_model(
    asked: Option<&str>,
    program: &selvedge_ir::Program,
) -> Result<Option<ThreadId>, VerifyError> {
    let Some(root) = asked else { return Ok(None) };
    let names = program.thread_names();
    let found = match root.parse::<usize>() {
        Ok(number) => (number < Interpreter::new(program).thread_count()).then_some(number),
        Err(_) => names.iter().position(|name| name == root),
    };
    let missing = || {
        let listed = names.iter().enumerate().map(|(number, name)| format!("{number} {name}"));
        let listed = listed.take(MOST_LISTED).collect::<Vec<_>>().join(", ");
        let more = if names.len() > MOST_LISTED { ", …" } else { "" };
        VerifyError::NoSuchRoot { root: root.to_owned(), threads: format!("the threads are {listed}{more}") }
    };
    found.map(|thread| Some(ThreadId::at(thread))).ok_or_else(missing)
}

/// The root thread of a program in C, whose threads have numbers in the order in which they are made.
pub(crate) fn of_machine(asked: Option<&str>, threads: usize) -> Result<Option<ThreadId>, VerifyError> {
    let Some(root) = asked else { return Ok(None) };
    let number = root.parse::<usize>().ok().filter(|number| *number < threads);
    let threads = || match threads {
        0 | 1 => "there is only thread 0".to_owned(),
        _ => format!(
            "the threads are 0, which runs main, to {}, in the order in which they are made",
            threads - 1
        ),
    };
    let missing = || VerifyError::NoSuchRoot { root: root.to_owned(), threads: threads() };
    number.map(|thread| Some(ThreadId::at(thread))).ok_or_else(missing)
}
