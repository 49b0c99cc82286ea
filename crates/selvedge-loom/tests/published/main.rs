//! The loom tests of well-known kinds of crates, re-created: a slab, a waker, an event, a queue, an intrusive list and a ring buffer.
//!
//! Each has a correct version, which is explored with the bounds on preemptions that such crates use in their own tests and without, and
//! a broken one, whose bug is found either way. The programs take their tool from the module that includes them, so that a benchmark may
//! include them with another.

mod event;
mod intrusive_list;
mod mpmc_queue;
mod ring_buffer;
mod slab;
mod waker;

use selvedge::{Report, Verdict};
use selvedge_loom as tool;
use std::time::Duration;
use tool::model::Builder;

/// The longest time that an exploration may take.
const TIME: Duration = Duration::from_secs(20);

/// Reads an atomic that only the present thread writes.
#[allow(unsafe_code, reason = "only the present thread writes it")]
fn own(count: &tool::sync::atomic::AtomicUsize) -> usize {
    // SAFETY: only the present thread writes it.
    unsafe { count.unsync_load() }
}

fn explored(program: fn(), preemptions: Option<usize>) -> Report {
    let mut builder = Builder::new();
    builder.preemption_bound = preemptions;
    builder.max_duration = Some(TIME);
    let report = builder.run(program);
    let (traces, blocked) = (report.statistics.maximal(), report.statistics.sleep_set_blocked);
    println!(
        "{preemptions:?} preemptions: {traces} traces, {blocked} sleep-set blocked, {:?}",
        report.elapsed
    );
    report
}

fn holds_and_breaks(correct: fn(), broken: fn(), said: &str) {
    let mut before = 0;
    for preemptions in [Some(2), Some(3), None] {
        let report = explored(correct, preemptions);
        assert_eq!(report.verdict, Verdict::Verified, "{preemptions:?}: {report}");
        let traces = report.statistics.maximal();
        assert!(before <= traces, "{preemptions:?}: {before} traces with fewer");
        before = traces;
        let report = explored(broken, preemptions);
        assert!(report.to_string().contains(said), "{preemptions:?}: {report}");
    }
}

#[test]
fn a_slab_hands_out_slots_once_if_heads_have_generations() {
    holds_and_breaks(slab::correct, slab::broken, "a slot was handed out twice");
}

#[test]
fn a_waker_is_not_lost_if_the_task_looks_after_registering() {
    holds_and_breaks(waker::correct, waker::broken, "deadlock");
}

#[test]
fn a_listener_is_not_forgotten_if_it_looks_after_it_is_listed() {
    holds_and_breaks(event::correct, event::broken, "deadlock");
}

#[test]
fn a_queue_hands_over_contents_by_release() {
    holds_and_breaks(mpmc_queue::correct, mpmc_queue::broken, "data race on value");
}

#[test]
fn a_waiter_that_gives_up_asks_under_the_lock_whether_it_was_served() {
    holds_and_breaks(intrusive_list::correct, intrusive_list::broken, "a permit was lost");
}

#[test]
fn a_ring_buffer_publishes_after_writing() {
    holds_and_breaks(ring_buffer::correct, ring_buffer::broken, "data race on");
}
