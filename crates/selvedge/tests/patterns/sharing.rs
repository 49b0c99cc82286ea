//! Things that are made once, kept as long as somebody needs them, or left behind by a panic.

use crate::{Version, compare};
use selvedge::sync::atomic::{AtomicU32, Ordering::SeqCst};
use selvedge::sync::{Arc, LazyLock, Mutex, Once, OnceLock, RwLock, Weak};
use selvedge::{Algorithm, Checker, FailureKind, thread, thread_local};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

#[test]
fn every_algorithm_sees_what_becomes_of_a_weak_handle() {
    // That either drop may be the last one shows only when `optimal` looks back after its second execution.
    let algorithms =
        [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor, Algorithm::Sleep, Algorithm::Exhaustive];
    for algorithm in algorithms {
        let seen = Rc::new(RefCell::new(BTreeSet::new()));
        let inside = Rc::clone(&seen);
        let report = Checker::new().algorithm(algorithm).run(move || {
            let strong = Arc::new(AtomicU32::new(5));
            let weak = Arc::downgrade(&strong);
            let other = thread::spawn(move || weak.upgrade().map(|strong| strong.load(SeqCst)));
            let is_unwrapped = Arc::try_unwrap(strong).is_ok();
            inside.borrow_mut().insert((is_unwrapped, other.join().unwrap()));
        });
        let all = BTreeSet::from([(false, Some(5)), (true, None), (true, Some(5))]);
        assert_eq!(*seen.borrow(), all, "{}: {report}", algorithm.name());
    }
}

#[test]
fn somebody_counts_on_being_the_last() {
    compare(FailureKind::Panic, |version| {
        let strong = Arc::new(5);
        let weak = Arc::downgrade(&strong);
        let other = thread::spawn(move || weak.upgrade().is_some());
        match version {
            Version::Right => drop(Arc::try_unwrap(strong)),
            Version::Broken => assert_eq!(Arc::try_unwrap(strong), Ok(5)),
        }
        other.join().unwrap();
    });
}

#[test]
fn an_entry_of_a_table_is_gone_between_two_looks() {
    fn find(table: &Mutex<Weak<String>>, version: Version) -> Arc<String> {
        let mut entry = table.lock().unwrap();
        match version {
            Version::Right => {
                if let Some(found) = entry.upgrade() {
                    return found;
                }
            }
            Version::Broken if entry.strong_count() > 0 => return entry.upgrade().unwrap(),
            Version::Broken => {}
        }
        let new = Arc::new("entry".to_owned());
        *entry = Arc::downgrade(&new);
        new
    }
    compare(FailureKind::Panic, |version| {
        let table = Arc::new(Mutex::new(Weak::new()));
        let other = thread::spawn({
            let table = table.clone();
            move || find(&table, version).len()
        });
        assert_eq!(find(&table, version).len(), other.join().unwrap());
    });
}

#[test]
fn two_make_what_one_should_make() {
    compare(FailureKind::Panic, |version| {
        let cache = Arc::new((RwLock::new(BTreeMap::new()), AtomicU32::new(0)));
        let find = {
            let cache = cache.clone();
            move || {
                let (map, made) = &*cache;
                if let Some(&found) = map.read().unwrap().get(&1) {
                    return found;
                }
                let mut map = map.write().unwrap();
                match map.get(&1) {
                    Some(&found) if version.is_right() => found,
                    _ => {
                        let new = made.fetch_add(1, SeqCst);
                        map.insert(1, new);
                        new
                    }
                }
            }
        };
        let other = thread::spawn(find.clone());
        assert_eq!(find(), other.join().unwrap());
    });
}

#[test]
fn whoever_sets_a_value_is_not_the_first() {
    compare(FailureKind::Panic, |version| {
        let value = Arc::new(OnceLock::new());
        let other = thread::spawn({
            let value = value.clone();
            move || *value.get_or_init(|| 1)
        });
        let own = match version {
            Version::Right => *value.get_or_init(|| 2),
            Version::Broken => value.set(2).map(|()| 2).unwrap(),
        };
        assert_eq!(own, other.join().unwrap());
    });
}

#[test]
fn an_initialisation_that_panicked_is_not_repeated_by_itself() {
    compare(FailureKind::Panic, |version| {
        let once = Arc::new(Once::new());
        let other = thread::spawn({
            let once = once.clone();
            move || drop(catch_unwind(AssertUnwindSafe(|| once.call_once(|| panic!("half done")))))
        });
        match version {
            Version::Right => once.call_once_force(|_| ()),
            Version::Broken => once.call_once(|| ()),
        }
        other.join().unwrap();
        assert!(once.is_completed());
    });
}

#[test]
fn a_panic_leaves_something_half_done_under_a_lock() {
    compare(FailureKind::Panic, |version| {
        let pair = Arc::new(Mutex::new((0, 0)));
        let other = thread::spawn({
            let pair = pair.clone();
            move || {
                drop(catch_unwind(AssertUnwindSafe(|| {
                    let mut pair = pair.lock().unwrap();
                    pair.0 = 1;
                    panic!("half done");
                })));
            }
        });
        let pair = match version {
            Version::Right => *pair.lock().unwrap_or_else(|poisoned| {
                let mut pair = poisoned.into_inner();
                pair.1 = pair.0;
                pair
            }),
            Version::Broken => *pair.lock().unwrap_or_else(std::sync::PoisonError::into_inner),
        };
        assert_eq!(pair.0, pair.1);
        other.join().unwrap();
    });
}

thread_local! { static BUFFER: RefCell<Option<Buffer>> = const { RefCell::new(None) }; }

/// Numbers that go to others when the thread ends.
struct Buffer(Arc<Mutex<Vec<u32>>>, Vec<u32>);

impl Drop for Buffer {
    fn drop(&mut self) {
        self.0.lock().unwrap().append(&mut self.1);
    }
}

#[test]
fn what_a_thread_leaves_at_its_end_is_looked_for_too_early() {
    compare(FailureKind::Panic, |version| {
        let all = Arc::new(Mutex::new(Vec::new()));
        let other = thread::spawn({
            let all = all.clone();
            move || BUFFER.set(Some(Buffer(all, vec![7])))
        });
        if version.is_right() {
            other.join().unwrap();
        }
        assert_eq!(*all.lock().unwrap(), [7]);
    });
}

#[selvedge::per_execution]
static MADE: AtomicU32 = AtomicU32::new(0);
#[selvedge::per_execution]
static SETTINGS: LazyLock<BTreeMap<&str, u32>> =
    LazyLock::new(|| BTreeMap::from([("made", MADE.fetch_add(1, SeqCst))]));
selvedge::statics! { static NUMBER: selvedge::sync::LazyLock<u32> = LazyLock::new(|| 7); }

#[test]
fn a_static_that_is_made_at_its_first_use_is_used_as_in_std() {
    selvedge::check(|| {
        let other = thread::spawn(|| SETTINGS["made"] + *NUMBER);
        assert_eq!(SETTINGS.get("made"), Some(&0));
        assert_eq!(LazyLock::force(&NUMBER), &7);
        assert_eq!(other.join().unwrap(), 7);
        assert_eq!((SETTINGS.len(), MADE.load(SeqCst)), (1, 1));
        assert_eq!(format!("{:?}", *NUMBER), "7");
    });
}
