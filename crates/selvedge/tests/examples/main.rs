//! The examples: the correct version of each is verified, the broken one is found, by every algorithm.

use selvedge::FailureKind::{self, DataRace, Deadlock, Panic};
use selvedge::{Algorithm, Checker, Verdict};

#[path = "../../examples/async_notify.rs"]
mod async_notify;
#[path = "../../examples/channel.rs"]
mod channel;
#[path = "../../examples/condvar_queue.rs"]
mod condvar_queue;
#[path = "../../examples/double_checked.rs"]
mod double_checked;
#[path = "../../examples/mpmc_queue.rs"]
mod mpmc_queue;
#[path = "../../examples/reader_writer_lock.rs"]
mod reader_writer_lock;
#[path = "../../examples/reference_count.rs"]
mod reference_count;
#[path = "../../examples/seqlock.rs"]
mod seqlock;
#[path = "../../examples/treiber_stack.rs"]
mod treiber_stack;

fn both(correct: fn(), broken: fn(), kind: FailureKind) {
    let mut traces = None;
    for algorithm in [Algorithm::Optimal, Algorithm::Source, Algorithm::Dpor, Algorithm::EagerAdaptive] {
        let checker = Checker::new().algorithm(algorithm);
        let report = checker.run(correct);
        assert_eq!(report.verdict, Verdict::Verified, "{}: {report}", algorithm.name());
        let maximal = report.statistics.maximal();
        assert_eq!(*traces.get_or_insert(maximal), maximal, "{}", algorithm.name());
        let report = checker.run(broken);
        assert_eq!(report.verdict, Verdict::Violation, "{}: {report}", algorithm.name());
        assert_eq!(report.violations[0].kind, kind, "{}: {report}", algorithm.name());
        assert!(!report.to_string().contains("could not be repeated"), "{report}");
    }
}

#[test]
fn a_treiber_stack_that_frees_too_early_is_found() {
    both(treiber_stack::correct, treiber_stack::broken, DataRace);
}

#[test]
fn a_queue_that_publishes_relaxed_is_found() {
    both(mpmc_queue::correct, mpmc_queue::broken, DataRace);
}

#[test]
fn a_reader_of_a_sequence_lock_that_does_not_look_again_is_found() {
    both(seqlock::correct, seqlock::broken, Panic);
}

#[test]
fn a_relaxed_reference_count_is_found() {
    both(reference_count::correct, reference_count::broken, DataRace);
}

#[test]
fn checking_once_is_found() {
    both(double_checked::correct, double_checked::broken, DataRace);
}

#[test]
fn a_reader_that_enters_in_two_steps_is_found() {
    both(reader_writer_lock::correct, reader_writer_lock::broken, DataRace);
}

#[test]
fn a_lost_wakeup_is_found() {
    both(condvar_queue::correct, condvar_queue::broken, Deadlock);
}

#[test]
fn a_receiver_that_is_woken_too_early_is_found() {
    both(channel::correct, channel::broken, Deadlock);
}

#[test]
fn a_task_that_is_never_woken_is_found() {
    both(async_notify::correct, async_notify::broken, Deadlock);
}
