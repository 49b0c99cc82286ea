//! Output: captured, in the order of the execution.

use super::format::Arguments;
use super::{Run, Step};
use crate::builtin::Builtin;
use crate::code::Call;
use crate::failure::CutReason;
use crate::state::Control;

impl Run<'_> {
    /// The arguments of a call from the given one on, with their bits.
    fn words_from(&self, control: &Control, slots: &[u64], call: &Call, first: usize) -> Vec<(u64, u8)> {
        let words = self.arguments(control, slots, call);
        words.into_iter().zip(call.arguments.iter()).skip(first).map(|(word, a)| (word, a.bits)).collect()
    }

    /// Functions that print, or write formatted text.
    pub fn output_function(&mut self, builtin: Builtin, call: &Call, words: &[u64]) -> Step<u64> {
        let a = |i: usize| words.get(i).copied().unwrap_or(0);
        match builtin {
            Builtin::Puts => {
                let mut text = self.text(a(0), u64::MAX)?;
                text.push(b'\n');
                self.print(&text);
                Ok(1)
            }
            Builtin::Fputs => {
                let text = self.text(a(0), u64::MAX)?;
                self.print(&text);
                Ok(1)
            }
            Builtin::Putchar => {
                self.print(&[a(0) as u8]);
                Ok(a(0) & 0xff)
            }
            Builtin::Fwrite => {
                let size = a(1).saturating_mul(a(2));
                if size > 0 {
                    let found = self.readable(a(0), size)?;
                    let bytes = self.state.memory.bytes[found.at..found.at + size as usize].to_vec();
                    self.print(&bytes);
                }
                Ok(a(2))
            }
            Builtin::Perror => Ok(0),
            Builtin::Vprintf | Builtin::Vfprintf => {
                let first = usize::from(builtin == Builtin::Vfprintf);
                let text = self.print_list(a(first), a(first + 1))?;
                self.print(&text);
                Ok(text.len() as u64)
            }
            Builtin::Vsprintf | Builtin::Vsnprintf => {
                let first = if builtin == Builtin::Vsprintf { 1 } else { 2 };
                let text = self.print_list(a(first), a(first + 1))?;
                let room = if builtin == Builtin::Vsprintf { u64::MAX } else { a(1) };
                if room > 0 {
                    let kept = (text.len() as u64).min(room - 1) as usize;
                    self.put_text(a(0), &text[..kept])?;
                }
                Ok(text.len() as u64)
            }
            Builtin::StreamText
            | Builtin::StreamString
            | Builtin::StreamSized
            | Builtin::StreamCharacter
            | Builtin::StreamSigned
            | Builtin::StreamUnsigned
            | Builtin::StreamBool
            | Builtin::StreamDouble
            | Builtin::StreamPointer
            | Builtin::StreamManipulator
            | Builtin::StreamFlush => self.stream(builtin, call, words),
            _ => Err(self.give_up(CutReason::Unsupported(format!("`{}`", call.name)))),
        }
    }

    /// `printf` and `fprintf`.
    pub fn print_format(&mut self, control: &Control, slots: &[u64], call: &Call) -> Step<u64> {
        let words = self.words_from(control, slots, call, call.format_argument());
        let text = self.formatted(&words)?;
        self.print(&text);
        Ok(text.len() as u64)
    }

    fn formatted(&mut self, words: &[(u64, u8)]) -> Step<Vec<u8>> {
        let Some(&(format, _)) = words.first() else { return Ok(Vec::new()) };
        let addresses: Vec<u64> = words.iter().map(|word| word.0).collect();
        self.together(&addresses)?;
        let format = self.text(format, u64::MAX)?;
        self.format(&format, Arguments::Words(&words[1..]))
    }

    /// Writes a text. Nobody can read it, so a loop that only waits still does so.
    pub fn print(&mut self, text: &[u8]) {
        self.state.print(text);
    }

    /// `sprintf`, or `snprintf` with a limit.
    pub fn print_into(&mut self, to: u64, limit: Option<u64>, words: &[(u64, u8)]) -> Step<u64> {
        let text = self.formatted(words)?;
        let length = text.len() as u64;
        match limit {
            Some(0) => {}
            Some(limit) => {
                let kept = (length.min(limit - 1)) as usize;
                self.put_text(to, &text[..kept])?;
            }
            None => self.put_text(to, &text)?,
        }
        Ok(length)
    }

    /// `sprintf` and `snprintf` as calls.
    pub fn print_call(&mut self, control: &Control, slots: &[u64], call: &Call, limited: bool) -> Step<u64> {
        let words = self.arguments(control, slots, call);
        let first = if limited { 2 } else { 1 };
        let limit = limited.then(|| words.get(1).copied().unwrap_or(0));
        let rest = self.words_from(control, slots, call, first);
        self.print_into(words.first().copied().unwrap_or(0), limit, &rest)
    }

    /// `vprintf` and its like: the list holds the address of the arguments that are left.
    pub fn print_list(&mut self, format: u64, list: u64) -> Step<Vec<u8>> {
        self.together(&[format, list])?;
        if self.pointer_bytes() == 4 {
            let what = "lists of arguments for the functions of `stdio.h` with -m32".to_owned();
            return Err(self.give_up(CutReason::Unsupported(what)));
        }
        let format = self.text(format, u64::MAX)?;
        let found = self.readable(list.wrapping_add(8), 8)?;
        let first = self.state.memory.load(found.at, 8);
        self.format(&format, Arguments::List(first))
    }
}
