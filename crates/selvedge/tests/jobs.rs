//! Samples on several threads of the operating system: the same report for any number of them.

use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Checker, Report, Verdict, thread};
use selvedge_explore::sampling::Stream;

/// A closure made from a seed: threads with loads, stores and locks, and an assertion that seldom fails.
fn program(seed: u64) -> impl Fn() + Send + Sync + 'static {
    move || {
        let mut random = Stream::new(seed);
        let mut below = move |bound| random.below(bound);
        let words = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let lock = Arc::new(Mutex::new(0));
        let threads: Vec<_> = (0..2 + below(2))
            .map(|_| {
                let steps: Vec<(usize, usize)> = (0..1 + below(4)).map(|_| (below(4), below(2))).collect();
                let (words, lock) = (words.clone(), lock.clone());
                thread::spawn(move || {
                    let mut sum = 0;
                    for (what, word) in steps {
                        match what {
                            0 => sum += words[word].load(SeqCst),
                            1 => words[word].store(sum + 1, SeqCst),
                            2 => sum += *lock.lock().unwrap(),
                            _ => *lock.lock().unwrap() += words[word].fetch_add(1, SeqCst),
                        }
                    }
                    assert!(sum < 4, "a sum of {sum}");
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| drop(thread.join()));
    }
}

fn summary(report: &Report) -> (Verdict, String, String) {
    let told =
        report.violations.iter().map(|violation| format!("{}\n{}", violation.schedule, violation.text));
    (report.verdict, report.scope.clone(), format!("{:?}\n{}", report.statistics, told.collect::<String>()))
}

#[test]
fn the_report_does_not_depend_on_the_number_of_threads() {
    let mut violations = 0;
    for seed in 0..25 {
        let checkers = [
            Checker::new().random(seed, 200),
            Checker::new().pct(seed, 200),
            Checker::new().pct(seed, 150).keep_going(),
        ];
        for checker in checkers {
            let one = checker.run(program(seed));
            violations += one.violations.len();
            for jobs in [2, 5] {
                let several = checker.clone().jobs(jobs).run(program(seed));
                assert_eq!(summary(&one), summary(&several), "seed {seed}, {jobs} jobs");
            }
        }
    }
    assert!(violations > 5, "too few violations to compare: {violations}");
}

/// What is taken for granted is refuted in some blocks only: then all are taken again.
#[test]
fn what_one_block_finds_wrong_is_wrong_for_all() {
    let asks_now_and_then = || {
        let x = Arc::new(AtomicU32::new(0));
        let others: Vec<_> = (0..3)
            .map(|_| {
                let x = x.clone();
                thread::spawn(move || {
                    if x.fetch_add(1, SeqCst) == 2 {
                        assert!(Arc::strong_count(&x) < 4, "all are there");
                    }
                })
            })
            .collect();
        others.into_iter().for_each(|other| drop(other.join()));
    };
    for seed in 0..20 {
        let checker = Checker::new().random(seed, 400);
        let reports = [1, 3].map(|jobs| summary(&checker.clone().jobs(jobs).run(asks_now_and_then)));
        assert_eq!(reports[0], reports[1]);
    }
}

#[test]
fn every_execution_of_the_sample_is_taken() {
    for (executions, jobs) in [(1, 3), (63, 2), (64, 2), (65, 2), (1000, 4)] {
        let report = Checker::new().random(3, executions).jobs(jobs).run(|| {
            thread::spawn(|| ()).join().unwrap();
        });
        assert_eq!(report.executions, executions);
    }
}

#[test]
fn a_lost_wakeup_is_found_on_several_threads() {
    let report = Checker::new().pct(1, 10_000).jobs(2).run(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let waiter = thread::spawn({
            let pair = pair.clone();
            move || {
                if !*pair.0.lock().unwrap() {
                    drop(pair.1.wait(pair.0.lock().unwrap()).unwrap());
                }
            }
        });
        *pair.0.lock().unwrap() = true;
        pair.1.notify_one();
        waiter.join().unwrap();
    });
    assert_eq!(report.verdict, Verdict::Violation);
    assert!(report.to_string().contains("deadlock"), "{report}");
}

#[test]
#[should_panic(
    expected = "2 jobs are possible with `random` and `pct`; what `optimal` explores next depends"
)]
fn an_exhaustive_search_works_on_one_thread() {
    let _ = Checker::new().jobs(2);
}

#[selvedge::test(random(5, 200), jobs(2))]
fn the_attribute_knows_jobs() {
    thread::spawn(|| ()).join().unwrap();
}

/// Run again by the test below.
#[selvedge::test(random(5, 200))]
fn sampled() {
    thread::spawn(|| ()).join().unwrap();
}

/// Run again by the test below.
#[selvedge::test]
fn exhaustive() {
    thread::spawn(|| ()).join().unwrap();
}

#[test]
fn the_environment_says_how_many_threads_the_attribute_uses() {
    let run = |test: &str, jobs: &str| {
        let output = std::process::Command::new(std::env::current_exe().expect("this program has a path"))
            .args([test, "--exact", "--nocapture"])
            .env("SELVEDGE_JOBS", jobs)
            .output()
            .expect("this program runs");
        let shown = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.success(), shown.into_owned())
    };
    assert_eq!(run("sampled", "3").0, run("sampled", "1").0);
    let (is_fine, shown) = run("sampled", "many");
    assert!(!is_fine && shown.contains("SELVEDGE_JOBS=many is no number of threads"), "{shown}");
    let (is_fine, shown) = run("exhaustive", "3");
    assert!(is_fine && shown.contains("counts for `random` and `pct` only"), "{shown}");
}
