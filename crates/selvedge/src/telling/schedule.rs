//! Schedules as short texts, for the user to give back.
//!
//! `1.0x3.2:1+c` says: thread 1, three times thread 0, thread 2 with its second alternative. Threads are numbered in the order in
//! which the execution starts them. A letter at the end says that something is an operation that usually is none: `c` for
//! changes of the counts of `Arc`s, `e` for the ends of threads, `r` for receivers that begin to wait.

use crate::runtime::assumptions::Assumptions;
use crate::runtime::with;
use selvedge_trace::{Decision, ThreadId};

/// The schedule of a violation before the first step.
const NOTHING: &str = "-";

/// A schedule of the execution in progress as text.
pub fn text(schedule: &[Decision]) -> String {
    let rank = |thread: ThreadId| with(|x| x.thread(thread).rank);
    let mut parts: Vec<(Decision, usize)> = Vec::new();
    for &decision in schedule {
        match parts.last_mut() {
            Some((last, count)) if *last == decision => *count += 1,
            _ => parts.push((decision, 1)),
        }
    }
    let part = |(decision, count): &(Decision, usize)| {
        let choice = if decision.choice > 0 { format!(":{}", decision.choice) } else { String::new() };
        let times = if *count > 1 { format!("x{count}") } else { String::new() };
        format!("{}{choice}{times}", rank(decision.thread))
    };
    let parts: Vec<String> = parts.iter().map(part).collect();
    let steps = if parts.is_empty() { NOTHING.to_owned() } else { parts.join(".") };
    let assumptions = with(|x| x.assumptions);
    let counts = if assumptions.counts_are_observed { "+c" } else { "" };
    let ends = if assumptions.ends_are_observed { "+e" } else { "" };
    let receivers = if assumptions.receivers_are_awaited { "+r" } else { "" };
    let attempts = match assumptions.attempts {
        0 => String::new(),
        n => format!("+a{n}"),
    };
    format!("{steps}{counts}{ends}{receivers}{attempts}")
}

/// Reads the text of a schedule.
pub fn parse(text: &str) -> Option<(Vec<Decision>, Assumptions)> {
    let mut pieces = text.trim().split('+');
    let steps = pieces.next()?;
    let mut assumptions = Assumptions::default();
    for letter in pieces {
        match letter {
            "c" => assumptions.counts_are_observed = true,
            "e" => assumptions.ends_are_observed = true,
            "r" => assumptions.receivers_are_awaited = true,
            _ => assumptions.attempts = letter.strip_prefix('a')?.parse().ok()?,
        }
    }
    if steps == NOTHING {
        return Some((Vec::new(), assumptions));
    }
    let mut schedule = Vec::new();
    for part in steps.split('.') {
        let (decision, count) = part.split_once('x').unwrap_or((part, "1"));
        let (thread, choice) = decision.split_once(':').unwrap_or((decision, "0"));
        let decision = Decision { thread: ThreadId(thread.parse().ok()?), choice: choice.parse().ok()? };
        let count: usize = count.parse().ok()?;
        schedule.extend(std::iter::repeat_n(decision, count));
    }
    Some((schedule, assumptions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_read() {
        let (schedule, assumptions) = parse("0x3.1.2:1x2.0+c").expect("it is a schedule");
        assert_eq!(schedule.len(), 7);
        assert_eq!(schedule[4], Decision { thread: ThreadId(2), choice: 1 });
        assert!(assumptions.counts_are_observed && !assumptions.ends_are_observed);
        assert_eq!(parse(NOTHING), Some((Vec::new(), Assumptions::default())));
        assert_eq!(parse("0+a64").map(|(_, assumptions)| assumptions.attempts), Some(64));
        assert_eq!(parse("0+a"), None);
        assert_eq!(parse("a.b"), None);
        assert_eq!(parse("0+z"), None);
        assert_eq!(parse(""), None);
    }
}
