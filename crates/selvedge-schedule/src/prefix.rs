//! Trace prefixes: the events with which every permitted execution of a C program begins, and their order, as data and as a versioned text
//! [Metzler2020, section 5.1].
//!
//! An execution is permitted if it performs the events of the prefix first, in any order that respects their partial order, and goes on as
//! [`Rest`] says. Events are named by what a compiled program can count: the instruction of the LLVM IR that performs them, and how often
//! their thread has executed that instruction, whether or not each time was an event.
//!
//! ```text
//! selvedge prefix 1
//! program 7d1c…                         the fingerprint of the program
//! thread 0 main                         all threads; the first is the initial one
//! thread 1 main.1 of 0 as 1             created by thread 0 as the first of its own
//! instruction 0 worker 14 store # queue.c:12:9    function, ordinal in it, kind
//! unordered 0                           some of its conflicts are left unordered: it must be sequentially consistent
//! times 1 0 5                           thread 1 executes instruction 0 five times up to its last event
//! event 0 thread 1 at 0.0 time 3        the first part of the third time that the thread executes the instruction
//! event 1 thread 0 at 2.0 time 1 choice 1 after 0    with its second outcome, after event 0; of one thread, events are ordered anyway
//! rest free                             or `rest nothing`
//! end
//! ```

use crate::text::{FormatError, number, numbered, numbers};
use std::fmt;

/// A trace prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    /// Which program it is for: its fingerprint, in hexadecimal digits.
    pub program: String,
    /// The threads, by who created them; the initial thread first.
    pub threads: Vec<Thread>,
    /// The instructions that perform events, here or after the prefix.
    pub instructions: Vec<Instruction>,
    /// How often threads execute instructions up to their last event of the prefix. What is not listed is not executed.
    pub times: Vec<Times>,
    /// The events, in one of the permitted orders.
    pub events: Vec<PrefixEvent>,
    /// What comes after the prefix.
    pub rest: Rest,
}

/// A thread of a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name, for people.
    pub name: String,
    /// The thread that creates it, and as which of its own, counted from 1. Only the initial thread has none.
    pub creator: Option<(usize, u32)>,
}

/// An instruction of the LLVM IR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// The function, as the IR names it, without `@`.
    pub function: String,
    /// The position in the function, counted from 0 over all instructions of its blocks.
    pub ordinal: u32,
    /// What it does, in a word: `load`, `store`, `cmpxchg`, or the name of the function that it calls.
    pub kind: String,
    /// Where it is in the source, for people: `file:line:column`.
    pub place: String,
    /// Whether the schedule orders all its conflicts with other threads.
    pub conflicts: Conflicts,
}

/// Whether a schedule orders the conflicts of an instruction with those of other threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conflicts {
    /// It does, or the program's own synchronisation does, in every permitted execution.
    #[default]
    Ordered,
    /// Some are left unordered, so the access must be sequentially consistent on hardware, too.
    Unordered,
}

/// How often a thread executes an instruction up to its last event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The thread.
    pub thread: usize,
    /// The instruction.
    pub instruction: usize,
    /// How often.
    pub times: u64,
}

/// An event of a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixEvent {
    /// The thread.
    pub thread: usize,
    /// The instruction.
    pub instruction: usize,
    /// Which of the events of one execution of the instruction: a wait on a condition variable has three, most instructions have one.
    pub part: u32,
    /// The how-manieth execution of the instruction by the thread, counted from 1.
    pub time: u64,
    /// Which outcome it has, where the operation leaves one open (a wait with a time limit that may expire); 0 elsewhere.
    pub choice: u32,
    /// Events of other threads that come before and are not implied by other orders, ascending.
    pub after: Vec<usize>,
}

/// What comes after the events of a prefix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rest {
    /// Everything is permitted: all continuations were verified.
    #[default]
    Free,
    /// Nothing: the prefix is a whole execution.
    Nothing,
}

const HEAD: &str = "selvedge prefix 1";
const OTHER_VERSION: &str = "this is a trace prefix of another version of the format; this program reads version 1: write it again with \
                             `selvedge check --prefix`";

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\nprogram {}", self.program)?;
        for (position, thread) in self.threads.iter().enumerate() {
            match thread.creator {
                Some((creator, which)) => {
                    writeln!(f, "thread {position} {} of {creator} as {which}", thread.name)?
                }
                None => writeln!(f, "thread {position} {}", thread.name)?,
            }
        }
        for (position, instruction) in self.instructions.iter().enumerate() {
            let Instruction { function, ordinal, kind, place, conflicts: _ } = instruction;
            writeln!(f, "instruction {position} {function} {ordinal} {kind} # {place}")?;
        }
        let instructions = self.instructions.iter().enumerate();
        for (position, _) in instructions.filter(|(_, i)| i.conflicts == Conflicts::Unordered) {
            writeln!(f, "unordered {position}")?;
        }
        for Times { thread, instruction, times } in &self.times {
            writeln!(f, "times {thread} {instruction} {times}")?;
        }
        for (position, event) in self.events.iter().enumerate() {
            let PrefixEvent { thread, instruction, part, time, choice, after } = event;
            write!(f, "event {position} thread {thread} at {instruction}.{part} time {time}")?;
            if *choice > 0 {
                write!(f, " choice {choice}")?;
            }
            if !after.is_empty() {
                let after: Vec<String> = after.iter().map(usize::to_string).collect();
                write!(f, " after {}", after.join(" "))?;
            }
            let place = self.instructions.get(*instruction).map_or("", |instruction| &instruction.place);
            writeln!(f, " # {place}")?;
        }
        let rest = match self.rest {
            Rest::Free => "free",
            Rest::Nothing => "nothing",
        };
        writeln!(f, "rest {rest}\nend")
    }
}

/// How far the text has been read: declarations come in the order of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Head,
    Program,
    Threads,
    Instructions,
    Unordered,
    Times,
    Events,
    Rest,
    End,
}

impl Prefix {
    /// Reads the text of a prefix.
    ///
    /// # Errors
    /// When it is none, or one of another version.
    pub fn parse(text: &str) -> Result<Prefix, FormatError> {
        let mut prefix = Prefix::default();
        let mut part = Part::Head;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |what| FormatError { line: number, what };
            let (declared, rest) = declaration(line).map_err(fail)?;
            let is_once = matches!(declared, Part::Head | Part::Program | Part::Rest | Part::End);
            if declared < part || declared == part && is_once && number > 1 {
                return Err(fail("this is not expected here"));
            }
            part = declared;
            prefix.line(declared, rest).map_err(fail)?;
            if number == 1 && declared != Part::Head {
                return Err(fail("this is no trace prefix"));
            }
        }
        let last = text.lines().count();
        let complete = if part == Part::End { prefix.check() } else { Err("the end is missing") };
        complete.map(|()| prefix).map_err(|what| FormatError { line: last, what })
    }

    fn line(&mut self, declared: Part, rest: &str) -> Result<(), &'static str> {
        match declared {
            Part::Head | Part::End => {}
            Part::Program => {
                let is_fingerprint = rest.len() == 64 && rest.bytes().all(|digit| digit.is_ascii_hexdigit());
                self.program = is_fingerprint.then(|| rest.to_owned()).ok_or("a fingerprint is expected")?;
            }
            Part::Threads => {
                let thread = numbered(rest, self.threads.len()).ok_or("the threads are not in order")?;
                self.threads.push(Thread::parse(thread)?);
            }
            Part::Instructions => {
                let data =
                    numbered(rest, self.instructions.len()).ok_or("the instructions are not in order")?;
                self.instructions.push(Instruction::parse(data)?);
            }
            Part::Unordered => {
                let position: usize = number(rest)?;
                let instruction =
                    self.instructions.get_mut(position).ok_or("there is no such instruction")?;
                instruction.conflicts = Conflicts::Unordered;
            }
            Part::Times => {
                let [thread, instruction, times] = numbers::<u64>(rest)?[..] else {
                    return Err("a thread, an instruction and a number are expected");
                };
                let times = Times { thread: thread as usize, instruction: instruction as usize, times };
                self.times.push(times);
            }
            Part::Events => {
                let data = numbered(rest, self.events.len()).ok_or("the events are not in order")?;
                self.events.push(PrefixEvent::parse(data)?);
            }
            Part::Rest => {
                self.rest = match rest {
                    "free" => Rest::Free,
                    "nothing" => Rest::Nothing,
                    _ => return Err("`free` or `nothing` is expected"),
                }
            }
        }
        Ok(())
    }

    /// Nothing is missing, numbers are in range, and orders lead forward.
    fn check(&self) -> Result<(), &'static str> {
        if self.program.is_empty() || self.threads.is_empty() {
            return Err("the program or its threads are missing");
        }
        for (position, thread) in self.threads.iter().enumerate() {
            match thread.creator {
                None if position == 0 => {}
                Some((creator, which)) if creator < position && which > 0 => {}
                _ => return Err("a thread is created by nobody, or by one that comes later"),
            }
        }
        let is_known = |thread: usize, instruction: usize| {
            thread < self.threads.len() && instruction < self.instructions.len()
        };
        if !self.times.iter().all(|times| is_known(times.thread, times.instruction)) {
            return Err("a thread or an instruction is counted that does not exist");
        }
        for (position, event) in self.events.iter().enumerate() {
            if !is_known(event.thread, event.instruction) || event.time == 0 {
                return Err("an event has no thread, no instruction or no time");
            }
            let is_ascending = event.after.windows(2).all(|pair| pair[0] < pair[1]);
            if !is_ascending || event.after.last().is_some_and(|last| *last >= position) {
                return Err("an event comes after one that is listed later");
            }
        }
        Ok(())
    }
}

fn declaration(line: &str) -> Result<(Part, &str), &'static str> {
    if line.starts_with("selvedge ") {
        return match line {
            HEAD => Ok((Part::Head, "")),
            _ if line.starts_with("selvedge prefix ") => Err(OTHER_VERSION),
            _ => Err("this is no trace prefix"),
        };
    }
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let part = match word {
        "program" => Part::Program,
        "thread" => Part::Threads,
        "instruction" => Part::Instructions,
        "unordered" => Part::Unordered,
        "times" => Part::Times,
        "event" => Part::Events,
        "rest" => Part::Rest,
        "end" if rest.is_empty() => Part::End,
        _ => return Err("this is not understood here"),
    };
    Ok((part, rest))
}

/// What comes before a remark.
fn without_remark(text: &str) -> (&str, &str) {
    text.split_once(" # ").unwrap_or((text.strip_suffix(" #").unwrap_or(text), ""))
}

impl Thread {
    fn parse(text: &str) -> Result<Thread, &'static str> {
        match text.split(' ').collect::<Vec<_>>()[..] {
            [name] => Ok(Thread { name: name.to_owned(), creator: None }),
            [name, "of", creator, "as", which] => {
                Ok(Thread { name: name.to_owned(), creator: Some((number(creator)?, number(which)?)) })
            }
            _ => Err("a name and `of … as …` are expected"),
        }
    }
}

impl Instruction {
    fn parse(text: &str) -> Result<Instruction, &'static str> {
        let (data, place) = without_remark(text);
        // Names of functions may have blanks.
        let mut words = data.rsplitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some(kind), Some(ordinal), Some(function)) => Ok(Instruction {
                function: function.to_owned(),
                ordinal: number(ordinal)?,
                kind: kind.to_owned(),
                place: place.to_owned(),
                conflicts: Conflicts::Ordered,
            }),
            _ => Err("a function, an ordinal and a kind are expected"),
        }
    }
}

impl PrefixEvent {
    fn parse(text: &str) -> Result<PrefixEvent, &'static str> {
        let (data, _) = without_remark(text);
        let (data, after) = match data.split_once(" after ") {
            Some((data, after)) => (data, numbers(after)?),
            None => (data, Vec::new()),
        };
        let (data, choice) = match data.split_once(" choice ") {
            Some((data, choice)) => (data, number(choice)?),
            None => (data, 0),
        };
        let ["thread", thread, "at", place, "time", time] = data.split(' ').collect::<Vec<_>>()[..] else {
            return Err("`thread … at … time …` is expected");
        };
        let (instruction, part) = place.split_once('.').ok_or("an instruction and its part are expected")?;
        let (thread, instruction) = (number(thread)?, number(instruction)?);
        let (part, time) = (number(part)?, number(time)?);
        Ok(PrefixEvent { thread, instruction, part, time, choice, after })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Prefix {
        let thread = |name: &str, creator| Thread { name: name.to_owned(), creator };
        let instruction = |function: &str, ordinal, kind: &str| Instruction {
            function: function.to_owned(),
            ordinal,
            kind: kind.to_owned(),
            place: "queue.c:12:9".to_owned(),
            conflicts: if ordinal == 2 { Conflicts::Unordered } else { Conflicts::Ordered },
        };
        let event = |thread, instruction, time, after: &[usize]| PrefixEvent {
            thread,
            instruction,
            part: 0,
            time,
            choice: u32::from(time == 5),
            after: after.to_vec(),
        };
        Prefix {
            program: "5a".repeat(32),
            threads: vec![thread("main", None), thread("main.1", Some((0, 1)))],
            instructions: vec![
                instruction("worker", 14, "store"),
                instruction("f g", 2, "pthread_mutex_lock"),
            ],
            times: vec![Times { thread: 1, instruction: 0, times: 5 }],
            events: vec![event(1, 0, 3, &[]), event(0, 1, 1, &[0]), event(1, 0, 5, &[1])],
            rest: Rest::Nothing,
        }
    }

    #[test]
    fn a_prefix_reads_back() {
        let prefix = example();
        assert_eq!(Prefix::parse(&prefix.to_string()), Ok(prefix));
        let free = Prefix { rest: Rest::Free, events: Vec::new(), times: Vec::new(), ..example() };
        assert_eq!(Prefix::parse(&free.to_string()), Ok(free));
    }

    #[test]
    fn other_texts_are_refused() {
        let good = example().to_string();
        for (old, new) in [
            ("prefix 1", "prefix 2"),
            ("selvedge prefix 1\n", ""),
            ("program 5a", "program xx"),
            ("thread 0 main\n", ""),
            ("of 0 as 1", "of 1 as 1"),
            ("of 0 as 1", "of 0 as 0"),
            ("instruction 1", "instruction 2"),
            ("unordered 1", "unordered 2"),
            ("times 1 0 5", "times 2 0 5"),
            ("times 1 0 5", "times 1 0"),
            ("event 1", "event 7"),
            ("at 0.0", "at 9.0"),
            ("time 3", "time 0"),
            ("choice 1", "choice"),
            ("after 0", "after 1"),
            ("after 0", "after"),
            ("rest nothing", "rest something"),
            ("rest nothing\nend", "end\nrest nothing"),
            ("end", ""),
        ] {
            let text = good.replacen(old, new, 1);
            assert!(text != good && Prefix::parse(&text).is_err(), "{old} → {new}");
        }
    }
}
