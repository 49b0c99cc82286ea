//! What has gone wrong with systems that enforce schedules, each with the behaviour that was decided for ours. The numbers are those of docs/run.md.

mod sketch;

use selvedge_audit::audit;
use selvedge_audit::log::Log;
use selvedge_build::{BuildError, OnDivergence, Options};
use sketch::{Event, Ran, Sketch};
use std::process::Command;
use std::time::{Duration, Instant};

const HEAD: &str = "#define _GNU_SOURCE\n#include <errno.h>\n#include <pthread.h>\n#include <sched.h>\n#include <signal.h>\n#include <stdatomic.h>\n\
     #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/prctl.h>\n#include <sys/syscall.h>\n#include <sys/wait.h>\n#include <time.h>\n\
     #include <unistd.h>\nstatic int x, y; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n";

fn sketch(text: &str) -> Sketch {
    Sketch::c(&format!("{HEAD}{text}"))
}

/// The output of a program whose events come in an order.
fn good(text: &str, events: &[Event]) -> String {
    let sketch = sketch(text);
    sketch.run(&sketch.prefix(events), &Options::default()).good()
}

fn run(text: &str, events: &[Event], options: &Options) -> Ran {
    let sketch = sketch(text);
    sketch.run(&sketch.prefix(events), options)
}

/// Two threads; the first writes at A and the second reads at B.
const TWO: &str = "static void *first(void *a) {\nx = 1; // A\nreturn a; }\nstatic void *second(void *a) {\ny = x; // B\nreturn a; }\n\
     int main(void) { pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0);\n\
     pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", y); return 0; }\n";

#[test]
fn pitfall_1_a_prefix_of_another_program_is_refused() {
    let sketch = sketch(TWO);
    let mut prefix = sketch.prefix(&[(1, "A", "store", 0)]);
    prefix.program = "0".repeat(64);
    let refused = sketch.compiled.build(&prefix, &Options::default(), &std::env::temp_dir().join("never"));
    assert!(matches!(refused, Err(BuildError::OtherProgram)));
}

#[test]
fn pitfall_1_optimisation_neither_merges_nor_moves_events() {
    let text = "static void *first(void *a) {\nx = 1; // A\nx = 2; // B\nx = 3; // C\nreturn a; }\n\
         static void *second(void *a) {\nint p = x; // D\nint q = x; // E\ny = 10 * p + q; return a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", y); return 0; }\n";
    let [a, b, c] = ["A", "B", "C"].map(|mark| (1, mark, "store", 0));
    let [d, e] = ["D", "E"].map(|mark| (2, mark, "load", 0));
    assert_eq!(good(text, &[d, a, b, e, c]), "2\n");
    assert_eq!(good(text, &[a, d, b, c, e]), "13\n");
}

#[test]
fn pitfall_2_the_watchdog_says_who_waits_for_whom() {
    let text = TWO.replace("x = 1;", "usleep(2500000); x = 1;");
    let sketch = sketch(&text);
    let prefix = sketch.prefix(&[(1, "A", "store", 0), (2, "B", "load", 0)]);
    let ran = sketch.run(&prefix, &Options { stall: 1, ..Options::default() });
    assert_eq!((ran.stdout.as_str(), ran.code), ("1\n", Some(0)));
    assert!(ran.stderr.starts_with("selvedge: no event for 1 s\n"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("main.2, waits for main.1: `store` at sketch.c:17:1 (execution 1)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn pitfall_3_the_maker_of_a_thread_says_who_it_is() {
    let text = "static void *inner(void *a) {\nx = x * 10 + *(int *)a; // A\nreturn a; }\nstatic int n[4] = {1, 2, 3, 4};\n\
         static void *outer(void *a) { pthread_t t[2]; int *n = a; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, inner, n + i);\n \
         for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return a; }\n\
         int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, outer, &n[2 * i]);\n \
         for (int i = 0; i < 2; i++) pthread_join(t[i], 0); printf(\"%d\\n\", x); return 0; }\n";
    let sketch = sketch(text);
    for order in [[3, 4, 5, 6], [6, 3, 5, 4], [4, 6, 3, 5]] {
        let events: Vec<Event> =
            order.iter().flat_map(|&t| [(t, "A", "load", 0), (t, "A", "store", 0)]).collect();
        let mut prefix = sketch.prefix(&events);
        for (thread, creator) in [(3, (1, 1)), (4, (1, 2)), (5, (2, 1)), (6, (2, 2))] {
            prefix.threads[thread].creator = Some(creator);
        }
        let expected: String = order.iter().map(|t| (t - 2).to_string()).collect();
        assert_eq!(sketch.run(&prefix, &Options::default()).good(), format!("{expected}\n"));
    }
}

/// Two threads wait; `main` wakes one, and then the other.
const WAKING: &str = "static int order[3], woken;\nstatic void *waiting(void *a) {\npthread_mutex_lock(&m); // L\npthread_cond_wait(&c, &m); // W\n\
     order[woken++] = *(int *)a;\npthread_mutex_unlock(&m); // U\nreturn a; }\n\
     int main(void) { int n[2] = {1, 2}; pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, waiting, &n[i]);\n\
     pthread_cond_signal(&c); // S\npthread_cond_signal(&c); // T\n\
     for (int i = 0; i < 2; i++) pthread_join(t[i], 0); printf(\"%d%d\\n\", order[0], order[1]); return 0; }\n";

#[test]
fn pitfall_4_a_signal_wakes_whom_the_schedule_says() {
    let sketch = sketch(WAKING);
    let [lock, unlock] = ["pthread_mutex_lock", "pthread_mutex_unlock"];
    let [wait, signal] = ["pthread_cond_wait", "pthread_cond_signal"];
    for (choice, woken) in [(0, 1), (1, 2)] {
        let other = 3 - woken;
        for waiting in [[1, 2], [2, 1]] {
            let mut prefix = sketch.prefix(&[
                (waiting[0], "L", lock, 0),
                (waiting[0], "W", wait, 0),
                (waiting[1], "L", lock, 0),
                (waiting[1], "W", wait, 0),
                (0, "S", signal, 0),
                (woken, "W", wait, 1),
                (woken, "U", unlock, 0),
                (0, "T", signal, 0),
                (other, "W", wait, 1),
            ]);
            prefix.events[4].choice = choice;
            let ran = sketch.run(&prefix, &Options::default());
            assert_eq!(ran.good(), format!("{woken}{other}\n"));
        }
    }
}

/// A thread waits with a limit of 20 ms, `main` signals after 150 ms.
const LIMITED: &str = "static void *waiting(void *a) { struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_nsec += 20000000;\n\
     if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;\npthread_mutex_lock(&m); // L\nx = pthread_cond_timedwait(&c, &m, &t); // W\n\
     pthread_mutex_unlock(&m); return a; }\n\
     int main(void) { pthread_t t; pthread_create(&t, 0, waiting, 0); usleep(150000);\npthread_cond_signal(&c); // S\n\
     pthread_join(t, 0); printf(\"%d\\n\", x); return 0; }\n";

#[test]
fn pitfall_5_time_limits_expire_when_the_schedule_says_so() {
    let sketch = sketch(LIMITED);
    let [wait, signal] = ["pthread_cond_timedwait", "pthread_cond_signal"];
    let in_time =
        [(1, "L", "pthread_mutex_lock", 0), (1, "W", wait, 0), (0, "S", signal, 0), (1, "W", wait, 1)];
    assert_eq!(sketch.run(&sketch.prefix(&in_time), &Options::default()).good(), "0\n");
    let mut late = sketch.prefix(&[in_time[0], in_time[1], in_time[3], in_time[2]]);
    late.events[2].choice = 1;
    let started = Instant::now();
    assert_eq!(sketch.run(&late, &Options::default()).good(), "110\n");
    assert!(started.elapsed() >= Duration::from_millis(150));
}

#[test]
fn pitfall_6_whether_a_lock_is_free_is_for_the_schedule_to_say() {
    let text = "static void *hold(void *a) {\npthread_mutex_lock(&m); // L\npthread_mutex_unlock(&m); // U\nreturn a; }\n\
         static void *look(void *a) {\nx = pthread_mutex_trylock(&m); // T\nif (!x) pthread_mutex_unlock(&m);\nreturn a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, hold, 0); pthread_create(&u, 0, look, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", x); return 0; }\n";
    let [lock, unlock] = [(1, "L", "pthread_mutex_lock", 0), (1, "U", "pthread_mutex_unlock", 0)];
    let look = (2, "T", "pthread_mutex_trylock", 0);
    assert_eq!(good(text, &[lock, look, unlock]), "16\n");
    assert_eq!(good(text, &[lock, unlock, look]), "0\n");
}

#[test]
fn pitfall_6_a_call_that_fails_though_it_should_not_leaves_the_schedule() {
    let text = "static void *work(void *a) {\nx = 1; // A\nreturn a; }\n\
         int main(void) { pthread_t t; pthread_attr_t b; pthread_attr_init(&b); pthread_attr_setstacksize(&b, 1UL << 50);\n\
         int error = pthread_create(&t, &b, work, 0); if (!error) pthread_join(t, 0); return error != 0; }\n";
    let ran = run(text, &[(1, "A", "store", 0)], &Options::default());
    assert_eq!(ran.code, Some(70));
    assert!(ran.stderr.contains("main cannot make a thread"), "{}", ran.stderr);
}

#[test]
fn pitfall_7_errno_and_signals_do_not_disturb_waits() {
    let text = "static void handle(int s) { errno = 77; }\n\
         static void *second(void *a) { errno = 5;\ny = x; // B\nx = errno;\nreturn a; }\n\
         int main(void) { struct sigaction s = {.sa_handler = handle}; sigaction(SIGUSR1, &s, 0);\n\
         pthread_t u; pthread_create(&u, 0, second, 0); for (int i = 0; i < 50; i++) { usleep(1000); pthread_kill(u, SIGUSR1); }\n\
         x = 1; // A\npthread_join(u, 0); printf(\"%d\\n\", y); return 0; }\n";
    assert_eq!(good(text, &[(0, "A", "store", 0), (1, "B", "load", 0)]), "1\n");
    let quiet =
        text.replace("pthread_kill(u, SIGUSR1)", "").replace("printf(\"%d\\n\", y)", "printf(\"%d\\n\", x)");
    assert_eq!(good(&quiet, &[(0, "A", "store", 0), (1, "B", "load", 0)]), "5\n");
}

#[test]
fn pitfall_8_a_child_of_fork_runs_freely_and_says_so() {
    let text = "int main(void) { int s; if (fork() == 0) {\nx = 1; // A\n_exit(3); }\nwait(&s);\nx = 2; // B\nprintf(\"%d\\n\", WEXITSTATUS(s)); return 0; }\n";
    let ran = run(text, &[(0, "B", "store", 0)], &Options::default());
    assert_eq!((ran.stdout.as_str(), ran.code), ("3\n", Some(0)));
    assert_eq!(ran.stderr, "selvedge: the child of a fork runs without schedule\n");
}

#[test]
fn pitfall_8_the_program_can_end_while_threads_wait() {
    let started = Instant::now();
    for end in ["exit(3)", "_exit(3)", "quick_exit(3)"] {
        let text = format!(
            "static void *first(void *a) {{ sleep(60);\nx = 1; // A\nreturn a; }}\nstatic void *second(void *a) {{\ny = x; // B\nreturn a; }}\n\
             int main(void) {{ pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0); usleep(100000); {end}; }}\n"
        );
        let ran = run(&text, &[(1, "A", "store", 0), (2, "B", "load", 0)], &Options::default());
        assert_eq!((ran.stderr.as_str(), ran.code), ("", Some(3)), "{end}");
    }
    assert!(started.elapsed() < Duration::from_secs(50));
}

#[test]
fn pitfall_9_an_event_is_over_even_if_the_thread_never_comes_back() {
    let text = "static void *first(void *a) {\npthread_exit(a); // A\n}\nstatic void *second(void *a) {\ny = 4; // B\nreturn a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", y); return 0; }\n";
    assert_eq!(good(text, &[(1, "A", "pthread_exit", 0), (2, "B", "store", 0)]), "4\n");
}

#[test]
fn pitfall_9_destructors_of_thread_local_variables_have_events() {
    let text = "#include <thread>\n#include <cstdio>\nstatic int x, y;\nstruct Last { int n = 0; ~Last() {\nx = 7; // A\n} };\nstatic thread_local Last last;\n\
         int main() { std::thread t([] { last.n = 1; }); std::thread u([] {\ny = x; // B\n}); t.join(); u.join(); std::printf(\"%d\\n\", y); }\n";
    let sketch = Sketch::of(text, "sketch.cpp", &["-std=c++17"]);
    for (events, seen) in [([1, 2], "7\n"), ([2, 1], "0\n")] {
        let events =
            events.map(|thread| if thread == 1 { (1, "A", "store", 0) } else { (2, "B", "load", 0) });
        assert_eq!(sketch.run(&sketch.prefix(&events), &Options::default()).good(), seen);
    }
}

#[test]
fn pitfall_9_a_thread_that_ends_before_its_events_leaves_the_schedule() {
    let text = "static void *first(void *a) { for (;;) pause();\nx = 1; // A\nreturn a; }\nstatic void *second(void *a) {\ny = x; // B\nreturn a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0); pthread_cancel(t);\n\
         pthread_join(t, 0); pthread_join(u, 0); return 0; }\n"
        .replace("for (;;) pause();", "while (!y) pause();");
    let ran = run(&text, &[(1, "A", "store", 0), (2, "B", "load", 0)], &Options::default());
    assert_eq!(ran.code, Some(70));
    assert!(
        ran.stderr.contains("main.1 ends; expected: `store` at sketch.c:17:1 (execution 1), event 1 of 1"),
        "{}",
        ran.stderr
    );
}

#[test]
fn pitfall_9_a_call_that_throws_is_over() {
    let text = "#include <thread>\n#include <cstdio>\nstatic int x, y;\nstatic int fail(int n) { if (n) throw n; return n; }\n\
         int main() { std::thread t([] { try {\nfail(3); // A\n} catch (int n) { x = n; } });\n\
         std::thread u([] {\ny = 5; // B\n}); t.join(); u.join(); std::printf(\"%d %d\\n\", x, y); }\n";
    let sketch = Sketch::of(text, "sketch.cpp", &["-std=c++17"]);
    let prefix = sketch.prefix(&[(1, "A", "_ZL4faili", 0), (2, "B", "store", 0)]);
    assert_eq!(sketch.run(&prefix, &Options::default()).good(), "3 5\n");
}

#[test]
fn pitfall_10_constructors_and_static_guards_are_part_of_the_schedule() {
    let text = "#include <thread>\n#include <cstdio>\nstatic int x, y, z;\nstruct Early { Early() {\nz = 1; // A\n} };\nstatic Early early;\n\
         static int &once() { static int value = [] {\nint v = x; // B\nreturn v; }(); return value; }\n\
         int main() { std::thread t([] { y = once(); });\nx = 6; // C\nt.join(); std::printf(\"%d %d\\n\", y, z); }\n";
    let sketch = Sketch::of(text, "sketch.cpp", &["-std=c++17"]);
    for (events, seen) in [([0, 1], "6 1\n"), ([1, 0], "0 1\n")] {
        let events =
            events.map(|thread| if thread == 0 { (0, "C", "store", 0) } else { (1, "B", "load", 0) });
        let all = [(0, "A", "store", 0), events[0], events[1]];
        assert_eq!(sketch.run(&sketch.prefix(&all), &Options::default()).good(), seen);
    }
}

#[test]
fn pitfall_12_an_address_that_comes_back_is_no_other_event() {
    let text = "static int *p; static void *work(void *a) { for (int i = 0; i < 100; i++) { int *q = malloc(4);\n*q = i; p = q; // A\n\
         if (*q != i) abort();\nfree(q); } return a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, work, 0); pthread_create(&u, 0, work, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); puts(\"done\"); return 0; }\n";
    let events: Vec<Event> = (0..200).map(|i| (1 + i % 2, "A", "store", 0)).collect();
    assert_eq!(good(text, &events), "done\n");
}

#[test]
fn pitfall_14_a_thread_of_high_priority_does_not_starve_the_one_it_waits_for() {
    let text = "static void *second(void *a) { struct sched_param p = {1}; pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);\n\
         for (int i = 0; i < 300; i++) {\ny = x; // B\n} return a; }\n\
         int main(void) { cpu_set_t one; CPU_ZERO(&one); CPU_SET(sched_getcpu(), &one); sched_setaffinity(0, sizeof one, &one);\n\
         pthread_t u; pthread_create(&u, 0, second, 0);\nfor (int i = 1; i <= 300; i++) {\nx = i; // A\n}\n\
         pthread_join(u, 0); printf(\"%d\\n\", y); return 0; }\n";
    let events: Vec<Event> =
        (0..600).map(|i| if i % 2 == 0 { (0, "A", "store", 0) } else { (1, "B", "load", 0) }).collect();
    assert_eq!(good(text, &events), "300\n");
}

#[test]
fn pitfall_15_the_run_time_has_no_threads() {
    let text = "#include <dirent.h>\nint main(void) {\nx = 1; // A\nint n = 0; DIR *d = opendir(\"/proc/self/task\"); struct dirent *e;\n\
         while ((e = readdir(d))) n += e->d_name[0] != '.'; closedir(d); printf(\"%d\\n\", n); return 0; }\n";
    assert_eq!(good(text, &[(0, "A", "store", 0)]), "1\n");
}

#[test]
fn a_satisfied_wait_makes_no_system_call() {
    // In strict mode the kernel ends a thread that makes any call but read, write, exit and sigreturn.
    let text = "static void *second(void *a) { usleep(300000); prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);\n\
         for (int i = 0; i < 2000; i++) {\ny = x; // B\n} write(1, \"done\\n\", 5); syscall(SYS_exit, 0); return a; }\n\
         int main(void) { pthread_t u; pthread_create(&u, 0, second, 0);\nfor (int i = 0; i < 2000; i++) {\nx = i; // A\n}\n\
         pthread_join(u, 0); return y != 1999; }\n"
        .replace("#include <sys/prctl.h>", "");
    let text = format!("#include <linux/seccomp.h>\n{text}");
    let sketch = sketch(&text);
    let all = (0..2000).map(|_| (0, "A", "store", 0)).chain((0..2000).map(|_| (1, "B", "load", 0)));
    let mut prefix = sketch.prefix(&all.collect::<Vec<Event>>());
    for reader in 2000..4000 {
        prefix.events[reader].after = vec![reader - 2000];
    }
    assert_eq!(sketch.run(&prefix, &Options::default()).good(), "done\n");
}

/// The second thread executes B twice where the schedule has it once.
fn diverging(on_divergence: OnDivergence) -> Ran {
    let text = "static void *first(void *a) { usleep(100000);\nx = 1; // A\nreturn a; }\nstatic void *second(void *a) { for (int i = 0; i < 2; i++) {\ny += 1; // B\n}\n\
         y += x; // C\nreturn a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", y > 1); return 0; }\n";
    run(
        text,
        &[(2, "B", "store", 0), (1, "A", "store", 0), (2, "C", "store", 0)],
        &Options { on_divergence, ..Options::default() },
    )
}

#[test]
fn an_execution_that_leaves_the_schedule_is_stopped_serialised_or_free() {
    let says = "selvedge: the execution leaves the schedule: main.2 executes `store` at sketch.c:20:1; \
                expected: `store` at sketch.c:22:1 (execution 1), event 2 of 2 of the thread";
    let stopped = diverging(OnDivergence::Stop);
    assert_eq!((stopped.stdout.as_str(), stopped.code), ("", Some(70)));
    assert_eq!(stopped.stderr, format!("{says}\n"));
    for (what, told) in [
        (OnDivergence::Serialise, "; from here on one thread runs at a time\n"),
        (OnDivergence::Free, "; from here on the execution is unverified\n"),
    ] {
        let ran = diverging(what);
        assert_eq!((ran.stdout.as_str(), ran.code), ("1\n", Some(0)), "{}", ran.stderr);
        assert_eq!(ran.stderr, format!("{says}{told}"));
    }
}

#[test]
fn the_environment_says_what_happens_off_the_schedule_too() {
    let sketch = sketch(TWO);
    let mut prefix = sketch.prefix(&[(2, "B", "load", 0), (1, "A", "store", 0)]);
    prefix.events[1].time = 2;
    prefix.times[0].times = 2;
    let mut command = Command::new(sketch.build(&prefix, &Options::default()));
    command.env("SELVEDGE_ON_DIVERGENCE", "free");
    let ran = Ran::of(command);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("main.1 ends; expected"), "{}", ran.stderr);
}

#[test]
fn another_schedule_from_the_environment_replaces_the_one_that_is_built_in() {
    let sketch = sketch(TWO);
    let [a, b] = [(1, "A", "store", 0), (2, "B", "load", 0)];
    let binary = sketch.build(&sketch.prefix(&[a, b]), &Options::default());
    let folder = tempfile::tempdir().expect("there is room");
    let (path, log) = (folder.path().join("prefix"), folder.path().join("log"));
    let run = |text: &str| {
        std::fs::write(&path, text).expect("it can be written");
        let mut command = Command::new(&binary);
        Ran::of({
            command.env("SELVEDGE_SCHEDULE", &path).env("SELVEDGE_RECORD", &log);
            command
        })
    };
    let other = sketch.prefix(&[b, a]);
    for _ in 0..10 {
        assert_eq!(run(&other.to_string()).good(), "0\n");
        let log = Log::read(&std::fs::read(&log).expect("there is a log")).expect("it is a log");
        assert_eq!(audit(&log, &other).map(|audited| audited.events), Ok(2));
    }
    assert_eq!(run(&sketch.prefix(&[a, b]).to_string()).good(), "1\n");
    let text = other.to_string();
    for (old, new, why) in [
        ("prefix 1", "prefix 2", "no trace prefix of this version"),
        ("program ", "program 0", "for another program"),
        (" store ", " load ", "no hook"),
        ("times ", "unordered 0\ntimes ", "not sequentially consistent"),
        ("\nend", "", "damaged"),
        ("thread 1 at", "thread 7 at", "damaged"),
        ("after 0", "after 9", "damaged"),
    ] {
        let ran = run(&text.replacen(old, new, 1));
        assert_eq!(ran.code, Some(2), "{old}");
        assert!(ran.stderr.contains(why), "{old}: {}", ran.stderr);
    }
}
