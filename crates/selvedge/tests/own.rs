//! Our own lock-free code under our own checker: the very file that shares work between the threads of the random tests.

use selvedge::{Checker, Verdict, thread};
use std::collections::BTreeSet;
use tickets::Tickets;

/// The atomics of the file, exchanged in one line.
mod atomics {
    pub use selvedge::sync::atomic::{AtomicU64, Ordering};
}

#[path = "../../selvedge-testkit/src/tickets.rs"]
mod tickets;

fn take_all(tickets: &Tickets) -> Vec<u64> {
    std::iter::from_fn(|| tickets.take()).collect()
}

#[test]
fn every_ticket_is_taken_once() {
    let report = Checker::new().run(|| {
        let tickets = Tickets::new(5..8);
        let taken = thread::scope(|scope| {
            let others = [scope.spawn(|| take_all(&tickets)), scope.spawn(|| take_all(&tickets))];
            others.map(|other| other.join().unwrap())
        });
        let all: Vec<u64> = taken.concat();
        assert_eq!(all.len(), 3, "{taken:?}");
        assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), (5..8).collect());
        assert!(taken.iter().all(|own| own.is_sorted()));
    });
    assert_eq!(report.verdict, Verdict::Verified, "{report}");
    assert!(report.executions > 10);
}
