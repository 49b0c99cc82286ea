//! The audit of a log against a prefix.

use crate::log::{Log, Record};
use selvedge_schedule::prefix::Prefix;

/// What an audit has found in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// Events of the prefix that were performed.
    pub events: usize,
    /// Orders between threads that were observed.
    pub orders: usize,
    /// Whether the whole prefix was performed.
    pub is_whole: bool,
}

/// Why an execution was not permitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// The log is about another program.
    #[error("the log is of a run of another program")]
    OtherProgram,
    /// The log is about another schedule.
    #[error("the log is of a run under another schedule")]
    OtherSchedule,
    /// A thread did something else than the schedule says.
    #[error("{thread} performed {found} where the schedule has {expected}")]
    OtherEvent {
        /// The thread.
        thread: String,
        /// What it did.
        found: String,
        /// What it should have done.
        expected: String,
    },
    /// A thread did not wait.
    #[error("{thread} performed {event} without having seen that {before} was over")]
    NotWaited {
        /// The thread.
        thread: String,
        /// What it did.
        event: String,
        /// What comes before.
        before: String,
    },
    /// A thread went on though the prefix was not over.
    #[error("{thread} went on after the prefix without having seen that {other} had finished")]
    TooEarly {
        /// The thread.
        thread: String,
        /// The thread that had not.
        other: String,
    },
    /// The run says itself that it left the schedule.
    #[error("{thread} left the schedule after {events} of its events")]
    Left {
        /// The thread.
        thread: String,
        /// How many.
        events: usize,
    },
    /// No order of the events explains what was seen.
    #[error("the log contradicts itself: {thread} has seen more of another thread than that has done")]
    Contradiction {
        /// The thread.
        thread: String,
    },
}

/// Whether a recorded execution was permitted.
///
/// # Errors
/// Why it was not.
pub fn audit(log: &Log, prefix: &Prefix) -> Result<Audited, Violation> {
    if log.program != prefix.program {
        return Err(Violation::OtherProgram);
    }
    if log.schedule != name_of_schedule(prefix) || log.threads.len() != prefix.threads.len() {
        return Err(Violation::OtherSchedule);
    }
    let audit = Audit::of(prefix);
    let mut audited = Audited { is_whole: true, ..Audited::default() };
    for (thread, records) in log.threads.iter().enumerate() {
        let (events, orders) = audit.thread(OfPrefix(thread), records)?;
        audited.events += events;
        audited.orders += orders;
        audited.is_whole &= events == audit.of_thread[thread].len();
    }
    audit.has_order(log)?;
    Ok(audited)
}

/// FNV-1a of the text of a prefix, in hexadecimal digits: how a log names it.
fn name_of_schedule(prefix: &Prefix) -> String {
    let text = prefix.to_string();
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// A thread, by its place in the prefix.
#[derive(Clone, Copy)]
struct OfPrefix(usize);

struct Audit<'p> {
    prefix: &'p Prefix,
    /// The events of each thread, in its order.
    of_thread: Vec<Vec<usize>>,
    /// For each event its number in its thread, from 1.
    numbers: Vec<u32>,
}

impl<'p> Audit<'p> {
    fn of(prefix: &'p Prefix) -> Audit<'p> {
        let mut of_thread = vec![Vec::new(); prefix.threads.len()];
        let mut numbers = Vec::new();
        for (position, event) in prefix.events.iter().enumerate() {
            of_thread[event.thread].push(position);
            numbers.push(of_thread[event.thread].len() as u32);
        }
        Audit { prefix, of_thread, numbers }
    }

    fn name(&self, OfPrefix(thread): OfPrefix) -> String {
        self.prefix
            .threads
            .get(thread)
            .map_or_else(|| format!("thread {thread}"), |thread| thread.name.clone())
    }

    fn event(&self, instruction: usize, time: u64) -> String {
        match self.prefix.instructions.get(instruction) {
            Some(named) => format!("`{}` at {} (execution {time})", named.kind, named.place),
            None => format!("instruction {instruction}"),
        }
    }

    /// Checks the records of a thread; how many events and orders there were.
    fn thread(&self, thread: OfPrefix, records: &[Record]) -> Result<(usize, usize), Violation> {
        let mut seen = vec![0; self.prefix.threads.len()];
        let (mut events, mut orders) = (0, 0);
        for record in records {
            match *record {
                Record::Saw { thread: other, events } => match seen.get_mut(other as usize) {
                    Some(seen) => *seen = events.max(*seen),
                    None => return Err(Violation::Contradiction { thread: self.name(thread) }),
                },
                Record::Event { instruction, part, time } => {
                    orders += self.check_event(thread, events, (instruction, part, time), &seen)?;
                    events += 1;
                }
                Record::Left => return Err(Violation::Left { thread: self.name(thread), events }),
                Record::Free => self.check_free(thread, events, &seen)?,
                Record::Released | Record::End => {}
            }
        }
        Ok((events, orders))
    }

    fn check_event(
        &self,
        thread: OfPrefix,
        position: usize,
        found: (u32, u32, u32),
        seen: &[u32],
    ) -> Result<usize, Violation> {
        let (instruction, part, time) = found;
        let expected = self.of_thread[thread.0].get(position).map(|event| &self.prefix.events[*event]);
        let fits = expected.is_some_and(|event| {
            (event.instruction, event.part, event.time) == (instruction as usize, part, u64::from(time))
        });
        let Some(event) = expected.filter(|_| fits) else {
            let expected = expected.map(|event| self.event(event.instruction, event.time));
            return Err(Violation::OtherEvent {
                thread: self.name(thread),
                found: self.event(instruction as usize, u64::from(time)),
                expected: expected.unwrap_or_else(|| "no further event".to_owned()),
            });
        };
        for &before in &event.after {
            let other = &self.prefix.events[before];
            if other.thread != thread.0 && seen[other.thread] < self.numbers[before] {
                return Err(Violation::NotWaited {
                    thread: self.name(thread),
                    event: self.event(event.instruction, event.time),
                    before: self.event(other.instruction, other.time),
                });
            }
        }
        Ok(event.after.len())
    }

    /// A thread is free when all have finished.
    fn check_free(&self, thread: OfPrefix, events: usize, seen: &[u32]) -> Result<(), Violation> {
        let others = self.of_thread.iter().enumerate();
        let mut unfinished = others.filter(|&(other, all)| match other == thread.0 {
            true => events < all.len(),
            false => (seen[other] as usize) < all.len(),
        });
        match unfinished.next() {
            Some((other, _)) => {
                Err(Violation::TooEarly { thread: self.name(thread), other: self.name(OfPrefix(other)) })
            }
            None => Ok(()),
        }
    }

    /// There is an order of all events in which each thread sees only what is over.
    fn has_order(&self, log: &Log) -> Result<(), Violation> {
        let mut done = vec![0; log.threads.len()];
        let mut places = vec![0; log.threads.len()];
        loop {
            let mut moves = false;
            for (thread, records) in log.threads.iter().enumerate() {
                while let Some(record) = records.get(places[thread]) {
                    match *record {
                        Record::Saw { thread: other, events } if done[other as usize] < events => break,
                        Record::Event { .. } => done[thread] += 1,
                        _ => {}
                    }
                    places[thread] += 1;
                    moves = true;
                }
            }
            if !moves {
                break;
            }
        }
        let stuck = (0..places.len()).find(|&thread| places[thread] < log.threads[thread].len());
        stuck.map_or(Ok(()), |thread| Err(Violation::Contradiction { thread: self.name(OfPrefix(thread)) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two events of `main`, then one of its thread after the second.
    fn prefix() -> Prefix {
        let text = format!(
            "selvedge prefix 1\nprogram {}\nthread 0 main\nthread 1 main.1 of 0 as 1\ninstruction 0 f 3 store # a.c:1\n\
             event 0 thread 0 at 0.0 time 1\nevent 1 thread 0 at 0.0 time 2\nevent 2 thread 1 at 0.0 time 1 after 1\nrest free\nend\n",
            "0a".repeat(32)
        );
        Prefix::parse(&text).expect("it is well formed")
    }

    fn log(threads: [Vec<Record>; 2]) -> Log {
        let schedule = name_of_schedule(&prefix());
        Log { program: prefix().program, schedule, threads: threads.to_vec() }
    }

    fn event(time: u32) -> Record {
        Record::Event { instruction: 0, part: 0, time }
    }

    fn saw(thread: u32, events: u32) -> Record {
        Record::Saw { thread, events }
    }

    #[test]
    fn what_the_schedule_permits_passes() {
        let whole =
            log([vec![event(1), event(2), saw(1, 1), Record::Free], vec![saw(0, 2), event(1), Record::End]]);
        assert_eq!(audit(&whole, &prefix()), Ok(Audited { events: 3, orders: 1, is_whole: true }));
        let begun = log([vec![event(1)], vec![]]);
        assert_eq!(audit(&begun, &prefix()), Ok(Audited { events: 1, orders: 0, is_whole: false }));
    }

    #[test]
    fn an_event_before_what_it_waits_for_is_found() {
        for seen in [vec![], vec![saw(0, 1)]] {
            let early = log([vec![event(1), event(2)], [seen, vec![event(1)]].concat()]);
            assert!(matches!(audit(&early, &prefix()), Err(Violation::NotWaited { .. })));
        }
    }

    #[test]
    fn other_events_freedom_too_early_and_divergences_are_found() {
        let wrong = |threads| audit(&log(threads), &prefix()).expect_err("it is not permitted");
        assert!(matches!(wrong([vec![event(2)], vec![]]), Violation::OtherEvent { .. }));
        assert!(matches!(wrong([vec![event(1), event(2), event(3)], vec![]]), Violation::OtherEvent { .. }));
        assert!(matches!(
            wrong([vec![event(1), event(2), Record::Free], vec![]]),
            Violation::TooEarly { .. }
        ));
        assert!(matches!(wrong([vec![event(1), Record::Left], vec![]]), Violation::Left { events: 1, .. }));
        assert!(matches!(
            wrong([vec![event(1)], vec![saw(0, 2), event(1)]]),
            Violation::Contradiction { .. }
        ));
        let other = Log { program: "0b".repeat(32), ..log([vec![], vec![]]) };
        assert_eq!(audit(&other, &prefix()), Err(Violation::OtherProgram));
        let other = Log { schedule: String::new(), ..log([vec![], vec![]]) };
        assert_eq!(audit(&other, &prefix()), Err(Violation::OtherSchedule));
    }
}
