//! Functions on numbers and characters that need nothing but their arguments.

use super::float_text::is_space;

/// Which prefixes of integers there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefixes {
    /// `0x`.
    Hexadecimal,
    /// `0b` as well, as in the C of 2023.
    AlsoBinary,
}

/// The integer at the beginning of a text, and how many characters it has; nothing if the base is none.
pub fn leading_integer(text: &[u8], base: u32, prefixes: Prefixes) -> Option<(i128, usize)> {
    if base == 1 || base > 36 {
        return None;
    }
    let mut at = text.iter().take_while(|byte| is_space(**byte)).count();
    let is_negative = text.get(at) == Some(&b'-');
    at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let has_prefix = |letter: u8, base: u32| {
        let digit = text.get(at + 2).is_some_and(|byte| char::from(*byte).is_digit(base));
        text.get(at) == Some(&b'0') && text.get(at + 1).map(u8::to_ascii_lowercase) == Some(letter) && digit
    };
    let is_hexadecimal = matches!(base, 0 | 16) && has_prefix(b'x', 16);
    let is_binary = matches!(base, 0 | 2) && prefixes == Prefixes::AlsoBinary && has_prefix(b'b', 2);
    let base = match base {
        _ if is_hexadecimal => 16,
        _ if is_binary => 2,
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    at += if is_hexadecimal || is_binary { 2 } else { 0 };
    let start = at;
    let mut number = 0i128;
    while let Some(digit) = text.get(at).and_then(|b| (*b as char).to_digit(base)) {
        number = number.saturating_mul(i128::from(base)).saturating_add(i128::from(digit));
        at += 1;
    }
    let length = if at == start { 0 } else { at };
    Some((if is_negative { -number } else { number }, length))
}

/// Whether a character belongs to the class that a function is named after.
pub fn is_class(name: &str, byte: u8) -> bool {
    match name {
        "isdigit" => byte.is_ascii_digit(),
        "isalpha" => byte.is_ascii_alphabetic(),
        "isalnum" => byte.is_ascii_alphanumeric(),
        "isspace" => is_space(byte),
        "isupper" => byte.is_ascii_uppercase(),
        "islower" => byte.is_ascii_lowercase(),
        "ispunct" => byte.is_ascii_punctuation(),
        "isxdigit" => byte.is_ascii_hexdigit(),
        "isblank" => byte == b' ' || byte == b'\t',
        "iscntrl" => byte.is_ascii_control(),
        "isgraph" => byte.is_ascii_graphic(),
        _ => byte.is_ascii_graphic() || byte == b' ',
    }
}

/// A function of one number, by its name.
pub fn math1(name: &str, x: f64) -> Option<f64> {
    Some(match name {
        "sqrt" => x.sqrt(),
        "fabs" | "fab" => x.abs(),
        "floor" => x.floor(),
        "ceil" => x.ceil(),
        "sin" => x.sin(),
        "cos" => x.cos(),
        "tan" => x.tan(),
        "exp" => x.exp(),
        "exp2" => x.exp2(),
        "log" => x.ln(),
        "log2" => x.log2(),
        "log10" => x.log10(),
        "round" => x.round(),
        "trunc" => x.trunc(),
        "rint" | "nearbyint" => x.round_ties_even(),
        "cbrt" => x.cbrt(),
        "asin" => x.asin(),
        "acos" => x.acos(),
        "atan" => x.atan(),
        "sinh" => x.sinh(),
        "cosh" => x.cosh(),
        "tanh" => x.tanh(),
        _ => return None,
    })
}

/// A function of two numbers, by its name.
pub fn math2(name: &str, x: f64, y: f64) -> Option<f64> {
    Some(match name {
        "pow" => x.powf(y),
        "fmod" => x % y,
        "atan2" => x.atan2(y),
        "fmin" => x.min(y),
        "fmax" => x.max(y),
        "hypot" => x.hypot(y),
        "copysign" => x.copysign(y),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_up_to_the_first_other_character() {
        let read = |text: &[u8], base: u32| leading_integer(text, base, Prefixes::Hexadecimal);
        assert_eq!(read(b" -42x", 10), Some((-42, 4)));
        assert_eq!(read(b"\x0b+7", 10), Some((7, 3)));
        assert_eq!(read(b"0x1f", 0), Some((31, 4)));
        assert_eq!(read(b"0x", 16), Some((0, 1)));
        assert_eq!(read(b"0xg", 0), Some((0, 1)));
        assert_eq!(read(b"none", 10), Some((0, 0)));
        assert_eq!(read(b"1", 1), None);
        assert_eq!(read(b"0b11", 0), Some((0, 1)));
        assert_eq!(leading_integer(b"0b11", 0, Prefixes::AlsoBinary), Some((3, 4)));
    }
}
