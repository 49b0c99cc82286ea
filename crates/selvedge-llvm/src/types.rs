//! Types and how values of them lie in memory.

use std::collections::HashMap;

/// A type of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// What a type is. Pointers do not say what they point to: every instruction does that itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value.
    Void,
    /// An integer of that many bits.
    Int(u32),
    /// 16 bits of floating point, of either kind.
    Half,
    /// 32 bits of floating point.
    Float,
    /// 64 bits of floating point.
    Double,
    /// 80 bits of floating point, as `long double` on x86.
    X86Fp80,
    /// 128 bits of floating point.
    Fp128,
    /// A pointer.
    Pointer,
    /// So many of one type.
    Array(u64, TypeId),
    /// A vector: so many of a scalar type.
    Vector(u64, TypeId),
    /// Fields one after the other.
    Struct {
        /// The types of the fields.
        fields: Vec<TypeId>,
        /// Whether there are no gaps between the fields.
        packed: bool,
    },
    /// A structure with a name, by its place among the names.
    Named(u32),
    /// A function.
    Function {
        /// What it returns.
        result: TypeId,
        /// What it takes.
        parameters: Vec<TypeId>,
        /// Whether it takes more than that.
        varargs: bool,
    },
    /// The type of a label.
    Label,
    /// The type of metadata that is passed to an intrinsic.
    Metadata,
    /// A token.
    Token,
    /// A structure of which nothing is known.
    Opaque,
}

/// All types of a module.
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Vec<Type>,
    known: HashMap<Type, TypeId>,
    names: HashMap<String, u32>,
    bodies: Vec<Option<TypeId>>,
    /// Whether integers of 128 bits are aligned to 16 bytes, as from LLVM 18 on.
    pub wide_alignment: bool,
    /// Whether pointers have 32 bits, as on i386, where larger numbers are aligned to 4 bytes.
    pub narrow: bool,
}

impl Types {
    /// The number of a type.
    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.known.get(&ty) {
            return id;
        }
        let id = TypeId(self.types.len() as u32);
        self.types.push(ty.clone());
        self.known.insert(ty, id);
        id
    }

    /// The type with a name, whether its body is known or not.
    pub fn named(&mut self, name: &str) -> TypeId {
        let next = self.bodies.len() as u32;
        let number = *self.names.entry(name.to_owned()).or_insert(next);
        if number == next {
            self.bodies.push(None);
        }
        self.intern(Type::Named(number))
    }

    /// Gives a named type its body.
    pub fn define(&mut self, name: &str, body: TypeId) {
        let id = self.named(name);
        if let Type::Named(number) = self.types[id.0 as usize] {
            self.bodies[number as usize] = Some(body);
        }
    }

    /// What a type is, with its body if it has a name.
    pub fn get(&self, id: TypeId) -> &Type {
        match &self.types[id.0 as usize] {
            Type::Named(number) => match self.bodies[*number as usize] {
                Some(body) => self.get(body),
                None => &Type::Opaque,
            },
            ty => ty,
        }
    }

    /// The name of a type, if it has one.
    pub fn name(&self, id: TypeId) -> Option<&str> {
        let Type::Named(number) = &self.types[id.0 as usize] else { return None };
        self.names.iter().find(|(_, named)| *named == number).map(|(name, _)| name.as_str())
    }

    /// The bytes of a pointer.
    pub fn pointer_bytes(&self) -> u64 {
        if self.narrow { 4 } else { 8 }
    }

    /// The bytes that a value takes in memory, the gap to the next one in an array included.
    pub fn size(&self, id: TypeId) -> u64 {
        let align = self.align(id);
        self.store_size(id).div_ceil(align) * align
    }

    /// The bytes that a store of a value writes.
    pub fn store_size(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Int(bits) => u64::from(bits.div_ceil(8)),
            Type::Half => 2,
            Type::Float => 4,
            Type::Pointer => self.pointer_bytes(),
            Type::Double => 8,
            Type::X86Fp80 => 10,
            Type::Fp128 => 16,
            Type::Array(count, element) => count * self.size(*element),
            Type::Vector(count, element) => match self.get(*element) {
                Type::Int(bits) => (count * u64::from(*bits)).div_ceil(8),
                _ => count * self.store_size(*element),
            },
            Type::Struct { fields, .. } => {
                let last = fields.len();
                let end = self.field_offset(id, last);
                end.div_ceil(self.align(id)) * self.align(id)
            }
            _ => 0,
        }
    }

    /// The alignment of a value in memory.
    pub fn align(&self, id: TypeId) -> u64 {
        match self.get(id) {
            Type::Int(bits) => match bits {
                0..=8 => 1,
                9..=16 => 2,
                17..=32 => 4,
                33..=64 if self.narrow => 4,
                33..=64 => 8,
                _ if self.wide_alignment => 16,
                _ => 8,
            },
            Type::Half => 2,
            Type::Float => 4,
            Type::Pointer => self.pointer_bytes(),
            Type::Double | Type::X86Fp80 if self.narrow => 4,
            Type::Double => 8,
            Type::X86Fp80 | Type::Fp128 => 16,
            Type::Array(_, element) => self.align(*element),
            Type::Vector(..) => self.store_size(id).next_power_of_two().max(1),
            Type::Struct { packed: true, .. } => 1,
            Type::Struct { fields, .. } => fields.iter().map(|f| self.align(*f)).max().unwrap_or(1),
            _ => 1,
        }
    }

    /// Where a field of a structure begins. The field after the last one begins where the last one ends.
    pub fn field_offset(&self, id: TypeId, field: usize) -> u64 {
        let Type::Struct { fields, packed } = self.get(id) else { return 0 };
        let mut offset = 0;
        for (position, f) in fields.iter().enumerate() {
            if !packed {
                offset = u64::div_ceil(offset, self.align(*f)) * self.align(*f);
            }
            if position == field {
                return offset;
            }
            offset += self.size(*f);
        }
        offset
    }

    /// Whether values of the type have parts.
    pub fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Array(..) | Type::Struct { .. })
    }

    /// The parts of a value that fit into a word each, and where each lies in memory. Integers of more than 64 bits
    /// are several words. `None` when there is a part that words cannot hold.
    pub fn words(&self, id: TypeId) -> Option<Vec<Word>> {
        let mut words = Vec::new();
        self.add_words(id, 0, &mut words)?;
        Some(words)
    }

    fn add_words(&self, id: TypeId, offset: u64, words: &mut Vec<Word>) -> Option<()> {
        let mut word = |bits: u32, float| words.push(Word { offset, bits, float });
        match self.get(id) {
            Type::Void => {}
            Type::Int(bits) if *bits <= 64 => word(*bits, None),
            Type::Int(bits) => {
                let mut left = *bits;
                let mut at = offset;
                while left > 0 {
                    words.push(Word { offset: at, bits: left.min(64), float: None });
                    left -= left.min(64);
                    at += 8;
                }
            }
            Type::Pointer => word(8 * self.pointer_bytes() as u32, None),
            Type::Float => word(32, Some(FloatKind::Single)),
            Type::Double => word(64, Some(FloatKind::Double)),
            Type::Array(count, element) => {
                for i in 0..*count {
                    self.add_words(*element, offset + i * self.size(*element), words)?;
                }
            }
            Type::Vector(count, element) => {
                let size = self.store_size(*element);
                if let Type::Int(bits) = self.get(*element)
                    && bits % 8 != 0
                {
                    // Vectors of bits lie in memory bit by bit; nothing here stores them.
                    (0..*count).for_each(|_| words.push(Word { offset: u64::MAX, bits: *bits, float: None }));
                    return Some(());
                }
                for i in 0..*count {
                    self.add_words(*element, offset + i * size, words)?;
                }
            }
            Type::Struct { fields, .. } => {
                for (i, f) in fields.iter().enumerate() {
                    self.add_words(*f, offset + self.field_offset(id, i), words)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// A part of a value that fits into 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where it lies in memory, from the beginning of the value.
    pub offset: u64,
    /// How many bits it has.
    pub bits: u32,
    /// Which kind of floating point it is, if it is.
    pub float: Option<FloatKind>,
}

/// Which floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatKind {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_aligned_unless_packed() {
        let mut types = Types::default();
        let (byte, word) = (types.intern(Type::Int(8)), types.intern(Type::Int(64)));
        let fields = vec![byte, word, byte];
        let loose = types.intern(Type::Struct { fields: fields.clone(), packed: false });
        let packed = types.intern(Type::Struct { fields, packed: true });
        assert_eq!((types.size(loose), types.field_offset(loose, 1)), (24, 8));
        assert_eq!((types.size(packed), types.field_offset(packed, 1)), (10, 1));
    }

    #[test]
    fn a_named_type_is_its_body_even_if_it_comes_later() {
        let mut types = Types::default();
        let node = types.named("node");
        assert_eq!(types.get(node), &Type::Opaque);
        let pointer = types.intern(Type::Pointer);
        let body = types.intern(Type::Struct { fields: vec![pointer, pointer], packed: false });
        types.define("node", body);
        assert_eq!(types.size(node), 16);
        let offsets: Vec<_> = types.words(node).unwrap_or_default().iter().map(|w| w.offset).collect();
        assert_eq!(offsets, [0, 8]);
    }
}
