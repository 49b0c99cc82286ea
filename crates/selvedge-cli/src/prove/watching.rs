//! The progress line of a search for a proof, on a terminal.

use crate::progress::line;
use indicatif::ProgressBar;
use selvedge_impact::context::Gauge;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The time between two changes of the line.
const REFRESH: Duration = Duration::from_millis(100);

/// Shows the line as long as it lives.
pub struct Watching {
    line: ProgressBar,
    over: Arc<AtomicBool>,
    worker: Option<JoinHandle<()>>,
}

impl Watching {
    /// Begins, if standard error is a terminal.
    pub fn begin(gauge: Arc<Gauge>, started: Instant) -> Option<Watching> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let (line, over) = (line(), Arc::new(AtomicBool::new(false)));
        let (shown, is_over) = (line.clone(), Arc::clone(&over));
        let worker = std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                shown.set_message(message(&gauge, started.elapsed()));
                std::thread::park_timeout(REFRESH);
            }
        });
        Some(Watching { line, over, worker: Some(worker) })
    }

    /// Prints without disturbing the line.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        self.line.suspend(print)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(worker) = self.worker.take() {
            worker.thread().unpark();
            // A worker that panicked has shown its last message.
            let _ = worker.join();
        }
        self.line.finish_and_clear();
    }
}

fn message(gauge: &Gauge, elapsed: Duration) -> String {
    let of = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    format!(
        "{} nodes, {} queries, {} refinements, {} s",
        of(&gauge.nodes),
        of(&gauge.queries),
        of(&gauge.refinements),
        elapsed.as_secs()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_what_was_done() {
        let gauge = Gauge::default();
        gauge.nodes.store(12, Ordering::Relaxed);
        gauge.queries.store(345, Ordering::Relaxed);
        assert_eq!(message(&gauge, Duration::from_secs(7)), "12 nodes, 345 queries, 0 refinements, 7 s");
    }
}
