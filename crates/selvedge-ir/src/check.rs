//! Well-formedness: what every engine may rely on without looking.
//!
//! Ids refer to something, names are unique, types fit, atomic regions begin and end properly on every path, and
//! what runs after all threads neither waits nor starts threads. Whatever depends on values (an index out of
//! range, an empty choice, a mutex that is not held) is not ill-formed: it is a violation that an engine finds.
//!
//! A program without files has no source text; its spans mean nothing and are not checked.

mod code;
mod declarations;
mod expr;
mod finally;
mod ill_formed;
mod regions;

use crate::{BlockId, Function, Program, Span};
pub use ill_formed::{Fault, IllFormed, Kind, Location};

/// Whether a program is well formed.
///
/// # Errors
/// Everything that is wrong with it, in the order of the program.
pub fn check(program: &Program) -> Result<(), Vec<IllFormed>> {
    let mut report = Report { program, faults: Vec::new() };
    declarations::check(&mut report);
    for function in &program.functions {
        code::check(&mut report, function);
        regions::check(&mut report, function);
    }
    finally::check(&mut report);
    match report.faults.is_empty() {
        true => Ok(()),
        false => Err(report.faults),
    }
}

/// The faults found so far.
struct Report<'p> {
    program: &'p Program,
    faults: Vec<IllFormed>,
}

/// The part of the program that is being checked.
#[derive(Clone, Copy)]
struct Spot<'p> {
    kind: Kind,
    name: &'p str,
    block: Option<BlockId>,
    span: Option<Span>,
}

impl<'p> Spot<'p> {
    fn in_function(function: &'p Function, block: usize, span: Span) -> Self {
        let block = Some(BlockId::at(block));
        Spot { kind: Kind::Function, name: &function.name, block, span: Some(span) }
    }

    fn function(function: &'p Function) -> Self {
        Spot { kind: Kind::Function, name: &function.name, block: None, span: Some(function.span) }
    }
}

impl Report<'_> {
    fn add(&mut self, spot: Spot<'_>, fault: Fault) {
        let Spot { kind, name, block, span } = spot;
        let location = Location { declaration: format!("{kind} `{name}`"), block, span };
        self.faults.push(IllFormed { location, fault });
    }

    /// Reports an id that is beyond the end of its table; says whether it is not.
    fn require_id(&mut self, spot: Spot<'_>, kind: Kind, id: u32, length: usize) -> Found {
        match (id as usize) < length {
            true => Found::Yes,
            false => {
                self.add(spot, Fault::NoSuchId { kind, id, length });
                Found::No
            }
        }
    }

    fn require_file(&mut self, spot: Spot<'_>) {
        if let (Some(span), false) = (spot.span, self.program.files.is_empty()) {
            self.require_id(spot, Kind::File, span.file.0, self.program.files.len());
        }
    }
}

/// Whether an id refers to something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    Yes,
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;
    use crate::random::{Generator, random_program};

    const DECLARATIONS: &str = "object @x: int = 0\nobject @p: bool = 1\nobject @a: int[] = [0 x 3]\nmutex @m\n\
        condvar @c\nbarrier @r width 2\nfunction @g(%n: int) -> bool {\nb0:\n  return true\n}\n\
        family @w runs @f when spawned\n";

    /// The faults of a program whose function `f` has registers `%i: int`, `%b: bool`, an array `$l`, and this
    /// body.
    pub(super) fn faults_in(body: &str) -> Vec<Fault> {
        let text = format!(
            "{DECLARATIONS}function @f() {{\n  register %i: int\n  register %b: bool\n  \
             array $l: bool[] = [0 x 2]\n{body}\n}}\n"
        );
        faults_of(&parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}")))
    }

    pub(super) fn faults_of(program: &Program) -> Vec<Fault> {
        check(program).err().unwrap_or_default().into_iter().map(|ill_formed| ill_formed.fault).collect()
    }

    #[test]
    fn random_programs_are_well_formed() {
        for seed in 0..2000 {
            let program = random_program(&mut Generator::new(seed));
            if let Err(faults) = check(&program) {
                panic!("seed {seed}: {}\n{}", faults[0], crate::print::print(&program));
            }
        }
    }

    #[test]
    fn a_fault_says_in_words_what_and_where() {
        let text = "file \"a\"\nfunction @f() {\nb0:\n  goto b1\nb1:\n  assert 1 ; @0:5..9\n  return\n}\n";
        let faults = check(&parse(text).unwrap()).unwrap_err();
        let message =
            "function `f`, block b1, bytes 5..9 of file 0: the condition must be of type bool, not int";
        assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [message]);
    }

    #[test]
    fn spans_are_checked_when_there_are_files() {
        let text = "object @x: int = 0 ; @1:0..1\n";
        assert_eq!(faults_of(&parse(text).unwrap()), []);
        let faults = faults_of(&parse(&format!("file \"a\"\n{text}")).unwrap());
        assert_eq!(faults, [Fault::NoSuchId { kind: Kind::File, id: 1, length: 1 }]);
    }

    #[test]
    fn all_faults_are_reported() {
        assert_eq!(faults_in("b0:\n  assert 1\n  assume 2\n  goto b7").len(), 3);
    }
}
