//! Constants: operands of instructions, and the first values of global variables.

use crate::facts::ObjectKey;
use crate::layout::{Kind, Leaf};
use crate::value::{Pointer, Value};
use selvedge_llvm::constant::{Constant, TypedConstant};
use selvedge_llvm::instruction::CastOperator;
use selvedge_llvm::module::{Definition, SymbolId};
use selvedge_llvm::types::{Type, TypeId};
use selvedge_llvm::{Global, Module};
use std::collections::BTreeMap;

/// The first values of a global variable that are not zero, by their offsets.
#[derive(Debug)]
pub struct Initial {
    values: BTreeMap<u64, Value>,
}

impl Initial {
    /// Those of a variable.
    pub fn of(module: &Module, global: &Global) -> Initial {
        let mut values = BTreeMap::new();
        if let Some(constant) = &global.initial {
            fill(module, global.ty, &constant.value, 0, &mut values);
        }
        Initial { values }
    }

    /// Whether all is zero from one offset to another.
    pub fn is_zero(&self, from: u64, to: u64) -> bool {
        self.values.range(from..to).all(|(_, value)| value.known() == Some(0))
    }

    /// The first value of an element of a leaf.
    pub fn at(&self, offset: u64, leaf: &Leaf) -> Value {
        match (self.values.get(&offset), leaf.kind) {
            (Some(value), _) => value.clone(),
            (None, Kind::Pointer) => Value::null(),
            (None, _) => Value::int(leaf.bits, 0),
        }
    }
}

fn fill(module: &Module, ty: TypeId, constant: &Constant, offset: u64, values: &mut BTreeMap<u64, Value>) {
    match constant {
        Constant::Zero | Constant::Null => {}
        Constant::Bytes(bytes) => {
            for (place, &byte) in (offset..).zip(bytes) {
                values.insert(place, Value::int(8, byte.into()));
            }
        }
        Constant::Parts(parts) => {
            for (number, part) in parts.iter().enumerate() {
                let place = match module.types.get(ty) {
                    Type::Struct { .. } => module.types.field_offset(ty, number),
                    _ => number as u64 * module.types.size(part.ty),
                };
                fill(module, part.ty, &part.value, offset + place, values);
            }
        }
        constant => {
            values.insert(offset, value(module, ty, constant).unwrap_or(Value::Foreign));
        }
    }
}

/// The value of a constant, or the name of what cannot be translated.
pub fn value(module: &Module, ty: TypeId, constant: &Constant) -> Result<Value, String> {
    let typed = |constant: &TypedConstant| value(module, constant.ty, &constant.value);
    match constant {
        Constant::Int(bits) => match module.types.get(ty) {
            Type::Int(width @ 1..=64) => Ok(Value::int(*width, *bits as i128)),
            _ => Err("an integer of more than 64 bits".to_owned()),
        },
        Constant::Null => Ok(Value::null()),
        Constant::Undef => Ok(Value::Undefined),
        Constant::Zero => match module.types.get(ty) {
            Type::Int(width @ 1..=64) => Ok(Value::int(*width, 0)),
            Type::Pointer => Ok(Value::null()),
            _ => Err("a structure as a value".to_owned()),
        },
        Constant::Symbol(symbol) => address(module, *symbol),
        Constant::Cast(CastOperator::BitCast | CastOperator::PtrToInt, inner) => typed(inner),
        Constant::Cast(CastOperator::IntToPtr, inner) => Ok(to_pointer(typed(inner)?)),
        Constant::Element { source, base, indices } => {
            let indices = indices.iter().map(|index| Ok((index.ty, typed(index)?)));
            let indices: Result<Vec<_>, String> = indices.collect();
            element(module, *source, typed(base)?, &indices?)
        }
        Constant::Label(_) => Err("the address of a label".to_owned()),
        Constant::Float(_) => Err("floating point".to_owned()),
        Constant::Parts(_) | Constant::Bytes(_) => Err("a structure or vector as a value".to_owned()),
        Constant::Binary(..) | Constant::Compare(..) | Constant::Select(_) => {
            Err("arithmetic on addresses".to_owned())
        }
        Constant::Unsupported(what) => Err(format!("`{what}`")),
        Constant::Cast(..) => Err("a conversion of an address".to_owned()),
    }
}

fn address(module: &Module, symbol: SymbolId) -> Result<Value, String> {
    match module.definition(symbol) {
        Some(Definition::Global(place)) => Ok(Value::address(ObjectKey::Global(*place))),
        Some(Definition::Function(place)) => Ok(Value::Function(*place)),
        Some(Definition::Alias(of)) => value(module, of.ty, &of.value),
        None => Err(format!("`{}`, which is defined elsewhere", module.name(symbol))),
    }
}

/// An integer as an address.
pub fn to_pointer(value: Value) -> Value {
    match value {
        Value::Int { value, .. } => {
            Value::Pointer(Pointer { object: None, constant: value, terms: Vec::new() })
        }
        Value::Number(number) => {
            Value::Pointer(Pointer { object: None, constant: 0, terms: vec![(number.expr, 1)] })
        }
        other => other,
    }
}

/// The address of a part.
pub fn element(
    module: &Module,
    source: TypeId,
    base: Value,
    indices: &[(TypeId, Value)],
) -> Result<Value, String> {
    let Value::Pointer(mut pointer) = base else {
        return Err("a part of something that is no known address".to_owned());
    };
    let mut ty = source;
    for (number, (_, index)) in indices.iter().enumerate() {
        let stride = match (number, module.types.get(ty)) {
            (0, _) => module.types.size(ty),
            (_, Type::Struct { fields, .. }) => {
                let field = index.known().ok_or("a computed field")? as usize;
                pointer.constant += module.types.field_offset(ty, field) as i64;
                ty = fields[field];
                continue;
            }
            (_, Type::Array(_, element)) => {
                ty = *element;
                module.types.size(ty)
            }
            _ => return Err("a part of a vector".to_owned()),
        };
        match index {
            Value::Number(number) => add_term(&mut pointer, &number.expr, stride as i64),
            index => {
                let index = index.known().ok_or("an index without value")?;
                pointer.constant = pointer.constant.wrapping_add(index.wrapping_mul(stride as i64));
            }
        }
    }
    Ok(Value::Pointer(pointer))
}

fn add_term(pointer: &mut Pointer, expr: &selvedge_ir::Expr, factor: i64) {
    match pointer.terms.iter_mut().find(|(known, _)| known == expr) {
        Some((_, known)) => *known += factor,
        None => pointer.terms.push((expr.clone(), factor)),
    }
    pointer.terms.retain(|(_, factor)| *factor != 0);
}
