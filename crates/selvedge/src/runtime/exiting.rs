//! Exits: closures that end the whole process from inside of a check, and with it all tests, perhaps as if they had passed.
//!
//! `std::process::exit` runs the destructors of the thread's locals, on the stack of the fiber that called it. One of them notices the fiber. It says
//! what happened, and ends the process as a failed test: Rust would let nobody exit a second time, so the check cannot go on.

use super::execution::{Execution, Mode, current_thread, with};
use super::trap::{self, Frames};
use crate::telling::{names, schedule};
use selvedge_trace::ThreadId;
use std::io::Write as _;

/// The exit code of tests that failed.
const FAILED: i32 = 101;

thread_local! {
    static SENTINEL: Sentinel = const { Sentinel };
}

/// Is dropped when the thread of the operating system ends, or the process.
struct Sentinel;

/// Gets ready for checks on this thread of the operating system. Destructors run in the order opposite to that of first uses: the execution must have
/// been used before, so that it is still there.
pub fn prepare() {
    SENTINEL.with(|_| ());
}

impl Drop for Sentinel {
    fn drop(&mut self) {
        if !trap::is_running() {
            return;
        }
        let told = match current_thread() {
            Some(thread) => selvedge_exit_noted(ThreadId(thread)),
            None => "a thread of the checked closure ended the process".to_owned(),
        };
        // Not the macro: tests capture what that prints.
        let _ = std::io::stderr().write_all(format!("\nselvedge: {told}\n").as_bytes());
        trap::end_process(FAILED);
    }
}

/// What is said of an exit. Its backtrace is read from here on: [`Frames`] knows the name, so this is a frame of its own.
#[inline(never)]
fn selvedge_exit_noted(thread: ThreadId) -> String {
    let backtrace = std::backtrace::Backtrace::force_capture().to_string();
    let place = Frames::of(&backtrace).innermost().map_or(String::new(), |name| format!(" in {name}"));
    let replay = match with(|x| x.schedule_so_far()) {
        Some(decisions) => {
            format!("; to replay: SELVEDGE_REPLAY={} cargo test …", schedule::text(&decisions))
        }
        None => String::new(),
    };
    let thread = names::thread(thread);
    format!(
        "{thread} called `exit`{place}: the test fails, and the process ends here, because nobody comes back from `exit`{replay}"
    )
}

impl Execution {
    /// The decisions of the execution in progress, unless it is being given up.
    fn schedule_so_far(&self) -> Option<Vec<selvedge_trace::Decision>> {
        (self.mode == Mode::Running).then(|| self.history.live().to_vec())
    }
}
