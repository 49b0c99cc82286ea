//! Checkpoints by `SELVEDGE_CHECKPOINT`. The tests run this very program again, several times.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex, mpsc};
use selvedge::{Checker, thread};
use std::path::{Path, PathBuf};
use std::process::Command;

selvedge::statics! { static TURNS: AtomicUsize = AtomicUsize::new(0); }

/// A program with many traces: compare-exchange, a mutex, a static and a channel.
fn program() {
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
}

/// What is run again by the tests below; it says nothing if nobody asks.
#[test]
fn subject() {
    if std::env::var_os("SELVEDGE_CHECKPOINT").is_some() {
        let limit = std::env::var("LIMIT").ok().and_then(|text| text.parse().ok()).expect("a limit");
        let report = Checker::new().max_executions(limit).run(program);
        println!("RESULT {} {}", report.executions, report.scope);
    }
}

/// What this program prints when it goes on from a file up to so many executions.
fn go_on(file: &Path, limit: u64) -> String {
    let output = Command::new(std::env::current_exe().expect("this program has a path"))
        .args(["subject", "--exact", "--nocapture", "--test-threads=1"])
        .env("SELVEDGE_CHECKPOINT", file)
        .env("LIMIT", limit.to_string())
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
    let all = Checker::new().run(program);
    let file = file("pieces");
    let pieces = 7;
    for piece in 1..pieces {
        let limit = all.executions * piece / pieces;
        let shown = go_on(&file, limit);
        assert!(shown.contains(&format!("RESULT {limit} inconclusive")), "{shown}");
        assert!(file.exists());
    }
    let shown = go_on(&file, u64::MAX);
    let claim = format!("RESULT {} verified: all {} Mazurkiewicz traces", all.executions, all.executions);
    assert!(shown.contains(&claim), "{claim}\n{shown}");
    assert!(!file.exists(), "a search that is done leaves no checkpoint");
}

#[test]
fn something_else_is_no_checkpoint() {
    let file = file("else");
    std::fs::write(&file, "something else").expect("the file can be written");
    assert!(go_on(&file, 10).contains("is no checkpoint"));
    std::fs::write(&file, "selvedge checkpoint 2\n1 2 3").expect("the file can be written");
    assert!(go_on(&file, 10).contains("is damaged"));
    let _ = std::fs::remove_file(&file);
}
