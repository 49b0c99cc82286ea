//! The programs, the same source for each tool.

use crate::published::Published;

/// A program with its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// One writer, the others read.
    ReadersWriters(usize),
    /// Two threads that add to each other's variable.
    FibBench(usize),
    /// Threads that count under a mutex, each so many rounds.
    Counters(usize, usize),
    /// Threads that push to a stack by compare-and-swap.
    Pushes(usize),
    /// Threads that each work on a variable of their own.
    Independent(usize),
    /// Readers that announce themselves and take it back as long as a writer is there.
    Announced(usize),
    /// Threads that take a lock by compare-and-swap.
    Exchanged(usize),
    /// The test of a kind of crate.
    Published(Published),
}

/// What is measured.
pub const ALL: [Program; 21] = [
    Program::ReadersWriters(2),
    Program::ReadersWriters(3),
    Program::ReadersWriters(4),
    Program::ReadersWriters(12),
    Program::FibBench(1),
    Program::FibBench(2),
    Program::FibBench(4),
    Program::Counters(2, 2),
    Program::Counters(3, 2),
    Program::Pushes(3),
    Program::Independent(4),
    Program::Announced(1),
    Program::Announced(2),
    Program::Exchanged(2),
    Program::Exchanged(3),
    Program::Published(Published::Slab),
    Program::Published(Published::Waker),
    Program::Published(Published::Event),
    Program::Published(Published::Queue),
    Program::Published(Published::List),
    Program::Published(Published::Ring),
];

macro_rules! programs {
    ($tool:ident) => {
        /// The programs with the types of one tool.
        pub mod $tool {
            use super::Program;
            use ::$tool::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use ::$tool::sync::{Arc, Mutex};
            use ::$tool::thread;

            /// Runs a program once.
            pub fn run(program: Program) {
                match program {
                    Program::ReadersWriters(threads) => readers_writers(threads),
                    Program::FibBench(rounds) => fib_bench(rounds),
                    Program::Counters(threads, rounds) => counters(threads, rounds),
                    Program::Pushes(threads) => pushes(threads),
                    Program::Independent(threads) => independent(threads),
                    Program::Announced(readers) => announced(readers),
                    Program::Exchanged(threads) => exchanged(threads),
                    Program::Published(which) => crate::published::$tool::correct(which),
                }
            }

            fn join<T>(handles: Vec<thread::JoinHandle<T>>) {
                for handle in handles {
                    handle.join().unwrap();
                }
            }

            fn readers_writers(threads: usize) {
                let x = Arc::new(AtomicUsize::new(0));
                let mut readers = Vec::new();
                for _ in 1..threads {
                    let x = x.clone();
                    readers.push(thread::spawn(move || x.load(SeqCst)));
                }
                x.store(1, SeqCst);
                join(readers);
            }

            fn fib_bench(rounds: usize) {
                let (i, j) = (Arc::new(AtomicUsize::new(1)), Arc::new(AtomicUsize::new(1)));
                let mut adders = Vec::new();
                for to in [i.clone(), j.clone()] {
                    let (i, j) = (i.clone(), j.clone());
                    adders.push(thread::spawn(move || {
                        for _ in 0..rounds {
                            let sum = i.load(SeqCst) + j.load(SeqCst);
                            to.store(sum, SeqCst);
                        }
                    }));
                }
                join(adders);
            }

            fn counters(threads: usize, rounds: usize) {
                let counter = Arc::new(Mutex::new(0));
                let mut workers = Vec::new();
                for _ in 0..threads {
                    let counter = counter.clone();
                    workers.push(thread::spawn(move || {
                        for _ in 0..rounds {
                            *counter.lock().unwrap() += 1;
                        }
                    }));
                }
                join(workers);
            }

            fn pushes(threads: usize) {
                let head = Arc::new(AtomicUsize::new(usize::MAX));
                let mut workers = Vec::new();
                for own in 0..threads {
                    let head = head.clone();
                    workers.push(thread::spawn(move || {
                        let mut old = head.load(SeqCst);
                        while let Err(found) = head.compare_exchange(old, own, SeqCst, SeqCst) {
                            old = found;
                        }
                    }));
                }
                join(workers);
            }

            fn announced(readers: usize) {
                let [lock, data] = [0, 0].map(|_| Arc::new(AtomicUsize::new(0)));
                lock.store(1, SeqCst);
                let read = || {
                    let (lock, data) = (lock.clone(), data.clone());
                    thread::spawn(move || {
                        while lock.fetch_add(2, SeqCst) & 1 != 0 {
                            lock.fetch_sub(2, SeqCst);
                            thread::yield_now();
                        }
                        assert_eq!(data.load(SeqCst), 1);
                        lock.fetch_sub(2, SeqCst);
                    })
                };
                let handles = (0..readers).map(|_| read()).collect();
                data.store(1, SeqCst);
                lock.fetch_sub(1, SeqCst);
                join(handles);
            }

            fn exchanged(threads: usize) {
                let [lock, data] = [0, 0].map(|_| Arc::new(AtomicUsize::new(0)));
                let work = || {
                    let (lock, data) = (lock.clone(), data.clone());
                    thread::spawn(move || {
                        while lock.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
                            thread::yield_now();
                        }
                        let before = data.load(SeqCst);
                        data.store(before + 1, SeqCst);
                        lock.store(0, SeqCst);
                    })
                };
                join((0..threads).map(|_| work()).collect());
                assert_eq!(data.load(SeqCst), threads);
            }

            fn independent(threads: usize) {
                let mut workers = Vec::new();
                for _ in 0..threads {
                    let own = Arc::new(AtomicUsize::new(0));
                    workers.push(thread::spawn(move || own.fetch_add(1, SeqCst)));
                }
                join(workers);
            }
        }
    };
}

programs!(selvedge);
programs!(loom);
programs!(shuttle);
