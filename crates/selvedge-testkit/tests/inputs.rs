//! Programs with one value of each class of the inputs that are only tested do what the programs themselves do: brute force over all inputs finds
//! the same final states, failures and deadlocks.

use selvedge_explore::{
    AfterViolation, Algorithm, End, Limits, Monitor, Path, Program as _, ThreadStatus, explore,
};
use selvedge_impact::inputs::InputClasses;
use selvedge_interp::Interpreter;
use selvedge_ir::Program;
use selvedge_testkit::random::Random;
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// Executions up to which a program is compared.
const MOST: u64 = 60_000;

fn seeds() -> std::ops::Range<u64> {
    if std::env::var_os("SELVEDGE_LONG").is_some() { 0..20_000 } else { 0..1_500 }
}

/// An expression of a local variable, with operators that fail now and then.
fn integer(random: &mut Random, local: &str) -> String {
    let number = random.below(7);
    match random.below(7) {
        0 | 1 => local.to_owned(),
        2 => format!("({local} + {number})"),
        3 => format!("({local} % {})", number + 1),
        4 => format!("({number} - {local})"),
        5 => format!("(12 / ({local} - {number}))"),
        _ => format!("({local} * {local})"),
    }
}

fn test(random: &mut Random, local: &str) -> String {
    let comparison = ["==", "!=", "<", "<=", ">", ">="][random.below(6)];
    let first = format!("{} {comparison} {}", integer(random, local), random.below(9));
    match random.below(5) {
        0 => format!("({first} && x != {})", random.below(3)),
        1 => format!("({first} || {} > 3)", integer(random, local)),
        2 => format!("!({first})"),
        _ => first,
    }
}

/// Statements that use the inputs `a` and `b` and the copy `c`, most of them by testing.
fn statement(random: &mut Random, depth: usize) -> String {
    let local = ["a", "b", "c"][random.below(3)];
    match random.below(if depth == 0 { 8 } else { 11 }) {
        0 => format!("{local} = nondet({}..{});", random.below(3), 3 + random.below(10)),
        1 => {
            let from = ["a", "b"][random.below(2)];
            format!("c = {};", integer(random, from))
        }
        2 => format!("x = {};", random.below(4)),
        3 => format!("x = {} ? y : {};", test(random, local), random.below(3)),
        4 => format!("assert({});", test(random, local)),
        5 => format!("assume({});", test(random, local)),
        // Uses that are no tests: the input must not be split.
        6 if random.below(3) == 0 => format!("y = {};", integer(random, local)),
        6 => format!("await(x != {} || {});", random.below(3), test(random, local)),
        7 if random.below(3) == 0 => format!("{local} = {local} + 1;"),
        7 => "y = x;".to_owned(),
        _ => {
            let condition = test(random, local);
            let (then, otherwise) = (statement(random, depth - 1), statement(random, depth - 1));
            format!("if {condition} {{ {then} }} else {{ {otherwise} }}")
        }
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = "shared x = 0, y = 0;\n".to_owned();
    for thread in ["p", "q"] {
        text += &format!("thread {thread} {{\n  let a = nondet(0..{});\n", 2 + random.below(12));
        text += "  let b = 0;\n  let c = 0;\n";
        for _ in 0..1 + random.below(3) {
            text += &format!("  {}\n", statement(&mut random, 2));
        }
        text += "}\n";
    }
    text
}

/// How executions end: the values of the variables and what became of the threads.
#[derive(Default)]
struct Ends(BTreeSet<(Vec<i64>, Vec<String>)>);

impl Monitor<Interpreter> for Ends {
    fn execution(&mut self, path: &Path<Interpreter>, end: End) {
        if end == End::SleepSetBlocked {
            return;
        }
        let program = &path.program;
        let values = (0..2).map(|number| program.value(selvedge_trace::LocationId(number)));
        let status = |thread| match program.status(ThreadId::at(thread)) {
            ThreadStatus::Failed => format!("{:?}", program.next_statement(ThreadId::at(thread))),
            status => format!("{status:?}"),
        };
        self.0.insert((values.collect(), (0..program.thread_count()).map(status).collect()));
    }
}

type Found = (BTreeSet<(Vec<i64>, Vec<String>)>, BTreeSet<String>, u64);

/// All ends and failures, unless there are too many executions.
fn brute_force(program: &Program, mut each: impl FnMut(&[selvedge_trace::Decision])) -> Option<Found> {
    let after_violation = AfterViolation::KeepGoing;
    let limits = Limits { executions: Some(MOST), depth: 200, after_violation, ..Limits::default() };
    let mut ends = Ends::default();
    let (exploration, _) = explore(Interpreter::new(program), Algorithm::Source, limits, &mut ends);
    exploration.violations.iter().for_each(|found| each(&found.schedule));
    let failures =
        exploration.violations.iter().map(|found| format!("{:?}", (&found.failure.kind, found.failure.span)));
    let failures = failures.collect();
    exploration.stop.is_none().then_some((ends.0, failures, exploration.statistics.executions()))
}

#[test]
fn classes_of_inputs_lose_no_end_and_invent_none() {
    let (mut split, mut compared, mut fewer) = (0, 0, 0);
    for seed in seeds() {
        let text = program(seed);
        let program = selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).expect("compiles");
        let Some(classes) = InputClasses::of(&program) else { continue };
        split += 1;
        let Some(expected) = brute_force(&program, |_| {}) else { continue };
        let translated = |schedule: &[selvedge_trace::Decision]| {
            let original = classes.translate(schedule).expect("choices can be told");
            let found = replayed(&program, &original);
            assert!(found, "seed {seed}: a violation is none of the program\n{text}");
        };
        let found = brute_force(&classes.program, translated).expect("fewer executions");
        assert_eq!((&found.0, &found.1), (&expected.0, &expected.1), "seed {seed}\n{text}");
        compared += 1;
        fewer += u32::from(found.2 < expected.2);
    }
    assert!(split > 100 && compared > 100 && fewer > 80, "{split} split, {compared} compared, {fewer} fewer");
}

/// Whether a schedule leads to a failure or a deadlock of a program.
fn replayed(program: &Program, schedule: &[selvedge_trace::Decision]) -> bool {
    let mut interpreter = Interpreter::new(program);
    let mut footprint = selvedge_trace::Footprint::default();
    for &decision in schedule {
        if !interpreter.is_enabled(decision.thread) {
            return false;
        }
        interpreter.step(decision, &mut footprint);
    }
    let threads = interpreter.thread_count();
    let is_stuck = (0..threads).all(|thread| !interpreter.is_enabled(ThreadId::at(thread)));
    !interpreter.failures().is_empty() || is_stuck
}

#[test]
fn inputs_of_two_steps_are_one_input() {
    let program = selvedge_ir::parse::parse(
        "object @x: int = 0 ; @0:0..0\nfunction @p() { ; @0:0..0\n  register %a: int\n  register %b: int\n  register %n: int\n\
         b0:\n  %a = choose -2147483648 .. 2147483647 ; @0:0..0\n  %b = choose 0 .. 2 ; @0:0..0\n  %n = %a + %b ; @0:0..0\n\
         \x20 @x = select(%n == 2147483647, 1, 2) ; @0:0..0\n  assert %n < 77 ; @0:0..0\n  return ; @0:0..0\n}\nfamily @p runs @p at once ; @0:0..0\n",
    );
    let program = program.expect("a program");
    let classes = InputClasses::of(&program).expect("an input that is only tested");
    let mut translated = 0;
    let found = brute_force(&classes.program, |schedule| {
        translated += 1;
        let original = classes.translate(schedule).expect("choices can be told");
        assert!(replayed(&program, &original));
    });
    let (ends, failures, executions) = found.expect("few executions");
    assert_eq!((ends.len(), failures.len(), executions, translated), (3, 1, 3, 1));
}
