//! Every program of the corpus and every example does what its header says, under every algorithm.

use selvedge_testkit::corpus;
use std::path::Path;

fn run_all(folder: &str, at_least: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let programs = corpus::programs(&folder);
    assert!(programs.len() >= at_least, "only {} programs in {}", programs.len(), folder.display());
    let wrong: Vec<String> = programs
        .iter()
        .filter_map(|path| corpus::run(path).err().map(|error| format!("{}: {error}", path.display())))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_the_corpus_behave_as_their_headers_say() {
    run_all("corpus", 50);
}
