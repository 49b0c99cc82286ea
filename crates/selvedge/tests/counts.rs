//! The numbers of executions of well-known programs: minimal, and the same as those of their versions in the modelling
//! language.

use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex, RwLock};
use selvedge::{Algorithm, Checker, Verdict, thread};
use selvedge_explore::{Limits, Silent, explore};
use std::collections::BTreeMap;

/// The number of traces, the same for every algorithm that explores each once.
fn executions(f: impl Fn() + Clone + 'static) -> u64 {
    let report = Checker::new().run(f.clone());
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    let source = Checker::new().algorithm(Algorithm::Source).run(f);
    assert_eq!(source.statistics.maximal(), report.executions);
    report.executions
}

/// The number of traces of a program of the modelling language.
fn traces(text: &str) -> u64 {
    let program = selvedge_lang::compile("counts.sel", text, &BTreeMap::new()).expect("the program compiles");
    let interpreter = selvedge_interp::Interpreter::new(&program);
    let (exploration, _) = explore(interpreter, Algorithm::Optimal, Limits::default(), &mut Silent);
    assert!(exploration.violations.is_empty());
    exploration.statistics.executions()
}

fn join<T>(handles: impl IntoIterator<Item = thread::JoinHandle<T>>) {
    handles.into_iter().for_each(|handle| drop(handle.join().unwrap()));
}

fn readers_writers(n: usize) -> impl Fn() + Clone {
    move || {
        let x = Arc::new(AtomicUsize::new(0));
        let reader = |_| {
            thread::spawn({
                let x = x.clone();
                move || x.load(SeqCst)
            })
        };
        let readers: Vec<_> = (1..n).map(reader).collect();
        x.store(1, SeqCst);
        join(readers);
    }
}

#[test]
fn one_writer_and_its_readers_take_a_power_of_two() {
    for n in 2..=12 {
        assert_eq!(executions(readers_writers(n)), 1 << (n - 1), "{n}");
    }
}

#[test]
fn sixteen_threads_work() {
    assert_eq!(Checker::new().run(readers_writers(16)).executions, 1 << 15);
}

#[test]
fn two_hundred_threads_without_conflicts_take_one_execution() {
    let many = || {
        let work = |_| thread::spawn(|| AtomicUsize::new(0).fetch_add(1, SeqCst));
        join((0..200).map(work).collect::<Vec<_>>());
    };
    assert_eq!(executions(many), 1);
}

fn fib_bench(n: usize) -> impl Fn() + Clone {
    move || {
        let (i, j) = (Arc::new(AtomicUsize::new(1)), Arc::new(AtomicUsize::new(1)));
        let adder = |to: &Arc<AtomicUsize>| {
            let (i, j, to) = (i.clone(), j.clone(), to.clone());
            thread::spawn(move || (0..n).for_each(|_| to.store(i.load(SeqCst) + j.load(SeqCst), SeqCst)))
        };
        join([adder(&i), adder(&j)]);
    }
}

#[test]
fn fib_bench_is_minimal() {
    assert_eq!([1, 2, 3, 4].map(|n| executions(fib_bench(n))), [3, 19, 141, 1107]);
    let text = "shared i = 1, j = 1;
        thread a { for k in 0..3 { let x = i; let y = j; i = x + y; } }
        thread b { for k in 0..3 { let x = i; let y = j; j = x + y; } }";
    assert_eq!(traces(text), 141);
}

fn counters(threads: usize, rounds: usize) -> u64 {
    executions(move || {
        let counter = Arc::new(Mutex::new(0));
        let count = |_| {
            thread::spawn({
                let counter = counter.clone();
                move || (0..rounds).for_each(|_| *counter.lock().unwrap() += 1)
            })
        };
        join((0..threads).map(count).collect::<Vec<_>>());
        assert_eq!(*counter.lock().unwrap(), threads * rounds);
    })
}

#[test]
fn mutex_counters_are_minimal() {
    assert_eq!([counters(2, 1), counters(2, 3), counters(3, 1), counters(3, 2)], [2, 20, 6, 90]);
}

fn last_zero(n: usize) -> u64 {
    executions(move || {
        let a: Arc<Vec<AtomicUsize>> = Arc::new((0..n).map(|_| AtomicUsize::new(0)).collect());
        let reader = thread::spawn({
            let a = a.clone();
            move || (1..n).find(|&i| a[i].load(SeqCst) == 0)
        });
        let writer = |j: usize| {
            thread::spawn({
                let a = a.clone();
                move || a[j].store(a[j - 1].load(SeqCst) + 1, SeqCst)
            })
        };
        let writers: Vec<_> = (1..n).map(writer).collect();
        join([reader]);
        join(writers);
    })
}

#[test]
fn last_zero_is_minimal() {
    let text = std::fs::read_to_string("../../benches/seeds/last-zero.sel").expect("the benchmark is there");
    assert_eq!(last_zero(5), traces(&text));
    assert_eq!(last_zero(7), 7 << 5);
}

#[test]
fn one_attempt_at_petersons_lock_has_as_many_traces_as_in_the_modelling_language() {
    let text = "shared flag[2] = false; shared turn = 0; shared inside = 0;
        thread t[2] {
            let other = 1 - self;
            flag[self] = true;
            turn = self;
            let may = false;
            let f = flag[other];
            if !f { may = true; } else { let w = turn; if w == other { may = true; } }
            if may { let n = fetch_add(inside, 1); assert(n == 0); let m = fetch_add(inside, -1); }
            flag[self] = false;
        }";
    let peterson = || {
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let (turn, inside) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let enter = |own: usize| {
            let (flags, turn, inside) = (flags.clone(), turn.clone(), inside.clone());
            thread::spawn(move || {
                flags[own].store(true, SeqCst);
                turn.store(own, SeqCst);
                if !flags[1 - own].load(SeqCst) || turn.load(SeqCst) == 1 - own {
                    assert_eq!(inside.fetch_add(1, SeqCst), 0);
                    inside.fetch_sub(1, SeqCst);
                }
                flags[own].store(false, SeqCst);
            })
        };
        join([enter(0), enter(1)]);
    };
    assert_eq!(executions(peterson), traces(text));
}

#[test]
fn petersons_lock_has_as_many_traces_as_in_the_modelling_language() {
    // Somebody who finds the lock taken waits until something that it has read changes, and looks again.
    let text = "shared flag[2] = false; shared turn = 0; shared inside = 0;
        thread t[2] {
            let other = 1 - self;
            flag[self] = true;
            turn = self;
            loop {
                let f = flag[other];
                if !f { break; }
                let w = turn;
                if w == other { break; }
                await(!flag[other] || turn != w);
            }
            let n = fetch_add(inside, 1); assert(n == 0); let m = fetch_add(inside, -1);
            flag[self] = false;
        }";
    let peterson = || {
        let flags = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
        let (turn, inside) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let enter = |own: usize| {
            let (flags, turn, inside) = (flags.clone(), turn.clone(), inside.clone());
            thread::spawn(move || {
                flags[own].store(true, SeqCst);
                turn.store(own, SeqCst);
                while flags[1 - own].load(SeqCst) && turn.load(SeqCst) == own {
                    selvedge::hint::spin_loop();
                }
                assert_eq!(inside.fetch_add(1, SeqCst), 0);
                inside.fetch_sub(1, SeqCst);
                flags[own].store(false, SeqCst);
            })
        };
        join([enter(0), enter(1)]);
    };
    assert_eq!(executions(peterson), traces(text));
}

#[test]
fn pushes_to_a_treiber_stack_have_as_many_traces_as_in_the_modelling_language() {
    let text = "const NIL = -1; shared head = NIL;
        thread pusher[3] { loop { let old = head; if cas(head, old, self) { break; } } }";
    let push = || {
        let head = Arc::new(AtomicUsize::new(usize::MAX));
        let pusher = |own: usize| {
            thread::spawn({
                let head = head.clone();
                move || loop {
                    let old = head.load(SeqCst);
                    if head.compare_exchange(old, own, SeqCst, SeqCst).is_ok() {
                        break;
                    }
                }
            })
        };
        join([pusher(0), pusher(1), pusher(2)]);
    };
    assert_eq!(executions(push), traces(text));
}

#[test]
fn readers_of_a_lock_commute() {
    let readers = |n: usize| {
        executions(move || {
            let lock = Arc::new(RwLock::new(0));
            let reader = |_| {
                thread::spawn({
                    let lock = lock.clone();
                    move || *lock.read().unwrap()
                })
            };
            join((0..n).map(reader).collect::<Vec<_>>());
        })
    };
    assert_eq!([2, 3, 5].map(readers), [1, 1, 1]);
}

#[test]
fn handles_of_contents_with_destructors_commute_while_somebody_else_has_one() {
    let drops = |n: usize| {
        executions(move || {
            let content = Arc::new(vec![1]);
            let user = |_| {
                thread::spawn({
                    let content = content.clone();
                    move || content.len()
                })
            };
            join((0..n).map(user).collect::<Vec<_>>());
        })
    };
    assert_eq!([2, 3, 4].map(drops), [1, 1, 1]);
}
