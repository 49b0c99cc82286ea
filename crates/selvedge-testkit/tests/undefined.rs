//! What optimised code leaves undefined has no value in particular: a program is verified only if it is right for all.
//!
//! Random modules compute with `undef`, `poison` and what is frozen; the oracle puts numbers in their places.
//! `SELVEDGE_LONG=1` compares 20 000 modules, `SELVEDGE_SEEDS=from..to` others.

use selvedge_explore::{AfterViolation, Algorithm, Limits, Silent, explore};
use selvedge_machine::Options;
use selvedge_testkit::random::Random;
use selvedge_testkit::table_c::machine;
use std::fmt::Write;
use std::ops::Range;

fn seeds() -> Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    0..if std::env::var_os("SELVEDGE_LONG").is_some() { 20_000 } else { 2_000 }
}

/// What stands for a value that is undefined, in a module that is not finished.
const HOLE: &str = "HOLE";

/// An operand: a register that was computed, a number or something undefined.
fn operand(random: &mut Random, registers: usize) -> String {
    match random.below(10) {
        0 => HOLE.to_owned(),
        1..3 => ["0", "1", "2", "-1", "240"][random.below(5)].to_owned(),
        _ => format!("%r{}", random.below(registers)),
    }
}

/// An instruction that computes a register of 32 bits from those before it.
fn instruction(random: &mut Random, n: usize, text: &mut String) {
    let (a, b, c) = (operand(random, n), operand(random, n), operand(random, n));
    let _ = match random.below(10) {
        0..4 => {
            let operator = *random.pick(&["add", "sub", "mul", "and", "or", "xor", "and", "or"]);
            writeln!(text, "  %r{n} = {operator} i32 {a}, {b}")
        }
        4 => writeln!(text, "  %r{n} = lshr i32 {a}, {}", random.below(32)),
        5 => {
            let _ = writeln!(text, "  %c{n} = icmp {} i32 {a}, {b}", random.pick(&["eq", "ult", "sgt"]));
            writeln!(text, "  %r{n} = select i1 %c{n}, i32 {b}, i32 {c}")
        }
        6 => {
            let _ = writeln!(text, "  %c{n} = icmp {} i32 {a}, {b}", random.pick(&["ne", "uge", "slt"]));
            writeln!(text, "  %r{n} = zext i1 %c{n} to i32")
        }
        7 => {
            let _ = writeln!(text, "  store i32 {a}, ptr %memory");
            writeln!(text, "  %r{n} = load i32, ptr %memory")
        }
        8 => {
            let _ = writeln!(
                text,
                "  %p{n} = insertvalue {{ i32, i32 }} {HOLE}_PAIR, i32 {a}, {}",
                random.below(2)
            );
            writeln!(text, "  %r{n} = extractvalue {{ i32, i32 }} %p{n}, {}", random.below(2))
        }
        _ => writeln!(text, "  %r{n} = freeze i32 {a}"),
    };
}

/// A module with holes, which fails if the last register is a number.
fn module(random: &mut Random) -> String {
    let mut text = "define i32 @main() {\n  %memory = alloca i32\n  %r0 = add i32 1, 2\n".to_owned();
    let registers = 2 + random.below(6);
    (1..registers).for_each(|n| instruction(random, n, &mut text));
    let last = format!("%r{}", registers - 1);
    if random.percent(50) {
        let _ = writeln!(text, "  br label %join\nskipped:\n  br label %join\njoin:");
        let _ = writeln!(text, "  %last = phi i32 [ {last}, %0 ], [ {HOLE}, %skipped ]");
    } else {
        let _ = writeln!(text, "  %last = or i32 {last}, 0");
    }
    let number = *random.pick(&["0", "1", "3", "240"]);
    let _ = writeln!(text, "  %c = icmp eq i32 %last, {number}\n  br i1 %c, label %bad, label %good");
    text.push_str(
        "bad:\n  call void @abort()\n  unreachable\ngood:\n  ret i32 0\n}\ndeclare void @abort()\n",
    );
    text
}

/// The module with a value in all holes; pairs have it twice.
fn filled(holes: &str, value: &str) -> String {
    let pair = if value.parse::<i64>().is_ok() {
        format!("{{ i32 {value}, i32 {value} }}")
    } else {
        value.to_owned()
    };
    holes.replace(&format!("{HOLE}_PAIR"), &pair).replace(HOLE, value)
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Verified,
    Violated,
    Doubtful,
}

fn said(text: &str) -> Said {
    let limits = Limits { after_violation: AfterViolation::KeepGoing, ..Limits::default() };
    let program = machine(text, Options::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let (exploration, machine) = explore(program, Algorithm::Optimal, limits, &mut Silent);
    match (exploration.violations.is_empty(), machine.cuts().is_empty()) {
        (false, _) => Said::Violated,
        (true, false) => Said::Doubtful,
        (true, true) => Said::Verified,
    }
}

#[test]
fn what_is_undefined_is_never_taken_as_a_number() {
    let (mut verified, mut violated, mut doubtful, mut differing) = (0, 0, 0, 0);
    for seed in seeds() {
        let random = &mut Random::new(seed);
        let holes = module(random);
        if !holes.contains(HOLE) {
            continue;
        }
        let by_value = ["0", "1", "3", "-1", "240", "77"].map(|value| said(&filled(&holes, value)));
        let word = *random.pick(&["undef", "poison"]);
        let undefined = filled(&holes, word);
        differing += u64::from(by_value.iter().any(|said| *said != by_value[0]));
        match said(&undefined) {
            Said::Verified => {
                verified += 1;
                assert!(
                    by_value.iter().all(|said| *said == Said::Verified),
                    "seed {seed}: {by_value:?}\n{undefined}"
                );
            }
            Said::Violated => violated += 1,
            Said::Doubtful => doubtful += 1,
        }
    }
    println!(
        "{verified} verified, {violated} violated, {doubtful} doubtful; {differing} depend on the value"
    );
    assert!(verified > 100 && violated > 100 && doubtful > 100 && differing > 100, "not much is compared");
}
