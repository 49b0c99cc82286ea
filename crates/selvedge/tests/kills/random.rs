//! Random closures that panic, with and without being caught, in threads, in destructors and while others unwind, whose destructors perform operations,
//! take locks and join threads, and that recurse deeply. Whatever the algorithm, sampler, bound or limit: the check comes back, and its report names
//! the panics that brute force finds.

use selvedge::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use selvedge::sync::{Arc, Condvar, Mutex};
use selvedge::{Algorithm, Checker, FailureKind, Report, thread};
use selvedge_testkit::random::Random;
use std::collections::BTreeSet;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::Duration;

/// One thing that a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Add,
    LockAndAdd,
    TryLock,
    ClearPoison,
    Panic,
    PanicWithGuard,
    CatchPanic,
    CatchPanicWithGuard,
    PanicAgain,
    DropNoisy,
    DropLocking,
    DropJoining,
    DropPanicking,
    PanicWhileDropping,
    CatchInDrop,
    ShowInMessage,
    PanicIfSeen,
    Recurse,
    Overflow,
    WaitForEver,
    Scope,
}

const ACTIONS: [Action; 21] = [
    Action::Add,
    Action::LockAndAdd,
    Action::TryLock,
    Action::ClearPoison,
    Action::Panic,
    Action::PanicWithGuard,
    Action::CatchPanic,
    Action::CatchPanicWithGuard,
    Action::PanicAgain,
    Action::DropNoisy,
    Action::DropLocking,
    Action::DropJoining,
    Action::DropPanicking,
    Action::PanicWhileDropping,
    Action::CatchInDrop,
    Action::ShowInMessage,
    Action::PanicIfSeen,
    Action::Recurse,
    Action::Overflow,
    Action::WaitForEver,
    Action::Scope,
];

type Program = Vec<Vec<Action>>;

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let kinds: Vec<Action> = (0..3)
        .map(|_| match random.below(3) {
            0 => ACTIONS[random.below(4)],
            _ => ACTIONS[random.below(ACTIONS.len())],
        })
        .collect();
    let threads = 2 + random.below(2);
    (0..threads).map(|_| (0..1 + random.below(3)).map(|_| *random.pick(&kinds)).collect()).collect()
}

/// What threads share.
struct World {
    x: AtomicUsize,
    lock: Mutex<usize>,
    condvar: Condvar,
}

/// Performs operations when it is dropped.
struct Noisy(std::sync::Arc<World>, bool);

impl Drop for Noisy {
    fn drop(&mut self) {
        self.0.x.fetch_add(1, SeqCst);
        self.1 = true;
        self.0.x.fetch_add(1, SeqCst);
    }
}

/// Takes a lock when it is dropped.
struct Locking(std::sync::Arc<World>);

impl Drop for Locking {
    fn drop(&mut self) {
        let mut guard = self.0.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        *guard += 1;
        drop(guard);
        self.0.x.fetch_add(1, SeqCst);
    }
}

/// Joins a thread when it is dropped, and says that it has done so; whoever is dropped after it relies on that.
struct Joining(Option<thread::JoinHandle<()>>, Relying);

struct Relying(bool);

impl Drop for Relying {
    fn drop(&mut self) {
        assert!(self.0, "a destructor was left half-way");
    }
}

impl Drop for Joining {
    fn drop(&mut self) {
        if let Some(handle) = self.0.take() {
            let _ = handle.join();
        }
        self.1.0 = true;
    }
}

/// Panics when it is dropped, in the second of two operations.
struct Panicking(std::sync::Arc<World>);

impl Drop for Panicking {
    fn drop(&mut self) {
        self.0.x.fetch_add(1, SeqCst);
        panic!("expected: in a destructor");
    }
}

/// Panics and catches it when it is dropped.
struct Catching(std::sync::Arc<World>);

impl Drop for Catching {
    fn drop(&mut self) {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _noisy = Noisy(self.0.clone(), false);
            std::panic::panic_any(7);
        }));
        assert!(caught.is_err());
    }
}

fn recurse(world: &World, levels: usize) -> usize {
    match levels {
        0 => world.x.fetch_add(1, SeqCst),
        _ => black_box(recurse(world, black_box(levels - 1))) + 1,
    }
}

fn act(world: &std::sync::Arc<World>, action: Action) {
    match action {
        Action::Add => {
            world.x.fetch_add(1, SeqCst);
        }
        Action::LockAndAdd => *world.lock.lock().expect("expected: poisoned") += 1,
        Action::TryLock => drop(world.lock.try_lock()),
        Action::ClearPoison => world.lock.clear_poison(),
        Action::Panic => panic!("expected: plain"),
        Action::PanicWithGuard => {
            let _guard = world.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            panic!("expected: with a guard");
        }
        Action::CatchPanic => {
            let world = world.clone();
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _noisy = Noisy(world, false);
                std::panic::panic_any(7);
            }));
            assert!(caught.is_err());
        }
        Action::CatchPanicWithGuard => {
            let caught = catch_unwind(AssertUnwindSafe(|| {
                let _guard = world.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                std::panic::panic_any(7);
            }));
            assert!(caught.is_err());
        }
        Action::PanicAgain => {
            let caught = catch_unwind(|| panic!("expected: again"));
            world.x.fetch_add(1, SeqCst);
            let _noisy = Noisy(world.clone(), false);
            std::panic::resume_unwind(caught.unwrap_err());
        }
        Action::DropNoisy => drop(Noisy(world.clone(), false)),
        Action::DropLocking => drop(Locking(world.clone())),
        Action::DropJoining => {
            let inner = world.clone();
            let handle = thread::spawn(move || act(&inner, Action::Add));
            let _joining = Joining(Some(handle), Relying(false));
            world.x.fetch_add(1, SeqCst);
        }
        Action::DropPanicking => drop(Panicking(world.clone())),
        Action::PanicWhileDropping => {
            let _panicking = Panicking(world.clone());
            panic!("expected: before a destructor");
        }
        Action::CatchInDrop => {
            let _catching = Catching(world.clone());
            world.x.load(SeqCst);
        }
        Action::ShowInMessage => panic!("expected: {:?} {:?}", world.lock, world.x),
        Action::PanicIfSeen => assert!(world.x.load(SeqCst) < 2, "expected: seen"),
        Action::Recurse => {
            recurse(world, 5_000);
        }
        Action::Overflow => {
            let inner = world.clone();
            let small = thread::Builder::new().stack_size(32 << 10);
            let _ = small.spawn(move || recurse(&inner, 1_000_000)).expect("a thread").join();
        }
        Action::WaitForEver => {
            let guard = world.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            drop(world.condvar.wait(guard));
        }
        Action::Scope => {
            let mut own = 0;
            thread::scope(|scope| {
                scope.spawn(|| own += world.x.fetch_add(1, SeqCst));
                drop(Noisy(world.clone(), false));
            });
        }
    }
}

fn closure(program: Rc<Program>) -> impl Fn() + 'static {
    move || {
        let world = std::sync::Arc::new(World {
            x: AtomicUsize::new(0),
            lock: Mutex::new(0),
            condvar: Condvar::new(),
        });
        let own = Arc::new(Noisy(world.clone(), false));
        for actions in program.iter() {
            let (world, own, actions) = (world.clone(), own.clone(), actions.clone());
            thread::spawn(move || {
                let _own = own;
                actions.iter().for_each(|&action| act(&world, action));
            });
        }
    }
}

/// The failures of a report, by kind and message. Threads are numbered in the order of their starts, which differs from execution to execution, and
/// a report has one failure of each place, whatever its message shows.
fn failures(report: &Report) -> BTreeSet<(FailureKind, String)> {
    let message = |message: &str| match message.split_once(" overflowed ") {
        Some((_thread, rest)) => rest.to_owned(),
        None if message.starts_with("expected: Mutex") => "expected: the world is shown".to_owned(),
        None => message.to_owned(),
    };
    report.violations.iter().map(|violation| (violation.kind, message(&violation.message))).collect()
}

/// Searches that find some of the failures: within bounds, and samples.
fn partial(seed: u64, random: &mut Random) -> Vec<(&'static str, Checker)> {
    let executions = 40;
    let mut bound = || random.below(3) as u32;
    vec![
        ("preemptions", Checker::new().preemptions(bound())),
        ("delays", Checker::new().delays(bound())),
        ("iterative", Checker::new().preemptions(bound()).iterative()),
        ("random", Checker::new().random(seed, executions)),
        ("pct", Checker::new().pct(seed, executions)),
        ("pos", Checker::new().pos(seed, executions)),
        ("urw", Checker::new().urw(seed, executions)),
        ("auto", Checker::auto(Duration::from_millis(200))),
    ]
}

fn check_seed(seed: u64) -> Result<(), String> {
    let program = Rc::new(program(seed));
    let mut random = Random::new(seed);
    let run = |checker: Checker| checker.keep_going().run(closure(program.clone()));
    let limit = 300;
    let truth = run(Checker::new().algorithm(Algorithm::Exhaustive).max_executions(limit));
    if let Some(divergence) = &truth.divergence {
        return Err(format!("brute force: not deterministic: {divergence}"));
    }
    let all = (truth.executions < limit).then(|| failures(&truth));
    let mut reports = vec![truth];
    for algorithm in Algorithm::ALL {
        if algorithm.asks_what_is_observed() || algorithm == Algorithm::Exhaustive {
            continue;
        }
        let report = run(Checker::new().algorithm(algorithm).max_executions(limit));
        let is_complete = report.executions < limit && report.scope.contains("violation");
        if let (Some(all), true) = (&all, is_complete) {
            let found = failures(&report);
            if found != *all {
                return Err(format!("{}: {found:?} instead of {all:?}", algorithm.name()));
            }
        }
        reports.push(report);
    }
    let depth = 1 + random.below(12);
    reports.push(run(Checker::new().max_depth(depth).max_executions(limit)));
    for (name, checker) in partial(seed, &mut random) {
        let report = run(checker.max_executions(limit));
        let invented = all.as_ref().and_then(|all| failures(&report).difference(all).next().cloned());
        if let Some(invented) = invented {
            return Err(format!("{name} invents {invented:?}"));
        }
        reports.push(report);
    }
    reports.push(run(Checker::new().stack_size(256 << 10).random(seed, 20)));
    for report in &reports {
        if let Some(divergence) = &report.divergence {
            return Err(format!("not deterministic: {divergence}"));
        }
        for (kind, message) in failures(report) {
            if kind == FailureKind::Panic && !message.contains("expected") && !message.contains("scoped") {
                return Err(format!("a panic that nobody expects: {message}"));
            }
        }
    }
    Ok(())
}

/// The seeds to run.
pub fn seeds() -> (u64, u64) {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return (from.parse().expect("a number"), to.parse().expect("a number"));
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => (0, 2000),
        None => (0, 100),
    }
}

/// Runs the programs of some seeds.
pub fn run(seeds: &str) {
    let (from, to) = seeds.split_once("..").expect("FROM..TO");
    for seed in from.parse::<u64>().expect("a number")..to.parse().expect("a number") {
        eprintln!("seed {seed}");
        if let Err(message) = check_seed(seed) {
            panic!("seed {seed}: {message}\n{:?}", program(seed));
        }
    }
}
