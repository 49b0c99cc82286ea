//! Every program in `examples/`, `benches/` and the guides compiles to well-formed IR, for several sizes if it can.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let entries = std::fs::read_dir(&folder).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut programs: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "sel")).collect();
    programs.sort();
    programs
}

fn compiles(path: &Path, defines: &BTreeMap<String, i64>) {
    let text = std::fs::read_to_string(path).expect("the program can be read");
    let program = match selvedge_lang::compile("program.sel", &text, defines) {
        Ok(program) => program,
        Err(errors) => panic!("{} with {defines:?}: {errors:#?}", path.display()),
    };
    if let Err(problem) = selvedge_ir::check::check(&program) {
        panic!("{} with {defines:?}: {problem:?}", path.display());
    }
}

#[test]
fn all_examples_compile() {
    let examples = programs("examples");
    assert!(examples.len() >= 11);
    for path in examples {
        compiles(&path, &BTreeMap::new());
    }
}

#[test]
fn all_seeds_compile_for_several_sizes() {
    let seeds = programs("benches/seeds");
    assert_eq!(seeds.len(), 9);
    for path in seeds {
        for n in [2, 3, 5, 16, 100] {
            compiles(&path, &BTreeMap::from([("N".to_string(), n)]));
        }
    }
}

/// The blocks of code of a guide that are programs: those without a word behind the fence.
fn programs_of_guide(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    let guide = std::fs::read_to_string(path).expect("the guide can be read");
    let parts = guide.split("```").skip(1).step_by(2);
    parts.filter(|part| part.starts_with('\n')).map(str::to_string).collect()
}

#[test]
fn all_programs_of_the_language_guide_compile() {
    let programs = programs_of_guide("language.md");
    assert!(programs.len() >= 8);
    for program in programs {
        let compiled = selvedge_lang::compile("guide.sel", &program, &BTreeMap::new());
        assert!(compiled.is_ok(), "{compiled:#?}\n{program}");
    }
}

#[test]
fn all_programs_of_the_dlang_guide_compile() {
    let programs = programs_of_guide("dlang.md");
    assert!(programs.len() >= 3);
    for program in programs {
        let compiled = selvedge_lang::compile_dlang("guide.d", &program);
        assert!(compiled.is_ok(), "{compiled:#?}\n{program}");
    }
}
