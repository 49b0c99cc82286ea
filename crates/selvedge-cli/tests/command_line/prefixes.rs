//! `selvedge check --prefix`, and programs of several files.

use super::{Ran, selvedge, selvedge_with};
use std::path::Path;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().expect("there is room")
}

fn name(folder: &TempDir, file: &str) -> String {
    folder.path().join(file).display().to_string()
}

/// Writes files into a folder of their own.
fn files(texts: &[(&str, &str)]) -> TempDir {
    let folder = folder();
    for (file, text) in texts {
        let path = folder.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    folder
}

#[test]
fn a_program_with_a_violation_has_a_prefix_that_avoids_it() {
    let folder = folder();
    for program in ["examples/lock_order.c", "examples/lost_update.c"] {
        let prefix = name(&folder, "safe.prefix");
        let Ran { stdout, stderr, code } = selvedge_with(&["check", program, "--prefix", &prefix]);
        assert_eq!((stderr.as_str(), code), ("", 1), "{stdout}");
        assert!(stdout.contains("prefix: a safe execution was found, and "), "{stdout}");
        let text = std::fs::read_to_string(&prefix).expect("it was written");
        assert!(text.starts_with("selvedge prefix 1\nprogram ") && text.contains("\nevent 0 "), "{text}");
        let Ran { stderr, code, .. } = selvedge_with(&["run", program, "--schedule", &prefix]);
        assert_eq!((stderr.as_str(), code), ("", 0), "{program}");
    }
}

#[test]
fn a_safe_program_has_a_prefix_that_constrains_nothing() {
    let folder = folder();
    let prefix = name(&folder, "free.prefix");
    let text = "#include <pthread.h>\nint x;\nvoid *f(void *a) { x = 1; return a; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int y = x; pthread_join(t, 0); return 0 * y; }\n";
    let folder = files(&[("safe.c", text)]);
    let program = name(&folder, "safe.c");
    let Ran { stdout, code, .. } = selvedge_with(&["check", &program, "--prefix", &prefix]);
    assert_eq!(code, 0, "{stdout}");
    let text = std::fs::read_to_string(&prefix).expect("it was written");
    assert!(!text.contains("\nevent ") && text.ends_with("rest free\nend\n"), "{text}");
    assert!(text.contains("\nunordered 0\nunordered 1\n"), "the read and the write race: {text}");
}

#[test]
fn what_has_no_prefix_is_refused() {
    let Ran { stderr, code, .. } = selvedge("check examples/peterson.sel --prefix /tmp/none.prefix");
    assert_eq!((stderr.as_str(), code), ("error: --prefix is for C and C++ only\n", 2));
    let Ran { stderr, code, .. } =
        selvedge("check examples/lock_order.c --prefix /tmp/none.prefix --algorithm eager");
    assert!(stderr.starts_with("error: `eager` does not follow trace prefixes"), "{stderr}");
    assert_eq!(code, 2);
}

const MAIN: &str = "#include <pthread.h>\n#include \"other.h\"\nstatic int own = 1;\nstatic int get(void) { return own; }\n\
                    int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); x += get(); pthread_join(t, 0);\n\
                    check(); return 0; }\n";
const HEADER: &str = "void *work(void *);\nvoid check(void);\nextern int x;\n";
const OTHER: &str = "#include <assert.h>\n#include \"other.h\"\nint x;\nstatic long own = 2;\nstatic long get(void) { return own; }\n\
                     void *work(void *a) { x += get(); return a; }\nvoid check(void) { assert(x == SUM); }\n";

#[test]
fn a_program_of_several_files_names_the_file_of_each_step() {
    let folder = files(&[("main.c", MAIN), ("other.c", OTHER), ("include/other.h", HEADER)]);
    let (main, other) = (name(&folder, "main.c"), name(&folder, "other.c"));
    let include = format!("-I{}", name(&folder, "include"));
    let Ran { stdout, stderr, code } = selvedge_with(&["check", &main, &other, "--", &include, "-DSUM=3"]);
    assert_eq!((stderr.as_str(), code), ("", 1), "{stdout}");
    assert!(stdout.contains("other.c:7") && stdout.contains("main.c:5"), "{stdout}");
    let Ran { stderr, code, .. } = selvedge_with(&["check", &main, &main, "--", &include, "-DSUM=3"]);
    assert!(stderr.contains("`main` is defined in "), "{stderr}");
    assert_eq!(code, 2);
    let Ran { stderr, code, .. } = selvedge("check examples/peterson.sel examples/lock_order.c");
    assert_eq!((stderr.as_str(), code), ("error: a program of several files is for C and C++ only\n", 2));
}

#[test]
fn a_project_takes_flags_and_files_from_its_compile_commands() {
    let commands = r#"[
        {"directory": "FOLDER", "file": "main.c", "command": "cc -Iinclude -c main.c -o main.o"},
        {"directory": "FOLDER", "file": "other.c", "arguments": ["cc", "-Iinclude", "-DSUM=3", "-c", "other.c"]},
        {"directory": "FOLDER", "file": "unit_test.c", "command": "cc -c unit_test.c"}
    ]"#;
    let test = "int main(void) { return 1; }\n";
    let folder =
        files(&[("main.c", MAIN), ("other.c", OTHER), ("include/other.h", HEADER), ("unit_test.c", test)]);
    let commands = commands.replace("FOLDER", &folder.path().display().to_string());
    std::fs::create_dir(folder.path().join("build")).expect("it can be made");
    std::fs::write(folder.path().join("build/compile_commands.json"), commands).expect("it can be written");
    let Ran { stdout, stderr, code } =
        selvedge_with(&["check", &name(&folder, "main.c"), "-p", &name(&folder, "build")]);
    assert_eq!((stderr.as_str(), code), ("", 1), "{stdout}");
    assert!(stdout.contains("other.c:7"), "{stdout}");
    let missing = name(&folder, "include/other.h");
    let Ran { stderr, code, .. } = selvedge_with(&["check", &missing, "-p", &name(&folder, "build")]);
    assert!(code == 2 && !stderr.is_empty(), "{stderr}");
}
