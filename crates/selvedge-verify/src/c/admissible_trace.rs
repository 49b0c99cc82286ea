//! The first admissible trace of a program in C, and the trace prefixes that its beginnings are, as data that a run time can enforce
//! [Metzler2020, section 5.1].
//!
//! | paper | here |
//! |---|---|
//! | `→_o` | `after`: of the orders between threads, those that nothing else implies |
//! | `C_o` | none: a prefix holds for all inputs because it ends before the first |
//!
//! DIVERGENCES: an order that the program enforces itself is left out: a thread does nothing before it is made, and a join waits for the end of a
//! thread. So are orders that follow from others (transitive reduction over vector clocks). Events without an instruction, the ends of waits at
//! the heads of loops, are left out with their orders handed on: see [`selvedge_machine::events`].

use selvedge_explore::Path;
use selvedge_explore::admissible::Outside;
use selvedge_llvm::{Module, Site};
use selvedge_machine::Machine;
use selvedge_machine::events::{Chooser, Event, History, Wait};
use selvedge_schedule::prefix::{Conflicts, Instruction, Prefix, PrefixEvent, Rest, Thread, Times};
use selvedge_trace::{EventId, HappensBefore, ThreadId};
use std::collections::{BTreeMap, BTreeSet};

/// An execution whose beginnings are prefixes.
pub struct AdmissibleTrace {
    history: History,
    /// For each event those of other threads that have to be enforced to come before it.
    after: Vec<Vec<usize>>,
    /// The threads that the execution makes, with the initial one, and their names.
    threads: Vec<(ThreadId, Thread)>,
}

/// The instructions that perform events after a prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Continuation {
    /// All of them.
    sites: BTreeSet<Site>,
    /// Those whose conflicts are not ordered by anything else.
    raced: BTreeSet<Site>,
}

impl Continuation {
    /// The instructions that numbers of a machine stand for.
    pub fn of(outside: &Outside, machine: &Machine) -> Continuation {
        let origins = &machine.code().origins;
        let site = |pc: &u32| origins.get(*pc as usize).copied().flatten().map(|origin| origin.site);
        Continuation {
            sites: outside.sites.iter().filter_map(site).collect(),
            raced: outside.raced.iter().filter_map(site).collect(),
        }
    }
}

impl AdmissibleTrace {
    /// The trace of a complete execution.
    pub fn of(path: &Path<Machine>) -> AdmissibleTrace {
        let machine = &path.program;
        let history = History::of(machine, &path.schedule());
        let made = history.events.iter().flat_map(|event| &event.creates);
        let ids: BTreeSet<ThreadId> = made.chain(&history.initial).copied().collect();
        let position = |thread: ThreadId| ids.iter().position(|id| *id == thread);
        let thread = |&id: &ThreadId| {
            let creator = machine.creator(id).and_then(|(by, which)| Some((position(by)?, which)));
            (id, Thread { name: machine.thread_name(id).replace(' ', "_"), creator })
        };
        let threads = ids.iter().map(thread).collect();
        let after = Orders::new(&path.order, &history).all();
        AdmissibleTrace { history, after, threads }
    }

    /// The number of events.
    pub fn len(&self) -> usize {
        self.history.events.len()
    }

    /// How many events come before the first input.
    pub fn before_inputs(&self) -> usize {
        let is_input = |event: &Event| event.chooser == Chooser::Environment;
        self.history.events.iter().position(is_input).unwrap_or(self.len())
    }

    /// What it costs to enforce all of it: the orders between threads, and for how long they hold threads up, if every event takes as long as
    /// every other.
    pub fn cost(&self) -> (usize, u64) {
        let mut ends: Vec<u64> = Vec::with_capacity(self.len());
        let mut of_thread: BTreeMap<ThreadId, u64> = BTreeMap::new();
        let mut waited = 0;
        for (event, after) in self.history.events.iter().zip(&self.after) {
            let thread = event.decision.thread;
            let joined = event.joins.iter().filter_map(|joined| of_thread.get(joined));
            let ready = joined.chain(of_thread.get(&thread)).copied().max().unwrap_or(0);
            let permitted = after.iter().map(|&earlier| ends[earlier]).max().unwrap_or(0);
            waited += permitted.saturating_sub(ready);
            let end = ready.max(permitted) + 1;
            ends.push(end);
            of_thread.insert(thread, end);
            of_thread.extend(event.creates.iter().map(|made| (*made, end)));
        }
        (self.after.iter().map(Vec::len).sum(), waited)
    }

    /// The first so many events as a prefix of the program with a fingerprint.
    pub fn prefix(
        &self,
        length: usize,
        continuation: &Continuation,
        module: &Module,
        fingerprint: String,
    ) -> Prefix {
        // A program without events has no other executions.
        let is_whole = length == self.len() && length > 0;
        let named: Vec<usize> = (0..length).filter(|&e| self.history.events[e].site.is_some()).collect();
        let mut sites: BTreeSet<Site> = named.iter().filter_map(|&e| self.history.events[e].site).collect();
        if !is_whole {
            sites.extend(&continuation.sites);
        }
        let numbers: BTreeMap<Site, usize> = sites.iter().copied().zip(0..).collect();
        let conflicts = |site: &Site| match !is_whole && continuation.raced.contains(site) {
            true => Conflicts::Unordered,
            false => Conflicts::Ordered,
        };
        let instructions = sites.iter().map(|site| instruction(module, *site, conflicts(site)));
        let times = self.history.times(length).into_iter().filter_map(|(thread, site, times)| {
            Some(Times { thread: self.position(thread), instruction: *numbers.get(&site)?, times })
        });
        let event = |&e: &usize| {
            let event = &self.history.events[e];
            let after = self.after[e].iter().filter_map(|earlier| named.binary_search(earlier).ok());
            PrefixEvent {
                thread: self.position(event.decision.thread),
                instruction: event.site.map_or(0, |site| numbers[&site]),
                part: event.part,
                time: event.time,
                choice: event.decision.choice.max(u32::from(event.wait == Wait::Unsignalled)),
                after: after.collect(),
            }
        };
        Prefix {
            program: fingerprint,
            threads: self.threads.iter().map(|(_, thread)| thread.clone()).collect(),
            instructions: instructions.collect(),
            times: times.collect(),
            events: named.iter().map(event).collect(),
            rest: if is_whole { Rest::Nothing } else { Rest::Free },
        }
    }

    fn position(&self, thread: ThreadId) -> usize {
        self.threads.iter().position(|(id, _)| *id == thread).unwrap_or(0)
    }
}

fn instruction(module: &Module, site: Site, conflicts: Conflicts) -> Instruction {
    let name = module.site_name(site);
    let accesses_memory = matches!(name.kind.as_str(), "load" | "store" | "cmpxchg" | "atomicrmw")
        || name.kind.starts_with("llvm.mem");
    Instruction {
        function: name.function,
        ordinal: name.ordinal,
        kind: name.kind.replace(' ', "_"),
        place: name.place,
        conflicts: if accesses_memory { conflicts } else { Conflicts::Ordered },
    }
}

/// The orders of an execution that have to be enforced.
struct Orders<'o> {
    order: &'o HappensBefore,
    history: &'o History,
    /// For each thread and each number of its first events, the last of them that has an instruction.
    latest: Vec<Vec<Option<EventId>>>,
    /// The event that makes each thread.
    makers: BTreeMap<ThreadId, EventId>,
}

impl<'o> Orders<'o> {
    fn new(order: &'o HappensBefore, history: &'o History) -> Orders<'o> {
        let mut latest = vec![vec![None]; order.thread_count()];
        let mut makers = BTreeMap::new();
        for e in order.events() {
            let event = &history.events[e.index()];
            let of_thread = &mut latest[order.event(e).thread().index()];
            let before = of_thread.last().copied().flatten();
            of_thread.push(event.site.map(|_| e).or(before));
            makers.extend(event.creates.iter().map(|made| (*made, e)));
        }
        Orders { order, history, latest, makers }
    }

    fn all(&self) -> Vec<Vec<usize>> {
        self.order.events().map(|e| self.after(e)).collect()
    }

    /// The events of other threads that come before an event, but for those that are implied.
    fn after(&self, e: EventId) -> Vec<usize> {
        let thread = self.order.event(e).thread();
        if self.history.events[e.index()].site.is_none() {
            return Vec::new();
        }
        let own = thread.index();
        let before = self.order.event(e).index as usize - 1;
        let joined =
            self.history.events[e.index()].joins.iter().filter_map(|t| *self.latest[t.index()].last()?);
        let natural = self.latest[own][before].into_iter().chain(self.makers.get(&thread).copied());
        let implied: Vec<EventId> = natural.chain(joined).filter(|&p| p < e).collect();
        let clock = self.order.clock(e).iter().enumerate();
        let candidates: Vec<EventId> = clock
            .filter(|(other, _)| *other != own)
            .filter_map(|(other, &count)| self.latest[other][count as usize])
            .collect();
        let precedes = |a: EventId, b: EventId| a <= b && self.order.happens_before(a, b);
        let is_implied = |c: EventId| {
            implied.iter().any(|&p| precedes(c, p))
                || candidates.iter().any(|&other| other != c && precedes(c, other))
        };
        let mut after: Vec<usize> =
            candidates.iter().filter(|&&c| !is_implied(c)).map(|c| c.index()).collect();
        after.sort_unstable();
        after
    }
}
