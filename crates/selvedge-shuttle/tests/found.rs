//! Bugs that the shuttle names find, and what becomes of their schedules.

use selvedge::Verdict;
use selvedge_shuttle as shuttle;
use shuttle::scheduler::{DfsScheduler, ReplayScheduler};
use shuttle::sync::{Arc, Condvar, Mutex};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner, future, thread};
use std::panic::catch_unwind;

fn racy() {
    let x = Arc::new(Mutex::new(0));
    let other = thread::spawn({
        let x = x.clone();
        move || *x.lock().unwrap() = 1
    });
    assert_eq!(*x.lock().unwrap(), 0, "the other was first");
    other.join().unwrap();
}

fn exhaustive() -> DfsScheduler {
    DfsScheduler::new(None, false)
}

fn panic_of(run: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = catch_unwind(run).unwrap_err();
    *panic.downcast::<String>().unwrap()
}

#[test]
fn every_way_to_check_finds_a_race() {
    for check in [
        || shuttle::check_dfs(racy, None),
        || shuttle::check_random(racy, 100),
        || shuttle::check_random_with_seed(racy, 7, 100),
        || shuttle::check_pct(racy, 100, 2),
        || shuttle::check_urw(racy, 100),
    ] {
        assert!(panic_of(check).contains("the other was first"));
    }
    shuttle::check(racy);
}

#[test]
fn a_schedule_is_replayed() {
    let report = Runner::new(exhaustive(), Config::new()).report(racy);
    let schedule = report.violations[0].schedule.clone();
    assert!(panic_of(move || shuttle::replay(racy, &schedule)).contains("violation: replayed"));
    let report = Runner::new(ReplayScheduler::new_from_encoded("0x2"), Config::new()).report(racy);
    assert_eq!(report.verdict, Verdict::Inconclusive, "{report}");
    assert!(panic_of(|| shuttle::replay(racy, "nonsense")).contains("`nonsense`"));
}

#[test]
fn a_schedule_is_kept_in_a_file() {
    let directory = std::env::temp_dir().join(format!("selvedge-shuttle-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::File(Some(directory.clone()));
    panic_of({
        let config = config.clone();
        move || _ = Runner::new(exhaustive(), config).run(racy)
    });
    panic_of(move || _ = Runner::new(exhaustive(), config).run(racy));
    assert!(directory.join("schedule001.txt").exists(), "the second does not overwrite the first");
    let file = directory.join("schedule000.txt");
    assert!(panic_of(move || shuttle::replay_from_file(racy, file)).contains("the other was first"));
    std::fs::remove_dir_all(directory).unwrap();
}

#[test]
fn long_executions_fail_or_are_cut() {
    let endless = || {
        let x = shuttle::sync::atomic::AtomicUsize::new(0);
        loop {
            x.fetch_add(1, shuttle::sync::atomic::Ordering::SeqCst);
        }
    };
    let mut config = Config::new();
    config.max_steps = MaxSteps::FailAfter(50);
    let failing = config.clone();
    assert!(panic_of(move || _ = Runner::new(exhaustive(), failing).run(endless)).contains("cut after 50"));
    config.max_steps = MaxSteps::ContinueAfter(50);
    Runner::new(exhaustive(), config).run(endless);
}

#[test]
fn a_lost_wake_up_is_a_deadlock() {
    let lost = || {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                *shared.0.lock().unwrap() = true;
                shared.1.notify_one();
            }
        });
        if !*shared.0.lock().unwrap() {
            drop(shared.1.wait(shared.0.lock().unwrap()));
        }
        other.join().unwrap();
    };
    assert!(panic_of(move || shuttle::check_dfs(lost, None)).contains("deadlock"));
}

#[test]
fn an_aborted_task_drops_what_it_owns_before_its_end_is_known() {
    let report = Runner::new(exhaustive(), Config::new()).report(|| {
        let shared = Arc::new(Mutex::new(0));
        let task = future::spawn({
            let shared = shared.clone();
            async move {
                *shared.lock().unwrap() += 1;
                future::yield_now().await;
                *shared.lock().unwrap() += 1;
            }
        });
        task.abort();
        let ended = future::block_on(task);
        let count = *shared.lock().unwrap();
        match ended {
            Ok(()) => assert_eq!(count, 2),
            Err(_) => assert!(count < 2),
        }
        match (ended.is_ok(), count) {
            (true, _) => selvedge::reachable!("too late"),
            (false, 0) => selvedge::reachable!("before it began"),
            (false, _) => selvedge::reachable!("in the middle"),
        }
        assert_eq!(Arc::strong_count(&shared), 1);
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
}
