//! Where signals are not used: nothing is taken off the processor.

use super::Trap;
use crate::runtime::fiber::Exit;
use crate::runtime::watch::Pulse;
use corosensei::trap::CoroutineTrapHandler;

/// What is known of the fiber that runs.
#[derive(Clone, Copy)]
pub struct Running;

impl Running {
    /// A fiber on a stack with these addresses.
    pub fn new(_handler: CoroutineTrapHandler<Exit>, _stack: std::ops::Range<usize>) -> Running {
        Running
    }
}

/// Gets ready for checks on this thread of the operating system.
pub fn prepare(_pulse: &Pulse) {}

/// A fiber runs from now on. Returns the one before.
#[inline]
pub fn enter(_running: Running) -> Option<Running> {
    None
}

/// A fiber has come back.
#[inline]
pub fn leave(_before: Option<Running>) {}

/// Whether a fiber runs on this thread of the operating system: not known.
pub fn is_running() -> bool {
    false
}

/// Ends the process at once.
pub fn end_process(_code: i32) -> ! {
    std::process::abort()
}

/// Makes the reserve of a new stack inaccessible.
pub fn protect(_stack: &std::ops::Range<usize>) {}

/// This thread of the operating system.
pub fn system_thread() -> u64 {
    0
}

/// Asks a thread of the operating system to take the fiber that runs there off the processor.
pub fn end_thread(_thread: u64) {}

/// The backtrace of the fiber that was last taken off the processor.
pub fn take_backtrace(_trap: Trap) -> String {
    String::new()
}
