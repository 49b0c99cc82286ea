//! The root thread: the one whose reads tell their own writes from those of others [ChatterjeePT2019, section 3.1].

use crate::{Observations, ThreadStatus};
use selvedge_trace::{Decision, Footprint, ThreadId};

/// How many operations a thread may perform before it spawns another one, if that is to be the root.
const PATIENCE: usize = 1000;

/// The default root of a program at its beginning: if one thread begins alone, the first thread that it spawns; else the first
/// of all.
pub fn default_root<P: Observations>(program: &mut P) -> ThreadId {
    if let Some(thread) = program.first_spawned() {
        return thread;
    }
    let threads = || (0..).map(ThreadId::at);
    let mut beginning = threads().take(program.thread_count()).filter(|&t| program.is_enabled(t));
    let (Some(alone), None) = (beginning.next(), beginning.next()) else { return ThreadId(0) };
    let mark = program.mark();
    let mut footprint = Footprint::default();
    let mut spawned = None;
    for _ in 0..PATIENCE {
        if !program.is_enabled(alone) {
            break;
        }
        program.step(Decision { thread: alone, choice: 0 }, &mut footprint);
        let runs = |t: &ThreadId| *t != alone && program.status(*t) == ThreadStatus::Running;
        spawned = threads().take(program.thread_count()).find(runs);
        if spawned.is_some() {
            break;
        }
    }
    program.rollback(mark);
    spawned.unwrap_or(ThreadId(0))
}
