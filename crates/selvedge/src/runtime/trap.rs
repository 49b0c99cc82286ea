//! Traps: fibers that can neither go on nor be unwound.
//!
//! A stack overflow, an abort, a wild pointer, and code that comes to no operation for too long would each end or block the whole
//! process. On Linux on x86-64, handlers of signals take the fiber off the processor instead: it counts as failed, its frames
//! stay as they are, and its stack is never used again. Elsewhere, these things end the process as they would without a check.

mod frames;
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri), not(feature = "sanitizer")))]
mod signals;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri), not(feature = "sanitizer"))))]
#[path = "trap/without_signals.rs"]
mod signals;

pub use frames::Frames;
pub use signals::{
    Running, end_process, end_thread, enter, is_running, leave, prepare, protect, system_thread,
    take_backtrace,
};

use super::execution::{Execution, Mode};
use super::failure::{Failure, FailureKind, Site};
use super::operation::Place;
use super::panics::LeftIn;
use super::{panics, stacks};
use selvedge_trace::ThreadId;
use std::fmt;
use std::time::Duration;

/// Why a fiber was taken off the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trap {
    /// Its stack overflowed.
    Overflow,
    /// It was about to abort: a panic in a destructor that was run by unwinding, or in the message of a panic, or a call of `abort`.
    Abort,
    /// The system stopped it in the midst of its code.
    Crash(Crash),
    /// It came to no operation for too long.
    Silence,
}

/// What the system stops a thread for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// Memory that is not its own.
    Address,
    /// A computation without a result.
    Arithmetic,
    /// No instruction of this processor.
    Instruction,
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Crash::Address => "used an address where it has no memory (SIGSEGV or SIGBUS)",
            Crash::Arithmetic => "computed what has no result (SIGFPE)",
            Crash::Instruction => "came to an instruction that does not exist (SIGILL)",
        })
    }
}

/// The part of a stack that is not used unless the rest is used up: it lets a function of the C library that overflows the stack return.
pub const RESERVE: usize = 32 << 10;

/// The part of a stack that the runtime needs for itself, besides the reserve.
pub const OVERHEAD: usize = 64 << 10;

impl Execution {
    /// A fiber was taken off the processor.
    pub fn note_trapped(&mut self, thread: ThreadId, trap: Trap) {
        let was_unwinding = std::thread::panicking();
        let place = left_in(&take_backtrace(trap));
        match trap {
            Trap::Overflow => self.note_trap(thread, FailureKind::StackOverflow, None),
            Trap::Silence => {
                self.note_trap(thread, FailureKind::Hang, None);
                // It is seen again when the violation is replayed, and need not take as long.
                if let (Some(pulse), Some(silence)) = (&self.pulse, self.semantics.silence) {
                    pulse.set_silence(Some(silence.min(Duration::from_secs(1))));
                }
            }
            Trap::Abort => match panics::take_before_abort(thread.0, place) {
                Some(noted) => self.note_panic(thread, noted),
                None => self.note_crash(thread, trap, "aborted the process"),
            },
            Trap::Crash(crash) => self.note_crash(thread, trap, &crash.to_string()),
        }
        panics::note_left_in(place);
        if was_unwinding {
            panics::note_left_half_way();
        }
    }

    /// A thread would have ended the process.
    fn note_crash(&mut self, thread: ThreadId, trap: Trap, what: &str) {
        if self.mode != Mode::Running {
            return;
        }
        let latest = self.latest_place(thread);
        let backtrace = take_backtrace(trap);
        let place = Frames::of(&backtrace).innermost().map_or(String::new(), |name| format!(" in {name}"));
        let since = latest.map_or("its start".to_owned(), |place| format!("its operation at {place}"));
        self.failures.push(Failure {
            kind: FailureKind::Crash,
            threads: vec![thread],
            sites: latest.map(Site::from).into_iter().collect(),
            object: None,
            message: format!(
                "{what}{place}, after {since}: without a check this ends the process{}",
                Frames::of(&backtrace)
            ),
        });
    }

    /// Where a thread performed its latest operation.
    fn latest_place(&self, thread: ThreadId) -> Option<Place> {
        let script = &self.history.scripts[thread.index()];
        let latest = script.position.checked_sub(1).and_then(|before| script.entries.get(before));
        latest.and_then(|entry| entry.standing.place())
    }

    /// A thread can neither go on nor be unwound. What happens when an execution is given up says nothing about the program.
    pub fn note_trap(&mut self, thread: ThreadId, kind: FailureKind, place: Option<Place>) {
        if self.mode != Mode::Running {
            return;
        }
        let latest = self.latest_place(thread);
        let (message, site) = match kind {
            FailureKind::Hang => (self.about_silence(latest), latest),
            _ => (self.about_overflow(thread, place), place.or(latest)),
        };
        let sites = site.map(Site::from).into_iter().collect();
        self.failures.push(Failure { kind, threads: vec![thread], sites, object: None, message });
    }

    fn about_overflow(&self, thread: ThreadId, place: Option<Place>) -> String {
        let whose = match thread.0 {
            0 => "`Checker::stack_size(…)`",
            _ => "`thread::Builder::stack_size(…)` or `Checker::stack_size(…)`",
        };
        let place = match place {
            Some(place) => format!("at {place}"),
            None => {
                let backtrace = take_backtrace(Trap::Overflow);
                Frames::of(&backtrace).innermost().map_or(String::new(), |name| format!("in {name}"))
            }
        };
        let size = stacks::bytes(self.stack_size(thread));
        format!(
            "overflowed its stack of {size} {place}: if this is no recursion without end, ask for more with {whose}"
        )
    }

    fn about_silence(&self, latest: Option<Place>) -> String {
        let silence = self.semantics.silence.unwrap_or_default();
        let since = latest.map_or("its start".to_owned(), |place| format!("its operation at {place}"));
        let backtrace = take_backtrace(Trap::Silence);
        let place = Frames::of(&backtrace).innermost().map_or(String::new(), |name| format!(", in {name}"));
        format!(
            "came to no operation of this library for {silence:?} after {since}{place}: a loop without end, or a lock, channel, \
             thread or sleep of std? While one of those waits, no thread of the checked closure can run: use those of selvedge. \
             `Checker::max_silence(…)` allows more time{}",
            Frames::of(&backtrace)
        )
    }
}

/// Where a fiber was taken off. A program without symbols does not tell.
fn left_in(backtrace: &str) -> LeftIn {
    let frames = Frames::of(backtrace);
    match frames.panic() || !frames.are_known() && std::thread::panicking() {
        true => LeftIn::Hook,
        false => LeftIn::Code,
    }
}
