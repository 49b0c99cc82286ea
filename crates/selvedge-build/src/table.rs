//! Tables: a prefix as the numbers that the run time reads.
//!
//! The layout is that of the structures in the run time's `runtime.h`; the text of the LLVM IR carries it as a constant.

use crate::{BuildError, OnDivergence, Options};
use selvedge_rt::TABLE_MAGIC;
use selvedge_schedule::prefix::{Conflicts, Prefix, PrefixEvent, Rest};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The words of the head, before the rows.
const HEAD_WORDS: u32 = 22;
/// No thread.
const NONE: u32 = u32::MAX;
/// What threads have seen of each other is a table of the square of their number.
const MOST_THREADS: usize = 4096;

/// A prefix as numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    words: Vec<u32>,
    names: String,
    threads: usize,
}

/// An event and its number among those of its thread, from 1.
struct Placed<'p> {
    position: usize,
    event: &'p PrefixEvent,
    is_awaited: bool,
    is_last: bool,
}

/// A thread, by its place in the prefix.
#[derive(Clone, Copy)]
struct OfPrefix(usize);

impl Table {
    /// The table of a prefix.
    ///
    /// # Errors
    /// When the prefix is too large.
    pub fn of(prefix: &Prefix, options: &Options) -> Result<Table, BuildError> {
        if prefix.threads.len() > MOST_THREADS {
            return Err(BuildError::TooLarge { what: "threads" });
        }
        let mut rows = Rows::of(prefix);
        for thread in 0..prefix.threads.len() {
            rows.add_thread(OfPrefix(thread))?;
        }
        let Rows { threads, times, events, waits, .. } = rows;
        let [first_times, first_event, first_wait] = [
            HEAD_WORDS as usize + threads.len(),
            HEAD_WORDS as usize + threads.len() + times.len(),
            HEAD_WORDS as usize + threads.len() + times.len() + events.len(),
        ]
        .map(|position| position as u32);
        let on_divergence = match options.on_divergence {
            OnDivergence::Stop => 0,
            OnDivergence::Serialise => 1,
            OnDivergence::Free => 2,
        };
        let rest = u32::from(prefix.rest == Rest::Nothing);
        let counts = [prefix.instructions.len(), prefix.threads.len(), prefix.events.len(), waits.len() / 3];
        let mut words = vec![TABLE_MAGIC];
        words.extend(counts.map(|count| count as u32));
        words.extend([rest, on_divergence, options.stall]);
        words.extend(fingerprint_words(&prefix.program));
        let hash = fnv(&prefix.to_string());
        words.extend([(hash >> 32) as u32, hash as u32]);
        words.extend([HEAD_WORDS, first_times, first_event, first_wait]);
        words.extend([threads, times, events, waits].concat());
        Ok(Table { words, names: names(prefix), threads: prefix.threads.len() })
    }

    /// The table, and the room that its threads need, as definitions for a module.
    pub fn definitions(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| format!("i32 {word}")).collect();
        let mut names = String::new();
        for byte in self.names.bytes() {
            let _ = write!(names, "\\{byte:02X}");
        }
        let (length, words) = (words.len(), words.join(", "));
        let (threads, lines, seen) = (self.threads, self.threads * 128, self.threads * self.threads);
        let name_bytes = self.names.len();
        format!(
            "\n@selvedge_table = constant [{length} x i32] [{words}], align 64\n\
             @selvedge_names = constant [{name_bytes} x i8] c\"{names}\", align 1\n\
             @selvedge_lines = global [{lines} x i8] zeroinitializer, align 128\n\
             @selvedge_seen = global [{seen} x i32] zeroinitializer, align 64\n\
             @selvedge_starts = global [{threads} x [4 x i64]] zeroinitializer, align 64\n"
        )
    }
}

/// The rows of all threads, in the making.
struct Rows<'p> {
    prefix: &'p Prefix,
    /// The events of each thread, in its order.
    of_thread: Vec<Vec<Placed<'p>>>,
    /// For each event of the prefix its number in its thread, and its place among the rows.
    numbers: Vec<(u32, u32)>,
    threads: Vec<u32>,
    times: Vec<u32>,
    events: Vec<u32>,
    waits: Vec<u32>,
}

impl<'p> Rows<'p> {
    fn of(prefix: &'p Prefix) -> Rows<'p> {
        let mut is_awaited = vec![false; prefix.events.len()];
        for &before in prefix.events.iter().flat_map(|event| &event.after) {
            is_awaited[before] = true;
        }
        let mut of_thread: Vec<Vec<Placed>> = prefix.threads.iter().map(|_| Vec::new()).collect();
        for (position, event) in prefix.events.iter().enumerate() {
            of_thread[event.thread].push(Placed {
                position,
                event,
                is_awaited: is_awaited[position],
                is_last: false,
            });
        }
        of_thread.iter_mut().filter_map(|events| events.last_mut()).for_each(|last| last.is_last = true);
        let mut numbers = vec![(0, 0); prefix.events.len()];
        for (row, (number, placed)) in of_thread.iter().flat_map(|events| (1..).zip(events)).enumerate() {
            numbers[placed.position] = (number, row as u32);
        }
        let [threads, times, events, waits] = [const { Vec::new() }; 4];
        Rows { prefix, of_thread, numbers, threads, times, events, waits }
    }

    fn add_thread(&mut self, OfPrefix(thread): OfPrefix) -> Result<(), BuildError> {
        let executions = self.executions(OfPrefix(thread))?;
        let (creator, which) =
            self.prefix.threads[thread].creator.map_or((NONE, 0), |(creator, which)| (creator as u32, which));
        let own = std::mem::take(&mut self.of_thread[thread]);
        let (first_event, first_times) = (self.events.len() as u32 / 8, self.times.len() as u32 / 3);
        self.threads.extend([
            creator,
            which,
            first_event,
            own.len() as u32,
            first_times,
            executions.len() as u32,
        ]);
        for (&instruction, &times) in &executions {
            let first = own.iter().find(|placed| placed.event.instruction == instruction);
            let first = first.map_or(Ok(0), |placed| word(placed.event.time))?;
            self.times.extend([instruction as u32, times, first]);
        }
        for (index, placed) in own.iter().enumerate() {
            let next = self.next(&own[index..], &executions)?;
            self.add_event(placed, next)?;
        }
        Ok(())
    }

    /// How often a thread executes instructions; at least as often as its events say.
    fn executions(&self, OfPrefix(thread): OfPrefix) -> Result<BTreeMap<usize, u32>, BuildError> {
        let mut executions = BTreeMap::new();
        for times in self.prefix.times.iter().filter(|times| times.thread == thread) {
            executions.insert(times.instruction, word(times.times)?);
        }
        for event in self.of_thread[thread].iter().map(|placed| placed.event) {
            let times = executions.entry(event.instruction).or_insert(0);
            *times = (*times).max(word(event.time)?);
        }
        Ok(executions)
    }

    /// How many executions after the first of some events its instruction matters again.
    fn next(&self, events: &[Placed], executions: &BTreeMap<usize, u32>) -> Result<u32, BuildError> {
        let PrefixEvent { instruction, time, .. } = *events[0].event;
        let later = events.iter().map(|placed| placed.event);
        let next = later.filter(|event| event.instruction == instruction).find(|event| event.time > time);
        let next = match next {
            Some(event) => event.time,
            None => u64::from(executions.get(&instruction).copied().unwrap_or(0)) + 1,
        };
        word(next - time)
    }

    fn add_event(&mut self, placed: &Placed, next: u32) -> Result<(), BuildError> {
        let event = placed.event;
        let number = self.numbers[placed.position].0;
        let first_wait = self.waits.len() as u32 / 3;
        for &before in &event.after {
            let (number, row) = self.numbers[before];
            let thread = self.prefix.events[before].thread;
            if thread != event.thread {
                self.waits.extend([thread as u32, number, row]);
            }
        }
        let waits = self.waits.len() as u32 / 3 - first_wait;
        // What calls publish is published by the run time, which knows no event without a number.
        let is_call = !["load", "store", "cmpxchg", "atomicrmw", "fence"]
            .contains(&self.prefix.instructions[event.instruction].kind.as_str());
        let published = if placed.is_awaited || placed.is_last || is_call { number } else { 0 };
        let row = [
            event.instruction as u32,
            event.part,
            word(event.time)?,
            event.choice,
            first_wait,
            waits,
            next,
            published,
        ];
        self.events.extend(row);
        Ok(())
    }
}

fn word(number: u64) -> Result<u32, BuildError> {
    u32::try_from(number)
        .ok()
        .filter(|number| *number < NONE)
        .ok_or(BuildError::TooLarge { what: "executions" })
}

/// Function, ordinal, kind and place of each instruction, and `u` if it is sequentially consistent, each ended by a zero.
fn names(prefix: &Prefix) -> String {
    let mut names = String::new();
    for instruction in &prefix.instructions {
        let strength = if instruction.conflicts == Conflicts::Unordered { "u" } else { "" };
        let _ = write!(
            names,
            "{}\0{}\0{}\0{}\0{}\0",
            instruction.function, instruction.ordinal, instruction.kind, instruction.place, strength
        );
    }
    names.push('\0');
    names
}

/// FNV-1a of a text, by which logs name their schedule.
fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// The words that a fingerprint in hexadecimal digits says.
fn fingerprint_words(fingerprint: &str) -> [u32; 8] {
    let word =
        |i: usize| fingerprint.get(8 * i..8 * i + 8).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    std::array::from_fn(|i| word(i).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_name_numbers_of_threads_and_counts_lead_to_the_next_event() {
        let text = format!(
            "selvedge prefix 1\nprogram {}\nthread 0 main\nthread 1 main.1 of 0 as 1\ninstruction 0 f 3 load # a.c:1\n\
             times 0 0 7\ntimes 1 0 9\nevent 0 thread 0 at 0.0 time 2\nevent 1 thread 0 at 0.0 time 5\n\
             event 2 thread 1 at 0.0 time 9 after 1\nrest free\nend\n",
            "0000000a".repeat(8)
        );
        let prefix = Prefix::parse(&text).expect("it is well formed");
        let table = Table::of(&prefix, &Options::default()).expect("it is small");
        let words = &table.words;
        assert_eq!((words[1], words[2], words[3], words[4], words[8]), (1, 2, 3, 1, 10));
        let times = words[19] as usize;
        assert_eq!(words[times..times + 6], [0, 7, 2, 0, 9, 9]);
        let events = words[20] as usize;
        assert_eq!(words[events..events + 8], [0, 0, 2, 0, 0, 0, 3, 0]);
        assert_eq!(words[events + 8..events + 16], [0, 0, 5, 0, 0, 0, 3, 2]);
        assert_eq!(words[events + 16..events + 24], [0, 0, 9, 0, 0, 1, 1, 1]);
        assert_eq!(words[words[21] as usize..], [0, 2, 1]);
        assert!(table.definitions().contains("@selvedge_lines = global [256 x i8]"));
    }
}
