//! A search in pieces, each going on from the checkpoint of the one before, explores exactly what one search explores.

use selvedge_explore::{
    AfterViolation, Algorithm, Checkpoint, End, Exploration, Limits, Monitor, Path, Statistics, explore_from,
};
use selvedge_interp::Interpreter;
use selvedge_testkit::generate;
use selvedge_trace::Trace;
use std::collections::BTreeMap;

/// Executions up to which a program is explored.
const LIMIT: u64 = 2000;

/// Notes what is explored, and the latest checkpoint.
#[derive(Default)]
struct Notes {
    executions: Vec<(Trace, End)>,
    checkpoint: Option<Checkpoint>,
}

impl Monitor<Interpreter> for Notes {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn keeps_checkpoints(&self) -> bool {
        true
    }

    fn checkpoint(&mut self, _: &Interpreter, checkpoint: Checkpoint) {
        self.checkpoint = Some(checkpoint);
    }

    fn execution(&mut self, path: &Path<Interpreter>, end: End) {
        self.executions.push((Trace::of(&path.order), end));
    }
}

fn explore(
    program: &selvedge_ir::Program,
    algorithm: Algorithm,
    executions: u64,
    notes: &mut Notes,
) -> Exploration<selvedge_interp::Failure> {
    let limits = Limits {
        executions: Some(executions),
        after_violation: AfterViolation::KeepGoing,
        ..Limits::default()
    };
    let checkpoint = notes.checkpoint.take();
    explore_from(Interpreter::new(program), algorithm, limits, notes, checkpoint.as_ref()).0
}

/// The counters that do not depend on what a search remembers.
fn counters(statistics: &Statistics) -> Statistics {
    Statistics { race_checks: 0, dependency_checks: 0, ..*statistics }
}

#[test]
fn a_search_in_pieces_is_the_same_search() {
    let (mut compared, mut resumed, mut with_failures) = (0, 0, 0);
    for seed in 0..400 {
        let text = generate::program(seed).to_string();
        let Ok(program) = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()) else { continue };
        for algorithm in Algorithm::ALL.into_iter().filter(|algorithm| algorithm.keeps_checkpoints()) {
            let mut whole = Notes::default();
            let all = explore(&program, algorithm, LIMIT, &mut whole);
            if all.stop.is_some() {
                continue;
            }
            let (mut notes, mut limit) = (Notes::default(), 0);
            let last = loop {
                limit += 1 + seed % 3 + all.statistics.executions() / 5;
                let piece = explore(&program, algorithm, limit, &mut notes);
                match notes.checkpoint {
                    Some(_) => resumed += 1,
                    None => break piece,
                }
            };
            let name = algorithm.name();
            assert_eq!(notes.executions, whole.executions, "{name}, seed {seed}\n{text}");
            assert_eq!(counters(&last.statistics), counters(&all.statistics), "{name}, seed {seed}\n{text}");
            assert_eq!(last.violations, all.violations, "{name}, seed {seed}\n{text}");
            compared += 1;
            with_failures += usize::from(!all.violations.is_empty());
        }
    }
    assert!(compared > 1000 && resumed > 2000 && with_failures > 100, "{compared} {resumed} {with_failures}");
}
