//! Algorithms without locks, and one with too many.

use crate::{Version, compare};
use selvedge::sync::atomic::{AtomicBool, AtomicIsize, AtomicU32, AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{FailureKind, thread};
use std::array::from_fn;

/// A double-ended queue from which others steal, after Chase and Lev, with two items from the start.
struct Deque {
    top: AtomicIsize,
    bottom: AtomicIsize,
}

impl Deque {
    fn take(&self, version: Version) -> Option<isize> {
        let bottom = self.bottom.load(SeqCst) - 1;
        self.bottom.store(bottom, SeqCst);
        let top = self.top.load(SeqCst);
        if top < bottom {
            return Some(bottom);
        }
        // The last item may be stolen at the same time.
        let is_won = top == bottom && (version == Version::Broken || self.advance(top));
        self.bottom.store(bottom + 1, SeqCst);
        is_won.then_some(bottom)
    }

    fn steal(&self) -> Option<isize> {
        let top = self.top.load(SeqCst);
        (top < self.bottom.load(SeqCst) && self.advance(top)).then_some(top)
    }

    fn advance(&self, top: isize) -> bool {
        self.top.compare_exchange(top, top + 1, SeqCst, SeqCst).is_ok()
    }
}

#[test]
fn the_last_item_is_taken_and_stolen() {
    compare(FailureKind::Panic, |version| {
        let deque = Arc::new(Deque { top: AtomicIsize::new(0), bottom: AtomicIsize::new(2) });
        let steal = || {
            let deque = deque.clone();
            thread::spawn(move || deque.steal())
        };
        let others = [steal(), steal()];
        let mut items = vec![deque.take(version), deque.take(version)];
        items.extend(others.map(|other| other.join().unwrap()));
        let mut items: Vec<isize> = items.into_iter().flatten().collect();
        items.sort_unstable();
        assert!(items.windows(2).all(|pair| pair[0] != pair[1]), "an item is there twice: {items:?}");
    });
}

#[test]
fn a_hazard_is_announced_too_late() {
    struct World {
        present: AtomicUsize,
        hazard: AtomicUsize,
        is_alive: [AtomicBool; 2],
    }
    const NOTHING: usize = usize::MAX;
    compare(FailureKind::Panic, |version| {
        let world = Arc::new(World {
            present: AtomicUsize::new(0),
            hazard: AtomicUsize::new(NOTHING),
            is_alive: from_fn(|_| AtomicBool::new(true)),
        });
        let other = thread::spawn({
            let world = world.clone();
            move || {
                let old = world.present.swap(1, SeqCst);
                while world.hazard.load(SeqCst) == old {
                    thread::yield_now();
                }
                world.is_alive[old].store(false, SeqCst);
            }
        });
        let present = loop {
            let present = world.present.load(SeqCst);
            world.hazard.store(present, SeqCst);
            if version == Version::Broken || world.present.load(SeqCst) == present {
                break present;
            }
        };
        assert!(world.is_alive[present].load(SeqCst), "used after it is gone");
        world.hazard.store(NOTHING, SeqCst);
        other.join().unwrap();
    });
}

#[test]
fn two_workers_take_the_same_piece_of_work() {
    compare(FailureKind::Panic, |version| {
        let next = AtomicUsize::new(0);
        let done: [AtomicU32; 3] = from_fn(|_| AtomicU32::new(0));
        let take = || match version {
            Version::Right => next.fetch_add(1, SeqCst),
            Version::Broken => {
                let taken = next.load(SeqCst);
                next.store(taken + 1, SeqCst);
                taken
            }
        };
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while let Some(piece) = done.get(take()) {
                        piece.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        assert!(done.iter().all(|piece| piece.load(SeqCst) == 1));
    });
}

#[test]
fn four_philosophers_take_their_left_forks() {
    compare(FailureKind::Deadlock, |version| {
        let forks: Arc<[Mutex<u32>; 4]> = Arc::new(from_fn(|_| Mutex::new(0)));
        let philosophers: [_; 4] = from_fn(|left| {
            let forks = forks.clone();
            thread::spawn(move || {
                let right = (left + 1) % 4;
                let (first, second) = match version {
                    Version::Right => (left.min(right), left.max(right)),
                    Version::Broken => (left, right),
                };
                let _first = forks[first].lock().unwrap();
                *forks[second].lock().unwrap() += 1;
            })
        });
        philosophers.into_iter().for_each(|philosopher| philosopher.join().unwrap());
    });
}

#[test]
fn sixteen_threads_look_at_their_neighbours() {
    compare(FailureKind::Panic, |version| {
        let flags: Arc<[AtomicBool; 16]> = Arc::new(from_fn(|_| AtomicBool::new(false)));
        let threads: [_; 16] = from_fn(|own| {
            let flags = flags.clone();
            thread::spawn(move || {
                flags[own].store(true, SeqCst);
                // In the broken version it is expected to be there already.
                version.is_right() || flags[(own + 1) % 16].load(SeqCst)
            })
        });
        assert!(threads.into_iter().all(|other| other.join().unwrap()));
    });
}
