//! Inputs by the convention of the software-verification competition: functions `__VERIFIER_nondet_…` without body, named after the type they
//! return. One table for all engines, so that none knows an input that another does not.

/// What the name of every input begins with.
const PREFIX: &str = "__VERIFIER_nondet_";

/// What an input may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// 0 or 1.
    Bool,
    /// Any integer of its width, with a sign.
    Signed,
    /// Any integer of its width, without.
    Unsigned,
    /// Any floating-point number.
    Float,
    /// Any address.
    Pointer,
}

/// The types by which inputs are named.
pub const TYPES: &[(&str, Input)] = &[
    ("bool", Input::Bool),
    ("_Bool", Input::Bool),
    ("char", Input::Signed),
    ("schar", Input::Signed),
    ("signed_char", Input::Signed),
    ("short", Input::Signed),
    ("int", Input::Signed),
    ("long", Input::Signed),
    ("longlong", Input::Signed),
    ("long_long", Input::Signed),
    ("loff_t", Input::Signed),
    ("ssize_t", Input::Signed),
    ("s8", Input::Signed),
    ("s16", Input::Signed),
    ("s32", Input::Signed),
    ("s64", Input::Signed),
    ("uchar", Input::Unsigned),
    ("unsigned_char", Input::Unsigned),
    ("ushort", Input::Unsigned),
    ("unsigned_short", Input::Unsigned),
    ("uint", Input::Unsigned),
    ("unsigned_int", Input::Unsigned),
    ("unsigned", Input::Unsigned),
    ("ulong", Input::Unsigned),
    ("unsigned_long", Input::Unsigned),
    ("ulonglong", Input::Unsigned),
    ("unsigned_long_long", Input::Unsigned),
    ("size_t", Input::Unsigned),
    ("sizet", Input::Unsigned),
    ("sector_t", Input::Unsigned),
    ("u8", Input::Unsigned),
    ("u16", Input::Unsigned),
    ("u32", Input::Unsigned),
    ("u64", Input::Unsigned),
    ("float", Input::Float),
    ("double", Input::Float),
    ("pointer", Input::Pointer),
    ("pchar", Input::Pointer),
];

/// What a function returns if it is an input of a known type.
pub fn input(function: &str) -> Option<Input> {
    let name = function.strip_prefix(PREFIX)?;
    TYPES.iter().find(|(ty, _)| *ty == name).map(|(_, input)| *input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_known_by_their_types() {
        assert_eq!(input("__VERIFIER_nondet_ulonglong"), Some(Input::Unsigned));
        assert_eq!(input("__VERIFIER_nondet_schar"), Some(Input::Signed));
        assert_eq!(input("__VERIFIER_nondet_int128"), None);
        assert_eq!(input("nondet_int"), None);
    }
}
