//! Functions on strings, and those that read numbers from them.

use super::float_text::{Precision, Read, leading_number};
use super::locks::{EINVAL, ERANGE};
use super::numbers::{Prefixes, leading_integer};
use super::{Run, Step};
use crate::builtin::Builtin;
use crate::code::Call;
use crate::failure::CutReason;

impl Run<'_> {
    /// Functions on strings.
    pub fn text_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let all = u64::MAX;
        match builtin {
            Builtin::Memcmp => self.memcmp(a(0), a(1), a(2)),
            Builtin::Memchr => {
                if a(2) == 0 {
                    return Ok(0);
                }
                let found = self.readable(a(0), a(2))?;
                let bytes = &self.state.memory.bytes[found.at..found.at + a(2) as usize];
                let place = bytes.iter().position(|b| *b == a(1) as u8);
                Ok(place.map_or(0, |place| a(0) + place as u64))
            }
            Builtin::Strlen => Ok(self.text(a(0), all)?.len() as u64),
            Builtin::Strnlen => Ok(self.text(a(0), a(1))?.len() as u64),
            Builtin::Strcmp => self.compare_texts(a(0), a(1), all),
            Builtin::Strncmp => self.compare_texts(a(0), a(1), a(2)),
            Builtin::Strcasecmp => {
                self.together(&[a(0), a(1)])?;
                let (x, y) = (self.text(a(0), all)?, self.text(a(1), all)?);
                Ok(x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase()) as i8 as i64 as u64)
            }
            Builtin::Strchr | Builtin::Strrchr => {
                let mut text = self.text(a(0), all)?;
                text.push(0);
                let is_it = |b: &u8| *b == a(1) as u8;
                let place = match builtin {
                    Builtin::Strchr => text.iter().position(is_it),
                    _ => text.iter().rposition(is_it),
                };
                Ok(place.map_or(0, |place| a(0) + place as u64))
            }
            Builtin::Strstr => {
                self.together(&[a(0), a(1)])?;
                let (text, part) = (self.text(a(0), all)?, self.text(a(1), all)?);
                let place = (0..=text.len()).find(|i| text[*i..].starts_with(&part));
                Ok(place.map_or(0, |place| a(0) + place as u64))
            }
            Builtin::Atoi => {
                let text = self.text(a(0), u64::MAX)?;
                let (number, _) = leading_integer(&text, 10, Prefixes::Hexadecimal).unwrap_or((0, 0));
                Ok(number.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as u64)
            }
            Builtin::Strtol => self.read_integer(call, a(0), a(1), a(2) as u32),
            Builtin::Strtod => self.read_float(call, a(0), a(1)),
            _ => self.text_making(builtin, call, words),
        }
    }

    /// Functions that write strings.
    fn text_making(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let all = u64::MAX;
        match builtin {
            Builtin::Strcpy | Builtin::Stpcpy | Builtin::Strncpy => {
                self.together(&[a(0), a(1)])?;
                let most = if builtin == Builtin::Strncpy { a(2) } else { all };
                let text = self.text(a(1), most)?;
                if builtin == Builtin::Strncpy {
                    let mut bytes = text.clone();
                    bytes.resize(a(2) as usize, 0);
                    self.put(a(0), &bytes)?;
                } else {
                    self.put_text(a(0), &text)?;
                }
                Ok(if builtin == Builtin::Stpcpy { a(0) + text.len() as u64 } else { a(0) })
            }
            Builtin::Strcat | Builtin::Strncat => {
                self.together(&[a(0), a(1)])?;
                let most = if builtin == Builtin::Strncat { a(2) } else { all };
                let (old, text) = (self.text(a(0), all)?, self.text(a(1), most)?);
                self.put_text(a(0) + old.len() as u64, &text)?;
                Ok(a(0))
            }
            Builtin::Strdup | Builtin::Strndup => {
                let most = if builtin == Builtin::Strndup { a(1) } else { all };
                let text = self.text(a(0), most)?;
                self.duplicate(&text)
            }
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    /// `strtol` and its like.
    fn read_integer(&mut self, call: &Call, from: u64, to: u64, base: u32) -> Step<u64> {
        self.together(&[from, to])?;
        let text = self.text(from, u64::MAX)?;
        let is_of_2023 = call.name.starts_with("__isoc23_");
        let prefixes = if is_of_2023 { Prefixes::AlsoBinary } else { Prefixes::Hexadecimal };
        let Some((number, length)) = leading_integer(&text, base, prefixes) else {
            self.set_errno(EINVAL)?;
            return Ok(0);
        };
        let is_unsigned = call.name.contains("strtou");
        let bits = if call.result_bits == 0 { 64 } else { call.result_bits };
        let (least, most) = match is_unsigned {
            true => (1 - (1i128 << bits), (1i128 << bits) - 1),
            false => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        };
        let kept = if is_unsigned && number < least { most } else { number.clamp(least, most) };
        if kept != number {
            self.set_errno(ERANGE)?;
        }
        if to != 0 {
            self.put_address(to, from + length as u64)?;
        }
        Ok(super::arithmetic::masked(kept as u64, bits))
    }

    /// `strtod`, `strtof` and `atof`.
    fn read_float(&mut self, call: &Call, from: u64, to: u64) -> Step<u64> {
        let to = if call.name.starts_with("strto") { to } else { 0 };
        self.together(&[from, to])?;
        let text = self.text(from, u64::MAX)?;
        let precision = if call.result_bits == 32 { Precision::Single } else { Precision::Double };
        let Read { number, length, is_out_of_range } = leading_number(&text, precision);
        if is_out_of_range {
            self.set_errno(ERANGE)?;
        }
        if to != 0 {
            self.put_address(to, from + length as u64)?;
        }
        Ok(match precision {
            Precision::Single => u64::from((number as f32).to_bits()),
            Precision::Double => number.to_bits(),
        })
    }
}
