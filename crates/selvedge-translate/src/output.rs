//! Output: it changes nothing, if all texts that it reads are there.

use crate::facts::ObjectKey;
use crate::refusal::Done;
use crate::thread::{Next, Thread};
use crate::value::{Pointer, Value};
use selvedge_code::{Builtin, functions};
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{Call, Instruction};

impl Thread<'_, '_> {
    /// Translates a call of a function that prints.
    pub fn print(
        &mut self,
        instruction: &Instruction,
        call: &Call,
        name: &str,
        builtin: Builtin,
    ) -> Done<Next> {
        if self.is_used(instruction) {
            return self.refuse(format!("the result of `{name}`"));
        }
        let first = match builtin {
            Builtin::Putchar | Builtin::Perror => None,
            Builtin::Puts | Builtin::Fputs => Some(0),
            _ => Some(functions::format_argument(builtin, name)),
        };
        if let Some(first) = first {
            let address = self.argument(call, first)?;
            if self.is_wrong_address(&address, false) {
                return Ok(self.undefined());
            }
            let Some(text) = self.constant_text(&address) else {
                return self.refuse("a text to print that is not constant");
            };
            if matches!(builtin, Builtin::Printf | Builtin::Fprintf) {
                self.check_conversions(call, first, &text)?;
            }
        }
        let bits = self.bits(call.result).unwrap_or(32);
        self.result(instruction, Value::int(bits, 0))
    }

    /// Refuses a format by which memory is read that may not be there, or written.
    fn check_conversions(&mut self, call: &Call, format: usize, text: &[u8]) -> Done {
        let kinds: Vec<u8> = conversions(text).collect();
        if kinds.contains(&b'n') {
            return self.refuse("a format that stores something");
        }
        if !kinds.contains(&b's') {
            return Ok(());
        }
        for number in format + 1..call.arguments.len() {
            let value = self.argument(call, number)?;
            let is_address = matches!(value, Value::Pointer(Pointer { object: Some(_), .. }));
            if is_address && self.constant_text(&value).is_none() {
                return self.refuse("a text to print that is not constant");
            }
        }
        Ok(())
    }

    /// The text at an address, if it is in a variable that never changes.
    fn constant_text(&self, address: &Value) -> Option<Vec<u8>> {
        let Value::Pointer(Pointer { object: Some(ObjectKey::Global(place)), constant, terms }) = address
        else {
            return None;
        };
        let global = &self.run.module.globals[*place];
        let start = usize::try_from(*constant).ok()?;
        let bytes = match &global.initial.as_ref()?.value {
            Constant::Bytes(bytes) if global.is_constant && terms.is_empty() => bytes.get(start..)?,
            Constant::Zero if global.is_constant && terms.is_empty() => &[0],
            _ => return None,
        };
        let end = bytes.iter().position(|byte| *byte == 0)?;
        Some(bytes[..end].to_vec())
    }
}

/// The letters of the conversions of a format.
fn conversions(format: &[u8]) -> impl Iterator<Item = u8> {
    let mut rest = format;
    std::iter::from_fn(move || {
        let start = rest.iter().position(|byte| *byte == b'%')?;
        rest = &rest[start + 1..];
        let length = rest.iter().position(|byte| !b"-+ 0#'*.123456789hlLzjtq".contains(byte))?;
        let kind = rest[length];
        rest = &rest[length + 1..];
        Some(kind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_found_behind_flags_and_widths() {
        assert!(conversions(b"%d: %-10.3s, %lu%% %hhn").eq(*b"dsu%n"));
        assert!(conversions(b"50%").eq(*b""));
    }
}
