//! What a thread does with a table: it finds its next event, and whether that may happen.
//!
//! Each thread has a walker of its own, which follows the path through the chunks. It reads how many events the other threads have behind them and
//! what they decided, and nothing else of them. A new thread's walker begins where that of its creator is.

use crate::table::{Arrival, Event, Next, Table};
use selvedge_trace::ThreadId;

/// What a thread publishes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// How many events it has behind it.
    pub events: i64,
    /// The chunks that it has chosen.
    pub decisions: Vec<usize>,
}

/// A thread on its way through a table.
#[derive(Clone, Debug)]
pub struct Walker {
    thread: usize,
    chunk: usize,
    /// The next event of the chunk to look at.
    at: usize,
    /// The events of all threads before the chunk.
    base: Vec<i64>,
    /// How many decisions of each thread were read.
    read: Vec<usize>,
}

/// How a thread may go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'t> {
    /// With this event, once others have so many events behind them.
    Event {
        /// The event.
        event: &'t Event,
        /// The other threads, and how many events.
        needs: Vec<(usize, i64)>,
    },
    /// When another thread has decided.
    Undecided(usize),
    /// The schedule has no more events for it.
    Nothing,
    /// It has arrived where no schedule foresees it: this was expected.
    Unforeseen(Vec<Arrival>),
}

impl Walker {
    /// The walker of a thread that is there at the beginning.
    pub fn new(table: &Table, thread: ThreadId) -> Walker {
        let (base, read) = (vec![0; table.threads], vec![0; table.threads]);
        Walker { thread: thread.index(), chunk: 0, at: 0, base, read }
    }

    /// The walker of a thread that the thread of this one creates, by its next event or an earlier one.
    #[must_use]
    pub fn created(&self, thread: ThreadId) -> Walker {
        Walker { thread: thread.index(), at: 0, ..self.clone() }
    }

    /// Looks for the thread's next event, now that it has arrived somewhere; decides what is its to decide.
    pub fn arrive<'t>(
        &mut self,
        table: &'t Table,
        reachable: &[Vec<bool>],
        arrival: Arrival,
        published: &mut [Published],
    ) -> Found<'t> {
        loop {
            if !reachable[self.chunk][self.thread] {
                return Found::Nothing;
            }
            let chunk = &table.chunks[self.chunk];
            while let Some(event) = chunk.events.get(self.at) {
                if event.thread == self.thread {
                    return self.expected(event, arrival);
                }
                self.at += 1;
            }
            let next = match &chunk.next {
                Next::Nothing => return Found::Nothing,
                Next::Go(next) => *next,
                Next::Decide { thread, ways } if *thread == self.thread => {
                    let Some(way) = ways.iter().find(|way| way.0 == arrival) else {
                        return Found::Unforeseen(ways.iter().map(|way| way.0).collect());
                    };
                    published[self.thread].decisions.push(way.1);
                    way.1
                }
                Next::Decide { thread, .. } => {
                    let Some(&next) = published[*thread].decisions.get(self.read[*thread]) else {
                        return Found::Undecided(*thread);
                    };
                    self.read[*thread] += 1;
                    next
                }
            };
            chunk.events.iter().for_each(|event| self.base[event.thread] += 1);
            (self.chunk, self.at) = (next, 0);
        }
    }

    fn expected<'t>(&self, event: &'t Event, arrival: Arrival) -> Found<'t> {
        if arrival != Arrival::At(event.site) {
            return Found::Unforeseen(vec![Arrival::At(event.site)]);
        }
        let needs = event.waits.iter().map(|wait| (wait.thread, self.base[wait.thread] + wait.events));
        Found::Event { event, needs: needs.collect() }
    }

    /// The event that was found has happened.
    pub fn done(&mut self) {
        self.at += 1;
    }
}
