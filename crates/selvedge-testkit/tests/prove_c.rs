//! C programs for proofs: what is translated does what the machine does, and proofs agree with exploration.

use selvedge_code::inputs::Input;
use selvedge_ir::Program;
use selvedge_machine::FailureKind;
use selvedge_symbolic::movers::Blocks;
use selvedge_testkit::mirror::random_run;
use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::proving::{Verdict, explored, explored_to, proved};
use selvedge_testkit::random::Random;
use selvedge_testkit::tickets::Tickets;
use selvedge_testkit::{native, provable_c};
use selvedge_translate::{Options, SourceFile, translate};
use selvedge_verify::Question;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMIT: u64 = 3000;

fn count(usual: u64) -> u64 {
    if std::env::var_os("SELVEDGE_LONG").is_some() { usual * 20 } else { usual }
}

fn translated(path: &Path, cflags: &[String]) -> Result<Program, String> {
    let module = native::module(path, cflags)?;
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let source = SourceFile::new(SourceFile::of_main(&module), &text);
    let program = translate(&module, &source, Options::default());
    let program =
        program.map_err(|refusal| format!("line {}: {refusal}", refusal.span.line_column(&text).0))?.program;
    if let Err(faults) = selvedge_ir::check::check(&program) {
        panic!("{}: {}\n{}", path.display(), faults[0], selvedge_ir::print::print(&program));
    }
    Ok(program)
}

/// What `selvedge check` says of the C program itself.
fn machine_says(path: &Path, cflags: &[String]) -> Verdict {
    let verdict = native::verdict_of(path, cflags, &Question::default(), LIMIT);
    match verdict.expect("the program compiles") {
        (selvedge_report::Verdict::Verified, _) => Verdict::Safe,
        // The translation takes a value that is not uninitialised on every way for any value.
        (selvedge_report::Verdict::Violation, Some(failure))
            if matches!(failure.kind, FailureKind::UninitialisedUse(_)) =>
        {
            Verdict::Unknown("uninitialised".to_owned())
        }
        (selvedge_report::Verdict::Violation, _) => Verdict::Unsafe,
        (selvedge_report::Verdict::Inconclusive, _) => Verdict::Unknown("inconclusive".to_owned()),
    }
}

fn in_parallel(work: &(dyn Fn() + Sync)) {
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        }
    });
}

/// A random program in a file, and the options it is compiled with.
fn written(folder: &Path, seed: u64) -> (PathBuf, Vec<String>) {
    let path = folder.join(format!("{seed}.c"));
    std::fs::write(&path, provable_c::program(&mut Random::new(seed))).expect("a file is written");
    (path, vec![["-O0", "-O1", "-O2"][seed as usize % 3].to_owned()])
}

fn seeds(usual: std::ops::Range<u64>) -> std::ops::Range<u64> {
    match std::env::var("SELVEDGE_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
            from.parse().expect("a number")..to.parse().expect("a number")
        }
        Err(_) => usual.start..usual.start + count(usual.end - usual.start),
    }
}

/// Why random programs may be refused even if they are not optimised.
const REFUSED: [&str; 9] = [
    "unsigned division",
    "memory that is allocated in a loop",
    "a mutex that is destroyed when other threads may use it",
    "computed",
    "the address of a local variable that others may find",
    "memory that is freed",
    "a comparison of the addresses of freed memory",
    "allocated memory that is accessed in different ways",
    "not supported by proofs: `",
];

#[test]
fn inputs_of_all_types_mean_the_same_to_both_engines() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    for (ty, input) in selvedge_code::inputs::TYPES {
        let (c, range) = match input {
            Input::Bool => ("_Bool", "x == 0 || x == 1"),
            Input::Signed => ("signed char", "x >= -128 && x <= 127"),
            Input::Unsigned => ("unsigned char", "x >= 0 && x <= 255"),
            Input::Float | Input::Pointer => continue,
        };
        for (condition, expected) in [(range, Verdict::Safe), ("x != 1", Verdict::Unsafe)] {
            let path = folder.join(format!("{ty}.c"));
            let text = format!(
                "#include <assert.h>\nextern {c} __VERIFIER_nondet_{ty}(void);\nint main(void) {{\n    {c} x = __VERIFIER_nondet_{ty}();\n    assert({condition});\n}}\n"
            );
            std::fs::write(&path, text).expect("a file is written");
            assert_eq!(machine_says(&path, &[]), expected, "{ty}");
            let program = translated(&path, &[]).expect("can be translated");
            assert_eq!(explored(&program, LIMIT), expected, "{ty}");
        }
    }
}

#[test]
fn a_translated_program_does_what_the_machine_does() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let tickets = Tickets::new(seeds(0..300));
    let outcomes = Outcomes::of_seeds(&seeds(0..300));
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let (path, cflags) = written(folder, seed);
            let outcome = match translated(&path, &cflags) {
                Err(why) => {
                    assert!(
                        cflags[0] != "-O0" || REFUSED.iter().any(|reason| why.contains(reason)),
                        "{}: {why}",
                        path.display()
                    );
                    format!("refused: {}", why.split(": ").nth(2).unwrap_or(""))
                }
                Ok(program) => match (machine_says(&path, &cflags), explored(&program, LIMIT)) {
                    (Verdict::Unknown(_), _) | (_, Verdict::Unknown(_)) => "not explored".to_owned(),
                    (machine, model) if machine == model => format!("{model:?}"),
                    (machine, model) => panic!(
                        "{} {cflags:?}: the machine says {machine:?}, the model {model:?}\n{}",
                        path.display(),
                        selvedge_ir::print::print(&program)
                    ),
                },
            };
            outcomes.count(outcome);
        }
    });
    println!("{outcomes}");
    outcomes.assert_at_least(&[("Safe", 30), ("Unsafe", 20)]);
    outcomes.assert_at_most("refused", 15);
    outcomes.assert_at_most("not explored", 20);
}

/// The transitions of the prover, in which branches have been joined, are the steps of the interpreter.
#[test]
fn transitions_of_translated_programs_are_the_steps_of_the_interpreter() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let tickets = Tickets::new(seeds(0..300));
    let outcomes = Outcomes::of_seeds(&seeds(0..300));
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let (path, cflags) = written(folder, seed);
            let Ok(program) = translated(&path, &cflags) else { continue };
            outcomes.count("translated");
            let mut random = Random::new(seed);
            for _ in 0..3 {
                if let Err(error) = random_run(&program, &mut random, 500) {
                    panic!("{} {cflags:?}: {error}\n{}", path.display(), selvedge_ir::print::print(&program));
                }
            }
        }
    });
    outcomes.assert_at_least(&[("translated", 80)]);
}

/// Proofs and violations of random programs are those that exploration of the C program itself finds. Every proof is certified, every
/// violation replayed.
#[test]
fn proofs_of_random_programs_agree_with_exploration_of_the_machine() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let tickets = Tickets::new(seeds(0..40));
    let outcomes = Outcomes::of_seeds(&seeds(0..40));
    in_parallel(&|| {
        while let Some(seed) = tickets.take() {
            let (path, cflags) = written(folder, seed);
            let Ok(program) = translated(&path, &cflags) else { continue };
            let proved = match proved(&program, Blocks::Merged, Duration::from_secs(4)) {
                Ok(verdict) => verdict,
                Err(error) => panic!("{} {cflags:?}: {error}", path.display()),
            };
            let outcome = match (machine_says(&path, &cflags), proved) {
                (Verdict::Safe, Verdict::Safe) => "safe",
                (Verdict::Unsafe, Verdict::Unsafe) => "unsafe",
                (_, Verdict::Unknown(_)) => "not proved",
                (Verdict::Unknown(_), _) => "not explored",
                (machine, proved) => {
                    panic!(
                        "{} {cflags:?}: the machine says {machine:?}, the prover {proved:?}",
                        path.display()
                    )
                }
            };
            outcomes.count(outcome);
        }
    });
    println!("{outcomes}");
    outcomes.assert_at_least(&[("safe", 25), ("unsafe", 15)]);
    outcomes.assert_at_most("not ", 40);
}

/// Programs of the corpus that are proved, or shown to be wrong, within seconds.
const PROVED: [(&str, Verdict); 10] = [
    ("atomic_counter", Verdict::Safe),
    ("atomic_section", Verdict::Safe),
    ("lock_order", Verdict::Unsafe),
    ("lost_update", Verdict::Unsafe),
    ("mutex_counter", Verdict::Safe),
    ("null_dereference", Verdict::Unsafe),
    ("peterson", Verdict::Safe),
    ("peterson_broken", Verdict::Unsafe),
    ("semaphore_of_two", Verdict::Unsafe),
    ("try_lock", Verdict::Safe),
];

#[test]
fn proofs_agree_with_exploration_of_the_machine() {
    for (name, expected) in PROVED {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("corpus/c/{name}.c"));
        let program = translated(&path, &[]).expect("can be translated");
        assert_eq!(machine_says(&path, &[]), expected, "{name}");
        assert_eq!(proved(&program, Blocks::Merged, Duration::from_secs(120)), Ok(expected), "{name}");
    }
}

/// The corpus of C programs: those that can be translated have the verdicts that their headers say. Headers with flags ask for other
/// properties.
#[test]
fn programs_of_the_corpus_keep_their_verdicts() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/c");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus)
        .expect("there is a corpus")
        .map(|entry| entry.expect("is readable").path())
        .collect();
    paths.sort();
    let mut compared = 0;
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("is text");
        let header = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(&format!("//@ {key}: ")))?;
            Some(line.trim().to_owned())
        };
        let Some(verdict) = header("verdict").filter(|_| header("flags").is_none()) else { continue };
        let cflags: Vec<String> = header("cflags")
            .iter()
            .flat_map(|flags| flags.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        let Ok(program) = translated(&path, &cflags) else { continue };
        let expected = match verdict.split(' ').next() {
            Some("verified") => Verdict::Safe,
            Some("violation") => Verdict::Unsafe,
            _ => continue,
        };
        match explored_to(&program, 200, 1000) {
            // A loop that waits goes round and round in the model.
            Verdict::Unknown(_) => {}
            found => {
                compared += 1;
                assert_eq!(found, expected, "{}", path.display());
            }
        }
    }
    assert!(compared >= 30, "only {compared} programs could be translated and explored");
}
