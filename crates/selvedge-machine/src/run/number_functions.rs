//! Functions of numbers alone.

use super::numbers::{is_class, math1, math2};
use super::{Run, Step, arithmetic};
use crate::builtin::Builtin;
use crate::code::Call;
use crate::failure::CutReason;
use selvedge_llvm::instruction::BinaryOperator;

impl Run<'_> {
    /// Functions of numbers.
    pub fn number_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let double = |i: usize| f64::from_bits(a(i));
        let single = |i: usize| f64::from(f32::from_bits(a(i) as u32));
        match builtin {
            Builtin::Nothing => Ok(0),
            Builtin::Abs => {
                if self.options.checks.overflow {
                    self.checked(BinaryOperator::Sub, call.result_bits, 0, a(0))?;
                }
                Ok(arithmetic::signed(a(0), call.result_bits).unsigned_abs())
            }
            Builtin::IsClass => Ok(u64::from(is_class(&call.name, a(0) as u8))),
            // The end of a file is no character.
            Builtin::ToLower | Builtin::ToUpper if a(0) > 255 => Ok(a(0)),
            Builtin::ToLower => Ok(u64::from((a(0) as u8).to_ascii_lowercase())),
            Builtin::ToUpper => Ok(u64::from((a(0) as u8).to_ascii_uppercase())),
            Builtin::Math1 => self.math(math1(&call.name, double(0)), call),
            Builtin::Math2 => self.math(math2(&call.name, double(0), double(1)), call),
            Builtin::Math1f => {
                let name = call.name.strip_suffix('f').unwrap_or(&call.name);
                let result = math1(name, single(0));
                self.math(result, call).map(|bits| u64::from((f64::from_bits(bits) as f32).to_bits()))
            }
            Builtin::Math2f => {
                let name = call.name.strip_suffix('f').unwrap_or(&call.name);
                let result = math2(name, single(0), single(1));
                self.math(result, call).map(|bits| u64::from((f64::from_bits(bits) as f32).to_bits()))
            }
            Builtin::Rounded => {
                let name = call.name.trim_start_matches('l').trim_end_matches('f');
                let number = if call.name.ends_with('f') { single(0) } else { double(0) };
                Ok((if name == "round" { number.round() } else { number.round_ties_even() }) as i64 as u64)
            }
            Builtin::IsNan | Builtin::IsInf => {
                let number =
                    if call.arguments.first().is_some_and(|a| a.bits == 32) { single(0) } else { double(0) };
                Ok(u64::from(if builtin == Builtin::IsNan { number.is_nan() } else { number.is_infinite() }))
            }
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    fn math(&mut self, result: Option<f64>, call: &Call) -> Step<u64> {
        match result {
            Some(number) => Ok(number.to_bits()),
            None => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }
}
