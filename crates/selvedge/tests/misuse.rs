//! Calls from outside of a check, leftovers of one, and other misunderstandings get clear messages.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Mutex};
use selvedge::{Algorithm, Checker, Verdict, thread};
use std::cell::RefCell;
use std::panic::catch_unwind;
use std::rc::Rc;

fn message(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let payload = catch_unwind(f).expect_err("it complains");
    let literal = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    literal.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[test]
fn an_operation_outside_of_a_check_says_so() {
    assert_eq!(AtomicUsize::new(5).into_inner(), 5, "no operation");
    let said = message(|| assert_eq!(AtomicUsize::new(5).load(SeqCst), 5));
    assert!(said.contains("`load` was called outside of `selvedge::check`"), "{said}");
    let said = message(|| drop(thread::spawn(|| ())));
    assert!(said.contains("a thread was started outside of `selvedge::check`"), "{said}");
}

#[test]
fn a_thread_of_std_is_told_to_be_one_of_ours() {
    let report = Checker::new().run(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let payload =
            std::thread::spawn(move || drop(x.load(SeqCst).to_string())).join().expect_err("it complains");
        std::panic::resume_unwind(payload);
    });
    assert!(report.violations[0].message.contains("must be started by `selvedge::thread`"), "{report}");
}

#[test]
fn an_object_made_outside_is_refused() {
    let outside = std::sync::Arc::new(Mutex::new(0));
    let report = Checker::new().run(move || assert!(outside.lock().is_ok()));
    assert!(report.violations[0].message.contains("made outside of the checked closure"), "{report}");
}

#[test]
fn an_object_of_an_earlier_execution_is_refused() {
    let kept: Rc<RefCell<Vec<Arc<AtomicUsize>>>> = Rc::default();
    let inside = kept.clone();
    let report = Checker::new().run(move || {
        let first = inside.borrow().first().cloned();
        match first {
            Some(old) => drop(old.load(SeqCst).to_string()),
            None => {
                let x = Arc::new(AtomicUsize::new(0));
                inside.borrow_mut().push(x.clone());
                let other = thread::spawn(move || x.store(1, SeqCst));
                other.join().unwrap();
            }
        }
    });
    assert_ne!(report.verdict, Verdict::Verified);
    let said = report.to_string();
    assert!(
        said.contains("left over from another execution") || said.contains("not deterministic"),
        "{said}"
    );
    kept.borrow_mut().clear();
}

#[test]
fn a_check_inside_of_a_check_is_refused() {
    let report = Checker::new().run(|| selvedge::check(|| ()));
    assert!(report.violations[0].message.contains("inside of a checked closure"), "{report}");
}

#[test]
fn what_does_not_tell_what_it_observes_is_refused_with_its_place() {
    for algorithm in [selvedge::Algorithm::ValueCentric, selvedge::Algorithm::DataCentric] {
        let told = message(move || {
            drop(Checker::new().algorithm(algorithm).run(|| {
                let (sender, receiver) = selvedge::sync::mpsc::channel();
                thread::spawn(move || sender.send(1));
                assert_eq!(receiver.recv(), Ok(1));
            }))
        });
        let expected = format!("not supported by `{}`: `", algorithm.name());
        assert!(told.contains(&expected) && told.contains("misuse.rs:"), "{told}");
        let told = message(move || {
            drop(Checker::new().algorithm(algorithm).run(|| {
                let cell = Arc::new(selvedge::cell::Cell::new(1));
                cell.set(2);
            }))
        });
        assert!(told.contains("cells that are checked for data races; choose `optimal`"), "{told}");
    }
}

#[test]
fn a_limit_is_named_and_a_sample_is_not_exhaustive() {
    let program = || {
        let x = Arc::new(AtomicUsize::new(0));
        let others = [0, 1].map(|_| {
            let x = x.clone();
            thread::spawn(move || x.fetch_add(1, SeqCst))
        });
        others.into_iter().for_each(|other| drop(other.join()));
    };
    let report = Checker::new().max_executions(1).run(program);
    assert_eq!(
        report.scope,
        "inconclusive: 1 execution explored under sequential consistency, stopped by max_executions"
    );
    for algorithm in Algorithm::SAMPLING {
        let report = Checker::new().algorithm(algorithm).max_executions(50).run(program);
        assert_eq!((report.executions, report.verdict), (50, Verdict::Inconclusive));
        assert!(report.scope.ends_with("a sample: not exhaustive"), "{}", report.scope);
    }
}

#[test]
fn samples_find_easy_bugs() {
    let lost_update = || {
        let x = Arc::new(AtomicUsize::new(0));
        let add = |x: &AtomicUsize| x.store(x.load(SeqCst) + 1, SeqCst);
        let other = thread::spawn({
            let x = x.clone();
            move || add(&x)
        });
        add(&x);
        other.join().unwrap();
        assert_eq!(x.load(SeqCst), 2);
    };
    for checker in [Checker::new().random(1, 1000), Checker::new().pct(1, 1000)] {
        let report = checker.run(lost_update);
        assert_eq!(report.verdict, Verdict::Violation);
        assert!(!report.to_string().contains("could not be repeated"), "{report}");
    }
}

#[selvedge::test]
fn the_attribute_checks_its_body() {
    let x = Arc::new(AtomicUsize::new(0));
    let other = thread::spawn({
        let x = x.clone();
        move || x.fetch_add(1, SeqCst)
    });
    x.fetch_add(1, SeqCst);
    other.join().unwrap();
    assert_eq!(x.load(SeqCst), 2);
}

#[selvedge::test(algorithm(Algorithm::Source), max_executions(10), keep_going())]
#[should_panic(expected = "deadlock: a thread waits for ever")]
fn the_attribute_takes_the_calls_of_the_builder() {
    thread::park();
}
