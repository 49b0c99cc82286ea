//! Excursions of C programs: going back to repeat operations elsewhere shows what performing them there shows.

use selvedge_explore::{Path as Execution, Program, Speculates, ThreadStatus};
use selvedge_machine::{Machine, Options};
use selvedge_testkit::random::Random;
use selvedge_testkit::{native, random_c};
use selvedge_trace::{Access, Decision, EventId, Footprint, ThreadId};
use std::path::{Path, PathBuf};

/// The most steps of an execution.
const STEPS: usize = 60;

/// What can be seen of a thread: where it stands, whether it can go on and in how many ways, and what it would do.
type View = (ThreadStatus, u32, Vec<Access>);

fn views(program: &mut Machine) -> Vec<View> {
    (0..program.thread_count())
        .map(ThreadId::at)
        .map(|thread| {
            let choices = if program.is_enabled(thread) { program.choices(thread) } else { 0 };
            let mut footprint = Footprint::default();
            program.pending(Decision { thread, choice: 0 }, &mut footprint);
            (program.status(thread), choices, footprint.accesses().to_vec())
        })
        .collect()
}

/// A random execution.
fn walk(machine: Machine, random: &mut Random) -> Execution<Machine> {
    let mut path = Execution::new(machine);
    for _ in 0..STEPS {
        let threads = (0..path.program.thread_count()).map(ThreadId::at);
        let enabled: Vec<ThreadId> = threads.filter(|&t| path.program.is_enabled(t)).collect();
        if enabled.is_empty() {
            break;
        }
        let thread = *random.pick(&enabled);
        let choice = random.below(path.program.choices(thread) as usize) as u32;
        path.push(Decision { thread, choice });
    }
    path
}

/// What is seen after the events before `at` and some more, performed one after the other.
fn performed(path: &mut Execution<Machine>, at: EventId, sequence: &[Decision]) -> Vec<View> {
    let rest: Vec<Decision> = (at.index()..path.len()).map(|_| path.pop()).collect();
    for &decision in sequence {
        path.push(decision);
    }
    let seen = views(&mut path.program);
    for _ in sequence {
        path.pop();
    }
    for &decision in rest.iter().rev() {
        path.push(decision);
    }
    seen
}

/// The number of excursions made.
fn compare(source: &Path, machine: Machine, random: &mut Random) -> usize {
    let mut path = walk(machine, random);
    if path.program.refuted().is_some() {
        // What was taken for granted does not hold, and nothing is promised.
        return 0;
    }
    for index in 0..path.len() {
        let at = EventId::at(index);
        let present = (views(&mut path.program), path.program.output().to_vec());
        let sequence: Vec<EventId> = path.notdep(at).collect();
        let decisions: Vec<Decision> = sequence.iter().map(|&e| path.order.event(e).decision).collect();
        let (order, mut elsewhere) = path.elsewhere();
        let repeated = elsewhere.look(order, at, &sequence, views);
        let after = (views(&mut path.program), path.program.output().to_vec());
        assert_eq!(after, present, "{}: came back from before event {index}", source.display());
        let expected = performed(&mut path, at, &decisions);
        assert_eq!(repeated, expected, "{}: without event {index}", source.display());
    }
    path.len()
}

fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/c");
    let files = std::fs::read_dir(folder).expect("the corpus is there");
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "c" || e == "cpp"));
    files.sort();
    files
}

#[test]
fn every_program_of_the_corpus_goes_elsewhere_and_comes_back() {
    let mut excursions = 0;
    for source in corpus() {
        let Ok(machine) = native::machine(&source, &[], Options::default()) else { continue };
        let mut random = Random::new(1);
        excursions += compare(&source, machine.again(), &mut random);
        for _ in 0..4 {
            excursions += compare(&source, machine.again(), &mut random);
        }
    }
    assert!(excursions > 1000, "{excursions} excursions are too few to tell");
}

#[test]
fn random_programs_go_elsewhere_and_come_back() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    for seed in 0..40 {
        let mut random = Random::new(seed);
        let source = folder.join(format!("{seed}.c"));
        std::fs::write(&source, random_c::concurrent(&mut random)).expect("a file is written");
        let machine = native::machine(&source, &[], Options::default()).expect("the program compiles");
        for _ in 0..5 {
            compare(&source, machine.again(), &mut random);
        }
    }
}
