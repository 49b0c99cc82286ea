//! Programs that end the whole process, or that std alone would let pass without a word.

use super::programs::{Expected, Program};
use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{check, thread};
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};

use Expected::{Ends, Fails};

/// Those programs.
pub const PROGRAMS: &[Program] = &[
    (
        "exits_as_if_all_were_well",
        Ends(&["thread 1 called `exit`", "ends.rs:", "SELVEDGE_REPLAY="]),
        exits_as_if_all_were_well,
    ),
    ("exits_in_main", Ends(&["main called `exit`", "ends.rs:"]), exits_in_main),
    (
        "exits_in_some_execution",
        Ends(&["main called `exit`", "SELVEDGE_REPLAY=1.0 "]),
        exits_in_some_execution,
    ),
    ("exits_when_given_up", Ends(&["thread 1 called `exit`"]), exits_when_given_up),
    ("aborts", Fails(&["thread 1 aborted the process in `", "ends.rs:", "to replay"]), aborts),
    ("aborts_beside_a_panic", Fails(&["panic in", "first"]), aborts_beside_a_panic),
    ("aborts_after_a_caught_panic", Fails(&["main aborted the process"]), aborts_after_a_caught_panic),
    ("runs_out_of_memory", Fails(&["thread 1 aborted the process"]), runs_out_of_memory),
    ("writes_to_a_wild_address", Fails(&["SIGSEGV", "ends.rs:", "to replay"]), writes_to_a_wild_address),
    ("writes_to_null", Fails(&["thread 1"]), writes_to_null),
    ("calls_what_is_no_code", Fails(&["SIGSEGV", "ends.rs:", "to replay"]), calls_what_is_no_code),
    ("calls_data", Fails(&["SIGSEGV", "ends.rs:"]), calls_data),
    ("copies_from_a_wild_address", Fails(&["SIGSEGV", "ends.rs:"]), copies_from_a_wild_address),
    ("compares_with_a_wild_address", Fails(&["SIGSEGV", "ends.rs:"]), compares_with_a_wild_address),
    ("a_local_of_std_keeps_objects", Fails(&["leak: the Arc"]), a_local_of_std_keeps_objects),
    (
        "a_local_of_std_performs_operations",
        Fails(&["leak: the Arc", "outside of the check that made the object"]),
        a_local_of_std_performs_operations,
    ),
    ("comes_to_no_instruction", Fails(&["SIGILL"]), comes_to_no_instruction),
    ("panics_in_a_function_of_c", Fails(&["in a function of C"]), panics_in_a_function_of_c),
    ("starts_threads_for_ever", Fails(&["more than 10000 threads"]), starts_threads_for_ever),
    (
        "is_used_by_a_thread_of_std",
        Fails(&["was not started by `selvedge::thread`", "fetch_add"]),
        is_used_by_a_thread_of_std,
    ),
    ("many_objects", Fails(&["leak: the Arc all made at"]), many_objects),
];

/// Two threads that increment, and the first then does something.
fn and_then(last: fn()) {
    check(move || {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || {
                x.fetch_add(1, SeqCst);
                last();
            }
        });
        x.fetch_add(1, SeqCst);
        let _ = other.join();
    });
}

fn exits_as_if_all_were_well() {
    and_then(|| std::process::exit(0));
}

fn exits_in_main() {
    check(|| std::process::exit(0));
}

fn exits_in_some_execution() {
    check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let x = x.clone();
            move || x.store(1, SeqCst)
        });
        if x.load(SeqCst) == 1 {
            std::process::exit(0);
        }
        other.join().unwrap();
    });
}

fn exits_when_given_up() {
    check(|| {
        let lock = Arc::new(Mutex::new(()));
        let guard = lock.lock();
        thread::spawn({
            let lock = lock.clone();
            move || {
                if catch_unwind(AssertUnwindSafe(|| drop(lock.lock()))).is_err() {
                    std::process::exit(0);
                }
            }
        });
        std::mem::forget(guard);
    });
}

fn aborts() {
    and_then(|| std::process::abort());
}

fn aborts_beside_a_panic() {
    check(|| {
        let x = Arc::new(Mutex::new(0));
        let first = thread::spawn({
            let x = x.clone();
            move || {
                let _guard = x.lock();
                panic!("first");
            }
        });
        let second = thread::spawn(move || {
            if x.lock().is_err() {
                std::process::abort();
            }
        });
        let _ = (first.join(), second.join());
    });
}

fn aborts_after_a_caught_panic() {
    check(|| {
        assert!(catch_unwind(|| panic!("caught")).is_err());
        std::process::abort();
    });
}

fn runs_out_of_memory() {
    and_then(|| drop(black_box(Vec::<u8>::with_capacity(black_box(isize::MAX as usize)))));
}

#[allow(unsafe_code, reason = "that is the point")]
fn writes_to_a_wild_address() {
    // SAFETY: none; the test is about that.
    and_then(|| unsafe { *black_box(0x1234_5678_9000_usize as *mut u32) = 7 });
}

#[allow(unsafe_code, reason = "that is the point")]
fn writes_to_null() {
    // SAFETY: none; the test is about that.
    and_then(|| unsafe { *black_box(std::ptr::null_mut::<u32>()) = 7 });
}

#[allow(unsafe_code, reason = "that is the point")]
fn calls_what_is_no_code() {
    // SAFETY: none; the test is about that.
    and_then(|| unsafe { std::mem::transmute::<usize, fn()>(black_box(0x1000))() });
}

static DATA: [u8; 64] = [0xc3; 64];

#[allow(unsafe_code, reason = "that is the point")]
fn calls_data() {
    // SAFETY: none; the test is about that.
    and_then(|| unsafe { std::mem::transmute::<*const u8, fn()>(black_box(DATA.as_ptr()))() });
}

#[allow(unsafe_code, reason = "that is the point")]
fn copies_from_a_wild_address() {
    let copies = || {
        let mut to = vec![0_u8; black_box(300)];
        // SAFETY: none; the test is about that.
        unsafe {
            std::ptr::copy_nonoverlapping(
                black_box(0x1234_5678_9000_usize as *const u8),
                to.as_mut_ptr(),
                to.len(),
            )
        };
        assert_eq!(to[7], 0);
    };
    and_then(copies);
}

#[allow(unsafe_code, reason = "that is the point")]
fn compares_with_a_wild_address() {
    let compares = || {
        // SAFETY: none; the test is about that.
        let wild = unsafe {
            std::slice::from_raw_parts(black_box(0x1234_5678_9000_usize as *const u8), black_box(100))
        };
        assert!(wild != black_box([0_u8; 100]).as_slice());
    };
    and_then(compares);
}

/// Where threads of std, and so all of a closure's, keep something until the thread of the test ends.
fn keep(kept: Box<dyn std::any::Any>) {
    thread_local! {
        static KEPT: std::cell::RefCell<Vec<Box<dyn std::any::Any>>> = const { std::cell::RefCell::new(Vec::new()) };
    }
    KEPT.with_borrow_mut(|all| all.push(kept));
}

fn a_local_of_std_keeps_objects() {
    keep(Box::new(()));
    check(|| keep(Box::new(Arc::new(Mutex::new(7)))));
}

/// Something that performs an operation when it is dropped.
struct Counts(Arc<AtomicUsize>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

fn a_local_of_std_performs_operations() {
    keep(Box::new(()));
    check(|| keep(Box::new(Counts(Arc::new(AtomicUsize::new(0))))));
}

#[allow(unsafe_code, reason = "that is the point")]
fn comes_to_no_instruction() {
    and_then(|| {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: none; the test is about that.
        unsafe {
            std::arch::asm!("ud2");
        }
    });
}

fn panics_in_a_function_of_c() {
    extern "C" fn called_by_c() {
        panic!("in a function of C");
    }
    and_then(|| called_by_c());
}

fn starts_threads_for_ever() {
    fn next() {
        thread::spawn(next);
    }
    check(next);
}

fn is_used_by_a_thread_of_std() {
    check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let other = std::thread::spawn({
            let x = x.clone();
            move || x.fetch_add(1, SeqCst)
        });
        // The closure does not care what came of it.
        let _ = other.join();
        x.load(SeqCst);
    });
}

/// A counterexample that names ten thousand objects.
fn many_objects() {
    check(|| {
        let all: Vec<Arc<AtomicUsize>> = (0..10_000).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        all.iter().for_each(|x| x.store(1, SeqCst));
        std::mem::forget(all[0].clone());
    });
}
