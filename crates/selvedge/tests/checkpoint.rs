//! Checkpoints by `SELVEDGE_CHECKPOINT`. The tests run this very program again, several times.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex, mpsc};
use selvedge::{Algorithm, Checker, thread};
use std::path::{Path, PathBuf};
use std::process::Command;

selvedge::statics! { static TURNS: AtomicUsize = AtomicUsize::new(0); }

/// A program with many traces: compare-exchange, a mutex, a static and a channel.
fn program() {
    assert_ne!(selvedge::choose(2), 0, "one of the first to be found");
    let (sender, receiver) = mpsc::channel();
    let (x, log) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
    let workers: Vec<_> = (0..3)
        .map(|own| {
            let (x, log, sender) = (x.clone(), log.clone(), sender.clone());
            thread::spawn(move || {
                let old = x.load(SeqCst);
                let _ = x.compare_exchange(old, own, SeqCst, SeqCst);
                log.lock().unwrap().push(own);
                TURNS.store(own, SeqCst);
                sender.send(own).unwrap();
            })
        })
        .collect();
    drop(sender);
    assert_eq!(receiver.iter().count(), 3);
    workers.into_iter().for_each(|worker| worker.join().unwrap());
    assert_ne!(*log.lock().unwrap(), [2, 1, 0], "one of the last to be found");
}

/// What is run again by the tests below; it says nothing if nobody asks.
#[test]
fn subject() {
    if std::env::var_os("SELVEDGE_CHECKPOINT").is_some() {
        let limit = std::env::var("LIMIT").ok().and_then(|text| text.parse().ok()).expect("a limit");
        let name = std::env::var("ALGORITHM").expect("an algorithm");
        let algorithm = Algorithm::from_name(&name).expect("an algorithm");
        let report = Checker::new().algorithm(algorithm).keep_going().max_executions(limit).run(program);
        println!("RESULT {} {} {}", report.executions, report.violations.len(), report.scope);
    }
}

/// What this program prints when it goes on from a file up to so many executions.
fn go_on(file: &Path, algorithm: Algorithm, limit: u64) -> String {
    let output = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["subject", "--exact", "--nocapture", "--test-threads=1"])
        .env("SELVEDGE_CHECKPOINT", file)
        .env("LIMIT", limit.to_string())
        .env("ALGORITHM", algorithm.name())
        .output()
        .expect("this program runs");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn file(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("selvedge-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

#[test]
fn a_search_in_pieces_explores_exactly_what_one_search_explores() {
    for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Observers] {
        let all = Checker::new().algorithm(algorithm).keep_going().run(program);
        assert_eq!(all.violations.len(), 2, "{all}");
        let file = file(algorithm.name());
        let pieces = 4;
        for piece in 1..pieces {
            let limit = all.executions * piece / pieces;
            let shown = go_on(&file, algorithm, limit);
            assert!(shown.contains(&format!("RESULT {limit} ")), "{shown}");
            assert!(file.exists());
        }
        let other = go_on(&file, Algorithm::Sleep, 1);
        let complaint = format!("one of the algorithm `{}`, not of `sleep`", algorithm.name());
        assert!(other.contains(&complaint), "{other}");
        let shown = go_on(&file, algorithm, u64::MAX);
        let claim = format!("RESULT {} 2 {}", all.executions, all.scope);
        assert!(shown.contains(&claim), "{claim}\n{shown}");
        assert!(!file.exists(), "a search that is done leaves no checkpoint");
    }
}

#[test]
fn an_algorithm_without_checkpoints_says_so() {
    let shown = go_on(&file("lazy"), Algorithm::Lazy, 10);
    assert!(shown.contains("SELVEDGE_CHECKPOINT does not work with the algorithm `lazy`"), "{shown}");
}

#[test]
fn something_else_is_no_checkpoint() {
    let file = file("else");
    std::fs::write(&file, "something else").expect("the file can be written");
    assert!(go_on(&file, Algorithm::Optimal, 10).contains("is no checkpoint"));
    std::fs::write(&file, "selvedge checkpoint 3\n1 2 3").expect("the file can be written");
    assert!(go_on(&file, Algorithm::Optimal, 10).contains("is damaged"));
    let _ = std::fs::remove_file(&file);
}
