//! C and C++: every program of the corpus does what its header says, under every algorithm.

use selvedge_testkit::native;
use std::path::PathBuf;

fn corpus() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/c");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut programs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    programs.sort();
    programs
}

fn run(programs: &[PathBuf]) {
    let complaint =
        |path: &PathBuf| native::run(path).err().map(|error| format!("{}: {error}", path.display()));
    let complaints: Vec<String> = programs.iter().filter_map(complaint).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn the_first_half_of_the_corpus_is_as_its_headers_say() {
    let programs = corpus();
    assert!(programs.len() >= 60, "there are {} programs", programs.len());
    run(&programs[..programs.len() / 2]);
}

#[test]
fn the_second_half_of_the_corpus_is_as_its_headers_say() {
    let programs = corpus();
    run(&programs[programs.len() / 2..]);
}
