//! Programs held to tables: threads that follow a [`Table`] under random interleavings, as a compiled program would.
//!
//! What the threads do locally is taken from the execution along the path, which the definitions give; so this finds out when events happen, and whether
//! they may is for [`audit`](selvedge_sections::audit) to say.

use crate::random::Random;
use selvedge_enforce::walk::Walk;
use selvedge_schedule::Schedule;
use selvedge_sections::reference::{Performed, Reference};
use selvedge_sections::table::{Arrival, SiteId, Table};
use selvedge_sections::walker::{Found, Published};
use selvedge_sections::{Steps, Walker};
use selvedge_symbolic::System;
use selvedge_trace::ThreadId;

/// What was done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// The events, in the order in which they happened.
    pub events: Vec<(usize, SiteId)>,
    /// The alternatives that each thread took.
    pub inputs: Vec<Vec<u32>>,
}

/// Events that are performed ahead at most, looking for one of a thread.
const AHEAD: usize = 500;

struct Execution<'e> {
    reference: Reference<'e>,
    steps: &'e Steps,
    random: Random,
    inputs: Vec<Vec<u32>>,
    /// The events of each thread along the path, local code left out.
    of_thread: Vec<Vec<Performed>>,
    is_over: bool,
    /// Threads that do not arrive anywhere any more.
    gone: Vec<bool>,
}

impl Execution<'_> {
    fn extend(&mut self) -> Result<(), String> {
        let random = &mut self.random;
        let done = self.reference.step(&mut |_| random.below(4) as u32).map_err(|wrong| wrong.to_string())?;
        let Some(done) = done else {
            self.is_over = true;
            return Ok(());
        };
        self.inputs[done.thread].push(done.choice);
        if self.steps.site(ThreadId::at(done.thread), done.place).is_some() {
            self.of_thread[done.thread].push(done);
        }
        Ok(())
    }

    /// Where a thread arrives after so many events; nothing if it never does.
    fn arrival(&mut self, of: ThreadId, events: usize) -> Result<Option<Arrival>, String> {
        let thread = of.index();
        for _ in 0..AHEAD {
            if let Some(event) = self.of_thread[thread].get(events) {
                return Ok(self.steps.site(of, event.place).map(Arrival::At));
            }
            let place = self.reference.places()[thread];
            if self.of_thread[thread].len() == events {
                match (place as usize, self.steps.site(of, place)) {
                    (System::ENDED, _) => return Ok(Some(Arrival::End)),
                    (_, Some(site)) => return Ok(Some(Arrival::At(site))),
                    _ => {}
                }
            }
            if self.is_over || self.gone[thread] {
                return Ok(None);
            }
            self.extend()?;
        }
        self.gone[thread] = true;
        Ok(None)
    }
}

/// Lets threads follow a table for so many events, or until none has more.
///
/// # Errors
/// When none may go on though some have events left, or a thread is where the table does not foresee it.
pub fn run(
    walk: &Walk,
    steps: &Steps,
    schedule: &Schedule,
    table: &Table,
    seed: u64,
    events: usize,
) -> Result<Log, String> {
    let threads = steps.system.threads.len();
    let mut execution = Execution {
        reference: Reference::new(walk, schedule),
        steps,
        random: Random::new(seed),
        inputs: vec![Vec::new(); threads],
        of_thread: vec![Vec::new(); threads],
        is_over: false,
        gone: vec![false; threads],
    };
    let reachable = table.reachable();
    let starts = steps.system.start();
    let is_there = |thread: usize| starts[thread] as usize != System::NOT_STARTED;
    let mut walkers: Vec<Option<Walker>> = (0..threads)
        .map(|thread| is_there(thread).then(|| Walker::new(table, ThreadId::at(thread))))
        .collect();
    let mut published = vec![Published::default(); threads];
    let mut log = Log::default();
    let mut random = Random::new(seed ^ 0x5eed);
    // Threads that were tried since the last event.
    let mut tried = vec![false; threads];
    // Threads run for a while before others do, or in turns.
    let hurry = random.below(4);
    let mut thread = 0;
    while log.events.len() < events && !tried.iter().all(|&tried| tried) {
        if random.below(4) >= hurry || tried[thread] {
            thread = random.below(threads);
        }
        tried[thread] = true;
        let Some(walker) = &mut walkers[thread] else { continue };
        let happened = published[thread].events as usize;
        let Some(arrival) = execution.arrival(ThreadId::at(thread), happened)? else { continue };
        let decisions = published[thread].decisions.len();
        let found = walker.arrive(table, &reachable, arrival, &mut published);
        if published[thread].decisions.len() > decisions {
            tried = vec![false; threads];
        }
        let event = match found {
            Found::Nothing | Found::Undecided(_) => continue,
            Found::Unforeseen(expected) => {
                return Err(format!("thread {thread} is at {arrival:?}, not at {expected:?}"));
            }
            Found::Event { needs, .. } if needs.iter().any(|&(other, n)| published[other].events < n) => {
                continue;
            }
            Found::Event { event, .. } => event.clone(),
        };
        // It has arrived, but the path may not have come to its event yet.
        while execution.of_thread[thread].len() <= happened && !execution.is_over {
            execution.extend()?;
        }
        let Some(performed) = execution.of_thread[thread].get(happened) else {
            return Err(format!("thread {thread} performs an event that is not on the path"));
        };
        let location = &steps.system.threads[thread].locations[performed.place as usize];
        let created = walker.clone();
        walker.done();
        for &spawned in &location.transitions[performed.transition].spawns {
            walkers[spawned] = Some(created.created(ThreadId::at(spawned)));
        }
        published[thread].events += 1;
        log.events.push((thread, event.site));
        tried = vec![false; threads];
    }
    if log.events.len() < events {
        for thread in 0..threads {
            let happened = published[thread].events as usize;
            if execution.of_thread[thread].len() > happened {
                return Err(format!("all threads wait; thread {thread} has an event left after {happened}"));
            }
        }
    }
    log.inputs = execution.inputs;
    Ok(log)
}
