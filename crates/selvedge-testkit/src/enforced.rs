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

    /// The threads that a thread creates by its event after so many others.
    fn spawned_by(&mut self, of: ThreadId, events: usize) -> Result<Vec<ThreadId>, String> {
        // It has arrived, but the path may not have come to its event yet.
        while self.of_thread[of.index()].len() <= events && !self.is_over {
            self.extend()?;
        }
        let Some(performed) = self.of_thread[of.index()].get(events) else {
            return Err(format!("{of:?} performs an event that is not on the path"));
        };
        let location = &self.steps.system.threads[of.index()].locations[performed.place as usize];
        Ok(location.transitions[performed.transition]
            .spawns
            .iter()
            .map(|&thread| ThreadId::at(thread))
            .collect())
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
    let execution = Execution {
        reference: Reference::new(walk, schedule),
        steps,
        random: Random::new(seed),
        inputs: vec![Vec::new(); threads],
        of_thread: vec![Vec::new(); threads],
        is_over: false,
        gone: vec![false; threads],
    };
    let starts = steps.system.start();
    let walker = |thread: usize| {
        let is_there = starts[thread] as usize != System::NOT_STARTED;
        is_there.then(|| Walker::new(table, ThreadId::at(thread)))
    };
    let threads = Threads {
        execution,
        table,
        reachable: table.reachable(),
        walkers: (0..threads).map(walker).collect(),
        published: vec![Published::default(); threads],
        log: Log::default(),
    };
    threads.run(&mut Random::new(seed ^ 0x5eed), events)
}

/// Threads that follow a table.
struct Threads<'t> {
    execution: Execution<'t>,
    table: &'t Table,
    reachable: Vec<Vec<bool>>,
    walkers: Vec<Option<Walker>>,
    published: Vec<Published>,
    log: Log,
}

/// What a thread has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Did {
    Nothing,
    Something,
}

impl Threads<'_> {
    fn run(mut self, random: &mut Random, events: usize) -> Result<Log, String> {
        let threads = self.walkers.len();
        // Threads that were tried since the last event. Threads run for a while before others do, or in turns.
        let (mut tried, hurry, mut thread) = (vec![false; threads], random.below(4), 0);
        while self.log.events.len() < events && !tried.iter().all(|&tried| tried) {
            if random.below(4) >= hurry || tried[thread] {
                thread = random.below(threads);
            }
            tried[thread] = true;
            if self.go_on(ThreadId::at(thread))? == Did::Something {
                tried = vec![false; threads];
            }
        }
        let has_left = |thread: &usize| {
            self.execution.of_thread[*thread].len() > self.published[*thread].events as usize
        };
        if self.log.events.len() < events
            && let Some(thread) = (0..threads).find(has_left)
        {
            return Err(format!("all threads wait; thread {thread} has an event left"));
        }
        self.log.inputs = self.execution.inputs;
        Ok(self.log)
    }

    /// Lets a thread go on, if it may.
    fn go_on(&mut self, thread: ThreadId) -> Result<Did, String> {
        let number = thread.index();
        let Some(walker) = &mut self.walkers[number] else { return Ok(Did::Nothing) };
        let (events, decisions) = (self.published[number].events, self.published[number].decisions.len());
        let Some(arrival) = self.execution.arrival(thread, events as usize)? else { return Ok(Did::Nothing) };
        let site = match walker.arrive(self.table, &self.reachable, arrival, &mut self.published) {
            Found::Unforeseen(expected) => {
                return Err(format!("{thread:?} is at {arrival:?}, not at {expected:?}"));
            }
            Found::Event { event, needs }
                if needs.iter().all(|&(other, n)| self.published[other].events >= n) =>
            {
                event.site
            }
            Found::Nothing | Found::Undecided(_) | Found::Event { .. } => {
                let has_decided = self.published[number].decisions.len() > decisions;
                return Ok(if has_decided { Did::Something } else { Did::Nothing });
            }
        };
        let walker = walker.clone();
        for spawned in self.execution.spawned_by(thread, events as usize)? {
            self.walkers[spawned.index()] = Some(walker.created(spawned));
        }
        self.walkers[number].iter_mut().for_each(Walker::done);
        self.published[number].events += 1;
        self.log.events.push((number, site));
        Ok(Did::Something)
    }
}
