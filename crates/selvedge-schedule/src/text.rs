//! The text of a schedule, one declaration on a line.
//!
//! ```text
//! selvedge schedule 4
//! program 7d1c…                       the fingerprint of the program
//! thread 0 main                       all threads, in order
//! thread 1 producer#1 of 0 as 1       created by thread 0 as the first of its own
//! instruction 0 producer 14 store # queue.c:12:9    function, ordinal in it, kind
//! node 0 at 3 5                       all nodes: the place of each thread
//!   holds (<= |count| 4)              any number of formulas
//! section 0 from 0 to 1               all sections
//!   when (<= |count| 3)               the condition
//!   event 0 1 3 1 at 0 to 0 # producer#1, line 12   number, thread, place, transition, the instruction that it begins at, the next one
//!   order 0 1                         any number of pairs of events
//! end
//! ```
//!
//! An event of local code has no `at`. `to end` is the end of the thread, and an event that ends in local code has no `to`.
//!
//! Every line counts: none may be missing, come twice where one is expected, or hold anything else. Only the text after ` # ` is a remark.

use crate::{Event, Instruction, Next, Node, Schedule, Section, Thread};
use std::fmt;
use std::str::FromStr;

/// A text that is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the schedule: {what}")]
pub struct FormatError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: &'static str,
}

const HEAD: &str = "selvedge schedule 4";
const OTHER_VERSION: &str = "this is a schedule of another version of the format; this program reads version 4: write it again with \
                             `selvedge prove --schedule`";

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\nprogram {}", self.program)?;
        for (number, Thread { name, creator }) in self.threads.iter().enumerate() {
            match creator {
                Some((creator, which)) => writeln!(f, "thread {number} {name} of {creator} as {which}")?,
                None => writeln!(f, "thread {number} {name}")?,
            }
        }
        for (number, instruction) in self.instructions.iter().enumerate() {
            let Instruction { function, ordinal, kind, place } = instruction;
            writeln!(f, "instruction {number} {function} {ordinal} {kind} # {place}")?;
        }
        for (number, node) in self.nodes.iter().enumerate() {
            let places: Vec<String> = node.places.iter().map(u32::to_string).collect();
            writeln!(f, "node {number} at {}", places.join(" "))?;
            node.holds.iter().try_for_each(|formula| writeln!(f, "  holds {formula}"))?;
        }
        for (number, section) in self.sections.iter().enumerate() {
            writeln!(f, "section {number} from {} to {}", section.from, section.to)?;
            writeln!(f, "  when {}", section.condition)?;
            for (number, event) in section.events.iter().enumerate() {
                let name = self.threads.get(event.thread).map_or("", |thread| &thread.name);
                writeln!(f, "  event {number} {event} # {name}, line {}", event.line)?;
            }
            for (first, then) in &section.order {
                writeln!(f, "  order {first} {then}")?;
            }
        }
        writeln!(f, "end")
    }
}

impl Schedule {
    /// Reads the text of a schedule.
    ///
    /// # Errors
    /// When it is none, or one of another version.
    pub fn parse(text: &str) -> Result<Schedule, FormatError> {
        let mut schedule = Schedule::default();
        let mut is_ended = false;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |what| FormatError { line: number, what };
            match number {
                1 if line == HEAD => continue,
                1 if line.starts_with("selvedge schedule ") => return Err(fail(OTHER_VERSION)),
                1 => return Err(fail("this is no schedule")),
                _ if is_ended => return Err(fail("something comes after the end")),
                _ => {}
            }
            is_ended = line == "end";
            if !is_ended {
                schedule.line(line).map_err(fail)?;
            }
        }
        let last = text.lines().count();
        match is_ended {
            true => schedule.check().map(|()| schedule).map_err(|what| FormatError { line: last, what }),
            false => Err(FormatError { line: last, what: "the end is missing" }),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        let (word, rest) = line.trim_start().split_once(' ').unwrap_or((line.trim_start(), ""));
        match word {
            "program" if self.program.is_empty() => {
                let is_fingerprint = rest.len() == 64 && rest.bytes().all(|digit| digit.is_ascii_hexdigit());
                self.program = is_fingerprint.then(|| rest.to_owned()).ok_or("a fingerprint is expected")?;
            }
            "program" => return Err("the program is named twice"),
            "thread" if self.nodes.is_empty() && self.instructions.is_empty() => {
                let thread = numbered(rest, self.threads.len()).ok_or("the threads are not in order")?;
                self.threads.push(Thread::parse(thread)?);
            }
            "instruction" if self.nodes.is_empty() => {
                let data =
                    numbered(rest, self.instructions.len()).ok_or("the instructions are not in order")?;
                self.instructions.push(Instruction::parse(data)?);
            }
            "node" if self.sections.is_empty() => {
                let places = numbered(rest, self.nodes.len()).ok_or("the nodes are not in order")?;
                let places = places.strip_prefix("at ").ok_or("the places of the threads are expected")?;
                self.nodes.push(Node { places: numbers(places)?, holds: Vec::new() });
            }
            "holds" if self.sections.is_empty() => {
                let node = self.nodes.last_mut().ok_or("this belongs to a node, but there is none yet")?;
                node.holds.push(rest.to_owned());
            }
            "section" => self.section(rest)?,
            "when" | "event" | "order" => {
                let section =
                    self.sections.last_mut().ok_or("this belongs to a section, but there is none yet")?;
                section.line(word, rest)?;
            }
            _ => return Err("this is not understood here"),
        }
        Ok(())
    }

    fn section(&mut self, rest: &str) -> Result<(), &'static str> {
        let ends = numbered(rest, self.sections.len()).ok_or("the sections are not in order")?;
        let ends = ends.strip_prefix("from ").and_then(|ends| ends.split_once(" to "));
        let (from, to) = ends.ok_or("two nodes are expected: from … to …")?;
        self.sections.push(Section { from: number(from)?, to: number(to)?, ..Section::default() });
        Ok(())
    }

    /// Nothing is missing, and numbers are in range.
    fn check(&self) -> Result<(), &'static str> {
        if self.program.is_empty() {
            return Err("the program is missing");
        }
        if self.nodes.is_empty() || self.nodes.iter().any(|node| node.places.len() != self.threads.len()) {
            return Err("a node does not say where each of the threads stands");
        }
        for section in &self.sections {
            if section.from >= self.nodes.len() || section.to >= self.nodes.len() {
                return Err("a section begins or ends nowhere");
            }
            if section.condition.is_empty() {
                return Err("a section has no condition");
            }
            if section.events.is_empty() {
                return Err("a section has no events");
            }
            if section.events.iter().any(|event| event.thread >= self.threads.len()) {
                return Err("a section has events of no thread");
            }
            let is_known = |number: usize| number < self.instructions.len();
            let next_is_known = |next: Next| !matches!(next, Next::Instruction(next) if !is_known(next));
            if !section.events.iter().all(|event| event.at.is_none_or(is_known) && next_is_known(event.next))
            {
                return Err("an event is at an instruction that does not exist");
            }
            if section.order.iter().any(|pair| pair.1 >= section.events.len()) {
                return Err("events are ordered that do not exist");
            }
        }
        Ok(())
    }
}

impl Section {
    fn line(&mut self, word: &str, rest: &str) -> Result<(), &'static str> {
        match word {
            "when" if self.condition.is_empty() => self.condition = rest.to_owned(),
            "when" => return Err("the section has two conditions"),
            "event" => {
                let (data, remark) = rest.split_once(" # ").unwrap_or((rest, ""));
                let data = numbered(data, self.events.len()).ok_or("the events are not in order")?;
                let line = remark.rsplit("line ").next().and_then(|line| line.parse().ok()).unwrap_or(0);
                self.events.push(Event { line, ..Event::parse(data)? });
            }
            _ => match numbers(rest)?[..] {
                [first, then] if first < then => self.order.push((first, then)),
                _ => return Err("two events are expected, the first one first"),
            },
        }
        Ok(())
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { thread, place, transition, at, next, line: _ } = self;
        write!(f, "{thread} {place} {transition}")?;
        if let Some(at) = at {
            write!(f, " at {at}")?;
        }
        match next {
            Next::Unnamed => Ok(()),
            Next::Instruction(next) => write!(f, " to {next}"),
            Next::End => write!(f, " to end"),
        }
    }
}

impl Event {
    fn parse(data: &str) -> Result<Event, &'static str> {
        let (data, next) = match data.split_once(" to ") {
            None => (data, Next::Unnamed),
            Some((data, "end")) => (data, Next::End),
            Some((data, next)) => (data, Next::Instruction(number(next)?)),
        };
        let (data, at) = match data.split_once(" at ") {
            None => (data, None),
            Some((data, at)) => (data, Some(number(at)?)),
        };
        let [thread, place, transition] = numbers::<u32>(data)?[..] else {
            return Err("a thread, a place and a transition are expected");
        };
        let (thread, transition) = (thread as usize, transition as usize);
        Ok(Event { thread, place, transition, at, next, line: 0 })
    }
}

impl Thread {
    fn parse(data: &str) -> Result<Thread, &'static str> {
        let Some((name, creator)) = data.split_once(" of ") else {
            return Ok(Thread { name: data.to_owned(), creator: None });
        };
        let (creator, which) = creator.split_once(" as ").ok_or("`of … as …` is expected")?;
        Ok(Thread { name: name.to_owned(), creator: Some((number(creator)?, number(which)?)) })
    }
}

impl Instruction {
    fn parse(data: &str) -> Result<Instruction, &'static str> {
        let (data, place) = data.split_once(" # ").ok_or("the place of the instruction is expected")?;
        // The name of a function may hold spaces.
        let mut parts = data.rsplitn(3, ' ');
        let (Some(kind), Some(ordinal), Some(function)) = (parts.next(), parts.next(), parts.next()) else {
            return Err("a function, a position and a kind are expected");
        };
        let (function, kind, place) = (function.to_owned(), kind.to_owned(), place.to_owned());
        Ok(Instruction { function, ordinal: number(ordinal)?, kind, place })
    }
}

/// What comes after the number of a declaration, if it is the one that is expected.
pub fn numbered(text: &str, expected: usize) -> Option<&str> {
    let (number, rest) = text.split_once(' ')?;
    (number == expected.to_string()).then_some(rest)
}

/// A number in decimal digits.
pub fn number<T: FromStr>(word: &str) -> Result<T, &'static str> {
    let is_plain = word.bytes().all(|digit| digit.is_ascii_digit());
    word.parse().ok().filter(|_| is_plain).ok_or("a number is expected")
}

/// Numbers in decimal digits.
pub fn numbers<T: FromStr>(text: &str) -> Result<Vec<T>, &'static str> {
    text.split_whitespace().map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_reads_back() {
        let event = |thread, at, next, line| Event { thread, place: 3, transition: 1, at, next, line };
        let section = Section {
            from: 0,
            to: 0,
            condition: "(and (= |x| 0) (<= |y| 3))".to_owned(),
            events: vec![
                event(0, Some(0), Next::Instruction(1), 7),
                event(1, None, Next::Unnamed, 9),
                event(1, Some(1), Next::End, 9),
            ],
            order: vec![(0, 1)],
        };
        let thread = |name: &str, creator| Thread { name: name.to_owned(), creator };
        let threads = vec![thread("producer[0]", None), thread("consumer", Some((0, 1)))];
        let instruction = |function: &str, ordinal| Instruction {
            function: function.to_owned(),
            ordinal,
            kind: "store".to_owned(),
            place: "queue.c:12:9".to_owned(),
        };
        let instructions = vec![instruction("f", 3), instruction("f g", 0)];
        let nodes = vec![Node { places: vec![3, 4], holds: vec!["(<= |y| 3)".to_owned()] }];
        let program = "5a".repeat(32);
        let schedule = Schedule { program, threads, instructions, nodes, sections: vec![section] };
        assert_eq!(Schedule::parse(&schedule.to_string()), Ok(schedule));
    }

    fn good() -> String {
        let program = "5a".repeat(32);
        format!(
            "selvedge schedule 4\nprogram {program}\nthread 0 t\ninstruction 0 f 3 load # a.c:1:2\nnode 0 at 3\n  holds true\n\
             section 0 from 0 to 0\n  when true\n  event 0 0 3 1 at 0 to end # t, line 1\nend\n"
        )
    }

    #[test]
    fn other_texts_are_refused() {
        let good = good();
        assert!(Schedule::parse(&good).is_ok());
        for (old, new) in [
            ("schedule 4", "schedule 3"),
            ("program 5a", "program xx"),
            ("program 5a", "program 5"),
            ("at 3", "at 3 3"),
            ("at 3", "at"),
            ("event 0 0", "event 1 0"),
            ("event 0 0 3", "event 0 9 3"),
            ("event 0 0 3", "event 0 0 4294967299"),
            ("end", ""),
            ("to 0", "to 7"),
            ("to 0", "to +0"),
            ("thread 0", "thread 1"),
            ("when", "whence"),
            ("holds", "hold"),
            ("instruction 0", "instruction 1"),
            ("f 3 load", "f load"),
            ("load # ", "load "),
            ("at 0 to", "at 1 to"),
            ("to end", "to 1"),
            ("to end", "to"),
        ] {
            assert!(Schedule::parse(&good.replace(old, new)).is_err(), "{new}");
        }
    }

    #[test]
    fn no_line_may_be_missing_and_only_lists_may_have_a_line_twice() {
        let good = good();
        let lines: Vec<&str> = good.lines().collect();
        for number in 0..lines.len() {
            let without: Vec<&str> = [&lines[..number], &lines[number + 1..]].concat();
            let may_miss = lines[number].contains("holds");
            assert_eq!(Schedule::parse(&without.join("\n")).is_ok(), may_miss, "without {}", lines[number]);
            let twice: Vec<&str> = [&lines[..=number], &lines[number..]].concat();
            assert_eq!(Schedule::parse(&twice.join("\n")).is_ok(), may_miss, "twice {}", lines[number]);
        }
    }

    #[test]
    fn a_schedule_of_an_older_version_is_recognised() {
        let old = "selvedge schedule 2\nprogram 00112233aabbccdd\nnodes 1\nend\n";
        let error = Schedule::parse(old).expect_err("it is old");
        assert!(error.to_string().contains("another version"), "{error}");
    }
}
