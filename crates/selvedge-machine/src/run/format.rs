//! Formats of `printf`.

use super::float_text::{self, Style};
use super::{Outcome, Run, Step, arithmetic};
use crate::code::Op;
use crate::failure::CutReason;

/// What is written for a text that is not there.
const NULL: &[u8] = b"(null)";

/// The widest conversion, and the most digits of one.
const MOST_CHARACTERS: i64 = 1 << 20;

/// Stands for the size of a `long double`.
const LONG_DOUBLE: u8 = 80;

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
                // Groups of digits, of which there are none in the locale of C.
                b'\'' => {}
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
                b'L' => LONG_DOUBLE,
                b'l' if format.get(*at + 1) == Some(&b'l') || format.get(*at - 1) == Some(&b'l') => 64,
                b'l' | b'z' | b't' => self.pointer_bits(),
                b'j' | b'q' => 64,
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
            let number = arithmetic::signed(word, 32);
            return match number.abs() > MOST_CHARACTERS {
                true => Err(self.too_wide()),
                false => Ok(number),
            };
        }
        let mut number = 0i64;
        while let Some(digit) = format.get(*at).filter(|byte| byte.is_ascii_digit()) {
            number = number.saturating_mul(10).saturating_add(i64::from(digit - b'0'));
            *at += 1;
        }
        if number > MOST_CHARACTERS {
            return Err(self.too_wide());
        }
        Ok(number)
    }

    fn too_wide(&mut self) -> Outcome {
        let what = format!("a format of more than {MOST_CHARACTERS} characters");
        self.give_up(CutReason::Unsupported(what))
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

    /// Notes that a word is written as a number. If it is an address, what somebody reads depends on that.
    fn note_formatted(&mut self, word: u64) {
        let is_only_output = match self.code.ops[self.present as usize] {
            Op::Builtin { call } => self.code.calls[call as usize].is_only_output(),
            _ => false,
        };
        if !is_only_output && self.state.memory.base_of(word).is_some() {
            self.depend_on_number(self.present);
        }
    }

    fn convert(&mut self, conversion: &Conversion, arguments: &mut Arguments) -> Step<Vec<u8>> {
        if conversion.kind != b's' && conversion.kind != b'n' && self.skip_open(arguments) {
            return Ok(b"?".to_vec());
        }
        let word = self.argument(arguments)?;
        if b"dixXopu".contains(&conversion.kind) && self.may_be_address(word) {
            self.note_formatted(word);
        }
        let unsigned = arithmetic::masked(word, conversion.bits);
        let text = match conversion.kind {
            b'd' | b'i' => integer(arithmetic::signed(word, conversion.bits), conversion),
            b'u' => digits(unsigned.to_string(), conversion),
            b'x' | b'X' => hexadecimal(unsigned, conversion),
            b'o' => octal(unsigned, conversion),
            b'c' if conversion.bits != 64 => return Ok(vec![word as u8]),
            b'p' => match word {
                0 => "(nil)".to_owned(),
                _ => format!("{word:#x}"),
            },
            b's' if conversion.bits != 64 => {
                let most = conversion.precision.map_or(u64::MAX, |p| p as u64);
                return match word {
                    0 => Ok(if most < NULL.len() as u64 { Vec::new() } else { NULL.to_vec() }),
                    _ => self.text(word, most),
                };
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' if conversion.bits != LONG_DOUBLE => {
                float(f64::from_bits(word), conversion)
            }
            other => {
                let size = match conversion.bits {
                    LONG_DOUBLE => "L",
                    64 => "l",
                    _ => "",
                };
                let what = format!("the conversion `%{size}{}` of a format", char::from(other));
                return Err(self.give_up(CutReason::Unsupported(what)));
            }
        };
        Ok(text.into_bytes())
    }
}

/// The digits of a number, at least as many as the precision asks for.
fn digits(text: String, conversion: &Conversion) -> String {
    match conversion.precision {
        Some(0) if text == "0" => String::new(),
        Some(precision) => {
            let zeros = "0".repeat(precision.saturating_sub(text.len()));
            format!("{zeros}{text}")
        }
        None => text,
    }
}

/// The digits of an octal number; in the alternate form the first one is a zero.
fn octal(number: u64, conversion: &Conversion) -> String {
    let text = digits(format!("{number:o}"), conversion);
    match conversion.alternate && !text.starts_with('0') {
        true => format!("0{text}"),
        false => text,
    }
}

fn hexadecimal(number: u64, conversion: &Conversion) -> String {
    let is_upper = conversion.kind == b'X';
    let text = if is_upper { format!("{number:X}") } else { format!("{number:x}") };
    let prefix = match (conversion.alternate && number != 0, is_upper) {
        (false, _) => "",
        (true, false) => "0x",
        (true, true) => "0X",
    };
    format!("{prefix}{}", digits(text, conversion))
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
    let Conversion { kind, precision, alternate, .. } = *conversion;
    let magnitude = float_text::magnitude(number, Style { kind, precision, alternate });
    format!("{}{magnitude}", sign(number.is_sign_negative(), conversion))
}

/// Whether zeros may fill the room before the digits.
fn takes_zeros(text: &[u8], conversion: &Conversion) -> bool {
    match conversion.kind {
        b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => conversion.precision.is_none(),
        b's' | b'c' | b'p' => false,
        // Not before infinity.
        _ => text.iter().any(u8::is_ascii_digit),
    }
}

fn pad(out: &mut Vec<u8>, text: &[u8], conversion: &Conversion) {
    let missing = conversion.width.saturating_sub(text.len());
    if conversion.left {
        out.extend_from_slice(text);
        out.extend(std::iter::repeat_n(b' ', missing));
    } else if conversion.zero && takes_zeros(text, conversion) {
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
    fn the_alternate_form_of_an_octal_number_begins_with_a_zero() {
        let told = |number: u64, precision: Option<usize>| {
            octal(number, &Conversion { kind: b'o', alternate: true, precision, ..Conversion::default() })
        };
        assert_eq!(told(8, None), "010");
        assert_eq!(told(8, Some(5)), "00010");
        assert_eq!(told(0, None), "0");
        assert_eq!(told(0, Some(0)), "0");
    }

    #[test]
    fn no_zeros_come_before_infinity() {
        let mut out = Vec::new();
        let conversion = Conversion { zero: true, width: 5, kind: b'f', ..Conversion::default() };
        pad(&mut out, b"inf", &conversion);
        assert_eq!(out, b"  inf");
    }

    #[test]
    fn zeros_fill_between_sign_and_digits() {
        let mut out = Vec::new();
        let conversion = Conversion { zero: true, width: 5, kind: b'd', ..Conversion::default() };
        pad(&mut out, b"-42", &conversion);
        assert_eq!(out, b"-0042");
    }
}
