//! `selvedge bench`: the table, its CSV form, its marks, and its comparison with published tables.

use crate::{Ran, Scratch, selvedge, selvedge_with};
use expect_test::expect;
use std::collections::BTreeMap;

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
    assert!(lines.iter().all(|line| line.split(',').count() == 17), "{text}");
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

/// The comparison without what depends on the machine or on how clever the algorithms are: our times, the ratios and
/// our counters.
fn without_our_figures(ran: &Ran) -> String {
    assert_eq!(ran.stderr, "");
    let line = |line: &str| if line.contains('✓') { masked(line) } else { line.to_owned() };
    let lines: String = ran.stdout.lines().map(|text| line(text) + "\n").collect();
    format!("{lines}exit code {}\n", ran.code)
}

/// Figures are words at the right ends of their columns, so a word may be replaced together with the space before it.
fn masked(line: &str) -> String {
    let masks = BTreeMap::from([(7, "TIME"), (9, "RATIO"), (10, "SPEEDUP"), (12, "COUNT"), (14, "COUNT")]);
    let (mut text, mut rest, mut word) = (String::new(), line, 0);
    while !rest.is_empty() {
        let start = rest.len() - rest.trim_start().len();
        let end = rest[start..].find(' ').map_or(rest.len(), |length| start + length);
        let (cell, after) = rest.split_at(end);
        let width = cell.chars().count();
        text += &masks.get(&word).map_or(cell.to_owned(), |mask| format!("{mask:>width$}"));
        (rest, word) = (after, word + 1);
    }
    text
}

#[test]
fn our_figures_are_shown_beside_the_published_ones() {
    let ran = selvedge("bench --paper epor ring:2 ring-extended:3");
    expect![[r#"
        program(N)           algorithm                 traces published         correct  time (s)  published    ratio speed-up published dep. checks   published race checks  published unsat. published
        ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
        ring(2)              source (SDPOR)                 2         2             2 ✓      TIME      0.002    RATIO  SPEEDUP         –       COUNT           3       COUNT          2      0         0
        ring(2)              eager-short (EPOR-SH)          2         2             2 ✓      TIME      0.001    RATIO  SPEEDUP      2.0×       COUNT           2       COUNT          1      0         0
        ring(2)              eager (EPOR)                   2         2             2 ✓      TIME      0.001    RATIO  SPEEDUP      2.0×       COUNT           2       COUNT          1      0         0
        ring-extended(3)     source (SDPOR)                90        90            90 ✓      TIME      0.050    RATIO  SPEEDUP         –       COUNT        2264       COUNT       1029      0         0
        ring-extended(3)     eager-short (EPOR-SH)         90        72            90 ✓      TIME      0.047    RATIO  SPEEDUP      1.1×       COUNT        1553       COUNT        663      0        14  published count is wrong: 18 too few
        ring-extended(3)     eager (EPOR)                  90        90            90 ✓      TIME      0.365    RATIO  SPEEDUP      0.1×       COUNT         126       COUNT         15      0      4006
        published: [Metzler2020], appendix A (in Python on a 3.6 GHz Intel i7-4790); ratio: published time / ours; speed-up: time of source / that of the row; unsat.: unsatisfiable trace constraint systems
        dep. checks: pairs of operations that were asked whether they are dependent; race checks: pairs of dependent events that were asked whether they race. Both depend on how an implementation finds pairs, not only on the algorithm
        6 rows published: 5 reproduced, 1 different and explained
        exit code 0
    "#]]
    .assert_eq(&without_our_figures(&ran));
}

#[test]
fn larger_sizes_of_a_published_series_are_skipped_after_the_time_limit() {
    let ran = selvedge("bench --paper epor ring:19 ring:20 ring:21 --max-time 0.001");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for algorithm in ["source", "eager-short", "eager"] {
        let note = format!("ring with {algorithm}: larger sizes skipped (20, 21)\n");
        assert!(ran.stdout.contains(&note), "{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("ring(20)"), "{}", ran.stdout);
}

#[test]
fn an_unknown_paper_lists_the_known_ones() {
    let ran = selvedge("bench --paper eopr");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(
        ran.stderr.contains("'eopr'")
            && ran.stderr.contains("[possible values: epor, lazypor, bounding, vc-dpor, imc, irs, rcu, all]"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_row_that_is_not_published_lists_the_published_ones() {
    for name in ["float-read", "ring:22", "ring:x", "rings"] {
        let ran = selvedge(&format!("bench --paper epor {name}"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        let stderr = &ran.stderr;
        assert!(stderr.contains(&format!("`{name}`")) && stderr.contains("ring (2 to 21)"), "{stderr}");
    }
}

#[test]
fn an_unknown_program_of_a_table_lists_the_known_ones() {
    let ran = selvedge("bench --paper vc-dpor rings");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("`rings`") && ran.stderr.contains("float-read"), "{}", ran.stderr);
}

#[test]
fn a_program_of_a_table_runs_at_any_size_and_its_executions_are_written_down() {
    let [csv, json, plot, page] = ["any.csv", "any.json", "any.svg", "any.html"].map(Scratch::new);
    let programs = ["bench", "--paper", "vc-dpor", "fib-bench:2", "fib-bench:3", "singleton:4"];
    let files = [("--csv", &csv), ("--json", &json), ("--plot", &plot), ("--report", &page)];
    let files = files.iter().flat_map(|(option, file)| [*option, file.path()]);
    let ran = selvedge_with(&programs.into_iter().chain(files).collect::<Vec<_>>());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.contains("fib-bench(2)") && ran.stdout.contains("singleton(4)"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("more without a published figure\n"), "{}", ran.stdout);
    assert_eq!(csv.text().lines().count(), 1 + 3 * 5);
    assert!(json.text().contains("\"singleton\"") && plot.text().contains("<svg"));
    assert!(page.text().contains("<td>fib-bench(3)</td>"));
    let proofs = selvedge_with(&["bench", "--paper", "imc", "race", "--csv", csv.path()]);
    assert!(proofs.code == 2 && proofs.stderr.contains("--paper imc"), "{}", proofs.stderr);
}

#[test]
fn the_summary_of_a_table_says_what_is_reproduced_and_why_the_rest_is_not() {
    let ran = selvedge("bench --paper vc-dpor fkp2014:2 monabsex2:5 x2tv6:3");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let summary = "15 rows published: 8 reproduced, 2 different and explained, 5 not reproducible (5: the code of the program \
                   is not published)\n";
    assert!(ran.stdout.ends_with(summary), "{}", ran.stdout);
}

#[test]
fn the_bounded_table_counts_as_published() {
    let ran = selvedge("bench --paper bounding lazy");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let row = |algorithm: &str, bound: &str| {
        let is_it = |line: &&str| line.contains(&format!(" {algorithm} ")) && line.contains(bound);
        ran.stdout.lines().find(is_it).unwrap_or_default().to_owned()
    };
    assert!(row("lazy-bounded", "at most 2").ends_with('✓'), "{}", ran.stdout);
    assert!(row("source", "no bound").ends_with('✓'), "{}", ran.stdout);
    assert!(row("naive-bounded", "at most 0").contains("not known"), "{}", ran.stdout);
}

#[test]
fn rows_of_the_value_centric_paper_agree_say_why_not_or_were_cut() {
    let ran = selvedge("bench --paper vc-dpor redundant-co:9 kessels dijkstra:3 --max-time 0.05");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let rows: Vec<&str> =
        ran.stdout.lines().filter(|line| line.contains("DPOR)") || line.contains("(Source)")).collect();
    assert_eq!(rows.len(), 3 * (1 + 3 + 1), "{}", ran.stdout);
    for row in rows {
        let is_explained =
            ["order of leaf threads", "give up", "no row is published"].iter().any(|why| row.contains(why));
        assert!(
            is_explained
                || row.contains('✓')
                || row.contains("> 4 h")
                || row.contains("not finished within the time limit"),
            "{row}"
        );
    }
    assert!(ran.stdout.contains("> 4 h"), "{}", ran.stdout);
}

#[test]
fn files_are_measured_at_all_sizes_under_all_algorithms() {
    let [csv, json, plot] = ["own.csv", "own.json", "own.svg"].map(Scratch::new);
    let command = ["bench", "examples/readers_writers.sel", "-D", "N=2..4", "--algorithms", "source,eager"];
    let files = ["--csv", csv.path(), "--json", json.path(), "--plot", plot.path(), "--repeat", "2"];
    let ran = selvedge_with(&[&command[..], &files].concat());
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.matches('✓').count(), 3, "{}", ran.stdout);
    assert_eq!(csv.text().lines().count(), 7, "{}", csv.text());
    let rows: Vec<serde_json::Value> = serde_json::from_str(&json.text()).expect("it is JSON");
    let traces: Vec<u64> = rows.iter().filter_map(|row| row["traces"].as_u64()).collect();
    assert_eq!(traces, [2, 2, 4, 4, 8, 8]);
    assert_eq!(rows[5]["constants"][0]["value"], 4);
    assert!(plot.text().contains("readers_writers.sel, eager"), "{}", plot.text());
}

#[test]
fn constants_of_c_programs_are_macros() {
    let file = Scratch::holding(
        "threads.c",
        "#include <pthread.h>\nint x;\nvoid *t(void *a) { x = 1; return a; }\n\
         int main(void) { pthread_t p[N]; for (int i = 0; i < N; i++) pthread_create(&p[i], 0, t, 0);\n\
         for (int i = 0; i < N; i++) pthread_join(p[i], 0); }\n",
    );
    let csv = Scratch::new("threads.csv");
    let ran = selvedge_with(&["bench", file.path(), "-D", "N=1..3", "--csv", csv.path()]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for row in [",1,optimal,verified,1,", ",2,optimal,verified,2,", ",3,optimal,verified,6,"] {
        assert!(csv.text().contains(row), "{}", csv.text());
    }
}

#[test]
fn files_and_benchmark_programs_are_not_mixed() {
    let ran = selvedge("bench ring examples/peterson.sel");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("`ring` is no file"), "{}", ran.stderr);
    let ran = selvedge("bench ring -D N=3");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("NAME:N"), "{}", ran.stderr);
}

#[test]
fn the_benchmark_programs_are_listed() {
    let ran = selvedge("bench --list");
    assert_eq!(ran.code, 0);
    assert!(ran.stdout.contains("shared-pointer   10, 20, 50, 100\n"), "{}", ran.stdout);
}

/// A folder that looks like the case study: what is in its program is ours.
fn case_study(program: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("litmus.c"), "int main(void) { return 0; }\n").expect("written");
    std::fs::write(folder.path().join("litmus_v3.c"), program).expect("written");
    folder
}

#[test]
fn the_case_study_of_the_kernel_is_run_in_its_configurations() {
    let program =
        "#include <assert.h>\nint main(void) {\n#ifdef FORCE_FAILURE_2\n    assert(0);\n#endif\n}\n";
    let folder = case_study(program);
    let path = folder.path().to_str().expect("a name");
    let ran = selvedge_with(&["bench", "--paper", "rcu", path, "v3.0", "FORCE_FAILURE_2", "plain"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let row = |words: &[&str]| {
        let found = ran.stdout.lines().find(|line| words.iter().all(|word| line.contains(word)));
        found.unwrap_or_else(|| panic!("{words:?} in {}", ran.stdout)).to_owned()
    };
    assert!(row(&["FORCE_FAILURE_2", "lazy-bounded"]).contains("bug with 0   bug with 1"), "{}", ran.stdout);
    assert!(row(&["plain", "source"]).contains("none"), "{}", ran.stdout);
    assert!(ran.stdout.contains("7 rows published"), "{}", ran.stdout);
}

#[test]
fn a_verdict_about_the_case_study_that_cannot_be_is_wrong() {
    let folder = case_study("#include <assert.h>\nint main(void) { assert(0); }\n");
    let path = folder.path().to_str().expect("a name");
    let ran = selvedge_with(&["bench", "--paper", "rcu", path, "v3.0", "LIVENESS_CHECK_1"]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    assert!(ran.stdout.contains("✗ WRONG"), "{}", ran.stdout);
    let ran = selvedge("bench --paper rcu");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("give the folder of the case study"), "{}", ran.stderr);
}
