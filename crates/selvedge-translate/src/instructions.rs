//! One instruction at a time.

use crate::arithmetic::{op, select};
use crate::constants;
use crate::facts::ObjectKey;
use crate::memory::stray;
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::{Pointer, Value};
use selvedge_ir as ir;
use selvedge_ir::{BinaryOp, Expr};
use selvedge_llvm::instruction::{
    BinaryOperator, BlockId, CastOperator, Instruction, LocalId, Operand, Operation, Predicate, RmwOperator,
    Value as Typed,
};
use selvedge_llvm::types::{Type, TypeId};

/// Addresses below this are parts of what a null pointer points to.
const PAGE: i64 = 4096;

impl Thread<'_, '_> {
    /// The bits of a type that is an integer or an address.
    pub fn bits(&self, ty: TypeId) -> Done<u32> {
        match self.run.module.types.get(ty) {
            Type::Int(bits @ 1..=64) => Ok(*bits),
            Type::Pointer => Ok(64),
            Type::Int(_) => self.refuse("an integer of more than 64 bits"),
            Type::Half | Type::Float | Type::Double | Type::X86Fp80 | Type::Fp128 => {
                self.refuse("floating point")
            }
            Type::Vector(..) => self.refuse("a vector"),
            _ => self.refuse("a structure as a value"),
        }
    }

    /// What is known of an operand.
    pub fn operand(&mut self, ty: TypeId, operand: &Operand) -> Done<Value> {
        let value = match operand {
            Operand::Local(local) => match self.state.top().values.get(local) {
                Some(value) => value.clone(),
                None => self.alloca(*local)?,
            },
            Operand::Constant(constant) => match constants::value(self.run.module, ty, constant) {
                Ok(value) => value,
                Err(what) => return self.refuse(what),
            },
            Operand::Metadata(_) => Value::Undefined,
        };
        Ok(self.localise(value))
    }

    /// The address of a variable that each thread has.
    fn localise(&self, value: Value) -> Value {
        match value {
            Value::Pointer(Pointer { object: Some(ObjectKey::Global(place)), constant, terms })
                if self.run.module.globals[place].is_thread_local =>
            {
                let object = Some(ObjectKey::ThreadLocal(place, self.number));
                Value::Pointer(Pointer { object, constant, terms })
            }
            value => value,
        }
    }

    /// The address of a local variable.
    fn alloca(&mut self, local: LocalId) -> Done<Value> {
        let top = self.state.top();
        let (function, context) = (top.function, top.context);
        let mut instructions = self.run.function(function).blocks.iter().flat_map(|b| &b.instructions);
        let made = instructions.find(|instruction| instruction.result == Some(local));
        match made.map(|instruction| &instruction.operation) {
            Some(Operation::Alloca { ty, count, .. }) => {
                let object = ObjectKey::Local(context, local);
                if let Some(count) = count
                    && !matches!(&count.operand, Operand::Constant(c) if *c == selvedge_llvm::constant::Constant::Int(1))
                {
                    return self.refuse("a local array of a size that is computed");
                }
                self.run.lay_out(object, function, *ty, None);
                Ok(Value::address(object))
            }
            _ => Ok(Value::Undefined),
        }
    }

    /// What is known of an operand with its type.
    pub fn value(&mut self, value: &Typed) -> Done<Value> {
        self.operand(value.ty, &value.operand)
    }

    /// Whether the instruction at hand does nothing but load.
    pub fn is_at_load(&self) -> bool {
        let top = self.state.top();
        let instructions = &self.run.function(top.function).blocks[top.block.0 as usize].instructions;
        matches!(instructions[top.index].operation, Operation::Load { .. })
    }

    /// Whether an access has no meaning: through a null or an uninitialised pointer, to a variable of a function that has returned, to freed memory,
    /// or to change a constant.
    fn is_wrong_access(&mut self, operation: &Operation) -> Done<bool> {
        let (pointer, stores) = match operation {
            Operation::Load { pointer, .. } => (pointer, false),
            Operation::Store { pointer, .. }
            | Operation::ReadModifyWrite { pointer, .. }
            | Operation::CompareExchange { pointer, .. } => (pointer, true),
            _ => return Ok(false),
        };
        let address = self.value(pointer)?;
        Ok(self.is_wrong_address(&address, stores))
    }

    /// Whether a place is not within an object whose size is known.
    fn is_outside(&self, object: ObjectKey, place: i64) -> bool {
        let size = self.run.size(object);
        size > 0 && !(0..size as i64).contains(&place)
    }

    /// Whether nothing can be read, or stored, at an address.
    pub fn is_wrong_address(&self, address: &Value, stores: bool) -> bool {
        match address {
            Value::Undefined => self.is_uninitialised(address),
            Value::Pointer(Pointer { object: Some(object), .. }) if self.state.freed.contains(object) => true,
            Value::Pointer(Pointer { object: Some(object), constant, terms })
                if terms.is_empty() && self.is_outside(*object, *constant) =>
            {
                true
            }
            Value::Pointer(Pointer { object: Some(ObjectKey::Global(place)), .. }) => {
                stores && self.run.module.globals[*place].is_constant
            }
            Value::Pointer(Pointer { object: Some(object @ ObjectKey::Local(context, _)), .. }) => {
                let lives = self.state.frames.iter().any(|frame| frame.context == *context);
                let is_over = self.run.facts.is_over(*context) || self.run.owner(*context) == self.number;
                !lives && !self.run.facts.heap.contains_key(object) && is_over
            }
            value => value.known().is_some_and(|address| (0..PAGE).contains(&address)),
        }
    }

    /// Translates an instruction.
    pub fn instruction(&mut self, instruction: &Instruction) -> Done<Next> {
        if self.is_wrong_access(&instruction.operation)? {
            return Ok(self.undefined());
        }
        match &instruction.operation {
            Operation::Phi(..) | Operation::Declare { .. } | Operation::Nothing | Operation::Fence(_) => {
                Ok(self.on())
            }
            Operation::Alloca { ty, count: Some(count), .. }
                if !matches!(count.operand, Operand::Constant(_)) =>
            {
                // The size is known here and now, or never.
                let (size, top) = (self.value(count)?.known(), self.state.top());
                let (Some(size), Some(local)) = (size, instruction.result) else {
                    return self.refuse("a local array of a size that is computed");
                };
                let (function, object) = (top.function, ObjectKey::Local(top.context, local));
                self.run.lay_out(object, function, *ty, Some(size as u64));
                self.revive(object)?;
                self.state.top_mut().values.insert(local, Value::address(object));
                Ok(self.on())
            }
            Operation::Alloca { .. } => {
                if let Some(local) = instruction.result
                    && let Value::Pointer(Pointer { object: Some(object), .. }) = self.alloca(local)?
                {
                    self.revive(object)?;
                }
                Ok(self.on())
            }
            Operation::Load { ty, pointer, .. } => {
                let (address, bits) = (self.value(pointer)?, self.bits(*ty)?);
                let Some(result) = instruction.result else { return Ok(self.on()) };
                if *self.run.module.types.get(*ty) == Type::Pointer {
                    self.note_pointer(&address)?;
                }
                let value = self.load(&address, bits, result)?;
                self.state.top_mut().values.insert(result, value);
                Ok(self.on())
            }
            Operation::Store { value, pointer, .. } => {
                let (address, bits) = (self.value(pointer)?, self.bits(value.ty)?);
                if *self.run.module.types.get(value.ty) == Type::Pointer {
                    self.note_pointer(&address)?;
                }
                let value = self.value(value)?;
                self.store(&address, bits, value)?;
                Ok(self.on())
            }
            Operation::ReadModifyWrite { operator, pointer, value, .. } => {
                self.read_modify_write(instruction, *operator, pointer, value)
            }
            Operation::CompareExchange { pointer, expected, new, .. } => {
                self.compare_exchange(instruction, pointer, expected, new)
            }
            Operation::Call(call) => self.call(instruction, call),
            Operation::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value)).transpose()?;
                self.leave(value)
            }
            Operation::Branch(to) => self.jump(*to),
            Operation::ConditionalBranch(condition, then, otherwise) => {
                let condition = self.value(condition)?;
                self.conditional(&condition, *then, *otherwise)
            }
            Operation::Switch(value, default, cases) => self.switch(value, *default, cases),
            Operation::Unreachable => {
                // What does not return has been left before; the program has no meaning from here on.
                Ok(self.undefined())
            }
            operation => {
                let value = self.pure(operation)?;
                self.result(instruction, value)
            }
        }
    }

    /// The result of an operation that only computes.
    fn pure(&mut self, operation: &Operation) -> Done<Value> {
        match operation {
            Operation::Binary(operator, _, a, b) => {
                let bits = self.bits(a.ty)?;
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.binary(*operator, bits, &a, &b)
            }
            Operation::Compare(predicate, a, b) => {
                let bits = self.bits(a.ty)?;
                let (a, b) = (self.value(a)?, self.value(b)?);
                if a == stray() || b == stray() {
                    return Ok(Value::computed(1, self.choose(1)?));
                }
                self.compare(*predicate, bits, &a, &b)
            }
            Operation::Cast(operator, value, to) => {
                let from = value.ty;
                let value = self.value(value)?;
                self.cast(*operator, from, value, *to)
            }
            Operation::Select(condition, then, otherwise) => {
                let bits = self.bits(then.ty)?;
                let condition = self.value(condition)?;
                let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
                self.choice(&condition, then, otherwise, bits)
            }
            Operation::Element { source, base, indices } => {
                let base = self.value(base)?;
                let indices: Done<Vec<_>> = indices.iter().map(|i| Ok((i.ty, self.value(i)?))).collect();
                match constants::element(self.run.module, *source, base, &indices?) {
                    Ok(value) => Ok(value),
                    Err(what) => self.refuse(what),
                }
            }
            Operation::Freeze(value) => self.value(value),
            Operation::ExtractValue(whole, path) => {
                let mut value = self.value(whole)?;
                for &part in path {
                    value = match value {
                        Value::Parts(parts) if (part as usize) < parts.len() => parts[part as usize].clone(),
                        Value::Undefined => Value::Undefined,
                        _ => return self.refuse("a structure as a value"),
                    };
                }
                Ok(value)
            }
            Operation::Unsupported(what) => self.refuse_everywhere(what.clone()),
            Operation::IndirectBranch(..) => self.refuse("a jump to the address of a label"),
            Operation::Invoke(..) | Operation::LandingPad { .. } | Operation::Resume(_) => {
                self.refuse("C++ exceptions")
            }
            Operation::Negate(_) | Operation::CompareFloat(..) => self.refuse("floating point"),
            Operation::VaArg(..) => self.refuse("further arguments of a function"),
            Operation::InsertValue(..) => self.refuse("a structure as a value"),
            _ => self.refuse("a vector"),
        }
    }

    fn choice(&mut self, condition: &Value, then: Value, otherwise: Value, bits: u32) -> Done<Value> {
        if let Some(known) = condition.known() {
            return Ok(if known != 0 { then } else { otherwise });
        }
        if then == otherwise {
            return Ok(then);
        }
        let condition = self.number(condition, 1)?.expr;
        let (a, b) = (self.number(&then, bits)?, self.number(&otherwise, bits)?);
        let (low, high) = (a.low.min(b.low), a.high.max(b.high));
        Ok(Value::bounded(bits, select(condition, a.expr, b.expr), low.into(), high.into()))
    }

    fn compare(&mut self, predicate: Predicate, bits: u32, a: &Value, b: &Value) -> Done<Value> {
        let truth = |value: bool| Ok(Value::int(1, value.into()));
        let equality = match predicate {
            Predicate::Eq => Some(true),
            Predicate::Ne => Some(false),
            _ => None,
        };
        let is_null = |value: &Value| value.known() == Some(0);
        match (a, b, equality) {
            (Value::Pointer(Pointer { object: Some(_), .. }) | Value::Function(_), other, Some(equal))
            | (other, Value::Pointer(Pointer { object: Some(_), .. }) | Value::Function(_), Some(equal))
                if is_null(other) =>
            {
                truth(!equal)
            }
            (Value::Pointer(x), Value::Pointer(y), Some(equal))
                if x.object.is_some() || y.object.is_some() =>
            {
                if x == y {
                    return truth(equal);
                }
                if x.object != y.object {
                    self.check_reuse(x, y)?;
                    return truth(!equal);
                }
                if x.terms.is_empty() && y.terms.is_empty() {
                    return truth((x.constant == y.constant) == equal);
                }
                self.refuse("a comparison of computed addresses")
            }
            (Value::Function(x), Value::Function(y), Some(equal)) => truth((x == y) == equal),
            (Value::Thread(x), Value::Thread(y), Some(equal)) => truth((x == y) == equal),
            (Value::Function(_), Value::Pointer(_), Some(equal))
            | (Value::Pointer(_), Value::Function(_), Some(equal)) => truth(!equal),
            _ if self.compares_uninitialised(predicate, bits, a, b) => Ok(Value::Undefined),
            _ => self.compare_numbers(predicate, bits, a, b),
        }
    }

    fn cast(&mut self, operator: CastOperator, from: TypeId, value: Value, to: TypeId) -> Done<Value> {
        match operator {
            CastOperator::BitCast => {
                self.bits(to)?;
                Ok(value)
            }
            CastOperator::IntToPtr => Ok(constants::to_pointer(value)),
            CastOperator::PtrToInt => match &value {
                Value::Pointer(Pointer { object: None, .. }) => {
                    let bits = self.bits(to)?;
                    self.convert(CastOperator::Trunc, 64, &value, bits)
                }
                _ => Ok(value),
            },
            CastOperator::Trunc | CastOperator::SExt | CastOperator::ZExt => {
                let (from, to) = (self.bits(from)?, self.bits(to)?);
                self.convert(operator, from, &value, to)
            }
            _ => self.refuse("floating point"),
        }
    }

    /// Goes on by a condition.
    pub fn conditional(&mut self, condition: &Value, then: BlockId, otherwise: BlockId) -> Done<Next> {
        if let Some(known) = condition.known() {
            return self.jump(if known != 0 { then } else { otherwise });
        }
        if self.is_uninitialised(condition) {
            return Ok(self.undefined());
        }
        let condition = self.number(condition, 1)?;
        self.branch(condition.expr, then, otherwise)
    }

    fn switch(&mut self, value: &Typed, default: BlockId, cases: &[(Typed, BlockId)]) -> Done<Next> {
        let bits = self.bits(value.ty)?;
        let on = self.value(value)?;
        let numbers: Done<Vec<_>> =
            cases.iter().map(|(case, to)| Ok((self.value(case)?.known(), *to))).collect();
        let numbers = numbers?;
        if let Some(known) = on.known() {
            let to = numbers.iter().find(|(number, _)| *number == Some(known)).map_or(default, |case| case.1);
            return self.jump(to);
        }
        if self.is_uninitialised(&on) {
            return Ok(self.undefined());
        }
        let number = self.number(&on, bits)?;
        let mut tests = Vec::new();
        for (case, to) in numbers {
            let Some(case) = case else { return self.refuse("a case that is no number") };
            tests.push((op(BinaryOp::Eq, number.expr.clone(), Expr::Int(case)), to));
        }
        self.cascade(tests, default)
    }

    fn read_modify_write(
        &mut self,
        instruction: &Instruction,
        operator: RmwOperator,
        pointer: &Typed,
        value: &Typed,
    ) -> Done<Next> {
        let bits = self.bits(value.ty)?;
        let (address, operand) = (self.value(pointer)?, self.value(value)?);
        let Some(result) = instruction.result else { return self.refuse("an operation without result") };
        let operand = Value::of(self.number(&operand, bits)?);
        self.begin_section()?;
        let old = self.load(&address, bits, result)?;
        let binary = |operator| (Some(operator), false);
        let (computed, is_nand) = match operator {
            RmwOperator::Xchg => (None, false),
            RmwOperator::Add => binary(BinaryOperator::Add),
            RmwOperator::Sub => binary(BinaryOperator::Sub),
            RmwOperator::And => binary(BinaryOperator::And),
            RmwOperator::Or => binary(BinaryOperator::Or),
            RmwOperator::Xor => binary(BinaryOperator::Xor),
            RmwOperator::Nand => (Some(BinaryOperator::And), true),
            _ => return self.refuse("an atomic operation that is not known"),
        };
        let mut new = match computed {
            Some(operator) => self.binary(operator, bits, &old, &operand)?,
            None => operand,
        };
        if is_nand {
            new = self.binary(BinaryOperator::Xor, bits, &new, &Value::int(bits, -1))?;
        }
        self.state.top_mut().values.insert(result, old);
        self.store(&address, bits, new)?;
        self.end_section()?;
        Ok(self.on())
    }

    fn compare_exchange(
        &mut self,
        instruction: &Instruction,
        pointer: &Typed,
        expected: &Typed,
        new: &Typed,
    ) -> Done<Next> {
        let bits = self.bits(new.ty)?;
        let address = self.value(pointer)?;
        let (expected, new) = (self.value(expected)?, self.value(new)?);
        let Some(result) = instruction.result else { return self.refuse("an operation without result") };
        let (expected, new) = (self.number(&expected, bits)?, self.number(&new, bits)?);
        self.begin_section()?;
        let old = self.load(&address, bits, result)?;
        // The old value stays where it is read from: the section may change the place.
        let old = {
            let number = self.number(&old, bits)?;
            let register = self.step_register(ir::Type::Int);
            self.assign(register, number.expr);
            ir::Expr::Register(register)
        };
        let equal = self.step_register(ir::Type::Bool);
        self.assign(equal, op(BinaryOp::Eq, old.clone(), expected.expr));
        let equal = Expr::Register(equal);
        let kept = select(equal.clone(), new.expr, old.clone());
        self.store(&address, bits, Value::computed(bits, kept))?;
        self.end_section()?;
        let parts = vec![Value::computed(bits, old), Value::computed(1, equal)];
        self.state.top_mut().values.insert(result, Value::Parts(parts));
        Ok(self.on())
    }
}
