//! `selvedge bench`: the table, its CSV form, and its marks.

use crate::{Scratch, selvedge, selvedge_with};

#[test]
fn every_row_has_the_expected_count() {
    let ran =
        selvedge("bench ring:3 ring:4 float-read:3 indexer-small:4 --algorithms sleep,dpor,source,optimal");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.matches('✓').count(), 16, "{}", ran.stdout);
    assert!(ran.stdout.starts_with("program(N)"), "{}", ran.stdout);
}

#[test]
fn algorithms_that_do_not_count_traces_are_not_compared() {
    let ran = selvedge("bench ring-extended:4 --algorithms exhaustive,dpor-no-sleep");
    assert_eq!(ran.code, 0);
    assert!(!ran.stdout.contains('✓') && !ran.stdout.contains("WRONG"), "{}", ran.stdout);
}

#[test]
fn a_row_out_of_time_ends_its_series() {
    let ran = selvedge("bench ring:25 ring:26 --algorithms exhaustive --max-time 0.05");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("> time limit"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("ring with exhaustive: larger sizes skipped (26)\n"), "{}", ran.stdout);
}

#[test]
fn the_table_is_written_as_csv_too() {
    let file = Scratch::new("table.csv");
    let ran = selvedge_with(&["bench", "last-zero:4", "--csv", file.path()]);
    assert_eq!(ran.code, 0);
    let text = file.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[1].starts_with("last-zero,4,source,verified,16,16,equal,"), "{text}");
    assert!(lines[2].starts_with("last-zero,4,optimal,verified,16,16,equal,0,"), "{text}");
    assert!(lines.iter().all(|line| line.split(',').count() == 15), "{text}");
}

#[test]
fn an_unknown_benchmark_lists_the_known_ones() {
    let ran = selvedge("bench rings");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("`rings`") && ran.stderr.contains("readers-writers"), "{}", ran.stderr);
}

#[test]
fn a_size_that_the_program_refuses_is_an_error() {
    let ran = selvedge("bench ring:0");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("cannot run ring:0:source"), "{}", ran.stderr);
}
