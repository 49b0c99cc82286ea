//! The types of C++ at run time: which handlers fit an exception, and `dynamic_cast`.
//!
//! A type is an object in memory as the Itanium ABI for C++ lays it out: which kind it is, its name, and its bases.

use super::{Run, Step};
use crate::memory::Kind;

/// The flag of a base of which there is one for all that inherit it.
const VIRTUAL: i64 = 1;
/// The flag of a base that everybody may know.
const PUBLIC: i64 = 2;

/// What kind of type a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    /// A class with one public base, at its beginning.
    Single,
    /// A class with other bases.
    Several,
    /// A pointer.
    Pointer,
    /// Anything else.
    Plain,
}

impl Run<'_> {
    /// The symbol of the global variable that an address is in.
    pub fn symbol_at(&self, address: u64) -> &str {
        let kind = self.state.memory.find(address).map(|id| self.state.memory.object(id).kind);
        match kind {
            Some(Kind::Global(number) | Kind::Constant(number)) => {
                &self.code.globals[number as usize].variable.name
            }
            _ => "",
        }
    }

    fn sort(&self, ty: u64) -> Sort {
        if self.symbol_at(ty).starts_with("_ZTIP") {
            return Sort::Pointer;
        }
        match self.peek(ty).map_or("", |table| self.symbol_at(table)) {
            "_ZTVN10__cxxabiv120__si_class_type_infoE" => Sort::Single,
            "_ZTVN10__cxxabiv121__vmi_class_type_infoE" => Sort::Several,
            _ => Sort::Plain,
        }
    }

    /// The name of a type, for people.
    pub fn type_name(&self, ty: u64) -> String {
        let symbol = self.symbol_at(ty);
        readable(symbol.strip_prefix("_ZTI").unwrap_or(symbol))
    }

    /// The part of an object that has another type, the object itself or a base, if there is just one.
    fn part_of_type(&self, object: u64, ty: u64, wanted: u64) -> Option<u64> {
        let mut parts = Vec::new();
        self.add_parts(object, ty, wanted, &mut parts);
        parts.dedup();
        if let [part] = parts[..] { Some(part) } else { None }
    }

    fn add_parts(&self, object: u64, ty: u64, wanted: u64, parts: &mut Vec<u64>) -> Option<()> {
        if ty == wanted {
            parts.push(object);
            return Some(());
        }
        match self.sort(ty) {
            Sort::Single => self.add_parts(object, self.peek(ty + 16)?, wanted, parts),
            Sort::Several => {
                for i in 0..self.peek(ty + 16)? >> 32 {
                    let (base, flags) = (self.peek(ty + 24 + 16 * i)?, self.peek(ty + 32 + 16 * i)? as i64);
                    if flags & PUBLIC == 0 {
                        continue;
                    }
                    let offset = match flags & VIRTUAL {
                        0 => flags >> 8,
                        // The table of the object says where the base is.
                        _ => self.peek(self.peek(object)?.wrapping_add((flags >> 8) as u64))? as i64,
                    };
                    self.add_parts(object.wrapping_add(offset as u64), base, wanted, parts);
                }
                Some(())
            }
            Sort::Pointer | Sort::Plain => None,
        }
    }

    /// What a handler for a type, or for all if it is 0, sees of an exception: a part of it, or the pointer that it is.
    pub fn caught_part(&self, object: u64, ty: u64, handler: u64) -> Option<u64> {
        if self.symbol_at(ty) == "_ZTIDn" && handler != 0 && self.sort(handler) == Sort::Pointer {
            return Some(0);
        }
        if self.sort(ty) != Sort::Pointer {
            return if handler == 0 { Some(object) } else { self.part_of_type(object, ty, handler) };
        }
        let pointer = self.peek(object)?;
        if handler == 0 || ty == handler {
            return Some(pointer);
        }
        // The types of pointers to simple types are in the library: what they are is in their names.
        let (target, qualifiers) = pointed_to(self.symbol_at(ty))?;
        let (wanted, more_qualifiers) = pointed_to(self.symbol_at(handler))?;
        if qualifiers.chars().any(|qualifier| !more_qualifiers.contains(qualifier)) {
            return None;
        }
        if target == wanted || wanted == "v" && !target.starts_with('F') {
            return Some(pointer);
        }
        // A pointer to a class is caught as one to a base.
        let (class, base) = (self.peek(ty + 24)?, self.peek(handler + 24)?);
        if class == 0 || base == 0 { None } else { self.part_of_type(pointer, class, base) }
    }

    /// `dynamic_cast` of a pointer that is not null.
    pub fn dynamic_cast(&mut self, object: u64, wanted: u64) -> Step<u64> {
        let found = self.peek(object).and_then(|table| {
            let whole = object.wrapping_add(self.peek(table.wrapping_sub(16))?);
            self.part_of_type(whole, self.peek(table.wrapping_sub(8))?, wanted)
        });
        Ok(found.unwrap_or(0))
    }
}

/// What a pointer points to, and the qualifiers of that, from the symbol of its type.
fn pointed_to(symbol: &str) -> Option<(&str, &str)> {
    let name = symbol.strip_prefix("_ZTIP")?;
    let target = name.trim_start_matches(['r', 'V', 'K']);
    Some((target, &name[..name.len() - target.len()]))
}

/// The name of a type from its mangled form; that itself if it is none of the simple ones.
fn readable(mangled: &str) -> String {
    let simple = match mangled {
        "i" => "int",
        "j" => "unsigned int",
        "l" => "long",
        "m" => "unsigned long",
        "x" => "long long",
        "y" => "unsigned long long",
        "s" => "short",
        "t" => "unsigned short",
        "c" => "char",
        "b" => "bool",
        "d" => "double",
        "f" => "float",
        "PKc" => "const char*",
        "Pc" => "char*",
        _ => "",
    };
    if !simple.is_empty() {
        return simple.to_owned();
    }
    if let Some(target) = mangled.strip_prefix("PK") {
        return format!("const {}*", readable(target));
    }
    if let Some(target) = mangled.strip_prefix('P') {
        return format!("{}*", readable(target));
    }
    class_name(mangled).unwrap_or_else(|| mangled.to_owned())
}

/// The name of a class without template arguments: `3Foo`, `St9exception` or `N1a3FooE`.
fn class_name(mangled: &str) -> Option<String> {
    let mut rest = mangled;
    let is_nested = rest.starts_with('N');
    if is_nested {
        rest = rest.strip_prefix('N')?.strip_suffix('E')?;
    }
    let mut parts = Vec::new();
    if let Some(after) = rest.strip_prefix("St") {
        parts.push("std");
        rest = after;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
        let length: usize = rest[..digits].parse().ok()?;
        parts.push(rest.get(digits..digits + length)?);
        rest = &rest[digits + length..];
    }
    (!parts.is_empty()).then(|| parts.join("::"))
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_of_types_are_told_as_they_are_written() {
        assert_eq!(readable("i"), "int");
        assert_eq!(readable("3Foo"), "Foo");
        assert_eq!(readable("St13runtime_error"), "std::runtime_error");
        assert_eq!(readable("N5outer5inner3FooE"), "outer::inner::Foo");
        assert_eq!(readable("PK3Foo"), "const Foo*");
        assert_eq!(readable("St6vectorIiSaIiEE"), "St6vectorIiSaIiEE");
    }
}
