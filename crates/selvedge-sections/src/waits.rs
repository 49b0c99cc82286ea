//! What each event waits for: the last event of every other thread that it depends on, whichever chunk that is in.
//!
//! A chunk can be reached on several ways, on which the last such event lies differently far back. An event then waits for the latest one:
//! that is an event before it on every way, so nothing waits in vain, and what it needs has happened on the way that is taken. Numbers of
//! events are counted from the beginning of the chunk, so that they are the same in every round of a loop. What an event has waited for, or what it
//! waits for has waited for, is not waited for again (vector clocks).

use crate::chunks::{Draft, DraftEvent};
use crate::table::{Chunk, Event, Table, Wait};
use selvedge_smt::Variable;
use std::collections::BTreeMap;

/// Which events depend on each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Those whose accesses say so.
    Dependent,
    /// All.
    Total,
}

/// The last events of a thread, by how many of its events have then happened, counted from the beginning of the chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Last {
    any: Option<i64>,
    fence: Option<i64>,
    reads: BTreeMap<Variable, i64>,
    writes: BTreeMap<Variable, i64>,
}

impl Last {
    fn note(&mut self, event: &DraftEvent, number: i64) {
        let accesses = &event.accesses;
        self.any = Some(number);
        if accesses.is_fence {
            self.fence = Some(number);
        }
        self.reads.extend(accesses.reads.iter().map(|&variable| (variable, number)));
        self.writes.extend(accesses.writes.iter().map(|&variable| (variable, number)));
    }

    /// As seen from behind so many events of the thread.
    fn behind(&self, events: i64) -> Last {
        let all = |of: &BTreeMap<Variable, i64>| of.iter().map(|(&v, &n)| (v, n - events)).collect();
        let one = |of: Option<i64>| of.map(|n| n - events);
        Last {
            any: one(self.any),
            fence: one(self.fence),
            reads: all(&self.reads),
            writes: all(&self.writes),
        }
    }

    /// The latest of both.
    fn join(&mut self, other: &Last) {
        self.any = self.any.max(other.any);
        self.fence = self.fence.max(other.fence);
        for (to, from) in [(&mut self.reads, &other.reads), (&mut self.writes, &other.writes)] {
            for (&variable, &number) in from {
                let known = to.entry(variable).or_insert(number);
                *known = number.max(*known);
            }
        }
    }

    /// The last event that an event depends on.
    fn before(&self, event: &DraftEvent, order: Order) -> Option<i64> {
        let accesses = &event.accesses;
        if order == Order::Total || accesses.is_fence {
            return self.any;
        }
        if accesses.reads.is_empty() && accesses.writes.is_empty() {
            return None;
        }
        let read = accesses.reads.iter().filter_map(|variable| self.writes.get(variable));
        let written = accesses.writes.iter().flat_map(|v| [self.writes.get(v), self.reads.get(v)]).flatten();
        read.chain(written).copied().max().max(self.fence)
    }
}

/// Makes a table: what each event waits for.
pub fn table(drafts: &[Draft], threads: usize, order: Order) -> Table {
    let mut entry: Vec<Option<Vec<Last>>> = vec![None; drafts.len()];
    let mut todo = Vec::new();
    if !drafts.is_empty() {
        entry[0] = Some(vec![Last::default(); threads]);
        todo.push(0);
    }
    while let Some(number) = todo.pop() {
        let Some(mut last) = entry[number].clone() else { continue };
        let mut counts = vec![0; threads];
        for event in &drafts[number].events {
            counts[event.thread] += 1;
            last[event.thread].note(event, counts[event.thread]);
        }
        let exit: Vec<Last> = last.iter().zip(&counts).map(|(last, &events)| last.behind(events)).collect();
        for next in drafts[number].next.targets() {
            let before = entry[next].clone();
            let known = entry[next].get_or_insert_with(|| exit.clone());
            known.iter_mut().zip(&exit).for_each(|(known, new)| known.join(new));
            if entry[next] != before {
                todo.push(next);
            }
        }
    }
    let chunk = |(draft, entry): (&Draft, Option<Vec<Last>>)| {
        let last = entry.unwrap_or_else(|| vec![Last::default(); threads]);
        Chunk { events: events(draft, last, order), next: draft.next.clone() }
    };
    Table { threads, chunks: drafts.iter().zip(entry).map(chunk).collect(), standing: Vec::new() }
}

/// The events of a chunk with what they wait for.
fn events(draft: &Draft, mut last: Vec<Last>, order: Order) -> Vec<Event> {
    let threads = last.len();
    let mut counts = vec![0; threads];
    // What each thread knows of others, and what was known to each event.
    let mut known: Vec<Vec<Option<i64>>> = vec![vec![None; threads]; threads];
    let mut clocks: BTreeMap<(usize, i64), Vec<Option<i64>>> = BTreeMap::new();
    let mut events = Vec::new();
    for event in &draft.events {
        let thread = event.thread;
        let others = (0..threads).filter(|&other| other != thread);
        let needed: Vec<Wait> = others
            .filter_map(|other| Some(Wait { thread: other, events: last[other].before(event, order)? }))
            .filter(|wait| known[thread][wait.thread] < Some(wait.events))
            .collect();
        let is_implied = |wait: &Wait| {
            let others = needed.iter().filter(|other| *other != wait);
            let mut clocks = others.filter_map(|other| clocks.get(&(other.thread, other.events)));
            clocks.any(|clock| clock[wait.thread] >= Some(wait.events))
        };
        let waits: Vec<Wait> = needed.iter().filter(|wait| !is_implied(wait)).copied().collect();
        let mut clock = known[thread].clone();
        for wait in &waits {
            clock[wait.thread] = clock[wait.thread].max(Some(wait.events));
            for (own, other) in
                clock.iter_mut().zip(clocks.get(&(wait.thread, wait.events)).into_iter().flatten())
            {
                *own = (*own).max(*other);
            }
        }
        counts[thread] += 1;
        clock[thread] = Some(counts[thread]);
        clocks.insert((thread, counts[thread]), clock.clone());
        known[thread] = clock;
        last[thread].note(event, counts[thread]);
        events.push(Event { thread, site: event.site, waits });
    }
    events
}
