//! Formats of `printf`.

use super::{Run, Step, arithmetic};
use crate::failure::CutReason;
use std::fmt::Write;

/// Where the arguments of a format come from.
pub enum Arguments<'a> {
    /// The words of a call, with their bits.
    Words(&'a [(u64, u8)]),
    /// Memory, from an address on, a word each.
    List(u64),
}

/// One conversion of a format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    zero: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    bits: u8,
    kind: u8,
}

impl Run<'_> {
    fn argument(&mut self, arguments: &mut Arguments) -> Step<u64> {
        match arguments {
            Arguments::Words(words) => {
                let first = words.first().map_or(0, |word| word.0);
                *words = words.get(1..).unwrap_or_default();
                match self.state.symbols().tag(first) {
                    None => Ok(first),
                    Some(tag) if !self.state.symbols().is_open(tag) => self.decide_tag(tag),
                    Some(_) => Err(self.give_up(CutReason::ManyValues)),
                }
            }
            Arguments::List(address) => {
                let found = self.readable(*address, 8)?;
                *address += 8;
                let word = self.state.memory.load(found.at, 8);
                // Inputs are stored without being decided.
                self.state.symbols().tag(word).map_or(Ok(word), |tag| self.decide_tag(tag))
            }
        }
    }

    /// A format with its arguments filled in.
    pub fn format(&mut self, format: &[u8], mut arguments: Arguments) -> Step<Vec<u8>> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < format.len() {
            if format[at] != b'%' {
                out.push(format[at]);
                at += 1;
                continue;
            }
            at += 1;
            if format.get(at) == Some(&b'%') {
                out.push(b'%');
                at += 1;
                continue;
            }
            let conversion = self.conversion(format, &mut at, &mut arguments)?;
            let text = self.convert(&conversion, &mut arguments)?;
            pad(&mut out, &text, &conversion);
        }
        Ok(out)
    }

    fn conversion(&mut self, format: &[u8], at: &mut usize, arguments: &mut Arguments) -> Step<Conversion> {
        let mut conversion = Conversion { bits: 32, ..Conversion::default() };
        while let Some(&flag) = format.get(*at) {
            match flag {
                b'-' => conversion.left = true,
                b'+' => conversion.plus = true,
                b' ' => conversion.space = true,
                b'0' => conversion.zero = true,
                b'#' => conversion.alternate = true,
                _ => break,
            }
            *at += 1;
        }
        let width = self.number(format, at, arguments)?;
        if width < 0 {
            conversion.left = true;
        }
        conversion.width = width.unsigned_abs() as usize;
        if format.get(*at) == Some(&b'.') {
            *at += 1;
            let precision = self.number(format, at, arguments)?;
            conversion.precision = (precision >= 0).then_some(precision as usize);
        }
        while let Some(&size) = format.get(*at) {
            conversion.bits = match size {
                b'l' | b'j' | b'z' | b't' | b'q' | b'L' => 64,
                b'h' if conversion.bits == 16 => 8,
                b'h' => 16,
                _ => break,
            };
            *at += 1;
        }
        conversion.kind = format.get(*at).copied().unwrap_or(b'%');
        *at += 1;
        Ok(conversion)
    }

    fn number(&mut self, format: &[u8], at: &mut usize, arguments: &mut Arguments) -> Step<i64> {
        if format.get(*at) == Some(&b'*') {
            *at += 1;
            let word = self.argument(arguments)?;
            return Ok(arithmetic::signed(word, 32));
        }
        let mut number = 0i64;
        while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
            number = number.saturating_mul(10).saturating_add(i64::from(digit - b'0')).min(4096);
            *at += 1;
        }
        Ok(number)
    }

    /// Skips an argument that is still open; whether it was. Such words come here only where nobody looks at the text.
    fn skip_open(&mut self, arguments: &mut Arguments) -> bool {
        let Arguments::Words(words) = arguments else { return false };
        let symbols = self.state.symbols();
        let is_open =
            words.first().is_some_and(|(word, _)| symbols.tag(*word).is_some_and(|tag| symbols.is_open(tag)));
        if is_open {
            *words = &words[1..];
        }
        is_open
    }

    fn convert(&mut self, conversion: &Conversion, arguments: &mut Arguments) -> Step<Vec<u8>> {
        if conversion.kind != b's' && conversion.kind != b'n' && self.skip_open(arguments) {
            return Ok(b"?".to_vec());
        }
        let word = self.argument(arguments)?;
        let unsigned = arithmetic::masked(word, conversion.bits);
        let text = match conversion.kind {
            b'd' | b'i' => integer(arithmetic::signed(word, conversion.bits), conversion),
            b'u' => digits(unsigned.to_string(), conversion),
            b'x' => {
                let prefix = if conversion.alternate && unsigned != 0 { "0x" } else { "" };
                format!("{prefix}{}", digits(format!("{unsigned:x}"), conversion))
            }
            b'X' => {
                let prefix = if conversion.alternate && unsigned != 0 { "0X" } else { "" };
                format!("{prefix}{}", digits(format!("{unsigned:X}"), conversion))
            }
            b'o' => digits(format!("{unsigned:o}"), conversion),
            b'c' => return Ok(vec![word as u8]),
            b'p' => match word {
                0 => "(nil)".to_owned(),
                _ => format!("{word:#x}"),
            },
            b's' => {
                let most = conversion.precision.map_or(u64::MAX, |p| p as u64);
                return match word {
                    0 => Ok(b"(null)".to_vec()),
                    _ => self.text(word, most),
                };
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => float(f64::from_bits(word), conversion),
            other => {
                let what = format!("the conversion `%{}` of a format", char::from(other));
                return Err(self.give_up(CutReason::Unsupported(what)));
            }
        };
        Ok(text.into_bytes())
    }
}

fn digits(text: String, conversion: &Conversion) -> String {
    match conversion.precision {
        Some(0) if text == "0" => String::new(),
        Some(precision) => format!("{text:0>precision$}"),
        None => text,
    }
}

fn sign(is_negative: bool, conversion: &Conversion) -> &'static str {
    match (is_negative, conversion.plus, conversion.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(number: i64, conversion: &Conversion) -> String {
    format!("{}{}", sign(number < 0, conversion), digits(number.unsigned_abs().to_string(), conversion))
}

fn float(number: f64, conversion: &Conversion) -> String {
    let sign = sign(number.is_sign_negative(), conversion);
    let size = number.abs();
    if !number.is_finite() {
        return format!("{sign}{}", if number.is_nan() { "nan" } else { "inf" });
    }
    let precision = conversion.precision.unwrap_or(6);
    let text = match conversion.kind {
        b'f' | b'F' => format!("{size:.precision$}"),
        b'e' | b'E' => exponential(size, precision),
        _ => general(size, precision.max(1), conversion.alternate),
    };
    let text = if conversion.kind.is_ascii_uppercase() { text.to_uppercase() } else { text };
    format!("{sign}{text}")
}

/// A number with an exponent of at least two digits.
fn exponential(number: f64, precision: usize) -> String {
    let text = format!("{number:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// The shorter of both forms, without zeros at its end.
fn general(number: f64, precision: usize, keep_zeros: bool) -> String {
    let exponent: i32 = match number == 0.0 {
        true => 0,
        false => {
            let text = format!("{number:.0$e}", precision - 1);
            text.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0)
        }
    };
    let text = match exponent < -4 || exponent >= precision as i32 {
        true => exponential(number, precision - 1),
        false => format!("{number:.0$}", (precision as i32 - 1 - exponent).max(0) as usize),
    };
    if keep_zeros || !text.contains('.') {
        return text;
    }
    let (digits, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let mut short = digits.trim_end_matches('0').trim_end_matches('.').to_owned();
    let _ = write!(short, "{exponent}");
    short
}

fn pad(out: &mut Vec<u8>, text: &[u8], conversion: &Conversion) {
    let missing = conversion.width.saturating_sub(text.len());
    let is_number = !matches!(conversion.kind, b's' | b'c' | b'p');
    let is_integer = matches!(conversion.kind, b'd' | b'i' | b'u' | b'x' | b'X' | b'o');
    if conversion.left {
        out.extend_from_slice(text);
        out.extend(std::iter::repeat_n(b' ', missing));
    } else if conversion.zero && is_number && !(is_integer && conversion.precision.is_some()) {
        let sign = usize::from(text.first().is_some_and(|b| matches!(b, b'-' | b'+' | b' ')));
        let sign =
            if text[sign..].starts_with(b"0x") || text[sign..].starts_with(b"0X") { sign + 2 } else { sign };
        out.extend_from_slice(&text[..sign]);
        out.extend(std::iter::repeat_n(b'0', missing));
        out.extend_from_slice(&text[sign..]);
    } else {
        out.extend(std::iter::repeat_n(b' ', missing));
        out.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_look_as_in_c() {
        let told = |kind: u8, number: f64| float(number, &Conversion { kind, ..Conversion::default() });
        assert_eq!(told(b'f', 2.5), "2.500000");
        assert_eq!(told(b'e', 12345.678), "1.234568e+04");
        assert_eq!(told(b'g', 0.0001), "0.0001");
        assert_eq!(told(b'g', 1e10), "1e+10");
        assert_eq!(told(b'g', 100000.0), "100000");
    }

    #[test]
    fn zeros_fill_between_sign_and_digits() {
        let mut out = Vec::new();
        let conversion = Conversion { zero: true, width: 5, kind: b'd', ..Conversion::default() };
        pad(&mut out, b"-42", &conversion);
        assert_eq!(out, b"-0042");
    }
}
