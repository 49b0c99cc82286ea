//! The look-alikes behave like std: each claim is checked in every interleaving.

use selvedge::sync::atomic::{AtomicBool, AtomicI8, AtomicPtr, AtomicUsize, Ordering, Ordering::SeqCst};
use selvedge::sync::{
    Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock, RwLockWriteGuard, TryLockError, Weak,
    mpsc,
};
use selvedge::{Checker, FailureKind, Verdict, thread};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// What a closure may return in its executions, and how many there are.
fn outcomes<T: Ord + 'static>(f: impl Fn() -> T + 'static) -> (BTreeSet<T>, u64) {
    let seen = std::rc::Rc::new(std::cell::RefCell::new(BTreeSet::new()));
    let seen_inside = seen.clone();
    let report = Checker::new().run(move || {
        let outcome = f();
        seen_inside.borrow_mut().insert(outcome);
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    (seen.take(), report.executions)
}

fn set<T: Ord, const N: usize>(values: [T; N]) -> BTreeSet<T> {
    values.into()
}

#[test]
fn a_panic_that_is_caught_poisons_the_mutex() {
    selvedge::check(|| {
        let mutex = Arc::new(Mutex::new(1));
        let other = thread::spawn({
            let mutex = mutex.clone();
            move || {
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    let _guard = mutex.lock().unwrap();
                    panic!("inside");
                }));
                assert!(outcome.is_err());
            }
        });
        other.join().unwrap();
        assert!(mutex.is_poisoned());
        assert_eq!(*mutex.lock().unwrap_err().into_inner(), 1);
        mutex.clear_poison();
        assert_eq!(*mutex.lock().unwrap(), 1);
    });
}

#[test]
fn a_writer_that_panics_poisons_the_lock_and_a_reader_does_not() {
    selvedge::check(|| {
        let lock = RwLock::new(1);
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.read().unwrap();
            panic!("while reading");
        }));
        assert!(!lock.is_poisoned());
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.write().unwrap();
            panic!("while writing");
        }));
        assert!(lock.is_poisoned() && lock.read().is_err() && lock.write().is_err());
    });
}

#[test]
fn only_the_thread_that_panics_poisons() {
    // Others go on while a panic is in progress: the destructors of the one that panics are operations.
    let report = Checker::new().keep_going().run(|| {
        let (first, second) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
        let other = thread::spawn({
            let second = second.clone();
            move || *second.lock().unwrap() += 1
        });
        let panicking = thread::spawn({
            let first = first.clone();
            move || {
                let _guard = first.lock().unwrap();
                panic!("expected");
            }
        });
        assert!(panicking.join().is_err());
        other.join().unwrap();
        assert!(first.is_poisoned() && !second.is_poisoned());
    });
    assert_eq!(report.violations.len(), 1, "{report}");
    assert_eq!(report.violations[0].message, "expected");
}

#[test]
fn a_mutex_can_be_tried() {
    let (seen, executions) = outcomes(|| {
        let mutex = Arc::new(Mutex::new(()));
        let other = thread::spawn({
            let mutex = mutex.clone();
            move || drop(mutex.lock().unwrap())
        });
        let tried = match mutex.try_lock() {
            Ok(_) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Poisoned(_)) => unreachable!("nobody panics"),
        };
        other.join().unwrap();
        tried
    });
    assert_eq!((seen, executions), (set([false, true]), 3));
}

#[test]
fn a_wait_with_a_time_limit_has_both_outcomes() {
    let (seen, _) = outcomes(|| {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = thread::spawn({
            let pair = pair.clone();
            move || {
                *pair.0.lock().unwrap() = true;
                pair.1.notify_one();
            }
        });
        let guard = pair.0.lock().unwrap();
        let (guard, result) = pair.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
        let seen = (*guard, result.timed_out());
        drop(guard);
        other.join().unwrap();
        seen
    });
    assert_eq!(seen, set([(false, true), (true, false), (true, true)]));
}

#[test]
fn waiting_in_an_if_is_wrong_when_wakeups_may_be_spurious() {
    let program = || {
        let pair = Arc::new((Mutex::new(false), Condvar::new()));
        let other = thread::spawn({
            let pair = pair.clone();
            move || {
                *pair.0.lock().unwrap() = true;
                pair.1.notify_one();
            }
        });
        let mut guard = pair.0.lock().unwrap();
        if !*guard {
            guard = pair.1.wait(guard).unwrap();
        }
        assert!(*guard, "woken for nothing");
        drop(guard);
        other.join().unwrap();
    };
    assert_eq!(Checker::new().run(program).verdict, Verdict::Verified);
    let report = Checker::new().spurious_wakeups().run(program);
    assert_eq!(report.violations[0].message, "woken for nothing");
}

#[test]
fn a_notification_may_wake_any_waiter() {
    let (seen, _) = outcomes(|| {
        let shared = Arc::new((Mutex::new((0, Vec::new())), Condvar::new()));
        let waiter = |number: u32| {
            thread::spawn({
                let shared = shared.clone();
                move || {
                    let mut guard = shared.0.lock().unwrap();
                    guard.0 += 1;
                    guard = shared.1.wait(guard).unwrap();
                    guard.1.push(number);
                    shared.1.notify_one();
                }
            })
        };
        let waiters = [waiter(1), waiter(2)];
        while shared.0.lock().unwrap().0 < 2 {
            thread::yield_now();
        }
        shared.1.notify_one();
        waiters.into_iter().for_each(|waiter| waiter.join().unwrap());
        shared.0.lock().unwrap().1.clone()
    });
    assert_eq!(seen, set([vec![1, 2], vec![2, 1]]));
}

#[test]
fn any_thread_may_be_the_leader_and_only_one_is() {
    let (seen, _) = outcomes(|| {
        let barrier = Arc::new(Barrier::new(2));
        let other = thread::spawn({
            let barrier = barrier.clone();
            move || barrier.wait().is_leader()
        });
        let own = barrier.wait().is_leader();
        (own, other.join().unwrap())
    });
    assert_eq!(seen, set([(true, false), (false, true)]));
}

#[test]
fn more_threads_than_a_barrier_holds_go_on_in_groups() {
    let report = Checker::new().run(|| {
        let barrier = Arc::new(Barrier::new(2));
        let threads = [0, 1, 2, 3].map(|_| {
            let barrier = barrier.clone();
            thread::spawn(move || barrier.wait().is_leader())
        });
        threads.into_iter().for_each(|thread| drop(thread.join()));
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    assert!(report.executions > 1);
}

#[test]
fn once_runs_once_and_everybody_waits_for_it() {
    selvedge::check(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let call = |shared: &(Once, AtomicUsize)| {
            shared.0.call_once(|| assert_eq!(shared.1.fetch_add(1, SeqCst), 0));
            assert_eq!(shared.1.load(SeqCst), 1);
        };
        let other = thread::spawn({
            let shared = shared.clone();
            move || call(&shared)
        });
        call(&shared);
        assert!(shared.0.is_completed());
        other.join().unwrap();
    });
}

#[test]
fn a_cell_is_set_by_one_of_two() {
    let (seen, _) = outcomes(|| {
        let cell = Arc::new(OnceLock::new());
        let other = thread::spawn({
            let cell = cell.clone();
            move || cell.set(1).is_ok()
        });
        let own = cell.set(2).is_ok();
        let other = other.join().unwrap();
        assert!(own != other);
        *cell.get().unwrap()
    });
    assert_eq!(seen, set([1, 2]));
}

#[test]
fn messages_of_one_sender_keep_their_order() {
    let (seen, executions) = outcomes(|| {
        let (sender, receiver) = mpsc::channel();
        let send = |values: [u32; 2]| {
            let sender = sender.clone();
            thread::spawn(move || values.map(|value| sender.send(value).unwrap()))
        };
        let senders = [send([1, 2]), send([3, 4])];
        drop(sender);
        let all: Vec<u32> = receiver.into_iter().collect();
        senders.into_iter().for_each(|sender| drop(sender.join()));
        all
    });
    assert_eq!(seen.len(), 6);
    assert!(seen.iter().all(|all| all.iter().position(|&v| v == 1) < all.iter().position(|&v| v == 2)));
    assert_eq!(executions, 6, "only the order of the messages matters");
}

#[test]
fn a_channel_without_room_hands_over() {
    selvedge::check(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let received = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let received = received.clone();
            move || {
                received.store(true, SeqCst);
                assert_eq!(receiver.recv(), Ok(5));
            }
        });
        sender.send(5).unwrap();
        assert!(received.load(SeqCst));
        other.join().unwrap();
        assert!(sender.send(6).is_err());
    });
}

#[test]
fn a_message_can_be_handed_to_a_receiver_that_waits() {
    let (seen, _) = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let other = thread::spawn(move || receiver.recv().ok());
        let tried = sender.try_send(7).is_ok();
        drop(sender);
        (tried, other.join().unwrap())
    });
    assert_eq!(seen, set([(true, Some(7)), (false, None)]));
}

#[test]
fn a_receiver_that_waits_is_handed_one_message_only() {
    let (seen, _) = outcomes(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let (one, two) = (sender.clone(), sender);
        let tries = [one, two].map(|sender| thread::spawn(move || sender.try_send(()).is_ok()));
        let received = receiver.recv().is_ok();
        (tries.map(|handle| handle.join().unwrap()), received)
    });
    assert_eq!(seen, set([([false, false], false), ([true, false], true), ([false, true], true)]));
}

#[test]
fn receiving_with_a_time_limit_has_all_outcomes() {
    for bound in [0, 1] {
        let (seen, _) = outcomes(move || {
            let (sender, receiver) = mpsc::sync_channel(bound);
            let other = thread::spawn(move || sender.try_send(7).is_ok());
            let received = receiver.recv_timeout(Duration::from_secs(1));
            (other.join().unwrap(), received.map_err(|error| error as u8))
        });
        let sent_too_late = (bound == 1).then_some((true, Err(0)));
        let expected = [(true, Ok(7)), (false, Err(0)), (false, Err(1))];
        let expected = expected.into_iter().filter(|(sent, _)| bound == 0 || *sent).chain(sent_too_late);
        assert_eq!(seen, expected.collect(), "{bound}");
    }
}

#[test]
fn scoped_threads_borrow_and_are_waited_for() {
    selvedge::check(|| {
        let mut total = AtomicUsize::new(0);
        let value = 3;
        let doubled = thread::scope(|scope| {
            let handle = scope.spawn(|| {
                total.fetch_add(value, SeqCst);
                value * 2
            });
            scope.spawn(|| total.fetch_add(value, SeqCst));
            handle.join().unwrap()
        });
        assert_eq!((doubled, *total.get_mut()), (6, 6));
        *total.get_mut() += 1;
        assert_eq!(total.load(SeqCst), 7);
    });
}

#[test]
fn a_scoped_thread_that_panics_is_a_failure() {
    let report = Checker::new().run(|| {
        let x = AtomicUsize::new(0);
        thread::scope(|scope| {
            scope.spawn(|| assert_eq!(x.load(SeqCst), 1, "not yet"));
        });
    });
    assert_eq!(report.violations[0].kind, FailureKind::Panic);
}

#[test]
fn an_unpark_before_the_park_is_not_lost() {
    selvedge::check(|| {
        let ready = Arc::new(AtomicBool::new(false));
        let sleeper = thread::spawn({
            let ready = ready.clone();
            move || {
                while !ready.load(SeqCst) {
                    thread::park();
                }
            }
        });
        ready.store(true, SeqCst);
        sleeper.thread().unpark();
        sleeper.join().unwrap();
    });
}

#[test]
fn whether_a_thread_has_ended_can_be_asked() {
    let (seen, _) = outcomes(|| {
        let done = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let done = done.clone();
            move || done.store(true, SeqCst)
        });
        let seen = (done.load(SeqCst), other.is_finished());
        other.join().unwrap();
        seen
    });
    assert_eq!(seen, set([(false, false), (false, true), (true, false), (true, true)]));
}

#[test]
fn thread_local_variables_belong_to_threads_and_are_dropped_with_them() {
    struct Noisy(Arc<AtomicUsize>);
    impl Drop for Noisy {
        fn drop(&mut self) {
            self.0.fetch_add(1, SeqCst);
        }
    }
    selvedge::thread_local! { static KEPT: std::cell::RefCell<Vec<Noisy>> = const { std::cell::RefCell::new(Vec::new()) }; }
    selvedge::check(|| {
        let drops = Arc::new(AtomicUsize::new(0));
        let other = thread::spawn({
            let drops = drops.clone();
            move || KEPT.with_borrow_mut(|kept| kept.push(Noisy(drops)))
        });
        other.join().unwrap();
        assert_eq!(drops.load(SeqCst), 1);
        assert_eq!(KEPT.with_borrow(Vec::len), 0);
    });
}

#[test]
fn integers_wrap_and_pointers_point() {
    selvedge::check(|| {
        let small = AtomicI8::new(127);
        assert_eq!(small.fetch_add(1, SeqCst), 127);
        assert_eq!(small.load(SeqCst), -128);
        assert_eq!(small.fetch_max(-1, SeqCst), -128);
        assert_eq!(small.fetch_update(SeqCst, SeqCst, |v| (v < 0).then_some(5)), Ok(-1));
        assert_eq!(small.compare_exchange(4, 6, SeqCst, Ordering::Relaxed), Err(5));
        assert_eq!(small.into_inner(), 5);
        let value = Box::into_raw(Box::new(7));
        let pointer = AtomicPtr::new(value);
        assert_eq!(pointer.swap(std::ptr::null_mut(), SeqCst), value);
        assert!(pointer.load(SeqCst).is_null());
        #[allow(unsafe_code, reason = "gives the box back")]
        // SAFETY: the pointer comes from `into_raw` and nobody else has it.
        unsafe {
            drop(Box::from_raw(value));
        }
    });
}

#[test]
fn a_weak_handle_does_not_keep_alive() {
    let (seen, _) = outcomes(|| {
        let strong = Arc::new(5);
        let weak = Arc::downgrade(&strong);
        let other = thread::spawn(move || weak.upgrade().is_some());
        drop(strong);
        other.join().unwrap()
    });
    assert_eq!(seen, set([false, true]));
}

#[test]
fn any_of_the_last_two_handles_may_be_the_last() {
    struct Noisy(std::sync::Arc<std::sync::atomic::AtomicUsize>);
    impl Drop for Noisy {
        fn drop(&mut self) {
            let is_main = usize::from(thread::current().name() == Some("main"));
            self.0.store(1 + is_main, std::sync::atomic::Ordering::SeqCst);
        }
    }
    let (seen, _) = outcomes(|| {
        let who = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let content = Arc::new(Noisy(who.clone()));
        let other = thread::spawn({
            let content = content.clone();
            move || drop(content)
        });
        drop(content);
        other.join().unwrap();
        who.load(std::sync::atomic::Ordering::SeqCst)
    });
    assert_eq!(seen, set([1, 2]));
}

#[test]
fn a_lock_that_is_polled_is_waited_for() {
    let (seen, executions) = outcomes(|| {
        let flag = Arc::new(Mutex::new(false));
        let other = thread::spawn({
            let flag = flag.clone();
            move || *flag.lock().unwrap() = true
        });
        while !*flag.lock().unwrap() {
            thread::yield_now();
        }
        other.join().unwrap();
    });
    assert_eq!(seen.len(), 1);
    assert!(executions < 10, "{executions}");
}

#[test]
fn a_thread_that_yields_out_of_politeness_goes_on() {
    let (seen, _) = outcomes(|| {
        let x = AtomicUsize::new(0);
        x.load(SeqCst);
        thread::yield_now();
        x.load(SeqCst);
        thread::sleep(Duration::from_secs(1));
        x.load(SeqCst)
    });
    assert_eq!(seen, set([0]));
}

#[test]
fn a_thread_that_spins_a_number_of_times_and_then_parks_is_no_livelock() {
    selvedge::check(|| {
        let main = thread::current();
        let turn = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let turn = turn.clone();
            move || {
                turn.store(true, SeqCst);
                main.unpark();
            }
        });
        for _ in 0..5 {
            if turn.load(SeqCst) {
                break;
            }
            selvedge::hint::spin_loop();
        }
        if !turn.load(SeqCst) {
            thread::park();
        }
        other.join().unwrap();
    });
}

#[test]
fn a_loop_that_counts_its_attempts_may_give_up_early_if_every_attempt_is_explored() {
    let patient = || {
        let ready = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let ready = ready.clone();
            move || ready.store(true, SeqCst)
        });
        let seen = (0..3).any(|_| {
            thread::yield_now();
            ready.load(SeqCst)
        });
        other.join().unwrap();
        assert!(seen, "gave up");
    };
    let waiting = Checker::new().run(patient);
    assert_eq!(waiting.verdict, Verdict::Verified);
    assert!(waiting.scope.ends_with("threads that spin wait until something that they read changes"));
    let exact = Checker::new().every_attempt().run(patient);
    assert_eq!((exact.verdict, exact.violations[0].message.as_str()), (Verdict::Violation, "gave up"));
}

struct Shared(selvedge::cell::UnsafeCell<u32>);

// SAFETY: nothing is done with the pointers.
#[allow(unsafe_code, reason = "a cell is shared")]
unsafe impl Sync for Shared {}

#[test]
fn a_pointer_to_the_content_of_a_cell_counts_as_a_write() {
    let report = Checker::new().run(|| {
        let shared = Arc::new(Shared(selvedge::cell::UnsafeCell::new(1)));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                let _ = shared.0.get();
            }
        });
        shared.0.with(|_| ());
        other.join().unwrap();
    });
    assert_eq!(report.violations[0].kind, FailureKind::DataRace, "{report}");
    assert!(report.to_string().contains("`get` counts as a write"), "{report}");
}

#[test]
fn whoever_joins_receives_the_payload_of_the_panic() {
    let report = Checker::new().run(|| {
        let other = thread::spawn(|| std::panic::panic_any(42_u8));
        assert_eq!(other.join().unwrap_err().downcast_ref::<u8>(), Some(&42));
    });
    assert_eq!(report.violations.len(), 1, "the panic is reported all the same: {report}");
}

#[test]
fn asking_for_poison_races_with_poisoning_and_with_forgetting() {
    let (seen, _) = outcomes(|| {
        let mutex = Arc::new(Mutex::new(0));
        let _ = catch_unwind(|| {
            let _guard = mutex.lock().unwrap();
            panic!("inside");
        });
        let other = thread::spawn({
            let mutex = mutex.clone();
            move || mutex.clear_poison()
        });
        let was_poisoned = mutex.is_poisoned();
        other.join().unwrap();
        was_poisoned
    });
    assert_eq!(seen, set([false, true]));
    let (seen, _) = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = thread::spawn({
            let lock = lock.clone();
            move || {
                let _ = catch_unwind(|| {
                    let _guard = lock.write().unwrap();
                    panic!("inside");
                });
            }
        });
        let was_poisoned = lock.is_poisoned();
        other.join().unwrap();
        assert!(lock.is_poisoned());
        was_poisoned
    });
    assert_eq!(seen, set([false, true]));
}

#[test]
fn nobody_writes_between_a_writer_and_the_reader_it_becomes() {
    let (seen, _) = outcomes(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = thread::spawn({
            let lock = lock.clone();
            move || *lock.write().unwrap() += 10
        });
        let mut writer = lock.write().unwrap();
        *writer += 1;
        let written = *writer;
        let reader = RwLockWriteGuard::downgrade(writer);
        assert_eq!(*reader, written);
        drop(reader);
        other.join().unwrap();
        written
    });
    assert_eq!(seen, set([1, 11]));
}

#[test]
fn waiting_for_a_once_ends_with_its_closure_and_a_poisoned_one_panics() {
    let (seen, executions) = outcomes(|| {
        let once = Arc::new(Once::new());
        let other = thread::spawn({
            let once = once.clone();
            move || once.call_once(|| ())
        });
        once.wait();
        other.join().unwrap();
        once.is_completed()
    });
    assert_eq!((seen, executions), (set([true]), 1));
    selvedge::check(|| {
        let once = Once::new();
        assert!(catch_unwind(AssertUnwindSafe(|| once.call_once(|| panic!("inside")))).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| once.wait())).is_err());
        once.call_once_force(|state| assert!(state.is_poisoned()));
        once.wait_force();
    });
}

#[test]
fn what_knows_itself_cannot_be_upgraded_before_it_exists() {
    selvedge::check(|| {
        let node = Arc::new_cyclic(|own: &Weak<(Weak<u8>, u8)>| {
            assert!(own.upgrade().is_none());
            (Weak::new(), 3)
        });
        let weak = Arc::downgrade(&node);
        assert_eq!((weak.strong_count(), weak.weak_count()), (1, 1));
        assert_eq!(weak.upgrade().map(|node| node.1), Some(3));
    });
}

#[test]
fn pointers_count_in_elements_and_bytes() {
    selvedge::check(|| {
        let mut numbers = [1_u32, 2];
        let [first, second] = [&raw mut numbers[0], &raw mut numbers[1]];
        let pointer = AtomicPtr::new(first);
        assert_eq!(pointer.fetch_ptr_add(1, SeqCst), first);
        assert_eq!(pointer.fetch_ptr_sub(1, SeqCst), second);
        assert_eq!(pointer.fetch_byte_add(4, SeqCst), first);
        assert_eq!(pointer.fetch_byte_sub(4, SeqCst), second);
        assert_eq!(pointer.fetch_or(1, SeqCst), first);
        assert_eq!(pointer.fetch_xor(1, SeqCst).addr(), first.addr() + 1);
        assert_eq!(pointer.fetch_and(!0, SeqCst), first);
    });
}

#[selvedge::test]
#[should_panic(expected = "the test returned an error: \"no\"")]
fn a_test_that_returns_an_error_fails() -> Result<(), &'static str> {
    Err("no")
}

/// What std has had for a shorter time than this library asks for cannot be compared with std's.
#[selvedge::test]
fn a_lazy_value_can_be_looked_at_and_changed() {
    let mut lazy = LazyLock::new(|| 5);
    assert_eq!(LazyLock::get(&lazy), None);
    assert_eq!(LazyLock::get_mut(&mut lazy), None);
    *lazy += 1;
    *LazyLock::force_mut(&mut lazy) += 1;
    assert_eq!(LazyLock::get(&lazy), Some(&7));
    assert_eq!(LazyLock::get_mut(&mut lazy), Some(&mut 7));
}
