//! The functions of the libraries of C and C++, as data: name, signature, and meaning, which says what [kind](Kind) of function it is.
//!
//! `check` and `prove` both read this table, so that a function is known to both or to neither. What a function means is a [`Builtin`], which both
//! match on; a function that only one of them supports is refused by the other by its name.

mod compiler;
mod exceptions;
mod input;
mod locks;
mod memory;
mod numbers;
mod output;
mod process;
mod text;
mod threads;

use crate::builtin::Builtin;
use crate::inputs;

/// A row of the table: name, signature, meaning.
type Row = (&'static str, &'static str, Builtin);

/// What a function is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It computes with its arguments alone.
    Pure,
    /// It accesses, allocates or frees blocks of memory.
    Memory,
    /// It reads or writes strings.
    Text,
    /// Threads, and what belongs to one.
    Thread,
    /// Locks that are taken and given back.
    Lock,
    /// Waiting for others, and waking them up.
    Wait,
    /// It returns a value that is not determined.
    Input,
    /// It prints.
    Output,
    /// It ends the program, or asks the system for something.
    Process,
    /// Exceptions of C++.
    Exception,
    /// What the compiler calls.
    Compiler,
}

/// A function that engines know without its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name in object files.
    pub name: &'static str,
    /// Its types.
    pub signature: Signature,
    /// What it means.
    pub builtin: Builtin,
}

impl Function {
    /// Why a call with so many arguments is refused, if they are too few.
    pub fn too_few_arguments(&self, name: &str, count: usize) -> Option<String> {
        let needed = self.signature.parameters().count();
        let what = || format!("a call of `{name}` with too few arguments");
        (count < needed && !self.builtin.is_nothing()).then(what)
    }
}

/// The types of a function, in the words of LLVM with opaque pointers, such as `i32 (ptr, i64)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature(&'static str);

impl Signature {
    /// The type of the result.
    pub fn result(self) -> &'static str {
        self.parts().0
    }

    /// The types of the parameters.
    pub fn parameters(self) -> impl Iterator<Item = &'static str> {
        self.parts().1.split(", ").filter(|ty| !ty.is_empty() && *ty != "...")
    }

    /// Whether further arguments may follow.
    pub fn is_variadic(self) -> bool {
        self.0.contains("...")
    }

    fn parts(self) -> (&'static str, &'static str) {
        let (result, parameters) = self.0.split_once(" (").unwrap_or((self.0, ""));
        (result, parameters.trim_end_matches(')'))
    }
}

/// All rows.
const TABLES: [&[Row]; 10] = [
    locks::ROWS,
    threads::ROWS,
    memory::ROWS,
    text::ROWS,
    process::ROWS,
    input::ROWS,
    output::ROWS,
    numbers::ROWS,
    exceptions::ROWS,
    compiler::ROWS,
];

/// What the names of functions begin with that run as one atomic step, by the convention of the software-verification competition.
pub const ATOMIC: &str = "__VERIFIER_atomic_";

/// All functions that are known by name, but for [inputs] and the functions by which the C++ library throws.
pub fn all() -> impl Iterator<Item = Function> {
    TABLES.iter().flat_map(|rows| rows.iter().map(of_row))
}

fn of_row(&(name, signature, builtin): &Row) -> Function {
    Function { name, signature: Signature(signature), builtin }
}

/// The function with a name, if it is known.
pub fn function(name: &str) -> Option<Function> {
    let row = TABLES.iter().flat_map(|rows| rows.iter()).find(|row| row.0 == name);
    row.map(of_row).or_else(|| Some(of_row(&("", "void ()", by_form(name)?))))
}

/// The meaning of a function that is known by the form of its name: an input, or one by which the C++ library throws.
fn by_form(name: &str) -> Option<Builtin> {
    let throws = name.starts_with("_ZSt") && name.contains("__throw_");
    match throws {
        true => Some(Builtin::Terminate),
        false => inputs::input(name).map(Builtin::of_input),
    }
}

/// Which argument of `printf` and its like is the format; with `__` there is one more before it.
pub fn format_argument(builtin: Builtin, name: &str) -> usize {
    usize::from(builtin == Builtin::Fprintf) + usize::from(name.starts_with("__"))
}

/// Whether a call of a function is an error even if the program gives it a body.
pub fn is_error(name: &str) -> bool {
    matches!(name, "reach_error" | "__VERIFIER_error")
}

/// Why a call of a function is refused of which nothing is known.
pub fn refusal(name: &str) -> String {
    match purpose(name) {
        Some(what) => format!("not supported: {what} (`{name}`)"),
        None => format!("the function `{name}` has no body and is not known"),
    }
}

/// Whether assembler does nothing but stop the compiler from moving code, or pause.
pub fn is_harmless(assembler: &str) -> bool {
    ["", "pause", "mfence", "lfence", "sfence", "rep; nop", "rep;nop", "nop"].contains(&assembler.trim())
}

/// Why assembler is refused.
pub fn assembler(text: &str) -> String {
    format!("assembler: `{}`", text.trim())
}

/// What some functions are for that no engine supports.
fn purpose(function: &str) -> Option<&'static str> {
    Some(match function {
        "pthread_cancel" | "pthread_testcancel" | "__pthread_register_cancel" => "cancellation of threads",
        "setjmp" | "_setjmp" | "__sigsetjmp" | "longjmp" | "siglongjmp" | "_longjmp" => {
            "jumps between functions"
        }
        "sigaction" | "raise" | "kill" | "pthread_kill" | "sigwait" | "pause" | "alarm" => "signals",
        "fork" | "vfork" | "waitpid" | "wait" | "execve" | "execl" | "system" | "popen" => "other processes",
        "fopen" | "open" | "fclose" | "fread" | "fscanf" | "__isoc99_fscanf" | "mmap" | "pipe" => "files",
        "scanf" | "__isoc99_scanf" | "getchar" | "gets" | "fgets" | "getline" | "read" => "input",
        "socket" | "connect" | "accept" | "select" | "poll" => "networks",
        "dlopen" | "dlsym" => "libraries that are loaded at run time",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_stands_for_one_function() {
        let mut names = BTreeSet::new();
        for function in all() {
            assert!(names.insert(function.name), "{}", function.name);
            assert!(purpose(function.name).is_none(), "{}", function.name);
        }
    }

    #[test]
    fn signatures_are_types_of_llvm() {
        let types = ["void", "i1", "i8", "i16", "i32", "i64", "ptr", "float", "double"];
        for Function { name, signature, .. } in all() {
            assert!(types.contains(&signature.result()), "{name}");
            assert!(signature.parameters().all(|ty| types[1..].contains(&ty)), "{name}");
        }
        let printf = function("printf").expect("it is known");
        assert!(printf.signature.is_variadic() && printf.signature.parameters().eq(["ptr"]));
        assert!(function("rand").is_some_and(|rand| rand.signature.parameters().count() == 0));
    }

    #[test]
    fn inputs_and_throwing_functions_are_known_by_their_form() {
        let builtin = |name| function(name).map(|function| function.builtin);
        assert_eq!(builtin("__VERIFIER_nondet_uint"), Some(Builtin::NondetUnsigned));
        assert_eq!(builtin("_ZSt24__throw_out_of_range_fmtPKcz"), Some(Builtin::Terminate));
        assert_eq!(builtin("mystery"), None);
        assert_eq!(refusal("raise"), "not supported: signals (`raise`)");
    }
}
