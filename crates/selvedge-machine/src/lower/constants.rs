//! Constants: their words as operands, their bytes in global variables.

use super::Lowering;
use crate::code::{CONSTANT, GlobalVariable, Slot, Variable};
use crate::landmarks::FUNCTION_STEP;
use crate::memory::{Kind, Memory, NULL_END, Sharing};
use crate::options::Addresses;
use selvedge_llvm::constant::{Constant, TypedConstant};
use selvedge_llvm::instruction::{BinaryOperator, CastOperator, Predicate};
use selvedge_llvm::module::{Definition, SymbolId};
use selvedge_llvm::types::{Type, TypeId};
use std::collections::HashMap;

/// Where the addresses of labels begin: no memory is there.
const LABELS: u128 = 0x0080_0000;

/// Addresses of symbols, and constants that operands use.
#[derive(Debug, Default)]
pub struct Constants {
    /// Where functions and global variables are.
    pub addresses: HashMap<SymbolId, u64>,
    /// The variables of which every thread has its own, by their place among all.
    pub thread_local: HashMap<SymbolId, u32>,
    known: HashMap<Vec<u64>, Slot>,
}

/// A scalar constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// A word.
    Word(u128),
    /// An offset from the address of this thread's copy of a variable.
    ThreadLocal(u32, u64),
}

/// The symbol that a constant is the address of.
pub fn symbol_of(constant: &Constant) -> Option<SymbolId> {
    match constant {
        Constant::Symbol(symbol) => Some(*symbol),
        Constant::Cast(_, inner) => symbol_of(&inner.value),
        _ => None,
    }
}

/// What cannot be evaluated, in words.
pub type Evaluated<T> = Result<T, String>;

/// What cannot be evaluated because it differs from machine to machine.
const NUMBER: &str = "a constant that depends on the number of an address";

/// The size of objects that are defined elsewhere and of which nothing is known.
const UNKNOWN_SIZE: u64 = 256;

impl Lowering<'_> {
    pub(super) fn lay_out_globals(&mut self) {
        let mut memory = Memory::new(0, self.code.model);
        let module = self.module;
        for (place, global) in module.globals.iter().enumerate() {
            let size = match &global.initial {
                Some(_) => module.types.size(global.ty),
                None => module.types.size(global.ty).max(UNKNOWN_SIZE),
            };
            let address = match global.is_thread_local {
                true => {
                    self.constants.thread_local.insert(global.symbol, place as u32);
                    0
                }
                false => {
                    let kind = Kind::Global(place as u32);
                    let id = memory.create(0, size, kind, Sharing::Shared, Default::default());
                    memory.object(id).base
                }
            };
            self.constants.addresses.insert(global.symbol, address);
            let variable = match global.debug {
                Some(node) => self.variable(node),
                None => Variable { name: module.name(global.symbol).to_owned(), ty: None },
            };
            self.code.globals.push(GlobalVariable {
                variable,
                bytes: vec![0; size as usize],
                address,
                alignment: global.alignment.unwrap_or_else(|| module.types.align(global.ty) as u32),
                is_constant: global.is_constant,
                is_thread_local: global.is_thread_local,
                is_external: global.initial.is_none(),
            });
        }
        for (place, global) in module.globals.iter().enumerate() {
            if module.name(global.symbol) == "llvm.global_ctors" {
                self.constructors(global.initial.as_ref());
                continue;
            }
            if let Some(initial) = &global.initial {
                let mut bytes = std::mem::take(&mut self.code.globals[place].bytes);
                if self.fill(initial, &mut bytes, 0).is_err() {
                    // Nobody knows what it holds; reading it must not go unnoticed.
                    self.code.globals[place].is_external = true;
                }
                self.code.globals[place].bytes = bytes;
            }
        }
    }

    fn constructors(&mut self, list: Option<&TypedConstant>) {
        let Some(TypedConstant { value: Constant::Parts(entries), .. }) = list else { return };
        for entry in entries {
            if let Constant::Parts(parts) = &entry.value
                && let Some(symbol) = parts.get(1).and_then(|part| symbol_of(&part.value))
                && let Some(&body) = self.bodies.get(&symbol)
            {
                self.code.constructors.push(body);
            }
        }
    }

    /// Writes a constant into bytes.
    fn fill(&self, constant: &TypedConstant, bytes: &mut [u8], at: u64) -> Evaluated<()> {
        let types = &self.module.types;
        match &constant.value {
            // What is undefined in a global variable is padding.
            Constant::Zero | Constant::Undef | Constant::Null => Ok(()),
            Constant::Bytes(text) => {
                let at = at as usize;
                bytes.get_mut(at..at + text.len()).ok_or("a text that is too long")?.copy_from_slice(text);
                Ok(())
            }
            Constant::Parts(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    let offset = match types.get(constant.ty) {
                        Type::Array(_, element) => i as u64 * types.size(*element),
                        Type::Vector(_, element) => i as u64 * types.store_size(*element),
                        _ => types.field_offset(constant.ty, i),
                    };
                    self.fill(part, bytes, at + offset)?;
                }
                Ok(())
            }
            value => match self.scalar(constant.ty, value)? {
                Scalar::Word(word) => {
                    let size = types.store_size(constant.ty) as usize;
                    let target = bytes.get_mut(at as usize..at as usize + size);
                    let target = target.ok_or("a constant that is too large")?;
                    target.copy_from_slice(&word.to_le_bytes()[..size.min(16)]);
                    Ok(())
                }
                Scalar::ThreadLocal(..) => Err("the address of a thread's variable as a constant".to_owned()),
            },
        }
    }

    /// A constant that has no parts.
    pub(super) fn scalar(&self, ty: TypeId, constant: &Constant) -> Evaluated<Scalar> {
        let types = &self.module.types;
        let word = |word: u128| Ok(Scalar::Word(word));
        match constant {
            Constant::Int(bits) => match types.get(ty) {
                Type::Int(width) if *width < 128 => word(bits & ((1 << width) - 1)),
                _ => word(*bits),
            },
            Constant::Float(bits) => match types.get(ty) {
                Type::Float => word(u128::from((f64::from_bits(*bits) as f32).to_bits())),
                Type::Double => word(u128::from(*bits)),
                _ => Err("long double".to_owned()),
            },
            Constant::Null | Constant::Zero => word(0),
            Constant::Undef => Err("a constant that has no value in particular".to_owned()),
            Constant::Symbol(symbol) => self.address(*symbol),
            Constant::Label(number) => word(LABELS + u128::from(*number)),
            Constant::Cast(operator, inner) => self.cast(*operator, inner, ty),
            Constant::Element { source, base, indices } => {
                let offset = self.constant_offset(*source, indices)?;
                match self.scalar(base.ty, &base.value)? {
                    Scalar::Word(base) => word(u128::from((base as u64).wrapping_add(offset as u64))),
                    Scalar::ThreadLocal(variable, at) => {
                        Ok(Scalar::ThreadLocal(variable, at.wrapping_add(offset as u64)))
                    }
                }
            }
            Constant::Binary(operator, a, b) => {
                let (Scalar::Word(a), Scalar::Word(b)) =
                    (self.scalar(a.ty, &a.value)?, self.scalar(b.ty, &b.value)?)
                else {
                    return Err("arithmetic on the address of a thread's variable".to_owned());
                };
                if !self.is_known(*operator, a, b) {
                    return Err(NUMBER.to_owned());
                }
                let result = match operator {
                    BinaryOperator::Add => a.wrapping_add(b),
                    BinaryOperator::Sub => a.wrapping_sub(b),
                    BinaryOperator::Mul => a.wrapping_mul(b),
                    BinaryOperator::And => a & b,
                    BinaryOperator::Or => a | b,
                    BinaryOperator::Xor => a ^ b,
                    BinaryOperator::Shl => a.wrapping_shl(b as u32),
                    BinaryOperator::LShr => a.wrapping_shr(b as u32),
                    _ => return Err("a constant expression".to_owned()),
                };
                self.scalar(ty, &Constant::Int(result))
            }
            Constant::Compare(predicate, a, b) => {
                match (self.scalar(a.ty, &a.value)?, self.scalar(b.ty, &b.value)?) {
                    (Scalar::Word(a), Scalar::Word(b)) if !self.is_outcome_known(*predicate, a, b) => {
                        Err(NUMBER.to_owned())
                    }
                    (Scalar::Word(a), Scalar::Word(b)) => word(u128::from(compare(*predicate, a, b)?)),
                    _ => Err("a comparison of addresses of threads' variables".to_owned()),
                }
            }
            Constant::Select(parts) => {
                let [condition, yes, no] = &**parts;
                let chosen = match self.scalar(condition.ty, &condition.value)? {
                    Scalar::Word(0) => no,
                    _ => yes,
                };
                self.scalar(ty, &chosen.value)
            }
            Constant::Unsupported(what) => Err(format!("the constant `{what}`")),
            Constant::Bytes(_) | Constant::Parts(_) => Err("a constant with parts".to_owned()),
        }
    }

    /// Whether the outcome of a comparison does not depend on the numbers of addresses.
    fn is_outcome_known(&self, predicate: Predicate, a: u128, b: u128) -> bool {
        let is_beyond =
            |number: u128| number < NULL_END.into() || number > self.code.model.greatest_address().into();
        match (self.is_address(a), self.is_address(b)) {
            (false, false) => true,
            (true, true) if self.base(a) == self.base(b) => true,
            (true, true) => {
                let is_equality = matches!(predicate, Predicate::Eq | Predicate::Ne);
                // Where one object ends another one may begin.
                is_equality && self.is_inside(a) && self.is_inside(b)
            }
            (true, false) => is_beyond(b),
            (false, true) => is_beyond(a),
        }
    }

    /// Whether a word is the address of a function, or lies among those.
    fn is_function(&self, word: u128) -> bool {
        let first = u128::from(self.code.model.first_function());
        let length = self.module.functions.len() as u128 * u128::from(FUNCTION_STEP);
        (first..first + length).contains(&word)
    }

    /// Where the variable or function begins that has an address.
    fn base(&self, word: u128) -> Option<u128> {
        if self.is_function(word) {
            return Some(word - word % u128::from(FUNCTION_STEP));
        }
        let bases = self.code.globals.iter().filter(|global| !global.is_thread_local);
        bases.map(|global| u128::from(global.address)).filter(|address| *address <= word).max()
    }

    /// Whether an address is not at the end of what it belongs to, nor beyond.
    fn is_inside(&self, word: u128) -> bool {
        if self.is_function(word) {
            return self.base(word) == Some(word);
        }
        let mut globals = self.code.globals.iter().filter(|global| !global.is_thread_local);
        globals.any(|global| {
            let first = u128::from(global.address);
            (first..first + (global.bytes.len() as u128).max(1)).contains(&word)
        })
    }

    /// Whether a word is the address of a function or global variable, or near it.
    fn is_address(&self, word: u128) -> bool {
        if self.options.addresses == Addresses::Fixed {
            return false;
        }
        if self.is_function(word) {
            return true;
        }
        let mut globals = self.code.globals.iter().filter(|global| !global.is_thread_local);
        let first = globals.clone().next().map_or(u128::MAX, |global| u128::from(global.address));
        let last = globals.next_back().map_or(0, |last| last.address + last.bytes.len() as u64);
        first <= word && word <= u128::from(last)
    }

    /// Whether the result of an operator does not depend on the numbers of addresses, or is one.
    fn is_known(&self, operator: BinaryOperator, a: u128, b: u128) -> bool {
        match (self.is_address(a), self.is_address(b), operator) {
            (false, false, _) => true,
            (true, true, BinaryOperator::Sub) => self.base(a) == self.base(b),
            (true, false, BinaryOperator::Add | BinaryOperator::Sub) => true,
            (false, true, BinaryOperator::Add) => true,
            _ => false,
        }
    }

    fn address(&self, symbol: SymbolId) -> Evaluated<Scalar> {
        if let Some(&variable) = self.constants.thread_local.get(&symbol) {
            return Ok(Scalar::ThreadLocal(variable, 0));
        }
        if let Some(&address) = self.constants.addresses.get(&symbol) {
            return Ok(Scalar::Word(u128::from(address)));
        }
        match self.module.definition(symbol) {
            Some(Definition::Alias(target)) => self.scalar(target.ty, &target.value),
            _ => Err(format!("`{}`, which is not defined", self.module.name(symbol))),
        }
    }

    fn cast(&self, operator: CastOperator, inner: &TypedConstant, to: TypeId) -> Evaluated<Scalar> {
        let value = self.scalar(inner.ty, &inner.value)?;
        let Scalar::Word(word) = value else { return Ok(value) };
        let types = &self.module.types;
        let bits = |ty: TypeId| match types.get(ty) {
            Type::Int(bits) => *bits,
            Type::Pointer => 8 * types.pointer_bytes() as u32,
            _ => 64,
        };
        if bits(to) < bits(inner.ty) && self.is_address(word) {
            return Err(NUMBER.to_owned());
        }
        let extended = match operator {
            CastOperator::SExt => {
                let unused = 128 - bits(inner.ty);
                ((word << unused) as i128 >> unused) as u128
            }
            CastOperator::Trunc
            | CastOperator::ZExt
            | CastOperator::PtrToInt
            | CastOperator::IntToPtr
            | CastOperator::BitCast => word,
            _ => return Err("a conversion of floating point in a constant".to_owned()),
        };
        match types.get(to) {
            Type::Int(width) if *width < 128 => Ok(Scalar::Word(extended & ((1 << width) - 1))),
            Type::Pointer if types.narrow => Ok(Scalar::Word(extended & 0xffff_ffff)),
            _ => Ok(Scalar::Word(extended)),
        }
    }

    fn constant_offset(&self, source: TypeId, indices: &[TypedConstant]) -> Evaluated<i64> {
        let mut offset = 0i64;
        let mut ty = source;
        for (position, index) in indices.iter().enumerate() {
            let Scalar::Word(word) = self.scalar(index.ty, &index.value)? else {
                return Err("an index that is no constant".to_owned());
            };
            let number = self.signed(index.ty, word);
            let (step, next) = self.element_step(ty, position, number)?;
            offset = offset.wrapping_add(step);
            ty = next;
        }
        Ok(offset)
    }

    /// A word as a signed number.
    pub(super) fn signed(&self, ty: TypeId, word: u128) -> i64 {
        match self.module.types.get(ty) {
            Type::Int(bits) if *bits < 64 => {
                let unused = 64 - bits;
                ((word as u64) << unused) as i64 >> unused
            }
            _ => word as i64,
        }
    }

    /// The offset of one constant index, and the type of the part.
    pub(super) fn element_step(&self, ty: TypeId, position: usize, index: i64) -> Evaluated<(i64, TypeId)> {
        let types = &self.module.types;
        if position == 0 {
            return Ok((index.wrapping_mul(types.size(ty) as i64), ty));
        }
        match types.get(ty) {
            Type::Array(_, element) => Ok((index.wrapping_mul(types.size(*element) as i64), *element)),
            Type::Vector(_, element) => Ok((index.wrapping_mul(types.store_size(*element) as i64), *element)),
            Type::Struct { fields, .. } => {
                let field = fields.get(index as usize).ok_or("a field that does not exist")?;
                Ok((types.field_offset(ty, index as usize) as i64, *field))
            }
            _ => Err("an index into a scalar".to_owned()),
        }
    }

    /// A slot that holds constant words.
    pub(super) fn constant_words(&mut self, words: &[u64]) -> Slot {
        if let Some(&slot) = self.constants.known.get(words) {
            return slot;
        }
        let slot = CONSTANT + self.code.constants.len() as Slot;
        self.code.constants.extend_from_slice(words);
        self.constants.known.insert(words.to_vec(), slot);
        slot
    }

    /// The words of a constant as an operand.
    pub(super) fn words_of(&self, ty: TypeId, constant: &Constant) -> Evaluated<Vec<u64>> {
        let types = &self.module.types;
        let shape = types.words(ty).ok_or("long double")?;
        match constant {
            Constant::Undef | Constant::Zero | Constant::Null => Ok(vec![0; shape.len()]),
            Constant::Parts(parts) => {
                let mut words = Vec::new();
                for part in parts {
                    words.extend(self.words_of(part.ty, &part.value)?);
                }
                Ok(words)
            }
            Constant::Bytes(bytes) => Ok(bytes.iter().map(|b| u64::from(*b)).collect()),
            value => match self.scalar(ty, value)? {
                Scalar::Word(word) if shape.len() == 2 => Ok(vec![word as u64, (word >> 64) as u64]),
                Scalar::Word(word) => Ok(vec![word as u64]),
                Scalar::ThreadLocal(..) => Err("the address of a thread's variable".to_owned()),
            },
        }
    }
}

fn compare(predicate: Predicate, a: u128, b: u128) -> Evaluated<bool> {
    Ok(match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        _ => return Err("a signed comparison of constants".to_owned()),
    })
}
