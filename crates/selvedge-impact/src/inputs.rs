//! Classes of inputs that are only tested: one value of each suffices for running a program.
//!
//! `if nondet(0..1000000) > 5` has a million choices and two outcomes. A register is *only tested* if its value flows nowhere but
//! into booleans that depend on nothing else, directly or by way of registers that are only tested themselves ([`tested`]). Two values are in one class
//! if all these tests come out the same, failures of operators included ([`partition`](mod@partition)). [`InputClasses`] is the program with one value of each class for each such
//! input, its *representative*.
//!
//! Why nothing is lost: relate states of the two programs that are equal but for registers that are only tested, of which all tests
//! come out the same. The beginning is related to itself. A step of one program that reads such a register reads the outcome of a
//! test, so the other can make the same step, with the same effects; copying from one such register into another keeps the relation, because the
//! tests of the copy are tests of the original; and what one program chooses, the other can choose a representative of, or the same. So related states have
//! the same threads waiting, fail in the same way, and lead to related states. The other way round, each execution with representatives
//! *is* an execution of the program: [`InputClasses::translate`] finds it.
//!
//! Inputs of C of 32 bits are chosen in two steps, `a = choose ..; b = choose 0 .. 2; n = a + b`, because one choice has too few
//! values; the two count as one input.

pub mod partition;
pub mod tested;
pub mod values;

use partition::{Range, partition};
use selvedge_interp::Interpreter;
use selvedge_interp::steps::steps;
use selvedge_ir::{BinaryOp, Expr, Function, Instr, InstrKind, Place, Program, RegisterId, Type};
use selvedge_trace::{Decision, ThreadId};
use std::collections::BTreeMap;
use tested::Tested;

/// The number by which the choices of the program of classes are told from others: that of the first choice of the first input.
const BASE: i64 = i64::MIN / 2;
/// The distance between the numbers of two inputs, more than there are classes.
const STRIDE: i64 = 1 << 20;

/// A program in which each input that is only tested has one value of each class.
#[derive(Clone, Debug)]
pub struct InputClasses {
    /// The program.
    pub program: Program,
    inputs: Vec<Input>,
}

/// An input that is only tested.
#[derive(Clone, Debug)]
struct Input {
    /// The least value of its first choice.
    low: i64,
    /// The greatest value of its first choice.
    high: i64,
    /// A value of each class.
    representatives: Vec<i64>,
}

/// How an input is chosen.
struct Chosen {
    /// The first register that is chosen.
    first: RegisterId,
    /// The second, and the register of their sum.
    rest: Option<(RegisterId, RegisterId)>,
    low: i64,
    /// The greatest value of the first register.
    high: i64,
}

impl Chosen {
    /// The choice at the beginning of these instructions.
    fn at(instrs: &[Instr]) -> Option<Chosen> {
        let (first, low, high) = constant_choice(instrs.first()?)?;
        let second = instrs.get(1).and_then(constant_choice);
        let rest = second.filter(|&(_, low, high)| (low, high) == (0, 1)).and_then(|(second, ..)| {
            let sum = sum_of(instrs.get(2)?, first, second)?;
            Some((second, sum))
        });
        Some(Chosen { first, rest, low, high })
    }

    /// The values of the input.
    fn range(&self) -> Range {
        Range { low: self.low, high: self.high + i64::from(self.rest.is_some()) }
    }
}

/// The register, the least and the greatest value of a choice between constants that the interpreter can make.
fn constant_choice(instr: &Instr) -> Option<(RegisterId, i64, i64)> {
    match instr.kind {
        InstrKind::Choose { target, low: Expr::Int(low), high: Expr::Int(high) } if low < high => {
            u32::try_from(high.checked_sub(low)?).ok()?;
            Some((target, low, high - 1))
        }
        _ => None,
    }
}

/// The register that gets the sum of two others.
fn sum_of(instr: &Instr, first: RegisterId, second: RegisterId) -> Option<RegisterId> {
    let InstrKind::Assign { target: Place::Register(sum), value } = &instr.kind else { return None };
    let Expr::Binary { op: BinaryOp::Add, left, right } = value else { return None };
    let is_sum = **left == Expr::Register(first) && **right == Expr::Register(second);
    (is_sum && first != second && *sum != first && *sum != second).then_some(*sum)
}

impl InputClasses {
    /// The classes of the inputs of a program, if there are any that are only tested and have fewer classes than values.
    pub fn of(program: &Program) -> Option<InputClasses> {
        let mut split = InputClasses { program: program.clone(), inputs: Vec::new() };
        for number in 0..program.functions.len() {
            split.split_function(number, &program.functions[number]);
        }
        (!split.inputs.is_empty()).then_some(split)
    }

    fn split_function(&mut self, number: usize, function: &Function) {
        let tested = Tested::new(function);
        for (block, old) in function.blocks.iter().enumerate() {
            let mut instrs = Vec::new();
            let mut rest = &old.instrs[..];
            while let Some(instr) = rest.first() {
                let classes = Chosen::at(rest).and_then(|chosen| self.classes(&tested, chosen));
                match classes {
                    Some((chosen, input)) => {
                        let count = if chosen.rest.is_some() { 3 } else { 1 };
                        self.rewrite(&chosen, input, &rest[..count], &mut instrs);
                        rest = &rest[count..];
                    }
                    None => {
                        instrs.push(instr.clone());
                        rest = &rest[1..];
                    }
                }
            }
            self.program.functions[number].blocks[block].instrs = instrs;
        }
    }

    /// The classes of an input, if it is only tested and they are fewer than its values.
    fn classes(&self, tested: &Tested, chosen: Chosen) -> Option<(Chosen, Input)> {
        // Two registers that are read elsewhere, too, may still be an input each.
        let joined = chosen.rest.filter(|&(second, _)| tested.are_only_added(chosen.first, second));
        let chosen = Chosen { rest: joined, ..chosen };
        let register = chosen.rest.map_or(chosen.first, |(_, sum)| sum);
        let tests = tested.tests(register)?;
        let representatives = partition(chosen.range(), &tests)?;
        let Chosen { low, high, .. } = chosen;
        Some((chosen, Input { low, high, representatives }))
    }

    /// Writes the choice of a class, and the assignment of its representative.
    fn rewrite(&mut self, chosen: &Chosen, input: Input, old: &[Instr], instrs: &mut Vec<Instr>) {
        let base = BASE + STRIDE * self.inputs.len() as i64;
        let span = old[0].span;
        let choose = |target, low: i64, count: i64| {
            let kind = InstrKind::Choose { target, low: Expr::Int(low), high: Expr::Int(low + count) };
            Instr { kind, span }
        };
        let assign = |target, value| Instr {
            kind: InstrKind::Assign { target: Place::Register(target), value },
            span,
        };
        instrs.push(choose(chosen.first, base, input.representatives.len() as i64));
        let value = table(chosen.first, base, &input.representatives);
        match chosen.rest {
            None => instrs.push(assign(chosen.first, value)),
            Some((second, sum)) => {
                instrs.push(choose(second, base + STRIDE / 2, 1));
                instrs.push(assign(sum, value));
                // Nothing reads them, and they need not tell states apart.
                instrs.push(assign(chosen.first, Expr::Int(0)));
                instrs.push(assign(second, Expr::Int(0)));
            }
        }
        self.inputs.push(input);
    }

    /// The schedule of the original program that makes the same steps with the same inputs, if every choice can be told.
    pub fn translate(&self, schedule: &[Decision]) -> Option<Vec<Decision>> {
        let (records, _) = steps(Interpreter::new(&self.program), schedule);
        // What is left to choose in the second step of an input, by thread.
        let mut second: BTreeMap<ThreadId, u32> = BTreeMap::new();
        records
            .iter()
            .map(|record| {
                let thread = record.decision.thread;
                let original = match record.chosen.and_then(|chosen| self.part(chosen)) {
                    None => return Some(record.decision),
                    Some((input, Part::First(class))) => {
                        let value = *input.representatives.get(class)?;
                        let first = value.min(input.high);
                        second.insert(thread, u32::try_from(value - first).ok()?);
                        u32::try_from(first - input.low).ok()?
                    }
                    Some((_, Part::Second)) => second.remove(&thread)?,
                };
                Some(Decision { choice: original, ..record.decision })
            })
            .collect()
    }

    /// Which part of which input has been chosen, if it is one of ours.
    fn part(&self, chosen: i64) -> Option<(&Input, Part)> {
        let number = chosen.checked_sub(BASE)?;
        let input = self.inputs.get(usize::try_from(number / STRIDE).ok()?)?;
        let within = usize::try_from(number % STRIDE).ok()?;
        Some((input, if within < STRIDE as usize / 2 { Part::First(within) } else { Part::Second }))
    }
}

/// A part of the choice of an input.
enum Part {
    /// Its class, by its number.
    First(usize),
    /// The second step.
    Second,
}

/// The representative of the class whose number, from `base` on, is in a register.
fn table(register: RegisterId, base: i64, representatives: &[i64]) -> Expr {
    let middle = representatives.len() / 2;
    if middle == 0 {
        return Expr::Int(representatives[0]);
    }
    let (before, after) = representatives.split_at(middle);
    let bound = base + middle as i64;
    let condition = Expr::Binary {
        op: BinaryOp::Lt,
        left: Box::new(Expr::Register(register)),
        right: Box::new(Expr::Int(bound)),
    };
    Expr::Select {
        condition: Box::new(condition),
        then: Box::new(table(register, base, before)),
        otherwise: Box::new(table(register, bound, after)),
    }
}

/// Whether the value of an expression is a boolean.
fn is_boolean(expr: &Expr, function: &Function) -> bool {
    use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or};
    use selvedge_ir::UnaryOp::{Not, ToBool};
    match expr {
        Expr::Bool(_) => true,
        Expr::Register(register) => function.registers[register.index()].ty == Type::Bool,
        Expr::Unary { op, .. } => matches!(op, Not | ToBool),
        Expr::Binary { op, .. } => matches!(op, Eq | Ne | Lt | Le | Gt | Ge | And | Or),
        Expr::Select { then, .. } => is_boolean(then, function),
        Expr::Int(_) | Expr::SelfIndex | Expr::Element { .. } | Expr::Load { .. } => false,
    }
}
