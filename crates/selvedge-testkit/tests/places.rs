//! Where steps and violations are said to be: a program that is divided into several files has the same counterexamples, at the same
//! lines of text, in other files.

use selvedge_explore::{Algorithm, End, Limits, Monitor, Path as Execution, explore};
use selvedge_machine::{Machine, Options, lower};
use selvedge_report::native::{Files, counterexample};
use selvedge_report::{Counterexample, Source, reason};
use selvedge_testkit::random::Random;
use selvedge_testkit::{native, random_c};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn count(usual: u64) -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

/// The output of the first execution after some others.
#[derive(Default)]
struct Output {
    executions: u64,
    skipped: u64,
    last: Option<String>,
}

impl Monitor<Machine> for Output {
    fn execution(&mut self, path: &Execution<Machine>, end: End) {
        self.executions += 1;
        if end != End::SleepSetBlocked && (self.last.is_none() || self.executions <= self.skipped) {
            self.last = Some(String::from_utf8_lossy(path.program.output()).into_owned());
        }
    }
}

/// The source files of a program, with their names as the debug information has them.
struct Texts(Vec<(String, String)>);

impl Texts {
    fn of(machine: &Machine) -> Texts {
        let text = |name: &String| (name.clone(), std::fs::read_to_string(name).unwrap_or_default());
        Texts(machine.code().files.iter().map(text).collect())
    }

    /// The text of a line of a file.
    fn line(&self, file: &str, line: usize) -> Option<&str> {
        let text = &self.0.iter().find(|(name, _)| name == file)?.1;
        text.lines().nth(line.checked_sub(1)?)
    }
}

impl Files for Texts {
    fn text(&self, file: u32) -> Option<&str> {
        self.0.get(file as usize).map(|(_, text)| text.as_str())
    }

    fn name(&self, file: u32) -> String {
        self.0.get(file as usize).map_or(String::new(), |(name, _)| name.clone())
    }
}

fn machine(source: &Path) -> Machine {
    let module = Arc::new(native::module(source, &[]).expect("the program compiles"));
    let options = Options { room: 8, ..Options::default() };
    let code = lower::lower(&module, &options).expect("it can be lowered");
    Machine::new(module, Arc::new(code), options)
}

/// What is said of a step: who, the text of the line, what it did.
type Told = (String, String, Vec<String>);

/// The first violation of a program, each step with the text of the line where it is said to be, and the line of the failure.
fn violation(source: &Path) -> (Vec<Told>, String, Counterexample) {
    let limits = Limits { executions: Some(20_000), ..Limits::default() };
    let (exploration, machine) = explore(machine(source), Algorithm::Source, limits, &mut Output::default());
    let violation = exploration.violations.first().expect("a state that was reached is reached again");
    let texts = Texts::of(&machine);
    let example = counterexample(&machine, &texts, violation).expect("it can be replayed");
    let file = example.file.as_ref().map_or("", |file| &file.name);
    let text = |file: &str, line: usize| {
        let found = texts.line(file, line);
        found.unwrap_or_else(|| panic!("{}: no line {line} in `{file}`", source.display())).to_owned()
    };
    let step = |step: &selvedge_report::Step| {
        let text = text(step.file.as_deref().unwrap_or(file), step.line);
        (step.thread.clone(), text, step.effects.iter().map(|effect| without_places(effect)).collect())
    };
    let steps = example.steps.iter().map(step).collect();
    (steps, text(file, example.position.line), example)
}

/// A text without the places at which blocks were allocated: those are lines of files.
fn without_places(effect: &str) -> String {
    let mut parts = effect.split("block@");
    let first = parts.next().unwrap_or("").to_owned();
    let rest = |part: &str| {
        let is_place = |(at, c): &(usize, char)| {
            let next = part[at + c.len_utf8()..].chars().next();
            c.is_alphanumeric() || *c == '.' || (*c == ':' && next.is_some_and(|c| c.is_ascii_digit()))
        };
        let length = part.char_indices().take_while(is_place).count();
        format!("block{}", &part[length..])
    };
    first + &parts.map(rest).collect::<String>()
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file is written");
    path
}

#[test]
fn a_program_of_several_files_has_the_places_of_the_same_program_in_one() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let mut elsewhere = 0;
    for seed in 0..count(40) {
        let mut random = Random::new(seed);
        let program = random_c::concurrent(&mut random);
        let whole = written(folder, "whole.c", &program);
        let skipped = random.below(50) as u64;
        let mut output = Output { skipped, ..Output::default() };
        let limits = Limits { executions: Some(100), ..Limits::default() };
        explore(machine(&whole), Algorithm::Source, limits, &mut output);
        let Some(state) = output.last else { continue };
        let asserting = random_c::with_assertion(&program, &state);
        written(folder, "whole.c", &asserting);
        let (headers, main) = random_c::divided(&asserting, &mut random);
        headers.iter().for_each(|(name, text)| drop(written(folder, name, text)));
        let divided = written(folder, "divided.c", &main);
        let (expected, failed, _) = violation(&whole);
        let (found, failed_there, example) = violation(&divided);
        assert_eq!(found, expected, "seed {seed}");
        assert_eq!(failed_there, failed, "seed {seed}");
        let headline = reason::headline(&example, Source { name: "unknown", text: "" });
        assert!(headline.contains("divided.c:") && failed.contains("assert"), "seed {seed}: {headline}");
        elsewhere += u32::from(example.steps.iter().any(|step| step.file.is_some()));
    }
    println!("{elsewhere} counterexamples in several files");
    assert!(elsewhere >= 20, "only {elsewhere} counterexamples had steps in several files");
}
