//! Memory that is copied or set as a whole, byte by byte in C: here whole elements only.

use crate::layout::{Element, Kind};
use crate::memory::Access;
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::{Number, Pointer, Value};
use selvedge_code::Builtin;
use selvedge_ir::{Expr, Type};
use selvedge_llvm::instruction::{Call, Instruction};

impl Thread<'_, '_> {
    /// Whether a function of the library accesses what it cannot: see [`Thread::is_wrong_address`].
    pub fn is_wrong_call(&mut self, call: &Call, builtin: Builtin) -> Done<bool> {
        for (number, stores) in self.accessed(call, builtin)? {
            let address = self.argument(call, number)?;
            if self.is_wrong_address(&address, stores) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The arguments of a function of the library that are addresses it accesses, and whether it stores there.
    fn accessed(&mut self, call: &Call, builtin: Builtin) -> Done<Vec<(usize, bool)>> {
        Ok(match builtin {
            Builtin::Memcpy | Builtin::Memset if self.argument(call, 2)?.known() == Some(0) => vec![],
            Builtin::Memcpy | Builtin::Strcpy => vec![(0, true), (1, false)],
            Builtin::Memset | Builtin::ThreadCreate => vec![(0, true)],
            Builtin::ThreadJoin if self.argument(call, 1)? != Value::null() => vec![(1, true)],
            Builtin::CondWait | Builtin::CondTimedWait => vec![(0, true), (1, true)],
            Builtin::AttributeInit | Builtin::AttributeSetDetached => vec![(0, true)],
            Builtin::MutexInit
            | Builtin::MutexDestroy
            | Builtin::MutexLock
            | Builtin::MutexTryLock
            | Builtin::MutexUnlock
            | Builtin::RwInit
            | Builtin::RwReadLock
            | Builtin::RwWriteLock
            | Builtin::RwTryReadLock
            | Builtin::RwTryWriteLock
            | Builtin::RwUnlock
            | Builtin::SpinInit
            | Builtin::SpinLock
            | Builtin::SpinTryLock
            | Builtin::SpinUnlock
            | Builtin::CondInit
            | Builtin::CondDestroy
            | Builtin::RwDestroy
            | Builtin::SpinDestroy
            | Builtin::SemDestroy
            | Builtin::CondSignal
            | Builtin::CondBroadcast
            | Builtin::BarrierInit
            | Builtin::BarrierDestroy
            | Builtin::BarrierWait
            | Builtin::SemInit
            | Builtin::SemWait
            | Builtin::SemTryWait
            | Builtin::SemPost => vec![(0, true)],
            _ => vec![],
        })
    }

    /// The elements of an object that lie in a range of bytes; none if the range is not within the object.
    fn elements(&mut self, address: &Value, size: u64) -> Done<Option<Vec<(u64, Access)>>> {
        let Value::Pointer(Pointer { object: Some(object), constant, terms }) = address else {
            return self.refuse("an address that is no known variable");
        };
        if !terms.is_empty() {
            return self.refuse("memory at a computed address that is copied as a whole");
        }
        let Ok(start) = u64::try_from(*constant) else { return Ok(None) };
        let end = match start.checked_add(size) {
            Some(end) if end <= self.run.size(*object) => end,
            _ => return Ok(None),
        };
        self.note_borrowed(*object);
        self.note_block(*object)?;
        let leaves = self.run.leaves(*object);
        let mut found = Vec::new();
        for (number, leaf) in leaves.iter().enumerate() {
            for element in 0..leaf.count() {
                let (first, after) = (leaf.offset_of(element), leaf.offset_of(element) + leaf.bytes());
                if after <= start || end <= first {
                    continue;
                }
                if first < start || end < after {
                    return self.refuse("a part of a variable that is copied or set");
                }
                let access = Access {
                    leaf: (*object, number as u32),
                    element: Element::Known(element),
                    kind: leaf.kind,
                    bits: leaf.bits,
                };
                found.push((first - start, access));
            }
        }
        found.sort_by_key(|(offset, _)| *offset);
        if found.len() > 4096 {
            return self.refuse("more than 4096 variables that are copied as a whole");
        }
        Ok(Some(found))
    }

    fn size(&mut self, call: &Call) -> Done<u64> {
        match self.argument(call, 2)?.known() {
            Some(size) => Ok(size as u64),
            None => self.refuse("memory of a computed size that is copied as a whole"),
        }
    }

    /// Translates `memcpy` and `memmove`; only the latter may have overlapping ranges.
    pub fn copy(&mut self, call: &Call, may_overlap: bool) -> Done<Next> {
        let size = self.size(call)?;
        if size == 0 {
            return Ok(self.on());
        }
        let (target, source) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let (Some(to), Some(from)) = (self.elements(&target, size)?, self.elements(&source, size)?) else {
            return Ok(self.undefined());
        };
        let alike = |(a, b): (&(u64, Access), &(u64, Access))| {
            a.0 == b.0
                && a.1.bits == b.1.bits
                && matches!(a.1.kind, Kind::Int | Kind::Pointer)
                && a.1.kind == b.1.kind
        };
        if to.len() != from.len() || !to.iter().zip(&from).all(alike) {
            return self.refuse("a copy between different types");
        }
        if !overlap(&target, &source, size) {
            for ((_, to), (_, from)) in to.iter().zip(&from) {
                let register = self.fresh_local();
                let value = self.load_access(from, register)?;
                self.store_access(to, value)?;
            }
            return Ok(self.on());
        }
        if !may_overlap && target != source {
            return self.refuse("`memcpy` between overlapping parts of a variable");
        }
        // All is read before anything is stored.
        let mut values = Vec::new();
        for (_, from) in &from {
            let register = self.fresh_local();
            let value = self.load_access(from, register)?;
            values.push(self.keep(value)?);
        }
        for ((_, to), value) in to.iter().zip(values) {
            self.store_access(to, value)?;
        }
        Ok(self.on())
    }

    /// Translates `strcpy` of a string that is known.
    pub fn copy_string(&mut self, instruction: &Instruction, call: &Call) -> Done<Next> {
        let (target, source) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let (Value::Pointer(to), Value::Pointer(from)) = (&target, &source) else {
            return self.refuse("a string at an address that is no known variable");
        };
        let at = |pointer: &Pointer, byte: i64| {
            Value::Pointer(Pointer { constant: pointer.constant + byte, ..pointer.clone() })
        };
        let mut string = Vec::new();
        while string.last() != Some(&0) {
            let register = self.fresh_local();
            let value = self.load(&at(from, string.len() as i64), 8, register)?;
            match value.known() {
                Some(byte) if string.len() < 4096 => string.push(byte),
                _ => return self.refuse("a string that is not known, or long"),
            }
        }
        for (place, byte) in (0..).zip(string) {
            self.store(&at(to, place), 8, Value::int(8, byte.into()))?;
        }
        self.result(instruction, target)
    }

    /// A value that stays the same whatever is stored.
    fn keep(&mut self, value: Value) -> Done<Value> {
        match value {
            Value::Number(number) => {
                let register = self.step_register(if number.bits == 1 { Type::Bool } else { Type::Int });
                self.assign(register, number.expr);
                Ok(Value::Number(Number { expr: Expr::Register(register), ..number }))
            }
            value if value.is_static() => Ok(value),
            _ => self.refuse("a computed address that is copied within a variable"),
        }
    }

    /// Translates `memset`.
    pub fn set(&mut self, call: &Call) -> Done<Next> {
        let size = self.size(call)?;
        if size == 0 {
            return Ok(self.on());
        }
        let (to, byte) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let Some(byte) = byte.known() else { return self.refuse("memory that is set to a computed byte") };
        let Some(elements) = self.elements(&to, size)? else { return Ok(self.undefined()) };
        for (_, access) in elements {
            let value = match access.kind {
                Kind::Pointer if byte == 0 => Value::null(),
                Kind::Int => {
                    let bytes = u64::from_ne_bytes([byte as u8; 8]);
                    Value::int(access.bits, bytes.into())
                }
                Kind::Mutex | Kind::Condvar if byte == 0 => continue,
                Kind::Counter if byte == 0 => Value::int(32, 0),
                _ => return self.refuse("memory that is set as a whole"),
            };
            self.store_access(&access, value)?;
        }
        Ok(self.on())
    }
}

/// Whether two ranges of bytes have a byte in common.
fn overlap(a: &Value, b: &Value, size: u64) -> bool {
    match (a, b) {
        (Value::Pointer(a), Value::Pointer(b)) => {
            a.object == b.object && a.constant.abs_diff(b.constant) < size
        }
        _ => false,
    }
}
