//! Programs with a bug, the same source for each tool: how soon is it found?

use crate::published::Published;

/// A program with a bug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bug {
    /// Two threads load and store.
    LostUpdate,
    /// Three threads load and store, and only all three together are wrong.
    LostUpdates,
    /// Two mutexes in two orders.
    LockOrder,
    /// Three philosophers.
    Philosophers,
    /// A notification without a condition comes before the wait.
    LostNotification,
    /// A queue that waits in an `if`.
    WaitsOnce,
    /// Initialisation is looked at twice, and its flag is set too early.
    DoubleChecked,
    /// fib-bench whose bound can be reached, with so many rounds.
    FibBench(usize),
    /// A spin lock that looks and then takes.
    SpinLock,
    /// A reader-writer lock whose readers announce themselves after they looked.
    ReaderWriter,
    /// A reader-writer lock whose readers add, look and take back, and whose writer frees the word of all.
    ReaderCount,
    /// A sequence lock whose reader does not look again.
    SequenceLock,
    /// A reference count that is read and then decremented.
    ReferenceCount,
    /// A stack whose pop suffers from reuse of a node.
    ReusedNode,
    /// The broken version of a kind of crate.
    Published(Published),
}

/// What is measured.
pub const ALL: [Bug; 21] = [
    Bug::LostUpdate,
    Bug::LostUpdates,
    Bug::LockOrder,
    Bug::Philosophers,
    Bug::LostNotification,
    Bug::WaitsOnce,
    Bug::DoubleChecked,
    Bug::FibBench(1),
    Bug::FibBench(3),
    Bug::SpinLock,
    Bug::ReaderWriter,
    Bug::ReaderCount,
    Bug::SequenceLock,
    Bug::ReferenceCount,
    Bug::ReusedNode,
    Bug::Published(Published::Slab),
    Bug::Published(Published::Waker),
    Bug::Published(Published::Event),
    Bug::Published(Published::Queue),
    Bug::Published(Published::List),
    Bug::Published(Published::Ring),
];

impl Bug {
    /// The name in the table.
    pub fn name(self) -> String {
        match self {
            Bug::LostUpdate => "lost update".to_owned(),
            Bug::LostUpdates => "lost updates, 3 threads".to_owned(),
            Bug::LockOrder => "lock order".to_owned(),
            Bug::Philosophers => "3 philosophers".to_owned(),
            Bug::LostNotification => "lost notification".to_owned(),
            Bug::WaitsOnce => "queue that waits in an `if`".to_owned(),
            Bug::DoubleChecked => "double-checked initialisation".to_owned(),
            Bug::FibBench(rounds) => format!("fib-bench({rounds}), largest sum"),
            Bug::SpinLock => "spin lock".to_owned(),
            Bug::ReaderWriter => "reader-writer lock".to_owned(),
            Bug::ReaderCount => "reader-writer lock, readers add and take back".to_owned(),
            Bug::SequenceLock => "sequence lock".to_owned(),
            Bug::ReferenceCount => "reference count".to_owned(),
            Bug::ReusedNode => "stack with a node used again".to_owned(),
            Bug::Published(which) => format!("broken {}", which.name()),
        }
    }
}

macro_rules! bugs {
    ($tool:ident) => {
        /// The bugs with the types of one tool.
        pub mod $tool {
            use super::Bug;
            use ::$tool::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use ::$tool::sync::{Arc, Condvar, Mutex};
            use ::$tool::thread;
            use std::collections::VecDeque;

            /// Runs a program once.
            pub fn run(bug: Bug) {
                match bug {
                    Bug::LostUpdate => lost_update(2, 2),
                    Bug::LostUpdates => lost_update(3, 2),
                    Bug::LockOrder => lock_order(),
                    Bug::Philosophers => philosophers(),
                    Bug::LostNotification => lost_notification(),
                    Bug::WaitsOnce => waits_once(),
                    Bug::DoubleChecked => double_checked(),
                    Bug::FibBench(rounds) => fib_bench(rounds),
                    Bug::SpinLock => spin_lock(),
                    Bug::ReaderWriter => reader_writer(),
                    Bug::ReaderCount => reader_count(),
                    Bug::SequenceLock => sequence_lock(),
                    Bug::ReferenceCount => reference_count(),
                    Bug::ReusedNode => reused_node(),
                    Bug::Published(which) => crate::published::$tool::broken(which),
                }
            }

            fn numbers<const N: usize>() -> [Arc<AtomicUsize>; N] {
                std::array::from_fn(|_| Arc::new(AtomicUsize::new(0)))
            }

            fn lost_update(threads: usize, least: usize) {
                let x = Arc::new(AtomicUsize::new(0));
                let add = |x: Arc<AtomicUsize>| thread::spawn(move || x.store(x.load(SeqCst) + 1, SeqCst));
                let workers: Vec<_> = (0..threads).map(|_| add(x.clone())).collect();
                for worker in workers {
                    worker.join().unwrap();
                }
                assert!(x.load(SeqCst) >= least, "updates were lost");
            }

            fn lock_order() {
                let (a, b) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
                let other = {
                    let (a, b) = (a.clone(), b.clone());
                    thread::spawn(move || {
                        let _b = b.lock().unwrap();
                        let _a = a.lock().unwrap();
                    })
                };
                {
                    let _a = a.lock().unwrap();
                    let _b = b.lock().unwrap();
                }
                other.join().unwrap();
            }

            fn philosophers() {
                let forks: Vec<_> = (0..3).map(|_| Arc::new(Mutex::new(()))).collect();
                let mut others = Vec::new();
                for i in 0..3 {
                    let (left, right) = (forks[i].clone(), forks[(i + 1) % 3].clone());
                    others.push(thread::spawn(move || {
                        let _left = left.lock().unwrap();
                        let _right = right.lock().unwrap();
                    }));
                }
                for other in others {
                    other.join().unwrap();
                }
            }

            fn lost_notification() {
                let pair = Arc::new((Mutex::new(false), Condvar::new()));
                let other = {
                    let pair = pair.clone();
                    thread::spawn(move || {
                        *pair.0.lock().unwrap() = true;
                        pair.1.notify_one();
                    })
                };
                let guard = pair.0.lock().unwrap();
                drop(pair.1.wait(guard).unwrap());
                other.join().unwrap();
            }

            fn waits_once() {
                let queue = Arc::new((Mutex::new(VecDeque::new()), Condvar::new()));
                let take = |queue: Arc<(Mutex<VecDeque<usize>>, Condvar)>| {
                    thread::spawn(move || {
                        let mut items = queue.0.lock().unwrap();
                        if items.is_empty() {
                            items = queue.1.wait(items).unwrap();
                        }
                        items.pop_front().expect("the queue is empty")
                    })
                };
                let takers = [take(queue.clone()), take(queue.clone())];
                for item in 0..2 {
                    queue.0.lock().unwrap().push_back(item);
                    queue.1.notify_all();
                }
                for taker in takers {
                    taker.join().unwrap();
                }
            }

            fn double_checked() {
                let [flag, value, lock] = numbers();
                let get = move || {
                    if flag.load(SeqCst) == 0 && lock.swap(1, SeqCst) == 0 {
                        flag.store(1, SeqCst);
                        value.store(7, SeqCst);
                    }
                    if flag.load(SeqCst) == 1 {
                        assert_eq!(value.load(SeqCst), 7, "not yet initialised");
                    }
                };
                let other = thread::spawn(get.clone());
                get();
                other.join().unwrap();
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
                for adder in adders {
                    adder.join().unwrap();
                }
                let (mut small, mut large) = (1, 1);
                for _ in 0..2 * rounds {
                    (small, large) = (large, small + large);
                }
                assert!(i.load(SeqCst).max(j.load(SeqCst)) < large, "the largest sum was reached");
            }

            fn spin_lock() {
                let [lock, data] = numbers();
                let work = move || {
                    while lock.load(SeqCst) == 1 {
                        thread::yield_now();
                    }
                    lock.store(1, SeqCst);
                    data.store(data.load(SeqCst) + 1, SeqCst);
                    lock.store(0, SeqCst);
                    data.clone()
                };
                let other = thread::spawn(work.clone());
                let data = work();
                other.join().unwrap();
                assert_eq!(data.load(SeqCst), 2, "two threads held the lock");
            }

            fn reader_writer() {
                let [state, data] = numbers();
                let (read_state, read_data) = (state.clone(), data.clone());
                let reader = thread::spawn(move || {
                    while read_state.load(SeqCst) >= 100 {
                        thread::yield_now();
                    }
                    read_state.fetch_add(1, SeqCst);
                    let first = read_data.load(SeqCst);
                    assert_eq!(first, read_data.load(SeqCst), "the data changed under a reader");
                    read_state.fetch_sub(1, SeqCst);
                });
                while state.compare_exchange(0, 100, SeqCst, SeqCst).is_err() {
                    thread::yield_now();
                }
                data.store(1, SeqCst);
                state.fetch_sub(100, SeqCst);
                reader.join().unwrap();
            }

            fn reader_count() {
                let [lock, data] = numbers();
                let (read_lock, read_data) = (lock.clone(), data.clone());
                let reader = thread::spawn(move || {
                    while read_lock.fetch_add(2, SeqCst) & 1 != 0 {
                        read_lock.fetch_sub(2, SeqCst);
                        thread::yield_now();
                    }
                    let first = read_data.load(SeqCst);
                    assert_eq!(first, read_data.load(SeqCst), "the data changed under a reader");
                    read_lock.fetch_sub(2, SeqCst);
                });
                for number in 1..3 {
                    while lock.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
                        thread::yield_now();
                    }
                    data.store(number, SeqCst);
                    // The count of readers goes with the bit.
                    lock.store(0, SeqCst);
                }
                reader.join().unwrap();
            }

            fn sequence_lock() {
                let [sequence, left, right] = numbers();
                let (read_sequence, read_left, read_right) = (sequence.clone(), left.clone(), right.clone());
                let reader = thread::spawn(move || {
                    while read_sequence.load(SeqCst) % 2 == 1 {
                        thread::yield_now();
                    }
                    assert_eq!(read_left.load(SeqCst), read_right.load(SeqCst), "torn");
                });
                sequence.fetch_add(1, SeqCst);
                left.store(1, SeqCst);
                right.store(1, SeqCst);
                sequence.fetch_add(1, SeqCst);
                reader.join().unwrap();
            }

            fn reference_count() {
                let [count, freed] = numbers();
                count.store(2, SeqCst);
                let release = move || {
                    count.fetch_sub(1, SeqCst);
                    if count.load(SeqCst) == 0 {
                        assert_eq!(freed.fetch_add(1, SeqCst), 0, "freed twice");
                    }
                };
                let other = thread::spawn(release.clone());
                release();
                other.join().unwrap();
            }

            /// Nodes are numbered from 1; 0 is the end of the list.
            fn reused_node() {
                let [head, first, second] = numbers();
                let next = [first.clone(), second];
                first.store(2, SeqCst);
                head.store(1, SeqCst);
                let pop = move |head: &AtomicUsize| {
                    let top = head.load(SeqCst);
                    if top == 0 {
                        return 0;
                    }
                    let below = next[top - 1].load(SeqCst);
                    match head.compare_exchange(top, below, SeqCst, SeqCst) {
                        Ok(_) => top,
                        Err(_) => 0,
                    }
                };
                let other = {
                    let (head, pop) = (head.clone(), pop.clone());
                    thread::spawn(move || pop(&head))
                };
                let (top, second) = (pop(&head), pop(&head));
                if top == 1 && second == 2 {
                    // The first node comes back, the second one is ours.
                    first.store(0, SeqCst);
                    let _ = head.compare_exchange(0, 1, SeqCst, SeqCst);
                    let _ = other.join();
                    assert_ne!(head.load(SeqCst), 2, "a node that is in use is on the stack");
                } else {
                    let _ = other.join();
                }
            }
        }
    };
}

bugs!(selvedge);
bugs!(loom);
bugs!(shuttle);
