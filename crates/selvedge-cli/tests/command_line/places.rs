//! Where steps, violations and waiting threads of C and C++ are said to be, in programs of several files.

use expect_test::expect;
use std::path::PathBuf;
use std::process::Command;

/// A folder with files of one test, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn holding(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        for (name, text) in files {
            std::fs::write(folder.join(name), text).expect("the file can be written");
        }
        Folder(folder)
    }

    /// What a command prints of a file, in the folder.
    fn told(&self, command: &str, file: &str, options: &[&str]) -> String {
        let output = Command::new(env!("CARGO_BIN_EXE_selvedge"))
            .args([command, file])
            .args(options)
            .current_dir(&self.0)
            .env_remove("COLUMNS")
            .output()
            .expect("the program starts");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LOCKS_H: &str = "#include <pthread.h>
extern pthread_mutex_t a, b;
static void both(void) {
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
}
";

const LOCKS_C: &str = "#include \"locks.h\"
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *other(void *unused) { both(); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    pthread_join(t, 0);
}
";

#[test]
fn steps_and_waiting_threads_name_their_files_if_there_are_several() {
    let folder = Folder::holding("locks", &[("locks.h", LOCKS_H), ("locks.c", LOCKS_C)]);
    expect![[r#"

        step      place │ main                   │ other#1
        ────────────────┼────────────────────────┼────────────────────────
           1  locks.c:7 │ pthread_mutex_lock(&a) │
                        │   takes a              │
           2  locks.h:4 │                        │ pthread_mutex_lock(&b)
                        │                        │   takes b

        deadlock: 2 threads wait for ever
          main     locks.c:8  pthread_mutex_lock(&b)  waits for b
          other#1  locks.h:5  pthread_mutex_lock(&a)  waits for a

    "#]]
    .assert_eq(folder.told("check", "locks.c", &["--quiet"]).split("violation:").next().unwrap_or(""));
    let json = folder.told("check", "locks.c", &["--format", "json"]);
    let files: Vec<&str> = json.lines().filter(|line| line.contains("\"file\"")).map(str::trim).collect();
    let (c, h) = ("\"file\": \"locks.c\",", "\"file\": \"locks.h\",");
    assert_eq!(files, [c, c, h, c, h], "of the violation, the blocked threads and the steps: {json}");
}

#[test]
fn a_step_of_an_atomic_function_is_at_its_head() {
    let program = "#include <pthread.h>
int x;
void __VERIFIER_atomic_add(int by) {
    x += by;
}
void *other(void *unused) { __VERIFIER_atomic_add(1); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    __VERIFIER_atomic_add(2);
    int *none = 0;
    if (x == 2) *none = 1;
    pthread_join(t, 0);
}
";
    let folder = Folder::holding("atomic", &[("atomic.c", program)]);
    let told = folder.told("check", "atomic.c", &["--quiet"]);
    assert!(told.contains("   1     3 │ void __VERIFIER_atomic_add(int by) {"), "{told}");
    assert!(told.contains("null pointer dereferenced in main at atomic.c:12:23"), "{told}");
}

#[test]
fn a_failure_within_the_library_is_at_the_call_of_it() {
    let program = "#include <mutex>
#include <stdexcept>
#include <thread>
std::mutex m;
void check(int x) {
    if (x > 0)
        throw std::logic_error(\"positive\");
}
int main() {
    std::thread t([] {
        m.unlock();
    });
    t.join();
    check(1);
}
";
    let folder = Folder::holding("library", &[("library.cpp", program)]);
    let told = folder.told("check", "library.cpp", &["--keep-going", "--quiet"]);
    assert!(!told.contains("/usr/") && !told.contains("/dev/"), "{told}");
    assert!(told.contains("at library.cpp:11:11"), "{told}");
}
