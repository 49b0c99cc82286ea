//! Random closures with loops that wait for others, alone and together, with and without hints: every algorithm finds the outcomes that an explicit
//! graph of states has.
//!
//! The loops have no counters, so nothing is lost by letting them wait: outcomes must be equal. Whether threads may be left for ever
//! must be found, too.

mod model;

use super::assumptions::{Assumptions, Semantics};
use super::program::{Closure, Halt};
use super::{panics, with};
use crate::checker::without_noise;
use crate::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use crate::sync::{Arc, Mutex};
use crate::{hint, thread};
use model::Numbers;
use selvedge_explore::{AfterViolation, Algorithm, End, Limits, Monitor, Path, Promise, explore};
use selvedge_testkit::oracle::selected;
use selvedge_testkit::random::Random;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a thread does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Statement {
    Load(usize),
    Store(usize, usize),
    Add(usize, usize),
    Exchange(usize, usize, usize),
    /// Changes what is under the mutex.
    Set(usize),
    /// Does something while it has the mutex.
    Hold(Hold),
    Until(Loop),
    /// Does something until it finds a value, or has done it so many times.
    Tries(Try, usize),
}

/// What a thread does in each round of a loop that gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Try {
    Exchange(usize, usize, usize),
    Look(usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    Store(usize, usize),
    Load(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Loop {
    kind: Kind,
    hint: Hint,
}

/// What a thread does in each round of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Loads a variable until it has a value.
    Look(usize, usize),
    /// Adds 2 until it finds an even number, and takes that back if it does not.
    AddSub(usize),
    /// Swaps something in until it finds a value, and puts back what it finds.
    SwapBack(usize, usize),
    /// Exchanges a value for another as soon as it finds it.
    Exchange(usize, usize, usize),
    /// Makes itself known, looks whether another thread has, too, and takes that back if not.
    Meet(usize),
    TryLock,
    /// Looks at what is under the mutex.
    UnderLock(usize),
    /// Takes two locks made of variables, and gives the first back if the second is taken.
    TwoLocks(usize, usize),
    /// A loop that looks at one variable, within one that looks at another.
    Nested(usize, usize, usize),
    /// Stores a value, again and again, until another variable has it, too.
    Announce(usize, usize, usize),
    /// Turns the lowest bit of a variable over until another one has a value.
    Toggle(usize, usize, usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hint {
    None,
    Spin,
    Yield,
}

impl Hint {
    #[track_caller]
    fn give(self) {
        match self {
            Hint::None => {}
            Hint::Spin => hint::spin_loop(),
            Hint::Yield => thread::yield_now(),
        }
    }
}

#[derive(Clone, Debug)]
struct Program {
    first: [usize; 2],
    threads: Vec<Vec<Statement>>,
}

fn statement(random: &mut Random, hints: &[Hint], loops: usize) -> Statement {
    let (v, w) = if random.percent(60) { (0, 1) } else { (1, 0) };
    let n = random.below(3);
    if random.percent(12) {
        let attempts = *random.pick(&[1, 2, 3, 4, 6, 20, 40]);
        return match random.percent(60) {
            true => Statement::Tries(Try::Exchange(v, n, random.below(3)), attempts),
            false => Statement::Tries(Try::Look(v, n), attempts),
        };
    }
    if !random.percent(loops) {
        return match random.below(8) {
            0 => Statement::Load(v),
            1 | 2 => Statement::Store(v, n),
            3 => Statement::Add(v, [1, usize::MAX][random.below(2)]),
            4 => Statement::Exchange(v, n, random.below(3)),
            5 => Statement::Set(n),
            6 => Statement::Hold(Hold::Store(v, n)),
            _ => Statement::Hold(Hold::Load(v)),
        };
    }
    let kind = match random.below(12) {
        0 => Kind::Look(v, n),
        1 | 2 => Kind::AddSub(v),
        3 => Kind::SwapBack(v, n),
        4 => Kind::Exchange(v, n, random.below(3)),
        5 => Kind::Meet(v),
        6 => Kind::TryLock,
        7 => Kind::UnderLock(n),
        8 => Kind::TwoLocks(v, w),
        9 => Kind::Announce(v, w, n),
        10 => Kind::Toggle(v, w, n),
        _ => Kind::Nested(v, w, n),
    };
    let hint = *random.pick(hints);
    Statement::Until(Loop { kind, hint })
}

fn program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let hints: &[Hint] = match random.below(4) {
        0 => &[Hint::Spin],
        1 => &[Hint::Spin, Hint::Yield],
        2 => &[Hint::Yield, Hint::None],
        _ => &[Hint::Yield],
    };
    let threads = if random.percent(75) { 2 } else { 3 };
    let most = if threads == 2 { 3 } else { 2 };
    let threads = (0..threads)
        .map(|_| {
            let loops = if random.percent(30) { 10 } else { 50 };
            (0..1 + random.below(most)).map(|_| statement(&mut random, hints, loops)).collect()
        })
        .collect();
    Program { first: [random.below(3), random.below(2)], threads }
}

thread_local! {
    static LOGS: RefCell<Numbers> = const { RefCell::new(Vec::new()) };
}

fn log(thread: usize, value: usize) {
    LOGS.with_borrow_mut(|logs| logs[thread].push(value));
}

struct World {
    variables: [AtomicUsize; 2],
    mutex: Mutex<usize>,
}

fn perform(world: &World, thread: usize, statement: Statement) {
    let x = |v: usize| &world.variables[v];
    let exchange =
        |v, from, to| x(v).compare_exchange(from, to, SeqCst, SeqCst).unwrap_or_else(|found| found);
    match statement {
        Statement::Load(v) => log(thread, x(v).load(SeqCst)),
        Statement::Store(v, n) => x(v).store(n, SeqCst),
        Statement::Add(v, n) => log(thread, x(v).fetch_add(n, SeqCst)),
        Statement::Exchange(v, from, to) => log(thread, exchange(v, from, to)),
        Statement::Set(n) => *world.mutex.lock().unwrap() = n,
        Statement::Hold(hold) => {
            let _guard = world.mutex.lock().unwrap();
            match hold {
                Hold::Store(v, n) => x(v).store(n, SeqCst),
                Hold::Load(v) => log(thread, x(v).load(SeqCst)),
            }
        }
        Statement::Until(turn) => {
            let last = until(world, turn);
            log(thread, last);
        }
        Statement::Tries(what, attempts) => {
            let mut found = 0;
            let has_found = |found: usize| match what {
                Try::Exchange(_, from, _) => found == from,
                Try::Look(_, n) => found == n,
            };
            for _ in 0..attempts {
                found = match what {
                    Try::Exchange(v, from, to) => exchange(v, from, to),
                    Try::Look(v, _) => x(v).load(SeqCst),
                };
                if has_found(found) {
                    break;
                }
            }
            log(thread, found);
        }
    }
}

/// Runs a loop and returns what it read last.
fn until(world: &World, Loop { kind, hint }: Loop) -> usize {
    let x = |v: usize| &world.variables[v];
    match kind {
        Kind::Look(v, n) => {
            while x(v).load(SeqCst) != n {
                hint.give();
            }
            n
        }
        Kind::AddSub(v) => loop {
            let found = x(v).fetch_add(2, SeqCst);
            if found & 1 == 0 {
                return found;
            }
            x(v).fetch_sub(2, SeqCst);
            hint.give();
        },
        Kind::SwapBack(v, n) => loop {
            let found = x(v).swap(8, SeqCst);
            if found == n {
                return found;
            }
            x(v).store(found, SeqCst);
            hint.give();
        },
        Kind::Exchange(v, from, to) => {
            while x(v).compare_exchange(from, to, SeqCst, SeqCst).is_err() {
                hint.give();
            }
            from
        }
        Kind::Meet(v) => loop {
            x(v).fetch_add(16, SeqCst);
            let found = x(v).load(SeqCst);
            if found >= 32 {
                return found;
            }
            x(v).fetch_sub(16, SeqCst);
            hint.give();
        },
        Kind::TryLock => loop {
            if let Ok(_guard) = world.mutex.try_lock() {
                return 1;
            }
            hint.give();
        },
        Kind::UnderLock(n) => {
            while *world.mutex.lock().unwrap() != n {
                hint.give();
            }
            n
        }
        Kind::TwoLocks(v, w) => two_locks(x(v), x(w), hint),
        Kind::Nested(v, w, n) => loop {
            while x(v).load(SeqCst) != n {
                hint.give();
            }
            if x(w).load(SeqCst) == n {
                return n;
            }
            hint.give();
        },
        Kind::Announce(v, w, n) => loop {
            x(v).store(n, SeqCst);
            if x(w).load(SeqCst) == n {
                return n;
            }
            hint.give();
        },
        Kind::Toggle(v, w, n) => loop {
            x(v).fetch_xor(1, SeqCst);
            if x(w).load(SeqCst) == n {
                return n;
            }
            hint.give();
        },
    }
}

fn two_locks(first: &AtomicUsize, second: &AtomicUsize, hint: Hint) -> usize {
    loop {
        if first.compare_exchange(0, 1, SeqCst, SeqCst).is_err() {
            hint.give();
            continue;
        }
        if second.compare_exchange(0, 1, SeqCst, SeqCst).is_ok() {
            break;
        }
        first.store(0, SeqCst);
        hint.give();
    }
    first.store(0, SeqCst);
    second.store(0, SeqCst);
    0
}

fn closure(program: Program) -> Rc<dyn Fn()> {
    Rc::new(move || {
        LOGS.with_borrow_mut(|logs| *logs = vec![Vec::new(); program.threads.len() + 1]);
        let world = Arc::new(World { variables: program.first.map(AtomicUsize::new), mutex: Mutex::new(0) });
        let handles: Vec<_> = (0..)
            .zip(program.threads.clone())
            .map(|(number, statements)| {
                let world = Arc::clone(&world);
                thread::spawn(move || statements.iter().for_each(|&s| perform(&world, number, s)))
            })
            .collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        let last = program.threads.len();
        world.variables.iter().for_each(|variable| log(last, variable.load(SeqCst)));
        log(last, *world.mutex.lock().unwrap());
    })
}

#[derive(Default)]
struct Collector {
    outcomes: BTreeSet<Numbers>,
    stuck: usize,
    cut: usize,
    executions: usize,
}

impl Monitor<Closure> for Collector {
    fn execution(&mut self, _path: &Path<Closure>, end: End) {
        self.executions += 1;
        match end {
            End::Complete => _ = self.outcomes.insert(LOGS.with_borrow(Clone::clone)),
            End::Deadlock => self.stuck += 1,
            End::Cut => self.cut += 1,
            _ => {}
        }
    }
}

/// What came of a search.
enum Found {
    All(Collector),
    TooMuch,
    Unsupported,
}

fn found(program: &Program, algorithm: Algorithm, limit: u64) -> Found {
    panics::install();
    let mut assumptions = Assumptions::default();
    loop {
        let observations = algorithm.asks_what_is_observed();
        let semantics = Semantics { lonely_rounds: 3, observations, ..Semantics::default() };
        with(|x| x.begin_search(assumptions, semantics));
        let mut collector = Collector::default();
        let limits = Limits {
            executions: Some(limit),
            depth: 2000,
            after_violation: AfterViolation::KeepGoing,
            ..Limits::default()
        };
        let outcome = without_noise(|| {
            let closure = Closure::new(closure(program.clone()));
            let (exploration, mut closure) = explore(closure, algorithm, limits, &mut collector);
            closure.conclude();
            exploration.stop
        });
        match outcome {
            Ok(None) => return Found::All(collector),
            Ok(Some(_)) => return Found::TooMuch,
            Err(Halt::Refuted) => assumptions = with(|x| x.assumptions),
            Err(Halt::Diverged(divergence)) => panic!("{divergence:?}"),
            Err(Halt::Refused(_) | Halt::Exhausted(_)) => return Found::Unsupported,
        }
    }
}

/// How many executions an algorithm may take for a program that is small enough for the oracle.
const LIMIT: u64 = 300;

#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    too_much: usize,
    executions: usize,
}

fn compare(program: &Program, tally: &mut Tally) -> Result<(), String> {
    let Some(truth) = model::truth(&program.threads, program.first, 3000) else { return Ok(()) };
    for algorithm in selected() {
        if algorithm.promise() == Promise::EveryInterleaving {
            continue;
        }
        let name = algorithm.name();
        let found = match found(program, algorithm, LIMIT) {
            Found::All(found) => found,
            Found::TooMuch => {
                tally.too_much += 1;
                continue;
            }
            Found::Unsupported => continue,
        };
        tally.compared += 1;
        tally.executions += found.executions;
        if found.cut > 0 {
            return Err(format!("{name}: {} executions are cut", found.cut));
        }
        if found.outcomes != truth.outcomes {
            let missing = truth.outcomes.difference(&found.outcomes).next();
            let odd = found.outcomes.difference(&truth.outcomes).next();
            return Err(format!("{name}: misses {missing:?}, invents {odd:?}"));
        }
        let is_stuck = truth.deadlocks || truth.livelocks;
        if (found.stuck > 0) != is_stuck && (is_stuck || !may_meet(program)) {
            return Err(format!("{name}: stuck {}, in truth {is_stuck}", found.stuck > 0));
        }
    }
    Ok(())
}

/// Whether threads may meet in the midst of their rounds: if each goes round while the others do not, they spin for ever, though they can leave.
fn may_meet(program: &Program) -> bool {
    let meets = |s: &Statement| matches!(s, Statement::Until(Loop { kind: Kind::Meet(_), .. }));
    program.threads.iter().filter(|statements| statements.iter().any(meets)).count() > 1
}

fn is_wrong(program: &Program) -> bool {
    std::panic::catch_unwind(|| compare(program, &mut Tally::default()).is_err()).unwrap_or(true)
}

fn smaller(mut program: Program) -> Program {
    let mut improved = true;
    while improved {
        improved = false;
        for thread in (0..program.threads.len()).rev() {
            let mut candidate = program.clone();
            candidate.threads.remove(thread);
            if !candidate.threads.is_empty() && is_wrong(&candidate) {
                (program, improved) = (candidate, true);
                break;
            }
            for statement in (0..program.threads[thread].len()).rev() {
                let mut candidate = program.clone();
                candidate.threads[thread].remove(statement);
                if is_wrong(&candidate) {
                    (program, improved) = (candidate, true);
                }
            }
        }
    }
    program
}

/// `SELVEDGE_LONG=1` runs more closures, `SELVEDGE_SEEDS=from..to` others.
fn seeds() -> std::ops::Range<u64> {
    if let Ok(range) = std::env::var("SELVEDGE_SEEDS") {
        let (from, to) = range.split_once("..").expect("SELVEDGE_SEEDS is FROM..TO");
        return from.parse().expect("a number")..to.parse().expect("a number");
    }
    match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..20_000,
        None => 0..600,
    }
}

#[test]
fn every_algorithm_finds_the_outcomes_of_random_loops_that_wait() {
    let mut tally = Tally::default();
    for seed in seeds() {
        let program = program(seed);
        let outcome =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compare(&program, &mut tally)));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(message)) => {
                let small = smaller(program);
                panic!("seed {seed}: {message}\n{small:?}\n{:?}", compare(&small, &mut Tally::default()));
            }
            Err(payload) => {
                let text = payload.downcast_ref::<String>().cloned();
                let small = smaller(program);
                panic!("seed {seed} panics: {text:?}\n{small:?}");
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.compared > 5 * tally.too_much, "most searches were too long: {tally:?}");
}
