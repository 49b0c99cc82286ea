//! Going back restores everything: the interpreter after a rollback is the interpreter before.

use selvedge_explore::{Program, ThreadStatus};
use selvedge_interp::Interpreter;
use selvedge_testkit::generate;
use selvedge_testkit::random::Random;
use selvedge_trace::{Decision, Footprint, LocationId, ThreadId};
use std::collections::BTreeMap;

/// Everything that can be seen of a state from outside.
#[derive(Debug, PartialEq)]
struct Snapshot {
    memory: Vec<i64>,
    threads: Vec<(ThreadStatus, bool, selvedge_ir::Span, u32)>,
}

fn snapshot(program: &mut Interpreter) -> Snapshot {
    let cells = program.layout().initial.len() as u32;
    let threads: Vec<ThreadId> = (0..program.thread_count()).map(ThreadId::at).collect();
    let of = |&t: &ThreadId| {
        let enabled = program.is_enabled(t);
        let choices = if enabled { program.choices(t) } else { 0 };
        (program.status(t), enabled, program.next_statement(t), choices)
    };
    let threads = threads.iter().map(of).collect();
    Snapshot { memory: (0..cells).map(|cell| program.value(LocationId(cell))).collect(), threads }
}

fn enabled(program: &mut Interpreter) -> Vec<Decision> {
    let mut all = Vec::new();
    for thread in (0..program.thread_count()).map(ThreadId::at) {
        if program.is_enabled(thread) {
            all.extend((0..program.choices(thread)).map(|choice| Decision { thread, choice }));
        }
    }
    all
}

/// Walks at random, forward and backward, and compares with what was seen on the way.
fn walk(program: &mut Interpreter, random: &mut Random) {
    let mut way = Vec::new();
    let mut footprint = Footprint::default();
    for _ in 0..60 {
        let decisions = enabled(program);
        if decisions.is_empty() || random.percent(25) {
            let Some((mark, before, decision, done)) = way.pop() else { break };
            program.rollback(mark);
            assert_eq!(snapshot(program), before);
            program.step(decision, &mut footprint);
            assert_eq!((snapshot(program), footprint.clone()), done, "the same step again does the same");
            program.rollback(mark);
            continue;
        }
        let decision = *random.pick(&decisions);
        let (mark, before) = (program.mark(), snapshot(program));
        program.step(decision, &mut footprint);
        way.push((mark, before, decision, (snapshot(program), footprint.clone())));
    }
}

#[test]
fn a_step_back_restores_the_state_and_a_step_again_repeats_it() {
    for seed in 0..3000 {
        let text = generate::program(seed).to_string();
        let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("it compiles");
        let mut interpreter = Interpreter::new(&program);
        let start = snapshot(&mut interpreter);
        let mut random = Random::new(seed);
        for _ in 0..3 {
            walk(&mut interpreter, &mut random);
            interpreter.restart();
            assert_eq!(snapshot(&mut interpreter), start, "seed {seed}");
        }
    }
}

#[test]
fn looking_at_an_operation_changes_nothing_and_foretells_its_footprint() {
    for seed in 0..3000 {
        let text = generate::program(seed).to_string();
        let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("it compiles");
        let mut interpreter = Interpreter::new(&program);
        let mut random = Random::new(seed);
        let (mut foretold, mut done) = (Footprint::default(), Footprint::default());
        while let decisions = enabled(&mut interpreter)
            && !decisions.is_empty()
        {
            let decision = *random.pick(&decisions);
            let before = snapshot(&mut interpreter);
            interpreter.pending(decision, &mut foretold);
            assert_eq!(snapshot(&mut interpreter), before);
            interpreter.step(decision, &mut done);
            // The end of the thread, or of one it spawned, is known only when the step is done.
            let extra = done.accesses().iter().filter(|a| !foretold.accesses().contains(a)).count();
            assert!(foretold.accesses().iter().all(|a| done.accesses().contains(a)), "seed {seed}");
            assert!(program.finally.is_some() || extra <= 1, "seed {seed}");
        }
    }
}
