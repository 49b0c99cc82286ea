//! Functions on numbers and characters that need nothing but their arguments.

/// The integer at the beginning of a text, and how many characters it has.
pub fn leading_integer(text: &[u8], base: u32) -> (i128, usize) {
    let mut at = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let is_negative = text.get(at) == Some(&b'-');
    at += usize::from(matches!(text.get(at), Some(b'-' | b'+')));
    let has_prefix =
        text[at.min(text.len())..].starts_with(b"0x") || text[at.min(text.len())..].starts_with(b"0X");
    let base = match base {
        0 if has_prefix => 16,
        0 if text.get(at) == Some(&b'0') => 8,
        0 => 10,
        base => base.clamp(2, 36),
    };
    if base == 16 && has_prefix {
        at += 2;
    }
    let start = at;
    let mut number = 0i128;
    while let Some(digit) = text.get(at).and_then(|b| (*b as char).to_digit(base)) {
        number = number.saturating_mul(i128::from(base)).saturating_add(i128::from(digit));
        at += 1;
    }
    let length = if at == start { 0 } else { at };
    (if is_negative { -number } else { number }, length)
}

/// The number that a text begins with, and the length of the text up to its end.
pub fn leading_number(text: &[u8]) -> (f64, usize) {
    let start = text.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let mut end = text.len();
    while end > start {
        let is_number = |text: &str| {
            // Rust reads some names that C does not.
            text.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b)) && text.parse::<f64>().is_ok()
        };
        if let Some(number) = std::str::from_utf8(&text[start..end]).ok().filter(|text| is_number(text)) {
            return (number.parse().unwrap_or(0.0), end);
        }
        end -= 1;
    }
    (0.0, 0)
}

/// Whether a character belongs to the class that a function is named after.
pub fn is_class(name: &str, byte: u8) -> bool {
    match name {
        "isdigit" => byte.is_ascii_digit(),
        "isalpha" => byte.is_ascii_alphabetic(),
        "isalnum" => byte.is_ascii_alphanumeric(),
        "isspace" => byte.is_ascii_whitespace() || byte == 0x0b,
        "isupper" => byte.is_ascii_uppercase(),
        "islower" => byte.is_ascii_lowercase(),
        "ispunct" => byte.is_ascii_punctuation(),
        "isxdigit" => byte.is_ascii_hexdigit(),
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
        assert_eq!(leading_integer(b" -42x", 10), (-42, 4));
        assert_eq!(leading_integer(b"0x1f", 0), (31, 4));
        assert_eq!(leading_integer(b"none", 10), (0, 0));
    }
}
