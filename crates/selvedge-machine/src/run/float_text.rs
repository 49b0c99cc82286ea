//! Floating-point numbers as text: as `printf` writes them and `strtod` reads them.

/// More digits than any number of 64 bits has; the others are zeros.
const MOST_DIGITS: usize = 1100;

/// How a number is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The letter of the conversion.
    pub kind: u8,
    /// The digits after the point, or for `%g` all of them.
    pub precision: Option<usize>,
    /// Whether the point is written even if nothing comes after it, and `%g` keeps its zeros.
    pub alternate: bool,
}

/// The text of a number without its sign.
pub fn magnitude(number: f64, style: Style) -> String {
    let size = number.abs();
    let precision = style.precision.unwrap_or(6);
    let text = match style.kind.to_ascii_lowercase() {
        _ if number.is_nan() => "nan".to_owned(),
        _ if number.is_infinite() => "inf".to_owned(),
        b'f' => fixed(size, precision, style.alternate),
        b'e' => exponential(size, precision, style.alternate),
        b'a' => hexadecimal(size, style.precision, style.alternate),
        _ => general(size, precision.max(1), style.alternate),
    };
    if style.kind.is_ascii_uppercase() { text.to_uppercase() } else { text }
}

/// Adds zeros to the digits after the point, or a point after which there is nothing.
fn completed(mut digits: String, missing: usize, precision: usize, alternate: bool) -> String {
    if precision == 0 && alternate {
        digits.push('.');
    }
    digits.extend(std::iter::repeat_n('0', missing));
    digits
}

fn fixed(number: f64, precision: usize, alternate: bool) -> String {
    let shown = precision.min(MOST_DIGITS);
    completed(format!("{number:.shown$}"), precision - shown, precision, alternate)
}

/// A number with an exponent of at least two digits.
fn exponential(number: f64, precision: usize, alternate: bool) -> String {
    let shown = precision.min(MOST_DIGITS);
    let text = format!("{number:.shown$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = completed(digits.to_owned(), precision - shown, precision, alternate);
    format!("{digits}e{}{:02}", sign_of(exponent), exponent.abs())
}

fn sign_of(exponent: i32) -> char {
    if exponent < 0 { '-' } else { '+' }
}

/// The shorter of both forms, without zeros at its end unless they are asked for.
fn general(number: f64, precision: usize, alternate: bool) -> String {
    let exponent: i32 = match number == 0.0 {
        true => 0,
        false => {
            let text = format!("{number:.0$e}", precision.min(MOST_DIGITS) - 1);
            text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
        }
    };
    let text = match exponent < -4 || i64::from(exponent) >= precision as i64 {
        true => exponential(number, precision - 1, alternate),
        false => fixed(number, (precision as i64 - 1 - i64::from(exponent)) as usize, alternate),
    };
    if alternate || !text.contains('.') {
        return text;
    }
    let (digits, exponent) = text.split_at(text.find('e').unwrap_or(text.len()));
    format!("{}{exponent}", digits.trim_end_matches('0').trim_end_matches('.'))
}

/// Bits of a number after the point, and the exponent of those below the smallest that is normal.
const FRACTION: u32 = 52;
const LEAST_EXPONENT: i32 = -1022;

fn hexadecimal(number: f64, precision: Option<usize>, alternate: bool) -> String {
    let bits = number.to_bits();
    let (biased, fraction) = ((bits >> FRACTION & 0x7ff) as i32, bits & ((1 << FRACTION) - 1));
    let (lead, mut exponent) = match biased {
        0 if fraction == 0 => (0, 0),
        0 => (0, LEAST_EXPONENT),
        _ => (1, biased - 1023),
    };
    let mut digits = lead << FRACTION | fraction;
    let most = (FRACTION / 4) as usize;
    if let Some(precision) = precision.filter(|precision| *precision < most) {
        digits = rounded_off(digits, (most - precision) as u32 * 4);
    }
    // Rounding a number below the normal ones may make it normal.
    if lead == 0 && digits >> FRACTION == 1 {
        exponent = LEAST_EXPONENT;
    }
    let all = format!("{:013x}", digits & ((1 << FRACTION) - 1));
    let shown = match precision {
        None => all.trim_end_matches('0').to_owned(),
        Some(precision) => {
            let zeros = "0".repeat(precision.saturating_sub(most));
            format!("{}{zeros}", &all[..precision.min(most)])
        }
    };
    let point = if shown.is_empty() && !alternate { "" } else { "." };
    format!("0x{:x}{point}{shown}p{}{}", digits >> FRACTION, sign_of(exponent), exponent.abs())
}

/// A number whose last bits are zeros: the nearest one, or of two the one that is even.
fn rounded_off(number: u64, bits: u32) -> u64 {
    let (kept, rest, half) = (number >> bits, number & ((1 << bits) - 1), 1 << (bits - 1));
    let is_up = rest > half || (rest == half && kept & 1 == 1);
    (kept + u64::from(is_up)) << bits
}

/// Which numbers are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Those of 32 bits.
    Single,
    /// Those of 64 bits.
    Double,
}

/// A number that was read.
#[derive(Clone, Copy, Debug)]
pub struct Read {
    /// The number.
    pub number: f64,
    /// The length of the text up to its end; 0 if there is none.
    pub length: usize,
    /// Whether it is too large, or so small that it is not exact.
    pub is_out_of_range: bool,
}

/// The number that a text begins with, as `strtod` and `strtof` read it.
pub fn leading_number(text: &[u8], precision: Precision) -> Read {
    let spaces = text.iter().take_while(|byte| is_space(**byte)).count();
    let signed = &text[spaces..];
    let sign = usize::from(matches!(signed.first(), Some(b'-' | b'+')));
    let unsigned = &signed[sign..];
    let found = named(unsigned).or_else(|| hexadecimal_number(unsigned, precision));
    let Some((size, length, is_out_of_range)) = found.or_else(|| decimal(unsigned, precision)) else {
        return Read { number: 0.0, length: 0, is_out_of_range: false };
    };
    let number = if signed.first() == Some(&b'-') { -size } else { size };
    Read { number, length: spaces + sign + length, is_out_of_range }
}

/// Whether a byte is white space in C.
pub fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0b
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// Infinity and not-a-number: the value, its length, and that it is in range.
fn named(text: &[u8]) -> Option<(f64, usize, bool)> {
    if starts_with_word(text, b"nan") {
        let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let name = text.get(4..).map_or(0, |rest| rest.iter().take_while(is_of_name).count());
        let has_name = text.get(3) == Some(&b'(') && text.get(4 + name) == Some(&b')');
        return Some((f64::NAN, if has_name { name + 5 } else { 3 }, false));
    }
    let word = [&b"infinity"[..], b"inf"].into_iter().find(|word| starts_with_word(text, word))?;
    Some((f64::INFINITY, word.len(), false))
}

fn decimal(text: &[u8], precision: Precision) -> Option<(f64, usize, bool)> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let whole = digits(0);
    let mut length = whole;
    let mut fraction = 0;
    if text.get(whole) == Some(&b'.') {
        fraction = digits(whole + 1);
        length = whole + 1 + fraction;
    }
    if whole + fraction == 0 {
        return None;
    }
    if let Some(b'e' | b'E') = text.get(length) {
        let sign = usize::from(matches!(text.get(length + 1), Some(b'-' | b'+')));
        let exponent = text.get(length + 1 + sign..).map_or(0, |_| digits(length + 1 + sign));
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let number = std::str::from_utf8(&text[..length]).ok()?;
    let value: f64 = match precision {
        Precision::Double => number.parse().ok()?,
        Precision::Single => f64::from(number.parse::<f32>().ok()?),
    };
    let is_zero =
        !text[..length].iter().take_while(|b| !b"eE".contains(b)).any(|b| (b'1'..=b'9').contains(b));
    Some((value, length, !is_zero && is_out_of_range(value, precision)))
}

/// Whether a number that is not zero came out infinite, or below the normal ones. Of those the ones that are exact are in range; a decimal number
/// of usual length is not.
fn is_out_of_range(value: f64, precision: Precision) -> bool {
    let least = match precision {
        Precision::Double => f64::MIN_POSITIVE,
        Precision::Single => f64::from(f32::MIN_POSITIVE),
    };
    value.is_infinite() || value < least
}

fn hexadecimal_number(text: &[u8], precision: Precision) -> Option<(f64, usize, bool)> {
    starts_with_word(text, b"0x").then_some(())?;
    let mut mantissa = Mantissa::default();
    let mut at = 2;
    let mut digits = 0;
    let mut after_point = None;
    while let Some(&byte) = text.get(at) {
        match (char::from(byte).to_digit(16), after_point) {
            (Some(digit), _) => {
                digits += 1;
                mantissa.push(digit);
                after_point = after_point.map(|places| places + 1);
            }
            (None, None) if byte == b'.' => after_point = Some(0i64),
            _ => break,
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    let mut exponent = 0i64;
    if let Some(b'p' | b'P') = text.get(at) {
        let sign = usize::from(matches!(text.get(at + 1), Some(b'-' | b'+')));
        let rest = text.get(at + 1 + sign..).unwrap_or_default();
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let digit = |sum: i64, byte: &u8| (sum * 10 + i64::from(byte - b'0')).min(1 << 40);
        exponent = rest[..count].iter().fold(0, digit);
        exponent = if text.get(at + 1) == Some(&b'-') { -exponent } else { exponent };
        at += if count > 0 { 1 + sign + count } else { 0 };
    }
    let (value, is_exact) = mantissa.scaled(exponent - 4 * after_point.unwrap_or(0), precision);
    let is_out = value.is_infinite() || (!is_exact && is_out_of_range(value, precision));
    Some((value, at, is_out))
}

/// The digits of a hexadecimal number: as many as fit, where they stand, and whether anything but zeros came after them.
#[derive(Clone, Copy, Debug, Default)]
struct Mantissa {
    bits: u64,
    exponent: i64,
    rest: bool,
}

impl Mantissa {
    fn push(&mut self, digit: u32) {
        match self.bits >> 60 {
            0 => self.bits = self.bits << 4 | u64::from(digit),
            _ => {
                self.exponent += 4;
                self.rest |= digit > 0;
            }
        }
    }

    /// The nearest number to the mantissa times a power of two, or of two the even one; whether it is exact.
    fn scaled(self, exponent: i64, precision: Precision) -> (f64, bool) {
        if self.bits == 0 {
            return (0.0, true);
        }
        let (kept, least, most) = match precision {
            Precision::Double => (53, -1074, 1024),
            Precision::Single => (24, -149, 128),
        };
        let exponent = exponent + self.exponent;
        let width = i64::from(64 - self.bits.leading_zeros());
        if exponent + width > most {
            return (f64::INFINITY, false);
        }
        // The exponent of the last bit that the result has.
        let last = (exponent + width - kept).max(least);
        let shift = (last - exponent).min(100);
        let (number, is_exact) = match shift <= 0 {
            true => (u128::from(self.bits) << -shift, !self.rest),
            false => {
                let bits = u128::from(self.bits);
                let (number, rest, half) = (bits >> shift, bits & ((1 << shift) - 1), 1 << (shift - 1));
                let is_up = rest > half || (rest == half && (self.rest || number & 1 == 1));
                (number + u128::from(is_up), rest == 0 && !self.rest)
            }
        };
        // Two steps, for the power of two may be too small by itself.
        let half = last / 2;
        let value = number as f64 * 2f64.powi(half as i32) * 2f64.powi((last - half) as i32);
        let width = i64::from(128 - number.leading_zeros());
        (if last + width > most { f64::INFINITY } else { value }, is_exact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(kind: u8, precision: Option<usize>, alternate: bool, number: f64) -> String {
        magnitude(number, Style { kind, precision, alternate })
    }

    #[test]
    fn floats_look_as_in_c() {
        assert_eq!(told(b'f', None, false, 2.5), "2.500000");
        assert_eq!(told(b'e', None, false, 12345.678), "1.234568e+04");
        assert_eq!(told(b'g', None, false, 0.0001), "0.0001");
        assert_eq!(told(b'g', None, false, 1e10), "1e+10");
        assert_eq!(told(b'g', None, false, 100000.0), "100000");
        assert_eq!(told(b'F', None, false, f64::INFINITY), "INF");
        assert_eq!(told(b'a', None, false, 1.5), "0x1.8p+0");
        assert_eq!(told(b'a', Some(0), false, 1.5), "0x2p+0");
        assert_eq!(told(b'A', Some(2), false, 0.0), "0X0.00P+0");
    }

    #[test]
    fn the_alternate_form_keeps_the_point() {
        assert_eq!(told(b'f', Some(0), true, 3.0), "3.");
        assert_eq!(told(b'e', Some(0), true, 3.0), "3.e+00");
        assert_eq!(told(b'g', Some(3), true, 100.0), "100.");
        assert_eq!(told(b'g', Some(3), true, 1.0), "1.00");
    }

    #[test]
    fn numbers_are_read_as_in_c() {
        let read = |text: &str| {
            let read = leading_number(text.as_bytes(), Precision::Double);
            (read.number, read.length)
        };
        assert_eq!(read(" -1.5e2x"), (-150.0, 7));
        assert_eq!(read("1e+"), (1.0, 1));
        assert_eq!(read("inf"), (f64::INFINITY, 3));
        assert_eq!(read("-InFiNiTyx"), (f64::NEG_INFINITY, 9));
        assert_eq!(read("0x1.8p3"), (12.0, 7));
        assert_eq!(read("0x"), (0.0, 1));
        assert_eq!(read("0x.p1"), (0.0, 1));
        assert_eq!(read("0x1p-1074"), (5e-324, 9));
        assert_eq!(read("0x1p-1075").0, 0.0);
        assert_eq!(read("0x1.8p-1075").0, 5e-324);
        assert_eq!(read("0x1p1024").0, f64::INFINITY);
        assert_eq!(read("."), (0.0, 0));
        assert_eq!(read("nan(12)y").1, 7);
        assert_eq!(read("nan(").1, 3);
        assert_eq!(leading_number(b"0x1.fffffefp127", Precision::Single).number, f64::from(f32::MAX));
        assert_eq!(leading_number(b"0x1.ffffffp127", Precision::Single).number, f64::INFINITY);
    }
}
