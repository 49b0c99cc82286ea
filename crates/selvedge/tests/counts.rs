//! The numbers of executions of well-known programs.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Algorithm, Checker, thread};

fn executions(f: impl Fn() + Clone + 'static) -> u64 {
    let report = Checker::new().run(f.clone());
    assert!(report.violations.is_empty(), "{:?}", report.violations);
    eprintln!(
        "{:?} runs {}, per s {}",
        report.executions,
        report.runs,
        report.executions as f64 / report.elapsed.as_secs_f64()
    );
    for algorithm in [Algorithm::Source] {
        let other = Checker::new().algorithm(algorithm).run(f.clone());
        eprintln!(
            "   {:?} runs {}, per s {}",
            other.executions,
            other.runs,
            other.executions as f64 / other.elapsed.as_secs_f64()
        );
        assert_eq!(other.statistics.maximal(), report.executions);
    }
    report.executions
}

fn readers_writers(n: usize) -> u64 {
    executions(move || {
        let x = Arc::new(AtomicUsize::new(0));
        let mut handles = Vec::new();
        for _ in 1..n {
            let x = x.clone();
            handles.push(thread::spawn(move || {
                x.load(SeqCst);
            }));
        }
        x.store(1, SeqCst);
        for h in handles {
            h.join().unwrap();
        }
    })
}

#[test]
fn one_writer_and_its_readers_take_a_power_of_two() {
    for n in 2..=12 {
        assert_eq!(readers_writers(n), 1 << (n - 1), "{n}");
    }
}

fn fib_bench(n: usize) -> u64 {
    executions(move || {
        let i = Arc::new(AtomicUsize::new(1));
        let j = Arc::new(AtomicUsize::new(1));
        let (a, b) = (i.clone(), j.clone());
        let t1 = thread::spawn(move || {
            for _ in 0..n {
                let s = a.load(SeqCst) + b.load(SeqCst);
                a.store(s, SeqCst);
            }
        });
        let (a, b) = (i.clone(), j.clone());
        let t2 = thread::spawn(move || {
            for _ in 0..n {
                let s = a.load(SeqCst) + b.load(SeqCst);
                b.store(s, SeqCst);
            }
        });
        t1.join().unwrap();
        t2.join().unwrap();
    })
}

#[test]
fn fib_bench_is_minimal() {
    assert_eq!([1, 2, 3, 4].map(fib_bench), [3, 19, 141, 1107]);
}

fn counters(threads: usize, rounds: usize) -> u64 {
    executions(move || {
        let m = Arc::new(Mutex::new(0));
        let handles: Vec<_> = (0..threads)
            .map(|_| {
                let m = m.clone();
                thread::spawn(move || {
                    for _ in 0..rounds {
                        *m.lock().unwrap() += 1;
                    }
                })
            })
            .collect();
        for h in handles {
            h.join().unwrap();
        }
        assert_eq!(*m.lock().unwrap(), threads * rounds);
    })
}

#[test]
fn mutex_counters_are_minimal() {
    assert_eq!([counters(2, 1), counters(2, 3), counters(3, 1), counters(3, 2)], [2, 20, 6, 90]);
}

#[test]
fn many_threads_without_conflicts_take_one_execution() {
    let n = executions(|| {
        let handles: Vec<_> = (0..200)
            .map(|_| {
                thread::spawn(move || {
                    let x = AtomicUsize::new(0);
                    x.fetch_add(1, SeqCst);
                })
            })
            .collect();
        for h in handles {
            h.join().unwrap();
        }
    });
    assert_eq!(n, 1);
}
