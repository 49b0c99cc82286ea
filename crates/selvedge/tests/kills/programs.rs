//! The programs, with what must come of each.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex, mpsc};
use selvedge::{Algorithm, Checker, check, thread};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// What must come of a program.
#[derive(Debug)]
pub enum Expected {
    /// The test passes.
    Passes,
    /// The test fails, and says all of this.
    Fails(&'static [&'static str]),
    /// The process ends with the exit code of failed tests, and says all of this.
    Ends(&'static [&'static str]),
}

use Expected::{Ends, Fails, Passes};

/// A name, what must come of it, and the program.
pub type Program = (&'static str, Expected, fn());

/// Programs that panic, run out of stack, or hang.
pub const PROGRAMS: &[Program] = &[
    ("two_panics_with_arcs", Fails(&["panic in thread", "first or second"]), two_panics_with_arcs),
    ("panics_with_guards", Fails(&["panic in thread", "with a guard"]), panics_with_guards),
    ("pool_given_up", Passes, pool_given_up),
    ("never_started", Passes, never_started),
    ("deadlock_with_locking_destructor", Fails(&["deadlock"]), deadlock_with_locking_destructor),
    ("depth_with_locking_destructor", Fails(&["inconclusive"]), depth_with_locking_destructor),
    ("bound_with_locking_destructor", Passes, bound_with_locking_destructor),
    (
        "panic_in_drop_while_panicking",
        Fails(&["panic in", "the second", "the first"]),
        panic_in_drop_while_panicking,
    ),
    ("panic_in_drop_given_up", Fails(&["deadlock"]), panic_in_drop_given_up),
    (
        "panic_in_the_message_of_a_panic",
        Ends(&["panic in thread", "the process ends here"]),
        panic_in_the_message_of_a_panic,
    ),
    ("message_shows_a_mutex", Fails(&["Mutex { data: 7"]), message_shows_a_mutex),
    ("message_shows_what_is_outside", Fails(&["outside of a check"]), message_shows_what_is_outside),
    ("payload_that_panics", Fails(&["panic in main"]), payload_that_panics),
    ("deep_recursion", Passes, deep_recursion),
    ("large_array", Passes, large_array),
    (
        "endless_recursion",
        Fails(&["thread 1 overflowed its stack of 2 MiB", "stack_size(", "endless"]),
        endless_recursion,
    ),
    (
        "endless_recursion_of_main",
        Fails(&["main overflowed its stack of 2 MiB", "Checker::stack_size("]),
        endless_recursion_of_main,
    ),
    (
        "endless_recursion_with_allocations",
        Fails(&["overflowed its stack of 2 MiB"]),
        endless_recursion_with_allocations,
    ),
    (
        "endless_recursion_with_operations",
        Fails(&["overflowed its stack of 2 MiB", "programs.rs:"]),
        endless_recursion_with_operations,
    ),
    ("small_stack", Fails(&["overflowed its stack of 64 KiB"]), small_stack),
    (
        "overflow_while_scoped_threads_borrow",
        Fails(&["overflowed its stack"]),
        overflow_while_scoped_threads_borrow,
    ),
    ("many_threads", Passes, many_threads),
    ("too_many_threads", Fails(&["more than 10000 threads"]), too_many_threads),
    ("lock_of_std", Fails(&["came to no operation", "tests/kills/programs.rs:"]), lock_of_std),
    (
        "loop_without_operations",
        Fails(&["came to no operation", "tests/kills/programs.rs:"]),
        loop_without_operations,
    ),
    ("loop_with_allocations", Fails(&["came to no operation"]), loop_with_allocations),
    ("tests_after_a_kill", Passes, tests_after_a_kill),
];

fn two_panics_with_arcs() {
    check(|| {
        let a = Arc::new(AtomicUsize::new(0));
        let b = a.clone();
        let c = a.clone();
        let first = thread::spawn(move || {
            let _b = b;
            panic!("first or second");
        });
        let second = thread::spawn(move || {
            let _c = c;
            panic!("first or second");
        });
        let _ = (first.join(), second.join());
        drop(a);
    });
}

/// Something whose destructor performs operations.
struct Noisy(Arc<AtomicUsize>);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
        self.0.fetch_add(1, SeqCst);
    }
}

fn panics_with_guards() {
    check(|| {
        let lock = Arc::new(Mutex::new(0));
        let count = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let (lock, noisy) = (lock.clone(), Noisy(count.clone()));
            thread::spawn(move || {
                let _noisy = noisy;
                let _guard = lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                panic!("with a guard");
            });
        }
    });
}

/// A pool with one worker. Its destructor has several steps, and those of its parts rely on all of them.
struct Pool {
    sender: Option<mpsc::Sender<usize>>,
    worker: Option<thread::JoinHandle<usize>>,
    state: State,
}

struct State {
    is_done: bool,
}

impl Drop for State {
    fn drop(&mut self) {
        assert!(self.is_done, "the pool was not shut down");
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.sender.take());
        let sum = self.worker.take().expect("it is joined once").join().expect("it does not panic");
        assert_eq!(sum, 3);
        self.state.is_done = true;
    }
}

fn pooled() {
    let (sender, receiver) = mpsc::channel();
    let worker = thread::spawn(move || receiver.iter().sum());
    let pool = Pool { sender: Some(sender), worker: Some(worker), state: State { is_done: false } };
    let other = thread::spawn({
        let sender = pool.sender.clone().expect("it is new");
        move || sender.send(1).expect("it receives")
    });
    pool.sender.as_ref().expect("it is new").send(2).expect("it receives");
    other.join().unwrap();
}

/// A correct program: executions are given up by most algorithms, by bounds and by limits, in the middle of destructors.
fn pool_given_up() {
    for algorithm in Algorithm::ALL {
        if !algorithm.asks_what_is_observed() {
            Checker::new().algorithm(algorithm).max_executions(500).check(pooled);
        }
    }
    for depth in 1..20 {
        let _ = Checker::new().max_depth(depth).max_executions(50).run(pooled);
    }
    for bound in 0..3 {
        Checker::new().preemptions(bound).max_executions(200).check(pooled);
        Checker::new().delays(bound).max_executions(200).check(pooled);
    }
}

fn never_started() {
    struct Checked(Noisy, bool);
    impl Drop for Checked {
        fn drop(&mut self) {
            self.0.0.fetch_add(1, SeqCst);
            self.1 = true;
            self.0.0.fetch_add(1, SeqCst);
        }
    }
    for depth in 0..6 {
        let _ = Checker::new().max_depth(depth).run(|| {
            let count = Arc::new(AtomicUsize::new(0));
            for _ in 0..2 {
                let checked = Checked(Noisy(count.clone()), false);
                thread::spawn(move || drop(checked));
            }
            count.load(SeqCst);
        });
    }
}

/// Removes itself from a list when it is dropped.
struct Registered(Arc<Mutex<Vec<u32>>>, u32);

impl Drop for Registered {
    fn drop(&mut self) {
        let mut all = self.0.lock().unwrap();
        let position = all.iter().position(|&other| other == self.1).expect("it is registered");
        all.remove(position);
    }
}

fn deadlock_with_locking_destructor() {
    check(|| {
        let all = Arc::new(Mutex::new(vec![1, 2]));
        let (left, right) = (Arc::new(Mutex::new(())), Arc::new(Mutex::new(())));
        for number in [1, 2] {
            let (all, left, right) = (all.clone(), left.clone(), right.clone());
            thread::spawn(move || {
                let _registered = Registered(all, number);
                let (first, second) = if number == 1 { (left, right) } else { (right, left) };
                let _first = first.lock().unwrap();
                let _second = second.lock().unwrap();
            });
        }
    });
}

fn depth_with_locking_destructor() {
    Checker::new().max_depth(30).check(|| {
        let all = Arc::new(Mutex::new(vec![1]));
        let _registered = Registered(all.clone(), 1);
        let other = thread::spawn({
            let all = all.clone();
            move || {
                for _ in 0..20 {
                    let mut guard = all.lock().unwrap();
                    guard.push(7);
                    guard.retain(|&number| number != 7);
                }
            }
        });
        other.join().unwrap();
    });
}

fn bound_with_locking_destructor() {
    for bound in 0..2 {
        Checker::new().preemptions(bound).check(|| {
            let all = Arc::new(Mutex::new(vec![1, 2, 3]));
            for number in 1..3 {
                let registered = Registered(all.clone(), number);
                thread::spawn(move || drop(registered));
            }
            let _own = Registered(all, 3);
        });
    }
}

/// Panics when it is dropped.
struct Grenade(&'static str);

impl Drop for Grenade {
    fn drop(&mut self) {
        panic!("{}", self.0);
    }
}

fn panic_in_drop_while_panicking() {
    check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || {
                x.fetch_add(1, SeqCst);
                let _grenade = Grenade("the second");
                panic!("the first");
            }
        });
        x.fetch_add(1, SeqCst);
        let _ = other.join();
    });
}

fn panic_in_drop_given_up() {
    check(|| {
        let lock = Arc::new((Mutex::new(false), Condvar::new()));
        for _ in 0..2 {
            let lock = lock.clone();
            thread::spawn(move || {
                let (_grenade, _another) = (Grenade("given up"), Grenade("given up, too"));
                let mut guard = lock.0.lock().unwrap();
                while !*guard {
                    guard = lock.1.wait(guard).unwrap();
                }
            });
        }
    });
}

/// Panics when it is shown.
struct Unspeakable;

impl std::fmt::Debug for Unspeakable {
    fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {
        panic!("it cannot be shown");
    }
}

fn panic_in_the_message_of_a_panic() {
    check(|| {
        thread::spawn(|| panic!("{Unspeakable:?}"));
    });
}

fn message_shows_a_mutex() {
    check(|| {
        let shown = Arc::new((Mutex::new(7), AtomicUsize::new(3)));
        for _ in 0..2 {
            let shown = shown.clone();
            thread::spawn(move || panic!("{shown:?}"));
        }
    });
}

fn message_shows_what_is_outside() {
    let outside = (Mutex::new(1), AtomicUsize::new(1), selvedge::sync::RwLock::new(1));
    panic!("{outside:?}");
}

fn payload_that_panics() {
    check(|| std::panic::panic_any(Grenade("in the payload")));
}

/// Uses the stack, so many levels.
fn deep(levels: usize) -> usize {
    match black_box(levels) {
        0 => 0,
        levels => black_box(deep(levels - 1)) + 1,
    }
}

fn deep_recursion() {
    check(|| {
        let other = thread::spawn(|| deep(10_000));
        assert_eq!(deep(10_000), other.join().unwrap());
    });
}

fn large_array() {
    check(|| {
        let other = thread::spawn(|| black_box([7_u8; 600_000]).len());
        assert_eq!(black_box([7_u8; 600_000]).len(), other.join().unwrap());
    });
}

#[allow(unconditional_recursion, reason = "that is the point")]
fn endless(level: usize) -> usize {
    black_box(endless(black_box(level + 1))) + 1
}

fn endless_recursion() {
    check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || endless(x.fetch_add(1, SeqCst))
        });
        x.fetch_add(1, SeqCst);
        let _ = other.join();
    });
}

fn endless_recursion_of_main() {
    check(|| assert_eq!(endless(0), 0));
}

fn endless_recursion_with_allocations() {
    #[allow(unconditional_recursion, reason = "that is the point")]
    fn allocating(level: usize) -> usize {
        let room = black_box(vec![level; 40]);
        black_box(allocating(room[level % 40] + 1)) + room.len()
    }
    check(|| {
        thread::spawn(|| allocating(0));
    });
}

fn endless_recursion_with_operations() {
    #[allow(unconditional_recursion, reason = "that is the point")]
    fn counting(x: &AtomicUsize) -> usize {
        let before = x.fetch_add(1, SeqCst);
        black_box(counting(x)) + before
    }
    check(|| {
        thread::Builder::new().spawn(|| counting(&AtomicUsize::new(0))).unwrap();
    });
}

fn small_stack() {
    let in_small = |size| {
        move || {
            thread::Builder::new().stack_size(size).spawn(|| deep(20_000)).unwrap();
        }
    };
    check(in_small(16 << 20));
    check(in_small(64 << 10));
}

fn overflow_while_scoped_threads_borrow() {
    check(|| {
        let mut numbers = [1, 2, 3, 4];
        let x = AtomicUsize::new(0);
        thread::scope(|scope| {
            let (x, (left, right)) = (&x, numbers.split_at_mut(2));
            scope.spawn(move || {
                x.fetch_add(1, SeqCst);
                left[0] += right[0];
                x.fetch_add(1, SeqCst);
                assert_eq!(left, [4, 2]);
            });
            x.fetch_add(1, SeqCst);
            assert_eq!(endless(0), 0);
        });
    });
}

fn many_threads() {
    check(|| {
        let handles: Vec<_> = (0..200).map(|number| thread::spawn(move || number)).collect();
        assert_eq!(handles.into_iter().map(|handle| handle.join().unwrap()).sum::<usize>(), 199 * 100);
    });
}

fn too_many_threads() {
    check(|| {
        let handles: Vec<_> = (0..40_000).map(|number| thread::spawn(move || number)).collect();
        handles.into_iter().for_each(|handle| drop(handle.join()));
    });
}

fn lock_of_std() {
    Checker::new().max_silence(Duration::from_millis(300)).check(|| {
        let lock = std::sync::Arc::new(std::sync::Mutex::new(0));
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let (lock, x) = (lock.clone(), x.clone());
            move || {
                let _guard = lock.lock();
                x.fetch_add(1, SeqCst);
            }
        });
        x.fetch_add(1, SeqCst);
        drop(lock.lock());
        other.join().unwrap();
    });
}

fn loop_without_operations() {
    Checker::new().max_silence(Duration::from_millis(300)).check(|| {
        static READY: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
        let other = thread::spawn(|| READY.store(true, std::sync::atomic::Ordering::SeqCst));
        READY.store(false, std::sync::atomic::Ordering::SeqCst);
        while !READY.load(std::sync::atomic::Ordering::SeqCst) {
            std::hint::spin_loop();
        }
        other.join().unwrap();
    });
}

fn loop_with_allocations() {
    Checker::new().max_silence(Duration::from_millis(300)).check(|| {
        thread::spawn(|| {
            loop {
                black_box(vec![1_u8; black_box(100)]);
            }
        });
    });
}

/// What comes after is as if nothing had happened.
fn tests_after_a_kill() {
    for program in [
        two_panics_with_arcs as fn(),
        panic_in_drop_while_panicking,
        endless_recursion,
        deadlock_with_locking_destructor,
        lock_of_std,
    ] {
        assert!(catch_unwind(AssertUnwindSafe(program)).is_err());
        check(|| {
            let lock = Arc::new(Mutex::new(0));
            let other = thread::spawn({
                let lock = lock.clone();
                move || {
                    let caught = catch_unwind(AssertUnwindSafe(|| {
                        let _guard = lock.lock().unwrap();
                        std::panic::panic_any(1);
                    }));
                    assert!(caught.is_err());
                    assert!(!thread::panicking());
                }
            });
            other.join().unwrap();
            assert!(lock.is_poisoned());
            lock.clear_poison();
            assert!(catch_unwind(|| panic!("caught")).is_err());
        });
    }
}
