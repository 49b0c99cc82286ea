//! C and C++: every program of the corpus does what its header says, under every algorithm.

use selvedge_testkit::native;
use std::path::PathBuf;

/// All programs, or with `SELVEDGE_ONLY=part` those whose names contain that part.
fn corpus() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/c");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut programs: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    if let Ok(part) = std::env::var("SELVEDGE_ONLY") {
        programs.retain(|path| path.to_string_lossy().contains(&part));
    }
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
    let is_part = std::env::var_os("SELVEDGE_ONLY").is_some();
    assert!(is_part || programs.len() >= 60, "there are {} programs", programs.len());
    run(&programs[..programs.len() / 2]);
}

#[test]
fn the_second_half_of_the_corpus_is_as_its_headers_say() {
    let programs = corpus();
    run(&programs[programs.len() / 2..]);
}
