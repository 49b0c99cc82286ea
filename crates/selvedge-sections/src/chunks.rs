//! A schedule as far as instructions tell its ways apart.
//!
//! Local code is invisible, and one instruction may be many places of the verified program. So a compiled program may be at one of several
//! positions of the schedule, and these are followed together, as a non-deterministic automaton is made deterministic. As
//! long as all of them have the same instruction of the same thread next, that is the next event. Where they differ, one thread's next
//! arrival must tell them apart; if no thread's does, the schedule is refused.

use crate::steps::{Accesses, Steps};
use crate::table::{Arrival, Next, SiteId};
use selvedge_schedule::{Event, Schedule};
use selvedge_trace::ThreadId;
use std::collections::{BTreeMap, BTreeSet};

/// Sets of positions that are followed at most.
const MOST_STATES: usize = 100_000;

/// Why a schedule cannot be followed by a compiled program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Several threads may go on.
    #[error("at node {0} of the schedule several threads may go on")]
    SeveralThreads(usize),
    /// The instructions do not say which way the program goes.
    #[error(
        "after the event at line {0} the schedule has ways that no thread's next instruction tells apart"
    )]
    Indistinct(usize),
    /// The schedule has too many ways.
    #[error("the schedule has too many ways to go on")]
    TooMany,
    /// The schedule does not fit the program.
    #[error("the schedule is for another program")]
    Unfit,
}

/// An event with what it accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftEvent {
    /// The thread.
    pub thread: usize,
    /// The instruction.
    pub site: SiteId,
    /// What it accesses, whichever of its places it is at.
    pub accesses: Accesses,
}

/// Events that follow each other, before it is known what they wait for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The events.
    pub events: Vec<DraftEvent>,
    /// What comes after them.
    pub next: Next,
}

/// A position in a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum At {
    Node(usize),
    /// Before an event of a section.
    Section(usize, usize),
}

type Positions = BTreeSet<At>;

/// What comes next where a program may be at some positions.
enum Step {
    Event(DraftEvent, usize),
    Decide { thread: usize, ways: Vec<(Arrival, usize)> },
    Nothing,
}

/// A schedule that was followed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Followed {
    /// The chunks, the beginning first.
    pub drafts: Vec<Draft>,
    /// The instructions before which threads stand that the schedule has no more events for. They must not go on there, so these must be seen,
    /// whatever they access.
    pub standing: BTreeSet<SiteId>,
}

/// Follows a schedule from its beginning.
///
/// # Errors
/// When instructions do not tell its ways apart.
pub fn chunks(steps: &Steps, schedule: &Schedule) -> Result<Followed, Refused> {
    let mut from = vec![Vec::new(); schedule.nodes.len()];
    for (number, section) in schedule.sections.iter().enumerate() {
        from[section.from].push(number);
    }
    let mut follower = Follower { steps, schedule, from, numbers: BTreeMap::new(), todo: Vec::new() };
    let start = follower.closure(Positions::from([At::Node(0)]))?;
    follower.number(start);
    let mut all = Vec::new();
    while let Some(positions) = follower.todo.get(all.len()).cloned() {
        if all.len() > MOST_STATES {
            return Err(Refused::TooMany);
        }
        all.push(follower.step(&positions)?);
    }
    let standing = follower.standing(&all).ok_or(Refused::Unfit)?;
    Ok(Followed { drafts: joined(all), standing })
}

struct Follower<'f> {
    steps: &'f Steps,
    schedule: &'f Schedule,
    /// The sections that begin at each node.
    from: Vec<Vec<usize>>,
    numbers: BTreeMap<Positions, usize>,
    todo: Vec<Positions>,
}

impl<'f> Follower<'f> {
    fn number(&mut self, positions: Positions) -> usize {
        let next = self.todo.len();
        let number = *self.numbers.entry(positions.clone()).or_insert(next);
        if number == next {
            self.todo.push(positions);
        }
        number
    }

    /// The events that come next at a position, and where they lead.
    fn nexts(&self, at: At) -> Vec<(&'f Event, At)> {
        let sections = &self.schedule.sections;
        let event = |section: usize, number: usize| {
            let after = match number + 1 < sections[section].events.len() {
                true => At::Section(section, number + 1),
                false => At::Node(sections[section].to),
            };
            (&sections[section].events[number], after)
        };
        match at {
            At::Node(node) => self.from[node].iter().map(|&section| event(section, 0)).collect(),
            At::Section(section, number) => vec![event(section, number)],
        }
    }

    /// Where the threads stand.
    fn places(&self, at: At) -> Option<Vec<u32>> {
        let (section, events) = match at {
            At::Node(node) => return Some(self.schedule.nodes[node].places.clone()),
            At::Section(section, events) => (&self.schedule.sections[section], events),
        };
        let mut places = self.schedule.nodes[section.from].places.clone();
        for event in &section.events[..events] {
            let location =
                self.steps.system.threads.get(event.thread)?.locations.get(event.place as usize)?;
            let transition = location.transitions.get(event.transition)?;
            places = self.steps.system.after(&places, event.thread, transition)?;
        }
        Some(places)
    }

    fn site(&self, event: &Event) -> Option<SiteId> {
        self.steps.site(ThreadId::at(event.thread), event.place)
    }

    /// The positions after all local code that comes next.
    fn closure(&self, positions: Positions) -> Result<Positions, Refused> {
        let mut todo: Vec<At> = positions.iter().copied().collect();
        let (mut seen, mut done) = (positions, Positions::new());
        while let Some(at) = todo.pop() {
            let nexts = self.nexts(at);
            let threads: BTreeSet<usize> = nexts.iter().map(|(event, _)| event.thread).collect();
            if threads.len() > 1 {
                let At::Node(node) = at else { return Err(Refused::Unfit) };
                return Err(Refused::SeveralThreads(node));
            }
            match nexts.first() {
                Some((event, _)) if self.site(event).is_none() => {
                    todo.extend(nexts.iter().map(|(_, after)| *after).filter(|&after| seen.insert(after)));
                }
                _ => {
                    done.insert(at);
                }
            }
        }
        Ok(done)
    }

    fn step(&mut self, positions: &Positions) -> Result<Step, Refused> {
        let first = |at: &At| self.nexts(*at).first().map(|(event, _)| (event.thread, self.site(event)));
        let firsts: BTreeSet<Option<(usize, Option<SiteId>)>> = positions.iter().map(first).collect();
        if firsts.len() != 1 {
            return self.decide(positions);
        }
        let Some(Some((thread, Some(site)))) = firsts.first().copied() else { return Ok(Step::Nothing) };
        let (mut accesses, mut after) = (Accesses::default(), Positions::new());
        for &at in positions {
            for (event, next) in self.nexts(at) {
                accesses.add(self.steps.accesses(ThreadId::at(thread), event.place));
                after.insert(next);
            }
        }
        let after = self.closure(after)?;
        Ok(Step::Event(DraftEvent { thread, site, accesses }, self.number(after)))
    }

    /// Finds a thread whose next arrival tells positions apart.
    fn decide(&mut self, positions: &Positions) -> Result<Step, Refused> {
        let mut best: Option<(usize, usize, BTreeMap<Arrival, Positions>)> = None;
        let all: Option<Vec<(At, Vec<u32>)>> =
            positions.iter().map(|&at| Some((at, self.places(at)?))).collect();
        let all = all.ok_or(Refused::Unfit)?;
        for thread in 0..self.schedule.threads.len() {
            let mut ways: BTreeMap<Arrival, Positions> = BTreeMap::new();
            let mut is_certain = true;
            for (at, places) in &all {
                match self.steps.arrivals(ThreadId::at(thread), places[thread]) {
                    Some(arrivals) => arrivals.into_iter().for_each(|arrival| {
                        ways.entry(arrival).or_default().insert(*at);
                    }),
                    None => is_certain = false,
                }
            }
            let largest = ways.values().map(Positions::len).max().unwrap_or(usize::MAX);
            let size = ways.values().map(Positions::len).sum();
            let is_better = best.as_ref().is_none_or(|(known, ..)| size < *known);
            if is_certain && largest < positions.len() && is_better {
                best = Some((size, thread, ways));
            }
        }
        let Some((_, thread, ways)) = best else { return Err(self.indistinct(positions)) };
        let ways = ways.into_iter().map(|(arrival, positions)| (arrival, self.number(positions))).collect();
        Ok(Step::Decide { thread, ways })
    }

    /// The instructions before which threads stand that have no more events.
    fn standing(&self, all: &[Step]) -> Option<BTreeSet<SiteId>> {
        let threads = self.schedule.threads.len();
        let mut goes_on = vec![vec![false; threads]; all.len()];
        loop {
            let before = goes_on.clone();
            for (number, step) in all.iter().enumerate() {
                let (own, next) = match step {
                    Step::Event(event, next) => (Some(event.thread), vec![*next]),
                    Step::Decide { thread, ways } => (Some(*thread), ways.iter().map(|way| way.1).collect()),
                    Step::Nothing => (None, Vec::new()),
                };
                for thread in 0..threads {
                    goes_on[number][thread] |=
                        own == Some(thread) || next.iter().any(|&next| before[next][thread]);
                }
            }
            if goes_on == before {
                break;
            }
        }
        let mut standing = BTreeSet::new();
        for (positions, goes_on) in self.todo.iter().zip(&goes_on) {
            for &at in positions {
                let places = self.places(at)?;
                for thread in (0..threads).filter(|&thread| !goes_on[thread]) {
                    let arrivals = self.steps.arrivals(ThreadId::at(thread), places[thread]);
                    standing.extend(arrivals.into_iter().flatten().filter_map(|arrival| match arrival {
                        Arrival::At(site) => Some(site),
                        Arrival::End => None,
                    }));
                }
            }
        }
        Some(standing)
    }

    fn indistinct(&self, positions: &Positions) -> Refused {
        let line = positions.iter().find_map(|&at| match at {
            At::Section(section, number) => {
                Some(self.schedule.sections[section].events[number.checked_sub(1)?].line)
            }
            At::Node(node) => {
                let before = self.schedule.sections.iter().find(|section| section.to == node)?;
                before.events.last().map(|event| event.line)
            }
        });
        Refused::Indistinct(line.unwrap_or(0))
    }
}

/// Joins steps to chunks, the first of which begins with the first step.
fn joined(steps: Vec<Step>) -> Vec<Draft> {
    let mut arrivals = vec![0; steps.len()];
    arrivals[0] = 2;
    for step in &steps {
        match step {
            Step::Event(_, next) => arrivals[*next] += 1,
            Step::Decide { ways, .. } => ways.iter().for_each(|way| arrivals[way.1] += 2),
            Step::Nothing => {}
        }
    }
    let heads: Vec<usize> = (0..steps.len()).filter(|&step| arrivals[step] > 1).collect();
    let numbers: BTreeMap<usize, usize> = heads.iter().copied().zip(0..).collect();
    let draft = |&head: &usize| {
        let (mut events, mut at) = (Vec::new(), head);
        loop {
            at = match &steps[at] {
                Step::Event(event, next) => {
                    events.push(event.clone());
                    *next
                }
                Step::Decide { thread, ways } => {
                    let ways = ways.iter().map(|(arrival, way)| (*arrival, numbers[way])).collect();
                    return Draft { events, next: Next::Decide { thread: *thread, ways } };
                }
                Step::Nothing => return Draft { events, next: Next::Nothing },
            };
            if let Some(&next) = numbers.get(&at) {
                return Draft { events, next: Next::Go(next) };
            }
        }
    };
    heads.iter().map(draft).collect()
}
