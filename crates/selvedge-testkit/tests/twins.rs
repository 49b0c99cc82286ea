//! C programs and their twins in the modelling language, with one access for each statement, have as many traces.

use selvedge_explore::{Algorithm, Limits, Promise, Silent, Speculates, explore};
use selvedge_interp::Interpreter;
use selvedge_machine::Options;
use selvedge_testkit::native;
use std::collections::BTreeMap;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("twins")
}

fn traces_of_model(name: &str, algorithm: Algorithm) -> u64 {
    let path = folder().join(format!("{name}.sel"));
    let text = std::fs::read_to_string(&path).expect("the twin exists");
    let program = selvedge_lang::compile(name, &text, &BTreeMap::new()).expect("the twin compiles");
    let (exploration, _) = explore(Interpreter::new(&program), algorithm, Limits::default(), &mut Silent);
    exploration.statistics.maximal()
}

fn traces_of_c(name: &str, cflags: &str, algorithm: Algorithm) -> u64 {
    let path = folder().join(format!("{name}.c"));
    let cflags: Vec<String> = cflags.split_whitespace().map(str::to_owned).collect();
    let options = Options { telling: native::telling(algorithm), ..Options::default() };
    let machine = native::machine(&path, &cflags, options).expect("the program compiles");
    let (exploration, machine) = explore(machine, algorithm, Limits::default(), &mut Silent);
    assert!(
        exploration.violations.is_empty() && exploration.statistics.cut == 0 && machine.refuted().is_none()
    );
    exploration.statistics.maximal()
}

#[test]
fn every_algorithm_that_explores_each_trace_once_finds_as_many_in_both() {
    let names = [
        "ring",
        "ring-extended",
        "branching",
        "readers-writers",
        "float-read",
        "last-zero",
        "indexer",
        "shared-pointer",
        "mutex-counter",
        "flag",
        "barrier",
    ];
    for name in names {
        for algorithm in Algorithm::ALL {
            let is_exact = matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal);
            if is_exact && algorithm != Algorithm::Sleep {
                let (model, c) = (traces_of_model(name, algorithm), traces_of_c(name, "", algorithm));
                assert_eq!(c, model, "{name} under {}", algorithm.name());
            }
        }
    }
}

/// The algorithms that ask what is observed explore as many classes in both.
#[test]
fn data_centric_and_value_centric_find_as_many_classes_in_both() {
    let names = [
        "ring",
        "ring-extended",
        "branching",
        "readers-writers",
        "float-read",
        "singleton",
        "redundant-co",
        "last-zero",
        "shared-pointer",
        "mutex-counter",
        "flag",
    ];
    for name in names {
        for algorithm in [Algorithm::DataCentric, Algorithm::ValueCentric] {
            let (model, c) = (traces_of_model(name, algorithm), traces_of_c(name, "", algorithm));
            assert_eq!(c, model, "{name} under {}", algorithm.name());
        }
    }
    let counts = |name| {
        [Algorithm::Source, Algorithm::DataCentric, Algorithm::ValueCentric]
            .map(|algorithm| traces_of_c(name, "", algorithm))
    };
    assert_eq!(counts("float-read"), [720, 6, 6]);
    assert_eq!(counts("singleton"), [720, 6, 2]);
    assert_eq!(traces_of_c("redundant-co", "", Algorithm::DataCentric), 3 * 16 + 3 * 4 + 1);
    assert_eq!(traces_of_c("redundant-co", "", Algorithm::ValueCentric), 3);
}
