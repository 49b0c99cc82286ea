//! The snippets of the guide, extracted, compiled as they stand in a crate of their own, and run.

use super::block;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::SystemTime;

/// The library as this test was linked with it: the newest one beside it.
fn library(deps: &Path) -> PathBuf {
    let files = deps.read_dir().expect("the test has a directory").flatten().map(|entry| entry.path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libselvedge-") && name.ends_with(".rlib")
    };
    let age =
        |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    files.filter(is_library).max_by_key(age).expect("the library is built")
}

/// Compiles a file of tests with these flags, and runs them.
fn tested(name: &str, code: &str, flags: &[&str]) -> Output {
    let test = std::env::current_exe().expect("a test has a file");
    let deps = test.parent().expect("a file has a directory");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (directory.join(format!("{name}.rs")), directory.join(name));
    std::fs::write(&source, code).expect("the directory is there");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .args(["--edition=2024", "--test", "-D", "warnings"])
        .args(flags)
        .arg("-L")
        .arg(format!("dependency={}", deps.display()))
        .arg("--extern")
        .arg(format!("selvedge={}", library(deps).display()))
        .arg("-o")
        .args([&program, &source])
        .output()
        .expect("there is a compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    Command::new(program).output().expect("it runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_first_example_finds_its_bug_and_passes_when_it_is_mended() {
    let code = block("rust\n", "both_increments_count");
    let output = tested("counter_of_the_guide", code, &[]);
    assert_eq!(output.status.code(), Some(101), "{}", text(&output));
    assert!(text(&output).contains("to replay: SELVEDGE_REPLAY=1.0.1.0x2"), "{}", text(&output));
    let racy =
        code.find("let before").expect("it loads")..code.find("Ordering::Release);").expect("it stores");
    let end = racy.end + "Ordering::Release);".len();
    let mended = format!("{}hits.fetch_add(1, Ordering::AcqRel);{}", &code[..racy.start], &code[end..]);
    let output = tested("mended_counter_of_the_guide", &mended, &[]);
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn one_module_switches_between_std_and_the_library() {
    let names = block("rust\n", "#[cfg(not(selvedge))]");
    let code = format!(
        "mod names {{ {names} }}\nuse names::sync::{{Arc, atomic::{{AtomicUsize, Ordering::SeqCst}}}};\nuse names::{{cell, hint, thread}};\n{}\n\
         names::thread_local! {{ static LOCAL: cell::Cell<u8> = cell::Cell::new(1); }}\n\
         fn uses() {{ let x = Arc::new(AtomicUsize::new(0)); let y = x.clone(); hint::spin_loop(); LOCAL.with(|x| x.set(2));\n\
         thread::spawn(move || y.fetch_add(1, SeqCst)).join().unwrap(); assert_eq!(x.load(SeqCst) + HITS.load(SeqCst), 1); }}\n\
         #[cfg(selvedge)] #[test] fn checked() {{ selvedge::check(uses); }}\n#[cfg(not(selvedge))] #[test] fn plain() {{ uses(); }}\n",
        block("rust\n  ", "static HITS")
    );
    for (name, flags) in [("names_of_std", vec![]), ("names_of_selvedge", vec!["--cfg", "selvedge"])] {
        let flags: Vec<&str> = [vec!["--check-cfg", "cfg(selvedge, test)"], flags].concat();
        let output = tested(name, &code, &flags);
        assert!(output.status.success() && text(&output).contains("1 passed"), "{}", text(&output));
    }
}

#[test]
fn both_answers_are_explored_where_the_time_is_asked_for() {
    let code = format!(
        "use std::time::{{Duration, Instant}};\n{}\n#[test] fn both() {{\n\
         let report = selvedge::Checker::new().run(|| {{ is_over(Instant::now() + Duration::from_secs(60)); }});\n\
         assert_eq!(report.executions, 2); assert!(!is_over(Instant::now() + Duration::from_secs(60))); }}\n",
        block("rust\n", "fn is_over")
    );
    let output = tested("time_of_the_guide", &code, &[]);
    assert!(output.status.success(), "{}", text(&output));
}
