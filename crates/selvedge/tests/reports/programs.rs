//! The programs whose reports are tested. Reports hold line numbers, so programs and reports are in different files.

use selvedge::cell::UnsafeCell;
use selvedge::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use selvedge::sync::{Arc, Condvar, Mutex, mpsc};
use selvedge::{hint, thread};

pub fn lost_update() {
    let hits = Arc::new(AtomicUsize::new(0));
    let other = thread::Builder::new().name("counter".to_owned());
    let counter = other.spawn({
        let hits = hits.clone();
        move || {
            let before = hits.load(Ordering::Acquire);
            hits.store(before + 1, Ordering::Release);
        }
    });
    hits.fetch_add(1, Ordering::AcqRel);
    counter.unwrap().join().unwrap();
    assert_eq!(hits.load(Ordering::Acquire), 2, "an update was lost");
}

pub fn deadlock() {
    let left = Arc::new(Mutex::new(()));
    let right = Arc::new(Mutex::new(()));
    let other = thread::spawn({
        let (left, right) = (left.clone(), right.clone());
        move || {
            let _right = right.lock().unwrap();
            let _left = left.lock().unwrap();
        }
    });
    {
        let _left = left.lock().unwrap();
        let _right = right.lock().unwrap();
    }
    other.join().unwrap();
}

pub fn lost_wakeup() {
    let ready = Arc::new(AtomicBool::new(false));
    let pair = Arc::new((Mutex::new(()), Condvar::new()));
    let waiter = thread::spawn({
        let (ready, pair) = (ready.clone(), pair.clone());
        move || {
            let guard = pair.0.lock().unwrap();
            if !ready.load(Ordering::SeqCst) {
                drop(pair.1.wait(guard));
            }
        }
    });
    ready.store(true, Ordering::SeqCst);
    pair.1.notify_one();
    waiter.join().unwrap();
}

pub fn data_race() {
    struct Slot {
        full: AtomicBool,
        value: UnsafeCell<u32>,
    }
    #[allow(unsafe_code, reason = "the point of the test")]
    // SAFETY: none: the flag is stored too early, and the checker finds that before anything is accessed.
    unsafe impl Sync for Slot {}
    let slot = Arc::new(Slot { full: AtomicBool::new(false), value: UnsafeCell::new(0) });
    let writer = thread::spawn({
        let slot = slot.clone();
        move || {
            slot.full.store(true, Ordering::Release);
            slot.value.with_mut(|_value| ());
        }
    });
    if slot.full.load(Ordering::Acquire) {
        slot.value.with(|_value| ());
    }
    writer.join().unwrap();
}

pub fn leak() {
    struct Node {
        next: Mutex<Option<Arc<Node>>>,
    }
    let node = Arc::new(Node { next: Mutex::new(None) });
    let again = node.clone();
    *node.next.lock().unwrap() = Some(again);
}

pub fn livelock() {
    let stop = Arc::new(AtomicBool::new(false));
    let other = thread::spawn({
        let stop = stop.clone();
        move || {
            while !stop.load(Ordering::Acquire) {
                hint::spin_loop();
            }
        }
    });
    other.join().unwrap();
    stop.store(true, Ordering::Release);
}

pub fn receiver() {
    let (sender, receiver) = mpsc::channel::<u32>();
    let other = thread::spawn({
        let sender = sender.clone();
        move || sender.send(1).unwrap()
    });
    for message in &receiver {
        assert_eq!(message, 1);
    }
    drop(sender);
    other.join().unwrap();
}

pub fn correct() {
    let x = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let x = x.clone();
        move || x.store(1, Ordering::SeqCst)
    });
    x.load(Ordering::SeqCst);
    other.join().unwrap();
}

pub fn not_deterministic() {
    std::thread_local! { static RUNS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) }; }
    let x = Arc::new(AtomicUsize::new(0));
    x.store(7, Ordering::SeqCst);
    RUNS.set(RUNS.get() + 1);
    match RUNS.get() % 2 {
        0 => x.store(1, Ordering::SeqCst),
        _ => drop(x.swap(1, Ordering::SeqCst)),
    }
}
