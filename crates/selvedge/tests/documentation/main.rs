//! The examples of docs/rust.md are what they say: the code of the first is that of `counter.rs` here, the report is what its check reports, and
//! all compile as they stand.

mod counter;
mod snippets;

use selvedge::Checker;

const GUIDE: &str = include_str!("../../../../docs/rust.md");
const COUNTER: &str = include_str!("counter.rs");

/// The block of the guide that begins with a fence of that kind and whose text has these words.
fn block(fence: &str, words: &str) -> &'static str {
    let found =
        GUIDE.split("```").skip(1).step_by(2).find(|block| block.starts_with(fence) && block.contains(words));
    found.and_then(|block| block.strip_prefix(fence)).expect("the guide has the block")
}

#[test]
fn the_first_example_is_the_code_that_is_tested_here() {
    let (code, _) = COUNTER.split_once("\n/// The test, for the test").unwrap();
    assert_eq!(
        block("rust\n", "both_increments_count"),
        code.replace("// #[selvedge::test]", "#[selvedge::test]")
    );
}

#[test]
fn the_first_report_is_what_the_check_says() {
    let report = Checker::new().run(counter::run).to_string();
    let report = report.replace("crates/selvedge/tests/documentation/counter.rs", "tests/counter.rs");
    let shown = block("\n", "an update was lost");
    assert_eq!(report.trim(), shown.trim());
}
