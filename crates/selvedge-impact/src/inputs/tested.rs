//! Registers that are only tested: their values flow into booleans that depend on nothing else.
//!
//! A *test* is a chain of expressions, each of which reads nothing but the value of the one before: `m = n % 8; … m == 3 …` is the chain
//! `n % 8`, `m == 3`. What counts is whether the last comes out true, or which operator fails on the way. A register that
//! depends on itself (`n = n + 1`) has chains without end, and is not only tested.

use super::is_boolean;
use selvedge_ir::{Expr, Function, Instr, InstrKind, Place, RegisterId, TerminatorKind};
use std::collections::{BTreeMap, BTreeSet};

/// The most tests of a register.
const MOST_TESTS: usize = 64;

/// Expressions of one register, each of which is applied to the value of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test<'f> {
    /// The expressions.
    pub chain: Vec<&'f Expr>,
    /// What of its end can be noticed.
    pub noticed: Noticed,
}

/// What of the end of a test can be noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// Its value.
    Value,
    /// Whether an operator failed: the value is used by other tests.
    Failure,
}

/// How the registers of a function are used.
#[derive(Debug)]
pub struct Tested<'f> {
    function: &'f Function,
    /// Registers whose values are used in other ways.
    otherwise: BTreeSet<RegisterId>,
    /// Booleans that depend on one register alone.
    booleans: BTreeMap<RegisterId, Vec<&'f Expr>>,
    /// Registers that get a value that depends on one register alone.
    copies: BTreeMap<RegisterId, Vec<(RegisterId, &'f Expr)>>,
    /// How often a register is read.
    reads: BTreeMap<RegisterId, usize>,
    /// How often two registers are chosen, one right after the other, and then added.
    added: BTreeMap<(RegisterId, RegisterId), usize>,
}

impl<'f> Tested<'f> {
    /// Looks at all uses in a function.
    pub fn new(function: &'f Function) -> Tested<'f> {
        let mut tested = Tested {
            function,
            otherwise: BTreeSet::new(),
            booleans: BTreeMap::new(),
            copies: BTreeMap::new(),
            reads: BTreeMap::new(),
            added: BTreeMap::new(),
        };
        for block in &function.blocks {
            for window in block.instrs.windows(3) {
                tested.notice_sum(window);
            }
            block.instrs.iter().for_each(|instr| tested.instruction(instr));
            match &block.terminator.kind {
                TerminatorKind::Branch { condition: value, .. } | TerminatorKind::Return(Some(value)) => {
                    tested.expression(value);
                }
                TerminatorKind::Goto(_) | TerminatorKind::Return(None) => {}
            }
        }
        tested
    }

    fn notice_sum(&mut self, window: &[Instr]) {
        let [InstrKind::Choose { target: first, .. }, InstrKind::Choose { target: second, .. }] =
            [&window[0].kind, &window[1].kind]
        else {
            return;
        };
        if super::sum_of(&window[2], *first, *second).is_some() {
            *self.added.entry((*first, *second)).or_default() += 1;
        }
    }

    /// Whether two registers are read nowhere but where they have just been chosen and are added.
    pub fn are_only_added(&self, first: RegisterId, second: RegisterId) -> bool {
        let sums = self.added.get(&(first, second)).copied();
        sums.is_some() && self.reads.get(&first).copied() == sums && self.reads.get(&second).copied() == sums
    }

    /// The tests of a register, if it is only tested.
    pub fn tests(&self, register: RegisterId) -> Option<Vec<Test<'f>>> {
        let mut tests = Vec::new();
        self.collect(register, &mut Vec::new(), &mut BTreeSet::new(), &mut tests)?;
        Some(tests)
    }

    fn collect(
        &self,
        register: RegisterId,
        chain: &mut Vec<&'f Expr>,
        on_the_way: &mut BTreeSet<RegisterId>,
        tests: &mut Vec<Test<'f>>,
    ) -> Option<()> {
        if self.otherwise.contains(&register) || !on_the_way.insert(register) {
            return None;
        }
        for expr in self.booleans.get(&register).into_iter().flatten() {
            tests.push(Test { chain: [&chain[..], &[*expr]].concat(), noticed: Noticed::Value });
        }
        for &(copy, expr) in self.copies.get(&register).into_iter().flatten() {
            chain.push(expr);
            tests.push(Test { chain: chain.clone(), noticed: Noticed::Failure });
            self.collect(copy, chain, on_the_way, tests)?;
            chain.pop();
        }
        on_the_way.remove(&register);
        (tests.len() <= MOST_TESTS).then_some(())
    }

    fn instruction(&mut self, instr: &'f Instr) {
        if let InstrKind::Assign { target: Place::Register(copy), value } = &instr.kind
            && !is_boolean(value, self.function)
            && let Dependence::On(register) = dependence(value)
        {
            self.count_reads(value);
            self.copies.entry(register).or_default().push((*copy, value));
            return;
        }
        for expr in operands(&instr.kind) {
            self.expression(expr);
        }
    }

    fn count_reads(&mut self, expr: &Expr) {
        expr.walk(&mut |part| {
            if let Expr::Register(register) = part {
                *self.reads.entry(*register).or_default() += 1;
            }
        });
    }

    fn expression(&mut self, expr: &'f Expr) {
        self.count_reads(expr);
        self.part(expr);
    }

    /// Finds the largest parts that are booleans of one register alone; other registers are used otherwise.
    fn part(&mut self, expr: &'f Expr) {
        if is_boolean(expr, self.function)
            && let Dependence::On(register) = dependence(expr)
        {
            self.booleans.entry(register).or_default().push(expr);
            return;
        }
        match expr {
            Expr::Register(register) => {
                self.otherwise.insert(*register);
            }
            Expr::Int(_) | Expr::Bool(_) | Expr::SelfIndex => {}
            Expr::Element { index, .. } | Expr::Load { index, .. } => self.part(index),
            Expr::Unary { operand, .. } => self.part(operand),
            Expr::Binary { left, right, .. } => {
                self.part(left);
                self.part(right);
            }
            Expr::Select { condition, then, otherwise } => {
                self.part(condition);
                self.part(then);
                self.part(otherwise);
            }
        }
    }
}

/// What the value of an expression depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependence {
    Nothing,
    On(RegisterId),
    More,
}

fn dependence(expr: &Expr) -> Dependence {
    let mut found = Dependence::Nothing;
    expr.walk(&mut |part| {
        found = match (part, found) {
            (Expr::Register(register), Dependence::Nothing) => Dependence::On(*register),
            (Expr::Register(register), Dependence::On(other)) if *register == other => found,
            (Expr::Register(_) | Expr::SelfIndex | Expr::Element { .. } | Expr::Load { .. }, _) => {
                Dependence::More
            }
            _ => found,
        }
    });
    found
}

/// The expressions that an instruction evaluates.
fn operands(kind: &InstrKind) -> Vec<&Expr> {
    match kind {
        InstrKind::Assign { target, value } => match target {
            Place::Register(_) => vec![value],
            Place::Element { index, .. } | Place::Shared { index, .. } => vec![value, index],
        },
        InstrKind::Rmw { index, operand, .. } => vec![index, operand],
        InstrKind::CompareExchange { index, expected, desired, .. } => vec![index, expected, desired],
        InstrKind::Lock(mutex) | InstrKind::Unlock(mutex) | InstrKind::TryLock { mutex, .. } => {
            vec![&mutex.index]
        }
        InstrKind::Wait { condvar, mutex } => vec![&condvar.index, &mutex.index],
        InstrKind::Signal(condvar) | InstrKind::Broadcast(condvar) => vec![&condvar.index],
        InstrKind::Spawn(thread) | InstrKind::Join(thread) => vec![&thread.index],
        InstrKind::Assert(condition) | InstrKind::Assume(condition) | InstrKind::Await(condition) => {
            vec![condition]
        }
        InstrKind::Choose { low, high, .. } => vec![low, high],
        InstrKind::Call { arguments, .. } => arguments.iter().collect(),
        InstrKind::BarrierWait(_) | InstrKind::AtomicBegin | InstrKind::AtomicEnd => Vec::new(),
    }
}
