//! Program schedules: which steps of which threads are permitted when, as data and as a versioned text.
//!
//! A [`Schedule`] is the graph of [Metzler2020, definition 38]. Its nodes are states between sections; a [`Section`] is a set of
//! events with a partial order that begins with one transition of one thread, and leads to the next node. All events of a section
//! happen, in any order that respects the partial order, before the next section begins.
//!
//! This crate is the format and nothing else: it knows no programs.

use std::fmt;

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The thread.
    pub thread: usize,
    /// Where it stands before.
    pub place: u32,
    /// Which of the transitions of the place it takes.
    pub transition: usize,
    /// The line of the statement, for people.
    pub line: usize,
}

/// Events with a partial order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The node where it begins.
    pub from: usize,
    /// The node where it ends.
    pub to: usize,
    /// The condition of its first event, for people.
    pub guard: String,
    /// The events, in one of the permitted orders, at least one. Some may be local code, which nobody else can see.
    pub events: Vec<Event>,
    /// Pairs of events, by number, of which the first comes first; events of one thread are ordered anyway.
    pub order: Vec<(usize, usize)>,
}

/// A program schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Which program it is for: a number that stands for its text.
    pub program: u64,
    /// The names of the threads.
    pub threads: Vec<String>,
    /// The number of nodes; the first is the beginning.
    pub nodes: usize,
    /// The sections.
    pub sections: Vec<Section>,
}

/// A text that is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the schedule: {what}")]
pub struct FormatError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub what: &'static str,
}

const HEAD: &str = "selvedge schedule 2";

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\nprogram {:016x}\nnodes {}", self.program, self.nodes)?;
        for (number, name) in self.threads.iter().enumerate() {
            writeln!(f, "thread {number} {name}")?;
        }
        for (number, section) in self.sections.iter().enumerate() {
            writeln!(f, "section {number} from {} to {}", section.from, section.to)?;
            writeln!(f, "  when {}", section.guard)?;
            for (event, Event { thread, place, transition, line }) in section.events.iter().enumerate() {
                let name = self.threads.get(*thread).map_or("", String::as_str);
                writeln!(f, "  event {event} {thread} {place} {transition} # {name}, line {line}")?;
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
    /// When it is none.
    pub fn parse(text: &str) -> Result<Schedule, FormatError> {
        let mut schedule = Schedule { program: 0, threads: Vec::new(), nodes: 0, sections: Vec::new() };
        let mut is_ended = false;
        for (number, line) in (1..).zip(text.lines()) {
            let fail = |what| FormatError { line: number, what };
            match number {
                1 if line == HEAD => continue,
                1 => return Err(fail("this is no schedule of version 2")),
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
        let (data, remark) = rest.split_once(" # ").unwrap_or((rest, ""));
        let numbers = || -> Result<Vec<usize>, &'static str> {
            let words = data.split_whitespace().filter(|word| !matches!(*word, "from" | "to"));
            words.map(|word| word.parse().map_err(|_| "a number is expected")).collect()
        };
        match (word, self.sections.last_mut()) {
            ("program", _) => {
                self.program = u64::from_str_radix(rest, 16).map_err(|_| "a fingerprint is expected")?
            }
            ("nodes", _) => self.nodes = rest.parse().map_err(|_| "a number is expected")?,
            ("thread", _) => {
                let (number, name) = rest.split_once(' ').ok_or("a number and a name are expected")?;
                if number != self.threads.len().to_string() {
                    return Err("the threads are not in order");
                }
                self.threads.push(name.to_owned());
            }
            ("section", _) => match numbers()?[..] {
                [number, from, to] if number == self.sections.len() => {
                    self.sections.push(Section { from, to, ..Section::default() });
                }
                _ => return Err("the sections are not in order"),
            },
            ("when", Some(section)) => section.guard = rest.to_owned(),
            ("event", Some(section)) => match numbers()?[..] {
                [number, thread, place, transition] if number == section.events.len() => {
                    let line = remark.rsplit("line ").next().and_then(|line| line.parse().ok()).unwrap_or(0);
                    section.events.push(Event { thread, place: place as u32, transition, line });
                }
                _ => return Err("the events are not in order"),
            },
            ("order", Some(section)) => match numbers()?[..] {
                [first, then] if first < then => section.order.push((first, then)),
                _ => return Err("two events are expected, the first one first"),
            },
            _ => return Err("this is not understood"),
        }
        Ok(())
    }

    /// Numbers are in range.
    fn check(&self) -> Result<(), &'static str> {
        for section in &self.sections {
            if section.from >= self.nodes || section.to >= self.nodes {
                return Err("a section begins or ends nowhere");
            }
            if section.events.is_empty() {
                return Err("a section has no events");
            }
            if section.events.iter().any(|event| event.thread >= self.threads.len()) {
                return Err("a section has events of no thread");
            }
            if section.order.iter().any(|pair| pair.1 >= section.events.len()) {
                return Err("events are ordered that do not exist");
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_reads_back() {
        let event = |thread, line| Event { thread, place: 3, transition: 1, line };
        let section = Section {
            from: 0,
            to: 0,
            guard: "x = 0 and y <= 3".to_owned(),
            events: vec![event(0, 7), event(1, 9)],
            order: vec![(0, 1)],
        };
        let threads = vec!["producer[0]".to_owned(), "consumer".to_owned()];
        let schedule = Schedule { program: 5, threads, nodes: 1, sections: vec![section] };
        assert_eq!(Schedule::parse(&schedule.to_string()), Ok(schedule));
    }

    #[test]
    fn other_texts_are_refused() {
        let good = "selvedge schedule 2\nprogram 5\nnodes 1\nthread 0 t\nsection 0 from 0 to 0\n  when true\n  event 0 0 3 1 # t, line 1\nend\n";
        assert!(Schedule::parse(good).is_ok());
        for (old, new) in [
            ("schedule 2", "schedule 1"),
            ("nodes 1", "nodes 0"),
            ("event 0 0", "event 1 0"),
            ("event 0 0 3", "event 0 9 3"),
            ("end", ""),
            ("to 0", "to 7"),
            ("thread 0", "thread 1"),
            ("when", "whence"),
        ] {
            assert!(Schedule::parse(&good.replace(old, new)).is_err(), "{new}");
        }
    }
}
