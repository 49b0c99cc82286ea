//! Expressions: folding of constants, and code that computes the rest into slots.

use super::function::FunctionCompiler;
use crate::code::{Op, Slot};
use selvedge_ir::{BinaryOp, Expr, ObjectId};

/// The expression with everything constant computed; `self_index` is known in the code of a thread.
pub fn fold(expr: &Expr, self_index: Option<i64>) -> Expr {
    let fold_box = |e: &Expr| Box::new(fold(e, self_index));
    match expr {
        Expr::Int(_) | Expr::Register(_) => expr.clone(),
        Expr::Bool(value) => Expr::Int(i64::from(*value)),
        Expr::SelfIndex => self_index.map_or(Expr::SelfIndex, Expr::Int),
        Expr::Element { array, index } => Expr::Element { array: *array, index: fold_box(index) },
        Expr::Load { object, index } => Expr::Load { object: *object, index: fold_box(index) },
        Expr::Unary { op, operand } => match fold(operand, self_index) {
            Expr::Int(a) => Expr::Int(op.apply(a)),
            operand => Expr::Unary { op: *op, operand: Box::new(operand) },
        },
        Expr::Binary { op, left, right } => fold_binary(*op, fold(left, self_index), fold(right, self_index)),
        Expr::Select { condition, then, otherwise } => match fold(condition, self_index) {
            Expr::Int(0) => fold(otherwise, self_index),
            Expr::Int(_) => fold(then, self_index),
            condition => Expr::Select {
                condition: Box::new(condition),
                then: fold_box(then),
                otherwise: fold_box(otherwise),
            },
        },
    }
}

fn fold_binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    match (op, &left, &right) {
        (BinaryOp::And, Expr::Int(0), _) => return Expr::Int(0),
        (BinaryOp::And, Expr::Int(_), _) => return right,
        (BinaryOp::Or, Expr::Int(0), _) => return right,
        (BinaryOp::Or, Expr::Int(_), _) => return Expr::Int(1),
        (_, Expr::Int(a), Expr::Int(b)) => {
            if let Some(value) = op.apply(*a, *b) {
                return Expr::Int(value);
            }
        }
        _ => {}
    }
    Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
}

impl FunctionCompiler<'_> {
    /// The expression with everything constant computed.
    pub fn fold(&self, expr: &Expr) -> Expr {
        fold(expr, self.self_index())
    }

    /// Emits code for a folded expression; returns the slot that holds its value.
    pub fn value(&mut self, expr: &Expr) -> Slot {
        match expr {
            Expr::Register(register) => register.0,
            _ => {
                let dst = self.temporary();
                self.value_into(expr, dst);
                dst
            }
        }
    }

    /// Emits code that computes a folded expression into a temporary.
    pub fn value_into(&mut self, expr: &Expr, dst: Slot) {
        match expr {
            Expr::Int(value) => self.emit(Op::Const { dst, value: *value }),
            Expr::Bool(value) => self.emit(Op::Const { dst, value: i64::from(*value) }),
            Expr::SelfIndex => self.emit(Op::SelfIndex { dst }),
            Expr::Register(register) => self.emit(Op::Copy { dst, src: register.0 }),
            Expr::Element { array, index } => {
                let index = self.value(index);
                let array = self.array(*array);
                self.emit(Op::Element { dst, array, index });
            }
            Expr::Load { object, index } => self.load_into(*object, index, dst),
            Expr::Unary { op, operand } => {
                let a = self.value(operand);
                self.emit(Op::Unary { op: *op, dst, a });
            }
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), left, right } => {
                self.value_into(left, dst);
                let over = self.emit_jump(match op {
                    BinaryOp::And => Op::JumpIfFalse { condition: dst, to: 0 },
                    _ => Op::JumpIfTrue { condition: dst, to: 0 },
                });
                self.value_into(right, dst);
                self.land(over);
            }
            Expr::Binary { op, left, right } => {
                let a = self.value(left);
                let b = self.value(right);
                self.emit(Op::Binary { op: *op, dst, a, b });
            }
            Expr::Select { condition, then, otherwise } => {
                let condition = self.value(condition);
                let to_otherwise = self.emit_jump(Op::JumpIfFalse { condition, to: 0 });
                self.value_into(then, dst);
                let over = self.emit_jump(Op::Jump(0));
                self.land(to_otherwise);
                self.value_into(otherwise, dst);
                self.land(over);
            }
        }
    }

    fn load_into(&mut self, object: ObjectId, index: &Expr, dst: Slot) {
        match self.fixed_cell(object.0, index) {
            Some(cell) => self.emit(Op::Load { dst, cell }),
            None => {
                let index = self.value(index);
                self.emit(Op::LoadAt { dst, array: object.0, index });
            }
        }
    }

    /// The cell of an element of a range, if it is known and exists.
    pub fn fixed_cell(&self, array: u32, index: &Expr) -> Option<u32> {
        let range = &self.code.layout.arrays[array as usize];
        match index {
            Expr::Int(i) if (0..i64::from(range.length)).contains(i) => Some(range.start + *i as u32),
            _ => None,
        }
    }
}
