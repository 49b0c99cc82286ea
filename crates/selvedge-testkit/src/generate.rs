//! Random programs of the modelling language, and how to make a failing one smaller.
//!
//! Each program draws on a random selection of features, so that a few of them meet often instead of all of
//! them rarely. Programs are small enough for brute force: two to four threads with a few statements each.

mod assuming;
mod choosing;
mod floating;
mod joining;
mod render;
mod shrink;
mod spawning;

use crate::random::Random;
pub use assuming::assuming;
pub use choosing::choosing;
pub use floating::floating;
pub use joining::joining;
pub use shrink::shrink;
pub use spawning::spawning;

/// A random program.
#[derive(Clone, Debug)]
pub struct RandomProgram {
    /// The statements of each thread.
    pub threads: Vec<Vec<Statement>>,
    /// Whether the last thread is spawned by the first.
    pub spawns: bool,
    /// The statements of the function `f`, which has one parameter.
    pub function: Vec<Statement>,
    /// What must hold in the end.
    pub finally: Option<Expression>,
    /// The width of the barrier.
    pub barrier: usize,
}

/// A statement.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "named like the statements of the language")]
pub enum Statement {
    Assign(Place, Expression),
    Let(usize, Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    For(usize, Vec<Statement>),
    Atomic(Vec<Statement>),
    Locked(usize, Vec<Statement>),
    TryLocked(usize, Vec<Statement>),
    Lock(usize),
    Unlock(usize),
    LockIndexed(Expression),
    Wait(Expression),
    Signal,
    Broadcast,
    Cas(usize, Place, Expression, Expression),
    CasAnd(Place, Expression, Expression),
    FetchAdd(usize, Place, Expression),
    Swap(usize, Place, Expression),
    Assert(Expression),
    Assume(Expression),
    Await(Expression),
    Choose(usize, usize),
    Barrier,
    Join,
    Call(usize, Expression),
}

/// A shared place.
#[derive(Clone, Debug)]
pub enum Place {
    /// One of the scalars `x`, `y`, `z`.
    Scalar(usize),
    /// An element of the array `a`.
    Element(Box<Expression>),
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A number.
    Constant(i64),
    /// One of the locals `l0`, `l1`.
    Local(usize),
    /// A shared place.
    Shared(Place),
    /// An element of the local array `v`.
    LocalElement(Box<Expression>),
    /// An operator between two.
    Binary(&'static str, Box<Expression>, Box<Expression>),
    /// The choice between two.
    Select(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// What a program may contain.
#[derive(Clone, Copy, Debug)]
struct Features(u64);

/// The features that are drawn, each by a bit of a random number.
#[derive(Clone, Copy, Debug)]
enum Feature {
    Array,
    Branches,
    Loops,
    Atomic,
    Mutexes,
    WildLocks,
    Condvar,
    ReadModifyWrite,
    Assert,
    Assume,
    Await,
    Choose,
    Barrier,
    Spawn,
    Call,
    Divide,
}

impl Features {
    fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }
}

/// A random program whose threads repeat what they do for ever.
pub fn endless(seed: u64) -> String {
    let text = program(seed).to_string();
    let mut out = String::new();
    let mut in_thread = false;
    let mut has_begun = false;
    for line in text.lines() {
        if line.starts_with("thread ") {
            (in_thread, has_begun) = (true, false);
        }
        let is_head = line.starts_with("thread ") || line.starts_with("  let ");
        if in_thread && !is_head && !has_begun {
            out.push_str("  loop {\n");
            has_begun = true;
        }
        if in_thread && line == "}" {
            out.push_str("  }\n");
            in_thread = false;
        }
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The program of a seed.
pub fn program(seed: u64) -> RandomProgram {
    let mut random = Random::new(seed);
    // Two of three programs use few features, the others about half of them.
    let bits = random.bits();
    let sparse = bits & random.bits() & random.bits();
    let features = Features(if random.percent(66) { sparse } else { bits });
    let threads = *random.pick(&[2, 2, 2, 3, 3, 4]);
    let budget = if threads == 2 { 10 } else { 9 };
    let mut generator = Generator { random, features, budget: 0, depth: 0, in_atomic: false };
    let mut bodies = Vec::new();
    for _ in 0..threads {
        generator.budget = 1 + generator.random.below(budget / threads + 1);
        bodies.push(generator.body());
    }
    generator.budget = 2;
    let function = if features.has(Feature::Call) { generator.leaf_body() } else { Vec::new() };
    let finally = generator.random.percent(25).then(|| generator.condition());
    let barrier = 2 + generator.random.below(2);
    let spawns = features.has(Feature::Spawn) && generator.random.percent(60);
    RandomProgram { threads: bodies, spawns, function, finally, barrier }
}

/// Makes a statement of one kind.
type Make = fn(&mut Generator) -> Statement;

struct Generator {
    random: Random,
    features: Features,
    budget: usize,
    depth: usize,
    in_atomic: bool,
}

impl Generator {
    fn body(&mut self) -> Vec<Statement> {
        let mut body = Vec::new();
        if self.features.has(Feature::Barrier) && self.random.percent(50) {
            body.push(Statement::Barrier);
        }
        while self.budget > 0 {
            self.budget -= 1;
            body.push(self.statement());
        }
        body
    }

    fn leaf_body(&mut self) -> Vec<Statement> {
        self.depth = 9;
        let body = (0..1 + self.random.below(2)).map(|_| self.simple()).collect();
        self.depth = 0;
        body
    }

    /// A few statements for a nested body, paid from the budget.
    fn nested(&mut self) -> Vec<Statement> {
        self.depth += 1;
        let count = 1 + self.random.below(2);
        let body = (0..count)
            .map(|_| {
                self.budget = self.budget.saturating_sub(1);
                self.statement()
            })
            .collect();
        self.depth -= 1;
        body
    }

    fn statement(&mut self) -> Statement {
        let mut kinds: Vec<Make> = vec![Self::simple, Self::simple, Self::simple];
        if self.depth < 2 {
            let structured: [(Feature, Make); 4] = [
                (Feature::Branches, Self::branch),
                (Feature::Loops, Self::repeat),
                (Feature::Atomic, Self::atomic),
                (Feature::Mutexes, Self::locked),
            ];
            kinds.extend(structured.into_iter().filter(|(f, _)| self.features.has(*f)).map(|(_, kind)| kind));
        }
        if !self.in_atomic {
            let blocking: [(Feature, Make); 5] = [
                (Feature::Condvar, Self::condvar),
                (Feature::Choose, |g| Statement::Choose(g.random.below(2), 1 + g.random.below(3))),
                (Feature::Barrier, |_| Statement::Barrier),
                (Feature::Spawn, |_| Statement::Join),
                (Feature::Call, |g| Statement::Call(g.random.below(2), g.expression(1))),
            ];
            kinds.extend(blocking.into_iter().filter(|(f, _)| self.features.has(*f)).map(|(_, kind)| kind));
        }
        let kind = *self.random.pick(&kinds);
        kind(self)
    }

    /// A statement that may stand anywhere.
    fn simple(&mut self) -> Statement {
        let mut kinds: Vec<Make> = vec![
            |g| Statement::Assign(g.place(), g.expression(1)),
            |g| Statement::Assign(g.place(), g.expression(2)),
            |g| Statement::Let(g.random.below(2), g.expression(1)),
        ];
        let more: [(Feature, Make); 6] = [
            (Feature::ReadModifyWrite, Self::read_modify_write),
            (Feature::ReadModifyWrite, Self::read_modify_write),
            (Feature::Assert, |g| Statement::Assert(g.condition())),
            (Feature::Assume, |g| Statement::Assume(g.condition())),
            (Feature::Await, |g| Statement::Await(g.condition())),
            (Feature::WildLocks, Self::wild_lock),
        ];
        kinds.extend(more.into_iter().filter(|(f, _)| self.features.has(*f)).map(|(_, kind)| kind));
        let kind = *self.random.pick(&kinds);
        kind(self)
    }

    fn branch(&mut self) -> Statement {
        let condition = self.condition();
        let then = self.nested();
        let otherwise = if self.random.percent(40) { self.nested() } else { Vec::new() };
        Statement::If(condition, then, otherwise)
    }

    fn repeat(&mut self) -> Statement {
        let times = 1 + self.random.below(2);
        Statement::For(times, self.nested())
    }

    fn atomic(&mut self) -> Statement {
        let was = std::mem::replace(&mut self.in_atomic, true);
        let body = self.nested();
        self.in_atomic = was;
        Statement::Atomic(body)
    }

    fn locked(&mut self) -> Statement {
        let mutex = self.random.below(2);
        let body = self.nested();
        match self.random.below(4) {
            0 => Statement::TryLocked(mutex, body),
            _ => Statement::Locked(mutex, body),
        }
    }

    fn wild_lock(&mut self) -> Statement {
        match self.random.below(6) {
            0 => Statement::Unlock(self.random.below(2)),
            1 => Statement::LockIndexed(self.index()),
            _ => Statement::Lock(self.random.below(2)),
        }
    }

    fn condvar(&mut self) -> Statement {
        match self.random.below(4) {
            0 => Statement::Broadcast,
            1 => Statement::Signal,
            _ => Statement::Wait(self.condition()),
        }
    }

    fn read_modify_write(&mut self) -> Statement {
        let local = self.random.below(2);
        match self.random.below(6) {
            0 => Statement::FetchAdd(local, self.place(), self.expression(0)),
            1 => Statement::Swap(local, self.place(), self.expression(1)),
            2 => Statement::CasAnd(self.place(), self.expression(0), self.condition()),
            _ => Statement::Cas(local, self.place(), self.expression(0), self.expression(0)),
        }
    }

    fn place(&mut self) -> Place {
        match self.features.has(Feature::Array) && self.random.percent(40) {
            true => Place::Element(Box::new(self.index())),
            false => Place::Scalar(self.random.below(3)),
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        if depth == 0 || self.random.percent(40) {
            return match self.random.below(5) {
                0 | 1 => Expression::Constant(self.random.below(3) as i64),
                2 => Expression::Local(self.random.below(2)),
                _ if self.depth > 8 => Expression::Local(0),
                _ => Expression::Shared(Place::Scalar(self.random.below(3))),
            };
        }
        let operator = match self.features.has(Feature::Divide) && self.random.percent(20) {
            true => "/",
            false => self.random.pick(&["+", "-", "*", "+"]),
        };
        let left = match self.features.has(Feature::Array) && self.random.percent(30) {
            true => Expression::Shared(self.place()),
            false => self.expression(depth - 1),
        };
        let right = match operator {
            "/" if self.random.percent(50) => Expression::Local(self.random.below(2)),
            "/" => Expression::Shared(Place::Scalar(self.random.below(3))),
            _ => self.expression(depth - 1),
        };
        Expression::Binary(operator, Box::new(left), Box::new(right))
    }

    /// A condition that fails, or not, by local variables alone.
    fn local_failure(&mut self) -> Expression {
        let local = Expression::Local(self.random.below(2));
        let quotient = match self.random.below(3) {
            0 => Expression::LocalElement(Box::new(local)),
            _ => Expression::Binary("/", Box::new(Expression::Constant(1)), Box::new(local)),
        };
        Expression::Binary("==", Box::new(quotient), Box::new(Expression::Constant(1)))
    }

    /// An index that is not a constant out of range, which would not compile.
    fn index(&mut self) -> Expression {
        match self.expression(0) {
            Expression::Constant(value) => Expression::Constant(value % 2),
            other => other,
        }
    }

    fn condition(&mut self) -> Expression {
        let comparison = |g: &mut Self| {
            if g.features.has(Feature::Divide) && g.random.percent(25) {
                return g.local_failure();
            }
            let operator = *g.random.pick(&["==", "!=", "<", ">=", "=="]);
            let left = Expression::Shared(g.place());
            Expression::Binary(operator, Box::new(left), Box::new(g.expression(0)))
        };
        let first = comparison(self);
        match self.random.below(8) {
            0 => Expression::Binary("&&", Box::new(first), Box::new(comparison(self))),
            1 => Expression::Binary("||", Box::new(first), Box::new(comparison(self))),
            2 => {
                let (then, otherwise) = (comparison(self), comparison(self));
                Expression::Select(Box::new(first), Box::new(then), Box::new(otherwise))
            }
            _ => first,
        }
    }
}
