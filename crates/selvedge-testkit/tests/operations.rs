//! Every operator on integers × widths × edges of their ranges, in every domain: known words, the machine (with known words and with inputs), folding and
//! residual code of proofs, and the binary that clang makes.

use selvedge_testkit::native;
use selvedge_testkit::operations_c::{self, Operands, Tested, WIDTHS};
use selvedge_testkit::outcomes::Outcomes;
use selvedge_testkit::proving::{Verdict, explored};
use selvedge_testkit::tickets::Tickets;
use selvedge_translate::{Options, SourceFile, translate};
use selvedge_verify::Question;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

const LIMIT: u64 = 1000;

/// Why the translation may refuse a program: what is said of it in the guide.
const REFUSED: [&str; 2] =
    ["unsigned division of 64 bits", "an unsigned shift of 64 bits by a computed amount"];

/// What is wrong with a program, by the engines and the binary.
fn faults(path: &Path, text: &str, operands: Operands, outcomes: &Outcomes) -> Vec<String> {
    let mut faults = Vec::new();
    let mut expect = |who: &str, verdict: Verdict| match verdict {
        Verdict::Safe => outcomes.count(who),
        verdict => faults.push(format!("{}: {who}: {verdict:?}", path.display())),
    };
    let checked = native::verdict_of(path, &[], &Question::default(), LIMIT).expect("the program compiles");
    expect(
        "check",
        match checked {
            (selvedge_report::Verdict::Verified, _) => Verdict::Safe,
            (selvedge_report::Verdict::Violation, _) => Verdict::Unsafe,
            (verdict, _) => Verdict::Unknown(format!("{verdict:?}")),
        },
    );
    if operands == Operands::Inputs {
        // Inputs of 64 bits have too many values for exploration of the translation.
        return faults;
    }
    let module = native::module(path, &[]).expect("the program compiles");
    let source = SourceFile::new(SourceFile::of_main(&module), text);
    match translate(&module, &source, Options::default()) {
        Ok(translated) => expect("prove", explored(&translated.program, LIMIT)),
        Err(refusal) if REFUSED.iter().any(|reason| refusal.to_string().contains(reason)) => {
            outcomes.count("refused by proofs");
        }
        Err(refusal) => expect("prove", Verdict::Unknown(refusal.to_string())),
    }
    expect("binary", if runs_well(path) { Verdict::Safe } else { Verdict::Unsafe });
    faults
}

/// Whether the binary of a program ends without an error.
fn runs_well(path: &Path) -> bool {
    let (binary, failing) = (path.with_extension("out"), path.with_file_name("reach_error.c"));
    std::fs::write(&failing, "void exit(int); void reach_error(void) { exit(1); }\n")
        .expect("a file is written");
    let compiled =
        Command::new("clang").args(["-w", "-pthread", "-o"]).arg(&binary).arg(path).arg(&failing).status();
    assert!(compiled.is_ok_and(|status| status.success()), "{}", path.display());
    Command::new(&binary).status().is_ok_and(|status| status.success())
}

#[test]
fn every_operator_means_the_same_in_every_domain() {
    let temporary = tempfile::tempdir().expect("there is room for temporary files");
    let mut programs: Vec<(PathBuf, Operands, String)> = Vec::new();
    for bits in WIDTHS {
        for operands in [Operands::Known, Operands::Shared, Operands::Inputs] {
            for tested in [Tested::Most, Tested::Unsigned] {
                let folder = temporary.path().join(format!("{tested:?}-{bits}-{operands:?}"));
                std::fs::create_dir(&folder).expect("there is room for temporary files");
                let text = operations_c::program(bits, operands, tested);
                programs.push((folder.join("program.c"), operands, text));
            }
        }
    }
    let tickets = Tickets::new(0..programs.len() as u64);
    let (outcomes, faulty) = (Outcomes::of(programs.len() as u64), Mutex::new(Vec::new()));
    let work = || {
        while let Some(number) = tickets.take() {
            let (path, operands, text) = &programs[number as usize];
            std::fs::write(path, text).expect("a file is written");
            faulty.lock().expect("no panic").extend(faults(path, text, *operands, &outcomes));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    println!("{outcomes}");
    assert_eq!(faulty.into_inner().expect("no panic"), [""; 0]);
    assert_eq!((outcomes.get("check"), outcomes.get("binary")), (24, 16));
    assert!(outcomes.get("prove") >= 15, "{outcomes}");
}
