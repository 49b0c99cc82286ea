//! Hunting: many executions under schedules of different kinds, to find a violation soon if there is one.
//!
//! Nothing is proved by finding none. Schedules are taken in turn from three kinds: threads with random priorities, some
//! of which change on the way [BurckhardtKMN2010, section 3]; threads in turn, each with a number of operations of its own at a
//! time; and a random thread at every step. The same seed gives the same schedules.

use crate::sampling::Stream;
use crate::{Program, ThreadStatus, Violation, WaitingForEver};
use selvedge_trace::{Decision, Footprint, ThreadId};
use std::time::{Duration, Instant};

/// Operations of one execution.
const MOST_STEPS: usize = 20_000;

/// Operations between two looks at the clock.
const POLL_INTERVAL: usize = 1 << 6;

/// The most operations of a thread before it is the turn of the next.
const LONGEST_TURN: u64 = 6;

/// The most choices to try for one that goes on.
const MOST_TRIES: u32 = 64;

/// The thread that goes next.
enum Strategy {
    Priorities { priorities: Vec<u64>, changes: Vec<u64> },
    Turns { lengths: Vec<u64>, thread: usize, left: u64 },
    Random,
}

impl Strategy {
    fn new(number: u64, threads: usize, length: u64, random: &mut Stream) -> Strategy {
        match number % 3 {
            0 => Strategy::Priorities {
                priorities: (0..threads).map(|_| 8 + random.bits() / 2).collect(),
                changes: (0..number / 3 % 4).map(|_| random.bits() % length).collect(),
            },
            1 => Strategy::Turns {
                lengths: (0..threads).map(|_| 1 + random.bits() % LONGEST_TURN).collect(),
                thread: random.below(threads),
                left: 0,
            },
            _ => Strategy::Random,
        }
    }

    fn choose<P: Program>(&mut self, program: &mut P, step: u64, random: &mut Stream) -> Option<ThreadId> {
        let count = program.thread_count();
        match self {
            Strategy::Priorities { priorities, changes } => {
                let enabled = (0..count).filter(|&t| program.is_enabled(ThreadId::at(t)));
                let best = enabled.max_by_key(|&t| priorities[t])?;
                if let Some(change) = changes.iter().position(|&at| at == step) {
                    priorities[best] = change as u64;
                }
                Some(ThreadId::at(best))
            }
            Strategy::Turns { lengths, thread, left } => {
                if *left > 0 && program.is_enabled(ThreadId::at(*thread)) {
                    *left -= 1;
                    return Some(ThreadId::at(*thread));
                }
                let mut others = (1..=count).map(|i| (*thread + i) % count);
                *thread = others.find(|&t| program.is_enabled(ThreadId::at(t)))?;
                *left = lengths[*thread] - 1;
                Some(ThreadId::at(*thread))
            }
            Strategy::Random => {
                let enabled: Vec<usize> =
                    (0..count).filter(|&t| program.is_enabled(ThreadId::at(t))).collect();
                match enabled.len() {
                    0 => None,
                    n => Some(ThreadId::at(enabled[random.below(n)])),
                }
            }
        }
    }
}

/// Runs executions for some time; the first violation found, and how many executions it took.
pub fn hunt<P: Program>(
    program: &mut P,
    seed: u64,
    time: Duration,
    most: u64,
) -> (Option<Violation<P::Failure>>, u64) {
    let started = Instant::now();
    let mut random = Stream::new(seed);
    let mut length = 64;
    for number in 0..most {
        let is_late = || started.elapsed() >= time;
        if is_late() {
            return (None, number);
        }
        let mut strategy = Strategy::new(number, program.thread_count(), length, &mut random);
        let (found, steps) = run(program, &mut strategy, &mut random, is_late);
        length = steps.max(1);
        if found.is_some() {
            return (found, number + 1);
        }
    }
    (None, most)
}

fn run<P: Program>(
    program: &mut P,
    strategy: &mut Strategy,
    random: &mut Stream,
    is_late: impl Fn() -> bool,
) -> (Option<Violation<P::Failure>>, u64) {
    program.restart();
    let mut schedule = Vec::new();
    let mut footprint = Footprint::default();
    loop {
        if let Some(failure) = program.failures().first() {
            return (
                Some(Violation { failure: failure.clone(), schedule: schedule.clone() }),
                schedule.len() as u64,
            );
        }
        let length = schedule.len();
        if length % POLL_INTERVAL == POLL_INTERVAL - 1 && is_late() {
            return (None, length as u64);
        }
        let next = if length < MOST_STEPS { strategy.choose(program, length as u64, random) } else { None };
        let Some(thread) = next else { break };
        let decision = try_not_to_drop(program, thread, random, &mut footprint);
        schedule.push(decision);
    }
    let steps = schedule.len() as u64;
    let is_deadlock = schedule.len() < MOST_STEPS && is_deadlock(program);
    (is_deadlock.then(|| Violation { failure: program.deadlock(), schedule }), steps)
}

/// Performs the next operation of a thread with a random choice, if possible with one that does not find an assumption false: nothing
/// can be found on such a way that cannot be found without it.
fn try_not_to_drop<P: Program>(
    program: &mut P,
    thread: ThreadId,
    random: &mut Stream,
    footprint: &mut Footprint,
) -> Decision {
    let choices = program.choices(thread);
    let first = random.below(choices as usize) as u32;
    let mark = program.mark();
    let mut tried = 0;
    loop {
        let decision = Decision { thread, choice: (first + tried) % choices.max(1) };
        program.step(decision, footprint);
        tried += 1;
        let is_dropped = program.status(thread) == ThreadStatus::Dropped;
        if !is_dropped || tried >= choices.min(MOST_TRIES) || !program.failures().is_empty() {
            return decision;
        }
        program.rollback(mark);
    }
}

/// Whether a state in which nothing can go on is a deadlock.
pub(crate) fn is_deadlock<P: Program>(program: &P) -> bool {
    let mut waits = false;
    for thread in (0..program.thread_count()).map(ThreadId::at) {
        match program.status(thread) {
            ThreadStatus::Running => match program.waiting_for_ever(thread) {
                WaitingForEver::Deadlock => waits = true,
                WaitingForEver::FalseAssumption | WaitingForEver::EndOfProgram => return false,
            },
            ThreadStatus::Ended => {}
            ThreadStatus::Dropped | ThreadStatus::Failed | ThreadStatus::Diverged => return false,
        }
    }
    waits && program.counts_as_deadlock()
}
