//! Random programs that compare addresses of blocks that come and go: every algorithm finds what an oracle finds that tries everything.

use selvedge_explore::{AfterViolation, Algorithm, End, Limits, Monitor, Path as Execution, Promise};
use selvedge_llvm::Module;
use selvedge_machine::failure::{Cut, CutReason};
use selvedge_machine::{Addresses, Machine, Options, Reuse};
use selvedge_testkit::random::Random;
use selvedge_testkit::{blocks, native};
use selvedge_trace::Trace;
use selvedge_verify::Native;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

/// `SELVEDGE_LONG=1` runs more programs, `SELVEDGE_SEEDS=from..to` others.
fn seeds(usual: u64) -> std::ops::Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    let factor = if std::env::var_os("SELVEDGE_LONG").is_some() { 20 } else { 1 };
    0..usual * factor
}

/// The outputs of all executions, and their traces.
#[derive(Default)]
struct Outputs(BTreeSet<String>, HashSet<Trace>);

impl Monitor<Machine> for Outputs {
    fn execution(&mut self, path: &Execution<Machine>, end: End) {
        if end != End::SleepSetBlocked {
            self.0.insert(String::from_utf8_lossy(path.program.output()).into_owned());
            self.1.insert(Trace::of(&path.order));
        }
    }

    fn looks_at_order(&self) -> bool {
        true
    }
}

/// What an algorithm finds.
struct Found {
    outputs: BTreeSet<String>,
    executions: u64,
    traces: usize,
    reuse: Reuse,
    /// Whether it is said that the answer depends on the number of an address.
    is_doubtful: bool,
}

/// Nothing if there are too many executions.
fn found(module: &Arc<Module>, algorithm: Algorithm, options: Options) -> Option<Found> {
    let limits =
        Limits { executions: Some(20_000), after_violation: AfterViolation::KeepGoing, ..Limits::default() };
    let native = Native::of(module.clone(), Path::new(""));
    let explored = native::explore_with(&native, options, algorithm, limits).expect("it can be lowered");
    let (exploration, machine, outputs): (_, _, Outputs) = explored;
    if exploration.stop.is_some() {
        return None;
    }
    assert!(exploration.violations.is_empty(), "{:?}", exploration.violations[0].failure);
    let is_number = |cut: &Cut| cut.reason == CutReason::AddressNumber;
    assert!(exploration.statistics.cut == 0 && machine.cuts().iter().all(is_number), "{:?}", machine.cuts());
    let executions = exploration.statistics.maximal();
    let (reuse, is_doubtful) = (machine.options().reuse, !machine.cuts().is_empty());
    Some(Found { outputs: outputs.0, executions, traces: outputs.1.len(), reuse, is_doubtful })
}

#[test]
fn every_algorithm_sees_freed_memory_come_back_wherever_it_may() {
    let (mut explored, mut missed, mut compared, mut doubted, mut one_layout) = (0, 0, 0, 0, 0);
    for seed in seeds(1000) {
        let program = blocks::program(&mut Random::new(seed));
        let text = blocks::render(&program);
        let module = Arc::new(selvedge_llvm::read(&text).expect("it is LLVM IR"));
        let truth = blocks::outcomes(&program);
        let agrees = |found: &Found| match found.is_doubtful {
            true => truth.depends_on_number || truth.may_seem_to,
            false => found.outputs == truth.outputs && !truth.depends_on_number,
        };
        let with =
            |algorithm: Algorithm| Options { telling: native::telling(algorithm), ..Options::default() };
        let Some(reference) = found(&module, Algorithm::Source, with(Algorithm::Source)) else { continue };
        compared += 1;
        for algorithm in [Algorithm::Exhaustive].into_iter().chain(Algorithm::ALL) {
            let tells_apart = matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal);
            let others = [
                Algorithm::Exhaustive,
                Algorithm::Observers,
                Algorithm::DataCentric,
                Algorithm::ValueCentric,
            ];
            if !tells_apart && !others.contains(&algorithm) {
                continue;
            }
            let Some(found) = found(&module, algorithm, with(algorithm)) else { continue };
            assert!(
                found.outputs.is_subset(&truth.outputs),
                "{}, seed {seed}: {program:?}",
                algorithm.name()
            );
            assert!(
                agrees(&found),
                "{}, seed {seed}: {program:?}\n{truth:?}\n{:?}",
                algorithm.name(),
                found.outputs
            );
            if algorithm == Algorithm::Exhaustive {
                assert_eq!(found.traces, reference.executions as usize, "seed {seed}: {program:?}");
            }
            if tells_apart {
                assert_eq!(
                    found.executions,
                    reference.executions,
                    "{}, seed {seed}: {program:?}",
                    algorithm.name()
                );
            }
        }
        let excluded = Options { reuse: Reuse::Excluded, ..with(Algorithm::Source) };
        let excluded = found(&module, Algorithm::Source, excluded).expect("there are not more executions");
        assert!(excluded.outputs.is_subset(&truth.outputs), "seed {seed}");
        let fixed = Options { addresses: Addresses::Fixed, ..with(Algorithm::Source) };
        let fixed = found(&module, Algorithm::Source, fixed).expect("there are not more executions");
        assert!(fixed.outputs.is_subset(&truth.outputs) && !fixed.is_doubtful, "seed {seed}");
        one_layout += u32::from(fixed.outputs != truth.outputs);
        let is_speculated = reference.reuse == Reuse::Speculated;
        assert!(!is_speculated || excluded.executions == reference.executions, "seed {seed}");
        explored += u32::from(!is_speculated);
        missed += u32::from(excluded.outputs != truth.outputs);
        doubted += u32::from(reference.is_doubtful);
    }
    println!(
        "{compared} programs compared, reuse explored in {explored}, seen in {missed}, {doubted} in doubt, \
         {one_layout} with outputs that one layout does not have"
    );
    assert!(missed > 0 && doubted > 0 && one_layout > doubted && explored + doubted < compared);
}
