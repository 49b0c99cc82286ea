//! A program divided into files is, when they are linked, the program that it is in one file.
//!
//! Each file has static functions, static variables and a type of the same names as the others, which must be kept apart, and common and
//! weak definitions that must be joined. `SELVEDGE_LONG=1` runs 1 000 programs, `SELVEDGE_SEEDS=from..to` others.

use selvedge_explore::{AfterViolation, Algorithm, End, Limits, Monitor, Path as Execution};
use selvedge_machine::{FailureKind, LeftShifts, Machine, Options};
use selvedge_testkit::native::explore_with;
use selvedge_testkit::random::Random;
use selvedge_testkit::waiting_c;
use selvedge_verify::Native;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::Range;
use std::path::PathBuf;

/// Executions up to which programs are compared.
const LIMIT: u64 = 2000;

fn seeds() -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    if std::env::var_os("SELVEDGE_LONG").is_some() { 0..1000 } else { 0..60 }
}

/// What an exploration shows, without places.
#[derive(Debug, Default, PartialEq, Eq)]
struct Shown {
    outputs: BTreeSet<String>,
    failures: BTreeSet<String>,
    executions: u64,
}

#[derive(Default)]
struct Outputs(BTreeSet<String>);

impl Monitor<Machine> for Outputs {
    fn execution(&mut self, path: &Execution<Machine>, end: End) {
        if end == End::Complete {
            self.0.insert(String::from_utf8_lossy(path.program.output()).into_owned());
        }
    }
}

/// Nothing if there is too much to explore.
fn shown(native: &Native) -> Option<Shown> {
    let after_violation = AfterViolation::KeepGoing;
    let limits = Limits { executions: Some(LIMIT), after_violation, ..Limits::default() };
    let explored = explore_with(native, Options::default(), Algorithm::Optimal, limits);
    let (exploration, _, Outputs(outputs)) = explored.expect("it can be lowered");
    if exploration.stop.is_some() {
        return None;
    }
    let name = |kind: &FailureKind| match kind {
        FailureKind::Deadlock(threads) => format!("deadlock of {}", threads.len()),
        // Where a block was allocated is another place in another file.
        kind => kind.message().split(" allocated at ").next().unwrap_or_default().to_owned(),
    };
    let failures = exploration.violations.iter().map(|v| name(&v.failure.kind)).collect();
    Some(Shown { outputs, failures, executions: exploration.statistics.executions() })
}

/// The definitions of a text of C as declarations: what the other files see.
fn declared(world: &str) -> String {
    let declaration = |line: &str| {
        let is_variable =
            ["volatile int ", "int ", "pthread_", "sem_t "].iter().any(|ty| line.starts_with(ty));
        match is_variable && line.ends_with(';') {
            // An initial value is for the file that defines the variable.
            true => {
                format!("extern {};", line.split(" =").next().unwrap_or("").split(';').next().unwrap_or(""))
            }
            false => line.to_owned(),
        }
    };
    // Two variables in one declaration, one with and one without an initial value, are not divided.
    world.lines().map(declaration).collect::<Vec<_>>().join("\n") + "\n"
}

/// What every file has of its own, by the same names; `used` adds to a variable `v`.
fn own(number: usize) -> String {
    let fields = (0..=number).map(|i| format!("int a{i}; ")).collect::<String>();
    format!(
        "struct own {{ {fields}}};\nstatic struct own mine = {{{}}};\n\
         static int next(void) {{ return mine.a0 + (int)sizeof mine; }}\n\
         int tentative;\n__attribute__((weak)) int weak(void) {{ return 5; }}\n",
        number + 1
    )
}

/// The functions of a program, each with a use of what its file has of its own.
fn functions(program: &str) -> Vec<String> {
    let mut functions: Vec<String> = vec![String::new()];
    for line in program.lines() {
        if let Some(last) = functions.last_mut() {
            let _ = writeln!(last, "{line}");
        }
        if line == "}" {
            functions.push(String::new());
        }
    }
    functions.retain(|function| function.contains('{'));
    functions
}

fn used(function: &str, next: &str) -> String {
    let at = function.find("    int v = ").map_or(0, |at| at + function[at..].find('\n').unwrap_or(0) + 1);
    let (head, rest) = function.split_at(at);
    format!("{head}    v += {next}() + weak() + tentative;\n{rest}")
}

#[test]
fn linked_files_are_the_program_that_they_are_parts_of() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let (mut compared, mut wrong) = (0, Vec::new());
    for seed in seeds() {
        let random = &mut Random::new(seed);
        let program = waiting_c::program(random).replace(waiting_c::PREFIX, "");
        let count = 2 + random.below(2);
        let functions = functions(&program);
        let prototypes = "void *t0(void *);\nvoid *t1(void *);\nvoid *t2(void *);\nint next_of(void);\n";
        let mut files = vec![String::new(); count];
        let mut whole =
            format!("{}{prototypes}int tentative;\nint weak(void) {{ return 5; }}\n", waiting_c::WORLD);
        for number in 0..count {
            let value = number + 1 + 4 * (number + 1);
            let _ = writeln!(whole, "static int next{number}(void) {{ return {value}; }}");
        }
        for function in &functions {
            let place = random.below(count);
            let _ = writeln!(files[place], "{}", used(function, "next"));
            let _ = writeln!(whole, "{}", used(function, &format!("next{place}")));
        }
        let definer = random.below(count);
        let paths: Vec<PathBuf> = (0..count).map(|i| folder.path().join(format!("part{i}.c"))).collect();
        for (number, (path, text)) in paths.iter().zip(&files).enumerate() {
            let world =
                if number == definer { waiting_c::WORLD.to_owned() } else { declared(waiting_c::WORLD) };
            std::fs::write(path, format!("{world}{prototypes}{}{text}", own(number)))
                .expect("it can be written");
        }
        let whole_path = folder.path().join("whole.c");
        std::fs::write(&whole_path, &whole).expect("it can be written");
        let flags = ["-fcommon".to_owned()];
        let linked = Native::load_all(&paths, None, &flags, LeftShifts::Unknown);
        let linked = linked.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let alone = Native::load(&whole_path, None, &flags, LeftShifts::Unknown).expect("it compiles");
        if let (Some(linked), Some(alone)) = (shown(&linked), shown(&alone)) {
            compared += 1;
            if linked != alone {
                wrong.push(format!("seed {seed}: {linked:?} and not {alone:?}\n{whole}"));
            }
        }
    }
    println!("{compared} programs compared, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong[..wrong.len().min(2)].join("\n"));
    assert!(compared * 2 > (seeds().end - seeds().start) as usize, "most programs are too large");
}
