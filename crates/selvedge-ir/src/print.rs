//! The text form of programs, made for reading and for [`parse`](crate::parse::parse).
//!
//! One declaration, label or instruction per line. Names carry a sigil that says what they are: `@` for what the
//! program declares, `%` for registers, `$` for thread-local arrays; a name of other characters than letters,
//! digits, `_`, `.` and `%` is quoted. A line may end in the span it came from, `; @file:start..end`, and `#`
//! begins a comment.
//!
//! ```text
//! file "counter.sel"
//! object @x: int = 0 ; @0:0..9
//! object @a: int[] = [0 x 1000, 7] ; @0:10..40
//! mutex @m[2] ; @0:41..52
//! condvar @c ; @0:53..54
//! barrier @b width 2 ; @0:55..56
//! function @inc(%by: int) -> int { ; @0:60..99
//!   register %old: int
//!   array $seen: bool[] = [0 x 4]
//! b0:
//!   lock @m[self] ; @0:70..71
//!   %old = rmw add @x, %by ; @0:72..73
//!   branch (%old + 1) < @x, b0, b1 ; @0:74..75
//! b1:
//!   return %old ; @0:76..77
//! }
//! family @t[2] runs @main at once ; @0:100..101
//! finally @main
//! ```
//!
//! An ill-formed program is printed as well as can be, for error messages; it need not be readable again.

mod expr;
mod instr;

use std::fmt::{self, Write};

use crate::{Function, FunctionId, Object, Program, Span, Start, SyncArray, ThreadFamily, Type};

/// The text form of a program. Equal programs have equal texts, and [`parse`](crate::parse::parse) reads the
/// text of a well-formed program back as the same program.
pub fn print(program: &Program) -> String {
    let mut out = String::new();
    write_program(&mut out, program).expect("writing to a string does not fail");
    out
}

/// The text form of a program without the names of its files and without spans. Two programs that behave alike but were written at
/// another path, with other comments or other white space, have the same.
pub fn print_without_places(program: &Program) -> String {
    let text = print(program);
    let lines = text.lines().filter(|line| !line.starts_with("file "));
    lines.flat_map(|line| [without_span(line), "\n"]).collect()
}

/// A line without the span at its end.
fn without_span(line: &str) -> &str {
    let is_span = |span: &str| {
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let parts = span.split_once(':').and_then(|(file, range)| Some((file, range.split_once("..")?)));
        parts.is_some_and(|(file, (start, end))| [file, start, end].into_iter().all(digits))
    };
    match line.rsplit_once(" ; @") {
        Some((rest, span)) if is_span(span) => rest,
        _ => line,
    }
}

fn write_program(out: &mut String, program: &Program) -> fmt::Result {
    for file in &program.files {
        writeln!(out, "file {}", Quoted(file))?;
    }
    for object in &program.objects {
        write_object(out, object)?;
    }
    for mutex in &program.mutexes {
        write_sync(out, "mutex", mutex)?;
    }
    for condvar in &program.condvars {
        write_sync(out, "condvar", condvar)?;
    }
    for barrier in &program.barriers {
        writeln!(out, "barrier @{} width {}{}", Name(&barrier.name), barrier.width, At(barrier.span))?;
    }
    for function in &program.functions {
        write_function(out, program, function)?;
    }
    for family in &program.families {
        write_family(out, program, family)?;
    }
    match program.finally {
        Some(function) => writeln!(out, "finally @{}", function_name(program, function)),
        None => Ok(()),
    }
}

fn write_object(out: &mut String, object: &Object) -> fmt::Result {
    write!(out, "object @{}: {}", Name(&object.name), TypeName(object.ty))?;
    match (object.is_array, object.initial.as_slice()) {
        (false, [value]) => write!(out, " = {value}")?,
        (false, values) => write!(out, " = {}", Values(values))?,
        (true, values) => write!(out, "[] = {}", Values(values))?,
    }
    writeln!(out, "{}", At(object.span))
}

fn write_sync(out: &mut String, kind: &str, sync: &SyncArray) -> fmt::Result {
    let length = Length { is_array: sync.is_array, length: sync.length };
    writeln!(out, "{kind} @{}{length}{}", Name(&sync.name), At(sync.span))
}

fn write_family(out: &mut String, program: &Program, family: &ThreadFamily) -> fmt::Result {
    let length = Length { is_array: family.is_array, length: family.count };
    let function = function_name(program, family.function);
    let start = match family.start {
        Start::AtOnce => "at once",
        Start::WhenSpawned => "when spawned",
    };
    writeln!(out, "family @{}{length} runs @{function} {start}{}", Name(&family.name), At(family.span))
}

fn write_function(out: &mut String, program: &Program, function: &Function) -> fmt::Result {
    let (parameters, others) = function.registers.split_at(function.parameters.min(function.registers.len()));
    write!(out, "function @{}(", Name(&function.name))?;
    for (position, register) in parameters.iter().enumerate() {
        let comma = if position == 0 { "" } else { ", " };
        write!(out, "{comma}%{}: {}", Name(&register.name), TypeName(register.ty))?;
    }
    out.write_str(")")?;
    if let Some(ty) = function.returns {
        write!(out, " -> {}", TypeName(ty))?;
    }
    writeln!(out, " {{{}", At(function.span))?;
    for register in others {
        writeln!(out, "  register %{}: {}", Name(&register.name), TypeName(register.ty))?;
    }
    for array in &function.arrays {
        let (name, ty) = (Name(&array.name), TypeName(array.ty));
        writeln!(out, "  array ${name}: {ty}[] = {}", Values(&array.initial))?;
    }
    for (position, block) in function.blocks.iter().enumerate() {
        writeln!(out, "b{position}:")?;
        instr::write_block(out, program, function, block)?;
    }
    writeln!(out, "}}")
}

fn function_name(program: &Program, id: FunctionId) -> NameOf<'_> {
    NameOf(program.functions.get(id.index()).map(|function| function.name.as_str()), id.0)
}

/// The name of an entry of a table, or, when the table has no such entry, `<7>`, which no reader accepts.
struct NameOf<'n>(Option<&'n str>, u32);

impl fmt::Display for NameOf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => Name(name).fmt(f),
            None => write!(f, "<{}>", self.1),
        }
    }
}

/// A name, quoted if it needs to be.
struct Name<'n>(&'n str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match !self.0.is_empty() && self.0.bytes().all(is_plain) {
            true => f.write_str(self.0),
            false => Quoted(self.0).fmt(f),
        }
    }
}

/// Whether a name may have this character without quotes.
pub(crate) fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'%')
}

struct Quoted<'n>(&'n str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

/// Initial values, with runs of equal ones as `value x times`.
struct Values<'v>(&'v [i64]);

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (position, run) in self.0.chunk_by(|a, b| a == b).enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            match run.len() {
                1 => write!(f, "{comma}{}", run[0])?,
                times => write!(f, "{comma}{} x {times}", run[0])?,
            }
        }
        f.write_char(']')
    }
}

struct Length {
    is_array: bool,
    length: u32,
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.is_array, self.length) {
            (false, 1) => Ok(()),
            (_, length) => write!(f, "[{length}]"),
        }
    }
}

struct TypeName(Type);

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Type::Int => "int",
            Type::Bool => "bool",
        })
    }
}

struct At(Span);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, " ; @{}:{}..{}", self.0.file.0, self.0.start, self.0.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::random::{Generator, random_program};

    #[test]
    fn what_is_printed_is_read_back_as_the_same_program() {
        for seed in 0..5000 {
            let program = random_program(&mut Generator::new(seed));
            let text = print(&program);
            match parse(&text) {
                Ok(read) => assert_eq!(read, program, "seed {seed}\n{text}"),
                Err(error) => panic!("seed {seed}: {error}\n{text}"),
            }
        }
    }

    #[test]
    fn a_million_zeros_are_printed_short() {
        let initial = vec![0; 1_000_000];
        let object =
            Object { name: "a".into(), ty: Type::Int, is_array: true, initial, span: Span::new(1, 2) };
        let mut out = String::new();
        write_object(&mut out, &object).unwrap();
        assert_eq!(out, "object @a: int[] = [0 x 1000000] ; @0:1..2\n");
    }

    #[test]
    fn names_are_quoted_only_when_they_must_be() {
        let show = |name: &str| Name(name).to_string();
        assert_eq!(show("x.1%"), "x.1%");
        assert_eq!(show(""), "\"\"");
        assert_eq!(show("a b"), "\"a b\"");
        assert_eq!(show("\"\\\n"), "\"\\\"\\\\\\u{a}\"");
    }

    #[test]
    fn an_ill_formed_program_is_printed_all_the_same() {
        let text = "function @f() {\nb0:\n  goto b0\n}\nfinally @f\n";
        let mut program = parse(text).unwrap();
        program.finally = Some(FunctionId(7));
        assert!(print(&program).ends_with("finally @<7>\n"));
    }
}
