//! The random programs of the core's property tests as closures: the same traces as in the interpreter.
//!
//! A statement with one access is a call of the library; one with several is one operation here as it is there, so
//! that the two have the same events. What a closure cannot say is replaced in both: failing expressions, atomic
//! blocks and unlocking what one does not hold.

use super::names::ThreadCell;
use super::performing::ANY_EPOCH;
use super::program::Closure;
use super::{Kind, Operation, Outcome, View, assumptions, execution, panics, perform, with};
use crate::sync::atomic::{AtomicI64, Ordering::SeqCst};
use crate::sync::{Barrier, Condvar, Mutex};
use crate::thread;
use selvedge_explore::{
    AfterViolation, Algorithm, Bound, BoundKind, End, Limits, Monitor, Path, Promise, Silent, explore,
};
use selvedge_interp::Interpreter;
use selvedge_testkit::generate::{self, Expression, Place, RandomProgram, Statement};
use selvedge_testkit::oracle::{self, NaiveTrace};
use selvedge_trace::{AccessKind, LocationId, ThreadId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::Arc;

/// Interleavings up to which a program is compared.
const LIMIT: usize = 500;

static STATEMENT: Kind = Kind::waiting("statement", run_statement).telling();

/// A statement with several accesses, in one operation.
#[derive(Clone, Debug)]
enum Node {
    Nothing,
    Value(Expression),
    Assign(Place, Expression),
    Await(Expression),
    Cas(Place, Expression, Expression),
    CasAnd(Place, Expression, Expression),
    FetchAdd(Place, Expression),
    Swap(Place, Expression),
    Join(u32),
}

thread_local! {
    static NODES: RefCell<Vec<Node>> = const { RefCell::new(Vec::new()) };
    static SHARED: RefCell<Vec<LocationId>> = const { RefCell::new(Vec::new()) };
}

fn run_statement(view: &mut View, operation: &Operation) -> Outcome {
    let node = NODES.with_borrow(|nodes| nodes[operation.a as usize].clone());
    let shared = SHARED.with_borrow(Clone::clone);
    let locals = [(operation.b >> 32) as i32, operation.b as i32].map(i64::from);
    view.varies();
    let mut eval = Eval { view, shared: &shared, locals };
    let result = match node {
        Node::Nothing => 0,
        Node::Value(e) => eval.value(&e),
        Node::Assign(place, e) => {
            let value = eval.value(&e);
            eval.write(&place, value);
            0
        }
        Node::Await(e) => {
            eval.view.guarded();
            if eval.value(&e) == 0 {
                return Outcome::Wait;
            }
            0
        }
        Node::Cas(place, expected, new) => eval.cas(&place, &expected, &new),
        Node::CasAnd(place, new, condition) => {
            let swapped = eval.cas(&place, &Expression::Constant(0), &new);
            i64::from(swapped != 0 && eval.value(&condition) != 0)
        }
        Node::FetchAdd(place, e) => {
            let by = eval.value(&e);
            let old = eval.read(&place);
            eval.write(&place, old.wrapping_add(by));
            old
        }
        Node::Swap(place, e) => {
            let new = eval.value(&e);
            let old = eval.read(&place);
            eval.write(&place, new);
            old
        }
        Node::Join(thread) => {
            if thread as usize >= eval.view.names.thread_count() {
                return Outcome::Wait;
            }
            let life = eval.view.cell(ThreadId(thread), ThreadCell::Life);
            if eval.view.memory.get(life) != execution::ENDED {
                return Outcome::Wait;
            }
            eval.view.touch(life, AccessKind::Observe);
            0
        }
    };
    Outcome::Done(result as u64)
}

struct Eval<'a, 'v> {
    view: &'a mut View<'v>,
    shared: &'a [LocationId],
    locals: [i64; 2],
}

impl Eval<'_, '_> {
    fn location(&mut self, place: &Place) -> LocationId {
        match place {
            Place::Scalar(i) => self.shared[*i],
            Place::Element(index) => {
                let index = self.value(index);
                self.shared[3 + index as usize]
            }
        }
    }

    fn read(&mut self, place: &Place) -> i64 {
        let location = self.location(place);
        self.view.read(location) as i64
    }

    fn write(&mut self, place: &Place, value: i64) {
        let location = self.location(place);
        self.view.touch(location, AccessKind::Overwrite);
        self.view.memory.set(location, value as u64);
    }

    fn cas(&mut self, place: &Place, expected: &Expression, new: &Expression) -> i64 {
        let (expected, new) = (self.value(expected), self.value(new));
        let found = self.read(place);
        if found == expected {
            self.write(place, new);
        }
        i64::from(found == expected)
    }

    fn value(&mut self, e: &Expression) -> i64 {
        match e {
            Expression::Constant(value) => *value,
            Expression::Local(i) => self.locals[*i],
            Expression::Shared(place) => self.read(place),
            Expression::LocalElement(_) => 1,
            Expression::Select(condition, then, otherwise) => match self.value(condition) {
                0 => self.value(otherwise),
                _ => self.value(then),
            },
            Expression::Binary("&&", left, right) => {
                i64::from(self.value(left) != 0 && self.value(right) != 0)
            }
            Expression::Binary("||", left, right) => {
                i64::from(self.value(left) != 0 || self.value(right) != 0)
            }
            Expression::Binary(operator, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                match *operator {
                    "+" => left.wrapping_add(right),
                    "-" => left.wrapping_sub(right),
                    "*" => left.wrapping_mul(right),
                    "==" => i64::from(left == right),
                    "!=" => i64::from(left != right),
                    "<" => i64::from(left < right),
                    _ => i64::from(left >= right),
                }
            }
        }
    }
}

/// The objects that all threads share.
struct World {
    shared: Vec<AtomicI64>,
    mutexes: [Mutex<()>; 2],
    condvar: Condvar,
    barrier: Barrier,
    program: RandomProgram,
}

#[derive(Clone, Copy)]
struct Locals([i64; 2]);

impl World {
    fn body(&self, thread: usize, statements: &[Statement], locals: &mut Locals) {
        for statement in statements {
            self.statement(thread, statement, locals);
        }
    }

    fn node(&self, node: Node, locals: Locals) -> i64 {
        let number = NODES.with_borrow_mut(|nodes| {
            nodes.push(node);
            nodes.len() - 1
        });
        let packed = (locals.0[0] as u32 as u64) << 32 | locals.0[1] as u32 as u64;
        let operation = Operation::on(&STATEMENT, LocationId(0));
        perform(Operation { a: number as u64, b: packed, epoch: ANY_EPOCH, ..operation }) as i64
    }

    /// The value of an expression: an operation only if it reads something shared.
    fn value(&self, e: &Expression, locals: Locals) -> i64 {
        match e {
            Expression::Shared(Place::Scalar(i)) => self.shared[*i].load(SeqCst),
            e if reads_shared(e) => self.node(Node::Value(e.clone()), locals),
            e => local_value(e, locals),
        }
    }

    fn statement(&self, thread: usize, statement: &Statement, locals: &mut Locals) {
        let now = *locals;
        match statement {
            Statement::Assign(Place::Scalar(i), e) if !reads_shared(e) => {
                self.shared[*i].store(local_value(e, now), SeqCst);
            }
            Statement::Assign(place, e) => {
                self.node(Node::Assign(place.clone(), e.clone()), now);
            }
            Statement::Let(local, e) => locals.0[*local] = self.value(e, now),
            Statement::If(condition, then, otherwise) => match self.value(condition, now) {
                0 => self.body(thread, otherwise, locals),
                _ => self.body(thread, then, locals),
            },
            Statement::For(times, body) => (0..*times).for_each(|_| self.body(thread, body, locals)),
            Statement::Locked(mutex, body) => {
                let guard = self.mutexes[*mutex].lock().expect("nobody panics");
                self.body(thread, body, locals);
                drop(guard);
            }
            Statement::TryLocked(mutex, body) => {
                if let Ok(guard) = self.mutexes[*mutex].try_lock() {
                    self.body(thread, body, locals);
                    drop(guard);
                }
            }
            Statement::Lock(mutex) => std::mem::forget(self.mutexes[*mutex].lock()),
            Statement::Wait(condition) => {
                let mut guard = self.mutexes[0].lock().expect("nobody panics");
                if self.value(condition, now) != 0 {
                    guard = self.condvar.wait(guard).expect("nobody panics");
                }
                drop(guard);
            }
            Statement::Signal => self.condvar.notify_one(),
            Statement::Broadcast => self.condvar.notify_all(),
            Statement::Cas(local, Place::Scalar(i), expected, new)
                if !reads_shared(expected) && !reads_shared(new) =>
            {
                let (expected, new) = (local_value(expected, now), local_value(new, now));
                let outcome = self.shared[*i].compare_exchange(expected, new, SeqCst, SeqCst);
                locals.0[*local] = i64::from(outcome.is_ok());
            }
            Statement::Cas(local, place, expected, new) => {
                let node = Node::Cas(place.clone(), expected.clone(), new.clone());
                locals.0[*local] = self.node(node, now);
            }
            Statement::CasAnd(place, new, condition) => {
                let node = Node::CasAnd(place.clone(), new.clone(), condition.clone());
                if self.node(node, now) != 0 {
                    let y = Place::Scalar(1);
                    let sum = Expression::Binary(
                        "+",
                        Box::new(Expression::Shared(y.clone())),
                        Box::new(Expression::Constant(1)),
                    );
                    self.node(Node::Assign(y, sum), now);
                }
            }
            Statement::FetchAdd(local, Place::Scalar(i), e) if !reads_shared(e) => {
                locals.0[*local] = self.shared[*i].fetch_add(local_value(e, now), SeqCst);
            }
            Statement::FetchAdd(local, place, e) => {
                locals.0[*local] = self.node(Node::FetchAdd(place.clone(), e.clone()), now);
            }
            Statement::Swap(local, Place::Scalar(i), e) if !reads_shared(e) => {
                locals.0[*local] = self.shared[*i].swap(local_value(e, now), SeqCst);
            }
            Statement::Swap(local, place, e) => {
                locals.0[*local] = self.node(Node::Swap(place.clone(), e.clone()), now);
            }
            Statement::Await(e) => {
                self.node(Node::Await(e.clone()), now);
            }
            Statement::Choose(local, bound) => locals.0[*local] = i64::from(crate::choose(*bound as u32)),
            Statement::Barrier => {
                self.barrier.wait();
            }
            Statement::Join => {
                let last = self.program.threads.len();
                if thread + 1 < last {
                    self.node(Node::Join(last as u32), now);
                }
            }
            Statement::Call(local, argument) => {
                let mut inner = Locals([self.value(argument, now), 1]);
                self.body(thread, &self.program.function, &mut inner);
                locals.0[*local] = inner.0[0].wrapping_add(1);
            }
            Statement::Unlock(_)
            | Statement::LockIndexed(_)
            | Statement::Atomic(_)
            | Statement::Assert(_)
            | Statement::Assume(_) => unreachable!("replaced"),
        }
    }
}

fn local_value(e: &Expression, locals: Locals) -> i64 {
    let mut memory = super::memory::Memory::default();
    let mut names = super::names::Names::default();
    let mut footprint = selvedge_trace::Footprint::default();
    let mut view = View {
        memory: &mut memory,
        names: &mut names,
        footprint: &mut footprint,
        thread: ThreadId(0),
        choice: 0,
        alternatives: 1,
        clocks: None,
        spins: &[],
        reads: None,
        position: 0,
        drops: &mut super::operation::Drops::default(),
        semantics: assumptions::Semantics::default(),
        assumptions: assumptions::Assumptions::default(),
    };
    Eval { view: &mut view, shared: &[], locals: locals.0 }.value(e)
}

fn reads_shared(e: &Expression) -> bool {
    match e {
        Expression::Constant(_) | Expression::Local(_) | Expression::LocalElement(_) => false,
        Expression::Shared(_) => true,
        Expression::Binary(_, left, right) => reads_shared(left) || reads_shared(right),
        Expression::Select(a, b, c) => [a, b, c].into_iter().any(|e| reads_shared(e)),
    }
}

/// Replaces what a closure cannot say.
fn adapted(mut program: RandomProgram) -> Option<RandomProgram> {
    program.finally = None;
    let barrier_users = program.threads.iter().filter(|body| format!("{body:?}").contains("Barrier")).count();
    if barrier_users > program.barrier || format!("{:?}", program.function).contains("Barrier") {
        return None;
    }
    for body in program.threads.iter_mut().chain([&mut program.function]) {
        *body = body.drain(..).flat_map(statement).collect();
    }
    Some(program)
}

fn statements(list: Vec<Statement>) -> Vec<Statement> {
    list.into_iter().flat_map(statement).collect()
}

fn statement(s: Statement) -> Vec<Statement> {
    let one = match s {
        Statement::Atomic(body) => return statements(body),
        Statement::Unlock(_) | Statement::LockIndexed(_) => return Vec::new(),
        Statement::Assert(e) | Statement::Assume(e) => Statement::If(expression(e), Vec::new(), Vec::new()),
        Statement::Assign(p, e) => Statement::Assign(place(p), expression(e)),
        Statement::Let(l, e) => Statement::Let(l, expression(e)),
        Statement::If(e, a, b) => Statement::If(expression(e), statements(a), statements(b)),
        Statement::For(n, body) => Statement::For(n, statements(body)),
        Statement::Locked(m, body) => Statement::Locked(m, statements(body)),
        Statement::TryLocked(m, body) => Statement::TryLocked(m, statements(body)),
        Statement::Wait(e) => Statement::Wait(expression(e)),
        Statement::Cas(l, p, e, n) => Statement::Cas(l, place(p), expression(e), expression(n)),
        Statement::CasAnd(p, n, c) => Statement::CasAnd(place(p), expression(n), expression(c)),
        Statement::FetchAdd(l, p, e) => Statement::FetchAdd(l, place(p), expression(e)),
        Statement::Swap(l, p, e) => Statement::Swap(l, place(p), expression(e)),
        Statement::Await(e) => Statement::Await(expression(e)),
        Statement::Call(l, e) => Statement::Call(l, expression(e)),
        other => other,
    };
    vec![one]
}

fn place(p: Place) -> Place {
    match p {
        Place::Element(index) => match *index {
            Expression::Constant(value) => Place::Element(Box::new(Expression::Constant(value & 1))),
            _ => Place::Element(Box::new(Expression::Constant(1))),
        },
        scalar => scalar,
    }
}

fn expression(e: Expression) -> Expression {
    let inner = |e: Box<Expression>| Box::new(expression(*e));
    match e {
        Expression::Shared(p) => Expression::Shared(place(p)),
        Expression::LocalElement(_) => Expression::Local(1),
        Expression::Binary("/", left, right) => Expression::Binary("+", inner(left), inner(right)),
        Expression::Binary(operator, left, right) => Expression::Binary(operator, inner(left), inner(right)),
        Expression::Select(a, b, c) => Expression::Select(inner(a), inner(b), inner(c)),
        other => other,
    }
}

/// The closure of a program.
fn closure(program: RandomProgram) -> Rc<dyn Fn()> {
    Rc::new(move || {
        NODES.with_borrow_mut(Vec::clear);
        let values = [0, 1, 0, 0, 1];
        let world = Arc::new(World {
            shared: values.map(AtomicI64::new).into(),
            mutexes: [Mutex::new(()), Mutex::new(())],
            condvar: Condvar::new(),
            barrier: Barrier::new(program.barrier),
            program: program.clone(),
        });
        let locations = world.shared.iter().map(|x| crate::name::Named::object(x).location).collect();
        SHARED.with_borrow_mut(|shared| *shared = locations);
        let last = program.threads.len() - 1;
        for thread in 0..=last {
            if !(program.spawns && thread == last) {
                start(&world, thread);
            }
        }
    })
}

fn start(world: &Arc<World>, thread: usize) {
    let world = Arc::clone(world);
    thread::spawn(move || {
        let last = world.program.threads.len() - 1;
        if world.program.spawns && thread == 0 && last > 0 {
            // The interpreter's spawn is an operation.
            world.node(Node::Nothing, Locals([0, 1]));
            start(&world, last);
        }
        world.body(thread, &world.program.threads[thread], &mut Locals([0, 1]));
    });
}

#[derive(Default)]
struct Collector {
    traces: BTreeMap<NaiveTrace, (usize, End)>,
    asleep: usize,
}

impl Monitor<Closure> for Collector {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn execution(&mut self, path: &Path<Closure>, end: End) {
        if end == End::SleepSetBlocked {
            self.asleep += 1;
            return;
        }
        let mut trace = oracle::naive_trace(&path.order);
        for (thread, _, past) in &mut trace {
            *thread -= 1;
            past.iter_mut().for_each(|(other, _)| *other -= 1);
        }
        self.traces.entry(trace).or_insert((0, end)).0 += 1;
    }
}

fn traces(
    program: &RandomProgram,
    algorithm: Algorithm,
    limit: usize,
    bound: Option<Bound>,
) -> Option<Collector> {
    let mut assumptions = assumptions::Assumptions::default();
    panics::install();
    loop {
        let observations = algorithm.asks_what_is_observed();
        let semantics = assumptions::Semantics { observations, ..assumptions::Semantics::default() };
        with(|x| x.begin_search(assumptions, semantics));
        let mut collector = Collector::default();
        let limits = Limits {
            executions: Some(limit as u64),
            after_violation: AfterViolation::KeepGoing,
            bound,
            ..Limits::default()
        };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            explore(Closure::new(closure(program.clone())), algorithm, limits, &mut collector).0.stop
        }));
        match outcome {
            Ok(None) => return Some(collector),
            Ok(Some(_)) => return None,
            Err(payload) => match payload.downcast::<super::program::HaltPayload>() {
                Ok(halt) => match halt.0 {
                    super::program::Halt::Refuted => assumptions = with(|x| x.assumptions),
                    super::program::Halt::Diverged(divergence) => panic!("{divergence:?}"),
                    super::program::Halt::Refused(refused) => panic!("{refused:?}"),
                    super::program::Halt::Exhausted(what) => panic!("{what}"),
                },
                Err(payload) => std::panic::resume_unwind(payload),
            },
        }
    }
}

/// Compares a program with the interpreter. Returns the number of traces.
fn compare(program: &RandomProgram) -> Result<Option<usize>, String> {
    let text = program.to_string();
    let compiled =
        selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).map_err(|d| format!("{d:?}"))?;
    let Some(truth) = oracle::findings(&compiled, Algorithm::Optimal, LIMIT) else { return Ok(None) };
    for algorithm in oracle::selected() {
        if algorithm.promise() == Promise::EveryInterleaving {
            continue;
        }
        if algorithm.asks_what_is_observed() {
            compare_classes(program, algorithm, &compiled)?;
            continue;
        }
        let name = algorithm.name();
        let found = match (traces(program, algorithm, LIMIT * 10, None), algorithm.promise()) {
            (Some(found), _) => found,
            (None, Promise::Optimal) => return Err(format!("{name} explores too much")),
            // Others may give up very many executions of few traces.
            (None, _) => continue,
        };
        let ends = |traces: &BTreeMap<NaiveTrace, (usize, End)>| -> Vec<_> {
            traces.iter().map(|(trace, (_, end))| (trace.clone(), *end)).collect()
        };
        let (ours, theirs) = (ends(&found.traces), ends(&truth.traces));
        if ours != theirs {
            let odd = ours.iter().find(|t| !theirs.contains(t));
            let missing = theirs.iter().find(|t| !ours.contains(t));
            return Err(format!(
                "{name}: {} of {} traces; odd {odd:?}; missing {missing:?}",
                ours.len(),
                theirs.len()
            ));
        }
        let repeated = found.traces.values().any(|seen| seen.0 > 1);
        if repeated && matches!(algorithm.promise(), Promise::EveryTraceOnce | Promise::Optimal) {
            return Err(format!("{name} repeats a trace"));
        }
        if found.asleep > 0 && algorithm.promise() == Promise::Optimal {
            return Err(format!("{name} has sleep-set-blocked executions"));
        }
    }
    Ok(Some(truth.traces.len()))
}

/// Closures do not tell values: value-centric exploration finds what data-centric exploration does, as many classes as in the
/// interpreter, where they are compared with their definition.
fn compare_classes(
    program: &RandomProgram,
    algorithm: Algorithm,
    compiled: &selvedge_ir::Program,
) -> Result<(), String> {
    let name = algorithm.name();
    let Some(found) = traces(program, algorithm, LIMIT * 10, None) else {
        return Err(format!("{name} explores too much"));
    };
    let some: usize = found.traces.values().map(|seen| seen.0).sum();
    let limits = Limits { after_violation: AfterViolation::KeepGoing, ..Limits::default() };
    let all = explore(Interpreter::new(compiled), Algorithm::DataCentric, limits, &mut Silent).0;
    let all = all.statistics.maximal() as usize;
    if some != all {
        return Err(format!("{name} explores {some} classes, not {all}"));
    }
    Ok(())
}

#[test]
fn random_programs_have_the_traces_that_the_interpreter_finds() {
    let seeds = match std::env::var_os("SELVEDGE_LONG") {
        Some(_) => 0..60_000,
        None => 0..3000,
    };
    let (mut compared, mut all) = (0, 0);
    for seed in seeds {
        let Some(program) = adapted(generate::program(seed)) else { continue };
        match compare(&program) {
            Ok(Some(traces)) => {
                compared += 1;
                all += traces;
            }
            Ok(None) => {}
            Err(message) => {
                let still = |p: &RandomProgram| adapted(p.clone()).is_some_and(|p| compare(&p).is_err());
                let smaller = generate::shrink(program, &still);
                panic!("seed {seed}: {message}\n{smaller}\n{:?}", compare(&smaller));
            }
        }
    }
    println!("{compared} programs with {all} traces compared with the interpreter");
    assert!(compared > 1500, "only {compared} programs were compared");
}

/// The traces of the interpreter within a bound.
#[derive(Default)]
struct Within(BTreeSet<NaiveTrace>);

impl Monitor<Interpreter> for Within {
    fn looks_at_order(&self) -> bool {
        true
    }

    fn execution(&mut self, path: &Path<Interpreter>, end: End) {
        if end != End::SleepSetBlocked {
            self.0.insert(oracle::naive_trace(&path.order));
        }
    }
}

/// Compares what is found within bounds with what is found in the interpreter, where it is held against brute force.
fn compare_within_bounds(program: &RandomProgram) -> Result<usize, String> {
    let text = program.to_string();
    let compiled =
        selvedge_lang::compile("random.sel", &text, &BTreeMap::new()).map_err(|d| format!("{d:?}"))?;
    let mut compared = 0;
    for limit in 0..=2 {
        let bound = Some(Bound { kind: BoundKind::Preemptions, limit });
        let limits = Limits {
            executions: Some(LIMIT as u64),
            after_violation: AfterViolation::KeepGoing,
            bound,
            ..Limits::default()
        };
        for algorithm in [Algorithm::LazyBounded, Algorithm::SourceBounded, Algorithm::ClassicBounded] {
            let mut theirs = Within::default();
            let exploration = explore(Interpreter::new(&compiled), algorithm, limits, &mut theirs).0;
            if exploration.stop.is_some() || exploration.statistics.bound_unknown > 0 {
                continue;
            }
            let Some(ours) = traces(program, algorithm, LIMIT * 10, bound) else {
                return Err(format!("{} within {limit}: explores too much", algorithm.name()));
            };
            let ours: BTreeSet<_> = ours.traces.into_keys().collect();
            if ours != theirs.0 {
                let (some, all) = (ours.len(), theirs.0.len());
                return Err(format!("{} within {limit} preemptions: {some}, not {all}", algorithm.name()));
            }
            compared += 1;
        }
    }
    Ok(compared)
}

#[test]
fn random_programs_have_the_traces_within_bounds_that_the_interpreter_finds() {
    let mut compared = 0;
    for seed in 0..if std::env::var_os("SELVEDGE_LONG").is_some() { 20_000 } else { 500 } {
        let Some(program) = adapted(generate::program(seed)) else { continue };
        match compare_within_bounds(&program) {
            Ok(searches) => compared += searches,
            Err(message) => panic!("seed {seed}: {message}\n{program}"),
        }
    }
    println!("{compared} searches within bounds compared with the interpreter");
    assert!(compared > 1500, "only {compared} searches were compared");
}
