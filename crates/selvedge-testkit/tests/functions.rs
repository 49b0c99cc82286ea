//! One table of functions for all engines: every function of it through `check` and `prove`, which must not contradict each other, and refuse alike.

use selvedge_code::functions::{self, Function};
use selvedge_explore::plan::{Chosen, Extent};
use selvedge_explore::{Algorithm, Limits, Plan};
use selvedge_testkit::library_c::{Asked, Called, program};
use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::proving::{Verdict, explored};
use selvedge_testkit::tickets::Tickets;
use selvedge_translate::{Options, Scope, SourceFile, translate};
use selvedge_verify::c::question::left_shifts;
use selvedge_verify::{CheckC, Native, Question, Silent, verify};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const LIMIT: u64 = 1000;

/// A program, written to a file and compiled.
fn compiled(path: &Path, text: &str) -> Native {
    std::fs::write(path, text).expect("a file is written");
    let native = Native::load(path, None, &[], left_shifts(Question::default().checks(), path));
    native.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The verdict of `check`, and why it cut executions.
fn checked(native: &Native) -> (Verdict, Vec<String>) {
    let question = Question::default();
    let limits = Limits { executions: Some(LIMIT), ..Limits::default() };
    let plan = Plan::new(Some(Chosen::Named(Algorithm::Optimal)), limits, Extent::Whole);
    let plan = plan.expect("there is no bound that an algorithm does not know");
    let task = CheckC { native, question: &question, plan, root: None };
    let outcome = verify(task, &mut Silent).expect("nothing is asked for that may not fit");
    let cuts = outcome.evidence.machine.cuts().iter().map(|cut| cut.reason.message()).collect();
    let verdict = match outcome.verdict {
        selvedge_report::Verdict::Verified => Verdict::Safe,
        selvedge_report::Verdict::Violation => Verdict::Unsafe,
        selvedge_report::Verdict::Inconclusive => Verdict::Unknown("inconclusive".to_owned()),
    };
    (verdict, cuts)
}

/// The verdict for the translation, or why there is none.
fn translated(native: &Native, text: &str) -> Result<Verdict, (Scope, String)> {
    let module = native.module();
    let source = SourceFile::new(SourceFile::of_main(module), text);
    match translate(module, &source, Options::default()) {
        Ok(translated) => Ok(explored(&translated.program, LIMIT)),
        Err(refusal) => Err((refusal.scope, refusal.to_string())),
    }
}

/// What both say of a call of a function; what they agree on, in words.
///
/// # Errors
/// When they contradict each other, in words.
fn compared(path: &Path, text: &str, function: &Function, called: Called) -> Result<&'static str, String> {
    let native = compiled(path, text);
    let (check, cuts) = checked(&native);
    let about = || format!("{} {called:?} ({})", function.name, path.display());
    let unknown: Vec<&String> = cuts.iter().filter(|cut| cut.contains("is not known")).collect();
    if !unknown.is_empty() {
        return Err(format!("{}: {unknown:?}", about()));
    }
    Ok(match (check, translated(&native, text)) {
        (_, Err((Scope::Unknown, why))) => return Err(format!("{}: {why}", about())),
        (_, Err((Scope::Everywhere, why))) if cuts.contains(&why) => "refused by both",
        (_, Err((Scope::Everywhere, why))) => {
            return Err(format!("{}: prove says {why:?}, check {cuts:?}", about()));
        }
        (_, Err((Scope::Proofs, _))) => "refused by proofs",
        (Verdict::Safe, Ok(Verdict::Safe)) => "both safe",
        (Verdict::Unsafe, Ok(Verdict::Unsafe)) => "both unsafe",
        (Verdict::Unknown(_), Ok(_)) | (_, Ok(Verdict::Unknown(_))) => "undecided",
        (check, Ok(prove)) => {
            return Err(format!("{}: check says {check:?}, the translation {prove:?}", about()));
        }
    })
}

/// All calls that are made of a function.
fn calls(function: &Function) -> Vec<(Called, Asked)> {
    let mut calls = vec![
        (Called::Legally, Asked::Nothing),
        (Called::Legally, Asked::NotZero),
        (Called::Legally, Asked::Zero),
        (Called::TooShort, Asked::Nothing),
    ];
    let count = function.signature.parameters().count();
    calls.extend((0..count).map(|place| (Called::WithNull(place), Asked::Nothing)));
    calls
}

/// Compares calls of a function; those that proofs refuse as such are made once.
fn compare_function(folder: &Path, function: &Function, outcomes: &Outcomes) -> Vec<String> {
    let mut contradictions = Vec::new();
    for (number, (called, asked)) in calls(function).into_iter().enumerate() {
        let Some(text) = program(function, called, asked) else { continue };
        let path: PathBuf = folder.join(format!("{}-{number}.c", function.name.replace('.', "-")));
        match compared(&path, &text, function, called) {
            Ok(outcome) => {
                outcomes.count(outcome);
                if number == 0 && outcome == "refused by proofs" {
                    break;
                }
            }
            Err(contradiction) => contradictions.push(contradiction),
        }
    }
    contradictions
}

#[test]
fn every_function_means_the_same_to_check_and_prove() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let folder = temporary.path();
    let all: Vec<Function> = functions::all().collect();
    let tickets = Tickets::new(0..all.len() as u64);
    let outcomes = Outcomes::of_seeds(&(0..all.len() as u64));
    let contradictions = Mutex::new(Vec::new());
    let work = || {
        while let Some(number) = tickets.take() {
            let found = compare_function(folder, &all[number as usize], &outcomes);
            contradictions.lock().expect("no panic").extend(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    println!("{outcomes}");
    assert_eq!(contradictions.into_inner().expect("no panic"), [""; 0]);
    outcomes.assert_at_least(&[("both safe", 15), ("both unsafe", 15)]);
}

#[test]
fn what_no_engine_supports_is_refused_in_the_same_words() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    for (number, (body, words)) in [
        ("mystery();", "the function `mystery` has no body and is not known"),
        ("raise(1);", "not supported: signals (`raise`)"),
        ("fork();", "not supported: other processes (`fork`)"),
        ("__asm__ volatile(\"cpuid\");", "not supported: assembler: `cpuid`"),
        ("__builtin_readcyclecounter();", "not supported: the intrinsic `llvm.readcyclecounter`"),
        ("((void (*)(void))mystery)();", "the function `mystery` has no body and is not known"),
    ]
    .iter()
    .enumerate()
    {
        let path = temporary.path().join(format!("{number}.c"));
        let text =
            format!("int mystery(void); int raise(int); int fork(void);\nint main(void) {{ {body} }}\n");
        let native = compiled(&path, &text);
        assert_eq!(checked(&native).1, [*words], "{body}");
        assert_eq!(
            translated(&native, &text).map_err(|refusal| refusal.1),
            Err((*words).to_owned()),
            "{body}"
        );
    }
}
