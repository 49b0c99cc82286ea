//! `selvedge check --format json`: the same facts for machines.

use crate::{Ran, selvedge};
use serde_json::Value;

fn parsed(ran: &Ran) -> Value {
    assert_eq!(ran.stderr, "");
    serde_json::from_str(&ran.stdout).expect("the output is one JSON value")
}

#[test]
fn a_verified_program_has_all_counters() {
    let ran = selvedge("check examples/readers_writers.sel -D N=13 --format json");
    let report = parsed(&ran);
    assert_eq!(ran.code, 0);
    assert_eq!(report["verdict"], "verified");
    assert_eq!(report["algorithm"], "optimal");
    assert_eq!(report["program"], "examples/readers_writers.sel");
    assert!(report["scope"].as_str().is_some_and(|scope| scope.contains("all 4096 Mazurkiewicz traces")));
    assert_eq!(report["executions"]["complete"], 4096);
    for end in ["sleep_set_blocked", "assume_blocked", "deadlocked", "failed", "cut"] {
        assert_eq!(report["executions"][end], 0, "{end}");
    }
    for counter in ["transitions", "race_checks", "dependency_checks", "longest_execution"] {
        assert!(report[counter].as_u64().is_some_and(|n| n > 0), "{counter}");
    }
    assert!(report["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert_eq!(report["violations"], Value::Array(Vec::new()));
}

#[test]
fn a_violation_has_place_thread_and_schedule() {
    let ran = selvedge("check examples/peterson_broken.sel --format json");
    let report = parsed(&ran);
    assert_eq!(ran.code, 1);
    assert_eq!(report["verdict"], "violation");
    let violation = &report["violations"][0];
    assert_eq!(violation["kind"], "assertion");
    assert_eq!(violation["message"], "assertion failed: `inside == 1`");
    assert_eq!(violation["file"], "examples/peterson_broken.sel");
    assert_eq!((violation["line"].as_u64(), violation["column"].as_u64()), (Some(16), Some(5)));
    let schedule = violation["schedule"].as_array().expect("there is a schedule");
    let last = schedule.last().expect("it has steps");
    assert_eq!(last["thread"], violation["thread"]);
    assert_eq!(last["statement"], "assert(inside == 1)");
    assert_eq!(last["effects"][0], "reads inside = 2");
    assert_eq!((last["choice"].as_u64(), last["line"].as_u64()), (Some(0), Some(16)));
}

#[test]
fn a_deadlock_has_no_thread_but_those_it_blocks() {
    let report = parsed(&selvedge("check examples/dining_philosophers.sel --format json"));
    let violation = &report["violations"][0];
    assert_eq!(violation["kind"], "deadlock");
    assert_eq!(violation["thread"], Value::Null);
    assert_eq!(violation["blocked"].as_array().map(Vec::len), Some(3));
    assert_eq!(report["executions"]["deadlocked"], 1);
}

#[test]
fn assumptions_are_counted_apart() {
    let report = parsed(&selvedge("check examples/nondet.sel --format json"));
    assert!(report["executions"]["assume_blocked"].as_u64().is_some_and(|n| n > 0));
    assert!(report["scope"].as_str().is_some_and(|scope| scope.contains("end at a false assumption")));
}

#[test]
fn a_search_out_of_time_is_inconclusive() {
    let ran = selvedge("check examples/readers_writers.sel -D N=30 --max-time 0.05 --format json");
    assert_eq!(ran.code, 3);
    let report = parsed(&ran);
    assert_eq!(report["verdict"], "inconclusive");
    assert!(report["scope"].as_str().is_some_and(|scope| scope.contains("--max-time")));
}
