//! The output streams of C++: what is written to `std::cout` and its like is captured, without a format.

use super::{Run, Step, arithmetic};
use crate::builtin::Builtin;
use crate::code::{Call, Callee};
use crate::failure::CutReason;

impl Run<'_> {
    /// Writes to a stream; the stream.
    pub fn stream(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        let bits = call.arguments.get(1).map_or(64, |argument| argument.bits);
        if !matches!(self.symbol_at(a(0)), "_ZSt4cout" | "_ZSt4cerr" | "_ZSt4clog") {
            let what = "C++ streams other than std::cout, std::cerr and std::clog".to_owned();
            return Err(self.give_up(CutReason::Unsupported(what)));
        }
        let text = match builtin {
            Builtin::StreamText => self.text(a(1), u64::MAX)?,
            Builtin::StreamSized => self.bytes_at(a(1), a(2))?,
            Builtin::StreamString => {
                // A string begins with the address of its text and its length.
                let found = self.readable(a(1), 16)?;
                let (text, length) =
                    (self.state.memory.load(found.at, 8), self.state.memory.load(found.at + 8, 8));
                self.bytes_at(text, length)?
            }
            Builtin::StreamCharacter => vec![a(1) as u8],
            Builtin::StreamSigned => arithmetic::signed(a(1), bits).to_string().into_bytes(),
            Builtin::StreamUnsigned => arithmetic::masked(a(1), bits).to_string().into_bytes(),
            Builtin::StreamBool => u64::from(a(1) & 1 != 0).to_string().into_bytes(),
            Builtin::StreamDouble if bits == 32 => f32::from_bits(a(1) as u32).to_string().into_bytes(),
            Builtin::StreamDouble => f64::from_bits(a(1)).to_string().into_bytes(),
            Builtin::StreamPointer => format!("{:#x}", a(1)).into_bytes(),
            Builtin::StreamManipulator => match self.code.function_addresses.get(&a(1)) {
                Some(Callee::Builtin(Builtin::StreamFlush)) => vec![b'\n'],
                _ => {
                    let what = "a manipulator of a C++ stream".to_owned();
                    return Err(self.give_up(CutReason::Unsupported(what)));
                }
            },
            _ if call.name.contains("endl") => vec![b'\n'],
            _ => Vec::new(),
        };
        self.print(&text);
        Ok(a(0))
    }

    fn bytes_at(&mut self, address: u64, size: u64) -> Step<Vec<u8>> {
        if size == 0 {
            return Ok(Vec::new());
        }
        let found = self.readable(address, size)?;
        Ok(self.state.memory.bytes[found.at..found.at + size as usize].to_vec())
    }
}
