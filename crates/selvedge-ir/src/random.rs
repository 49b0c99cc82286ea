//! Random well-formed programs, for the tests of this crate.
//!
//! They are made to cover the data types, not to do anything sensible when run.

mod code;

use crate::{
    Barrier, FileId, Function, FunctionId, LocalArray, Object, Program, Register, Span, Start, SyncArray,
    ThreadFamily, Type,
};
use selvedge_explore::sampling::Stream;

/// A source of random numbers: the same seed, the same numbers.
pub(crate) struct Generator {
    stream: Stream,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Self {
        Generator { stream: Stream::new(seed) }
    }

    fn next(&mut self) -> u64 {
        self.stream.bits()
    }

    /// A number less than `bound`, which is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    fn ty(&mut self) -> Type {
        self.pick(&[Type::Int, Type::Bool])
    }

    fn integer(&mut self) -> i64 {
        match self.below(8) {
            0 => self.pick(&[i64::MIN, i64::MAX, -1]),
            1 => self.next() as i64,
            _ => self.below(5) as i64 - 1,
        }
    }

    fn values(&mut self, ty: Type, runs: u64) -> Vec<i64> {
        let mut values = Vec::new();
        for _ in 0..runs {
            let value = if ty == Type::Bool { self.below(2) as i64 } else { self.integer() };
            let times = self.pick(&[1, 1, 2, 40]);
            values.resize(values.len() + times, value);
        }
        values
    }

    /// A name that is unique because of `number`, and that often needs quotes.
    fn name(&mut self, number: usize) -> String {
        const SHAPES: [&str; 12] =
            ["x", "tmp.", "%", "", "a b", "\"", "\\", "\n\t", "é", "@", "; @0:1..2 #", "b"];
        format!("{}{number}", self.pick(&SHAPES))
    }

    fn span(&mut self, files: usize) -> Span {
        let file = match files {
            0 => 0,
            _ => self.below(files as u64) as u32,
        };
        Span { file: FileId(file), start: self.next() as u32, end: self.below(100) as u32 }
    }
}

/// A random well-formed program.
pub(crate) fn random_program(g: &mut Generator) -> Program {
    let files: Vec<String> = (0..g.below(3) as usize).map(|number| g.name(number)).collect();
    let mut program = Program { files, ..Program::default() };
    declare_variables(g, &mut program);
    // The first function can be run by threads, the second one at the end.
    for number in 0..2 + g.below(3) as usize {
        let function = signature(g, &program, number);
        program.functions.push(function);
    }
    for number in 0..g.below(4) as usize {
        let family = family(g, &program, number);
        program.families.push(family);
    }
    if g.below(2) == 0 {
        program.finally = Some(code::QUIET);
    }
    for number in 0..program.functions.len() {
        program.functions[number].blocks = code::blocks(g, &program, FunctionId::at(number));
    }
    program
}

fn declare_variables(g: &mut Generator, program: &mut Program) {
    let files = program.files.len();
    let mut numbers = 0..;
    let mut name = |g: &mut Generator| g.name(numbers.next().unwrap_or_default());
    for ty in [Type::Int, Type::Bool].into_iter().chain((0..g.below(3)).map(|_| Type::Int)) {
        let is_array = g.below(2) == 0;
        let initial = match is_array {
            true => {
                let runs = g.below(4);
                g.values(ty, runs)
            }
            false => g.values(ty, 1)[..1].to_vec(),
        };
        program.objects.push(Object { name: name(g), ty, is_array, initial, span: g.span(files) });
    }
    let mut sync = |g: &mut Generator| {
        let is_array = g.below(2) == 0;
        let length = if is_array { g.below(5) as u32 } else { 1 };
        SyncArray { name: name(g), is_array, length, span: g.span(files) }
    };
    program.mutexes = (0..g.below(3)).map(|_| sync(g)).collect();
    program.condvars = (0..g.below(3)).map(|_| sync(g)).collect();
    for _ in 0..g.below(2) {
        program.barriers.push(Barrier { name: name(g), width: 1 + g.below(4) as u32, span: g.span(files) });
    }
}

fn family(g: &mut Generator, program: &Program, number: usize) -> ThreadFamily {
    let is_array = g.below(2) == 0;
    ThreadFamily {
        name: g.name(number),
        is_array,
        count: if is_array { g.below(4) as u32 } else { 1 },
        function: g.pick(&[FunctionId(0), code::QUIET]),
        start: g.pick(&[Start::AtOnce, Start::WhenSpawned]),
        span: g.span(program.files.len()),
    }
}

/// A function without code. The first two have no parameters; all have registers of both types.
fn signature(g: &mut Generator, program: &Program, number: usize) -> Function {
    let types = [Type::Int, Type::Bool].into_iter().chain((0..g.below(4)).map(|_| Type::Bool));
    let types: Vec<Type> = types.collect();
    let registers: Vec<Register> =
        types.into_iter().enumerate().map(|(register, ty)| Register { name: g.name(register), ty }).collect();
    let mut arrays = Vec::new();
    for array in 0..g.below(3) as usize {
        let (ty, runs) = (g.ty(), g.below(3));
        arrays.push(LocalArray { name: g.name(array), ty, initial: g.values(ty, runs) });
    }
    Function {
        name: g.name(number),
        parameters: if number < 2 { 0 } else { g.below(registers.len() as u64 + 1) as usize },
        returns: g.pick(&[None, Some(Type::Int), Some(Type::Bool)]),
        registers,
        arrays,
        blocks: Vec::new(),
        span: g.span(program.files.len()),
    }
}

mod tests {
    use super::*;
    use crate::print::print;

    #[test]
    fn random_programs_have_instructions_of_every_kind() {
        let text: String = (0..200).map(|seed| print(&random_program(&mut Generator::new(seed)))).collect();
        for word in [
            "rmw add",
            "rmw swap",
            "cmpxchg",
            "lock",
            "unlock",
            "trylock",
            "wait",
            "signal",
            "broadcast",
            "arrive",
            "spawn",
            "join",
            "assert",
            "assume",
            "await",
            "choose",
            "atomic begin",
            "atomic end",
            "call",
            "goto",
            "branch",
            "return",
            "select(",
            "finally",
        ] {
            let is_there =
                |line: &str| line.trim_start().starts_with(word) || line.contains(&format!(" {word}"));
            assert!(text.lines().any(is_there), "{word}");
        }
    }
}
