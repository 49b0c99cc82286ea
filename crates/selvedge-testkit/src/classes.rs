//! Equivalences coarser than happens-before, computed by their definitions.
//!
//! An [`Execution`] is what a schedule does when it is run once more: events with what they access and the values there. From
//! it each [`Equivalence`] has its [`Class`]: equal for two executions exactly when they are equivalent. Threads that wait
//! at the end look at memory, too: each counts as one more event that reads what its operation looks at.

use selvedge_explore::{Equivalence, Observations as _, Path, Program as _, Readiness, ThreadStatus};
use selvedge_interp::{Interpreter, ThreadState};
use selvedge_trace::{Access, AccessKind, Decision, Footprint, LocationId, ThreadId};
use std::collections::BTreeSet;

/// The thread and how many events of it came up to the event, itself included.
pub type Name = (u32, u32);

/// Pairs of events, each ordered before the other.
pub type Relation = BTreeSet<(Name, Name)>;

/// The index of the event that stands for a thread that waits at the end.
const WAITING: u32 = u32::MAX;

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Which.
    pub name: Name,
    /// The alternative that it took.
    pub choice: u32,
    /// Whether there were others: then what it does is open until then, like that of a read.
    pub has_choice: bool,
    /// What it accesses.
    pub accesses: Vec<Access>,
    /// What these locations hold before it and after it; what it does not look at counts as nothing before.
    pub values: Vec<(Option<i64>, Option<i64>)>,
}

/// An execution from beginning to end.
#[derive(Clone, Debug, Default)]
pub struct Execution {
    /// The events as they were performed.
    pub events: Vec<Event>,
    /// The locations where the order of writes that nobody observes does not matter to [`Equivalence::Observers`].
    pub floating: BTreeSet<LocationId>,
    /// Where each thread stood at any time.
    pub local_states: BTreeSet<(ThreadId, ThreadState)>,
}

/// What a location held before an event that looks at it, and what it held after it.
type Seen = (Option<i64>, Option<i64>);

/// A class of an equivalence.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The events with their choices.
    events: BTreeSet<(Name, u32)>,
    /// The relations that equivalent executions share.
    relations: Vec<Relation>,
    /// Which event is observed where, and by which.
    observations: BTreeSet<(Name, LocationId, Name)>,
    /// The values of the events.
    values: BTreeSet<(Name, Vec<Seen>)>,
    /// For each location that an event looks at, the reads that cause what it finds there, or come before the event in its
    /// thread. For an event that looks at one location that is part of the causal order; one that looks at several
    /// counts like as many reads.
    causes: BTreeSet<(Name, LocationId, BTreeSet<Name>)>,
    /// Reads of the root that observe a write of the root.
    own_side: BTreeSet<(Name, usize)>,
}

impl Event {
    /// Whether what happens after it in its thread depends on it.
    fn is_read(&self) -> bool {
        self.has_choice || self.accesses.iter().any(|a| looks(a.kind))
    }
}

impl Execution {
    /// Runs what is on a path once more.
    pub fn of(path: &Path<Interpreter>, interpreter: &mut Interpreter) -> Execution {
        interpreter.restart();
        let mut execution = Execution::default();
        let mut counts = vec![0; interpreter.thread_count()];
        execution.note_states(interpreter, &counts);
        let mut footprint = Footprint::default();
        for decision in path.schedule() {
            let has_choice = interpreter.choices(decision.thread) > 1;
            let mark = interpreter.mark();
            interpreter.step(decision, &mut footprint);
            interpreter.rollback(mark);
            let contents = |interpreter: &Interpreter| -> Vec<Option<i64>> {
                footprint.accesses().iter().map(|access| interpreter.content(access.location)).collect()
            };
            let before = contents(interpreter);
            interpreter.step(decision, &mut footprint);
            let count = &mut counts[decision.thread.index()];
            *count += 1;
            execution.note_event(
                (decision.thread.0, *count),
                decision.choice,
                &footprint,
                before,
                interpreter,
            );
            execution.events.last_mut().expect("it was just added").has_choice = has_choice;
            execution.note_states(interpreter, &counts);
        }
        for thread in (0..counts.len()).map(ThreadId::at) {
            if interpreter.pending(Decision { thread, choice: 0 }, &mut footprint) == Readiness::Disabled {
                let looked_at = all_read(&footprint);
                let before =
                    looked_at.accesses().iter().map(|access| interpreter.content(access.location)).collect();
                execution.note_event((thread.0, WAITING), 0, &looked_at, before, interpreter);
            }
        }
        execution
    }

    /// Where the threads stand that have begun.
    fn note_states(&mut self, interpreter: &Interpreter, counts: &[u32]) {
        let has_begun = |t: &ThreadId| counts[t.index()] > 0 || interpreter.status(*t) != ThreadStatus::Ended;
        let threads = (0..counts.len()).map(ThreadId::at).filter(has_begun);
        self.local_states.extend(threads.map(|t| (t, interpreter.thread_state(t))));
    }

    fn note_event(
        &mut self,
        name: Name,
        choice: u32,
        footprint: &Footprint,
        before: Vec<Option<i64>>,
        interpreter: &Interpreter,
    ) {
        let accesses = footprint.accesses().to_vec();
        let locations = accesses.iter().map(|access| access.location);
        self.floating.extend(locations.filter(|&location| interpreter.floats(location)));
        let value = |(access, before): (&Access, Option<i64>)| {
            (before.filter(|_| looks(access.kind)), interpreter.content(access.location))
        };
        let values = accesses.iter().zip(before).map(value).collect();
        self.events.push(Event { name, choice, has_choice: false, accesses, values });
    }

    /// Its class. The root is the thread that value-happens-before treats differently.
    pub fn class(&self, equivalence: Equivalence, root: ThreadId) -> Class {
        let events = self.events.iter().map(|event| (event.name, event.choice)).collect();
        let relations = match equivalence {
            Equivalence::Observers => vec![self.closure(|i, j| self.is_ordered_for_observers(i, j))],
            Equivalence::Observation => Vec::new(),
            Equivalence::ValueHappensBefore => {
                let leaf = |name: Name| name.0 != root.0;
                let is_read = |name: Name| {
                    let event = self.events.iter().find(|event| event.name == name);
                    event.is_some_and(Event::is_read)
                };
                let causes = self.closure(|i, j| self.observes(j, i));
                let order = self.closure(|i, j| self.conflict(i, j));
                vec![restricted(causes, is_read), restricted(order, leaf)]
            }
        };
        let mut class = Class { events, relations, ..Class::default() };
        if equivalence == Equivalence::Observation {
            class.observations = self.observations();
        }
        if equivalence == Equivalence::ValueHappensBefore {
            class.values = self.events.iter().map(|event| (event.name, event.values.clone())).collect();
            class.own_side = self.own_side(root);
            class.causes = self.causes();
        }
        class
    }

    /// The least partial order with program order and the given pairs.
    fn closure(&self, is_ordered: impl Fn(usize, usize) -> bool) -> Relation {
        let mut before: Vec<BTreeSet<usize>> = Vec::new();
        for j in 0..self.events.len() {
            let mut past = BTreeSet::new();
            for (i, before) in before.iter().enumerate() {
                if self.events[i].name.0 == self.events[j].name.0 || is_ordered(i, j) {
                    past.insert(i);
                    past.extend(before.iter().copied());
                }
            }
            before.push(past);
        }
        let name = |i: usize| self.events[i].name;
        let pairs =
            before.iter().enumerate().flat_map(|(j, past)| past.iter().map(move |&i| (name(i), name(j))));
        pairs.collect()
    }

    /// Whether two events do not commute, as far as happens-before knows.
    fn conflict(&self, i: usize, j: usize) -> bool {
        self.pairs(i, j).any(|(a, b)| a.kind.conflicts_with(b.kind))
    }

    /// The same, where two that replace a value are ordered only if the later one is observed.
    fn is_ordered_for_observers(&self, i: usize, j: usize) -> bool {
        self.pairs(i, j).any(|(a, b)| match (a.kind, b.kind) {
            (AccessKind::Overwrite, AccessKind::Overwrite) if self.floating.contains(&a.location) => {
                (j + 1..self.events.len()).any(|o| self.observed(o, b).contains(&j))
            }
            _ => a.kind.conflicts_with(b.kind),
        })
    }

    fn pairs(&self, i: usize, j: usize) -> impl Iterator<Item = (Access, Access)> {
        let of = move |a: &Access| {
            self.events[j].accesses.iter().find(|b| a.location == b.location).map(|b| (*a, *b))
        };
        self.events[i].accesses.iter().filter_map(of)
    }

    /// The events whose effect an event sees at the location of an access, if it looks there: the latest that changed it, or
    /// all that it waited for.
    fn observed(&self, event: usize, at: Access) -> Vec<usize> {
        let access = |i: usize| self.events[i].accesses.iter().find(|a| a.location == at.location);
        match access(event).map(|a| a.kind) {
            Some(AccessKind::Observe) => {
                (0..event).filter(|&i| access(i).is_some_and(|a| !a.kind.is_read())).collect()
            }
            Some(kind) if looks(kind) => {
                (0..event).rev().find(|&i| access(i).is_some_and(|a| a.kind.is_write())).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn observes(&self, event: usize, earlier: usize) -> bool {
        self.events[event].accesses.iter().any(|&a| self.observed(event, a).contains(&earlier))
    }

    /// The observation function: which events each event observes, at which locations.
    fn observations(&self) -> BTreeSet<(Name, LocationId, Name)> {
        let mut all = BTreeSet::new();
        for (e, event) in self.events.iter().enumerate() {
            for &access in &event.accesses {
                let observed = self.observed(e, access).into_iter();
                all.extend(observed.map(|w| (self.events[w].name, access.location, event.name)));
            }
        }
        all
    }

    /// For each location that an event looks at, the reads that cause what it finds there.
    fn causes(&self) -> BTreeSet<(Name, LocationId, BTreeSet<Name>)> {
        let order = self.closure(|i, j| self.observes(j, i));
        let is_read = |i: usize| self.events[i].is_read();
        let past = |i: usize| -> BTreeSet<Name> {
            let is_cause = |&j: &usize| {
                is_read(j) && (j == i || order.contains(&(self.events[j].name, self.events[i].name)))
            };
            (0..=i).filter(is_cause).map(|j| self.events[j].name).collect()
        };
        let mut all = BTreeSet::new();
        for (e, event) in self.events.iter().enumerate() {
            let previous = (0..e).rev().find(|&i| self.events[i].name.0 == event.name.0);
            let waited = event.accesses.iter().filter(|a| a.kind == AccessKind::Observe);
            let waited: Vec<usize> = waited.flat_map(|&a| self.observed(e, a)).chain(previous).collect();
            for &access in event.accesses.iter().filter(|a| looks(a.kind)) {
                let observed = self.observed(e, access).into_iter().chain(waited.iter().copied());
                all.insert((event.name, access.location, observed.flat_map(past).collect()));
            }
        }
        all
    }

    /// The accesses of the root that observe one of its own events: where the side function is 1.
    fn own_side(&self, root: ThreadId) -> BTreeSet<(Name, usize)> {
        let mut own = BTreeSet::new();
        for (e, event) in self.events.iter().enumerate().filter(|(_, event)| event.name.0 == root.0) {
            for (position, &access) in event.accesses.iter().enumerate() {
                if self.observed(e, access).iter().any(|&w| self.events[w].name.0 == root.0) {
                    own.insert((event.name, position));
                }
            }
        }
        own
    }
}

/// The footprint of an operation that waits for good: all that it would access counts as read, also what it would only replace.
fn all_read(footprint: &Footprint) -> Footprint {
    let mut read = Footprint::default();
    for access in footprint.accesses() {
        let kind = if access.kind == AccessKind::Observe { access.kind } else { AccessKind::Read };
        read.record(access.location, kind);
    }
    read
}

/// Whether an access sees what the location holds.
fn looks(kind: AccessKind) -> bool {
    !matches!(kind, AccessKind::Overwrite | AccessKind::Post)
}

fn restricted(relation: Relation, keep: impl Fn(Name) -> bool) -> Relation {
    relation.into_iter().filter(|&(a, b)| keep(a) && keep(b)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle;
    use selvedge_explore::Algorithm;
    use std::collections::BTreeMap;

    fn classes(text: &str, equivalence: Equivalence) -> usize {
        let program = selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect("it compiles");
        let truth = oracle::findings(&program, Algorithm::Exhaustive, 10_000).expect("it is small");
        let all: BTreeSet<Class> =
            truth.executions.iter().map(|e| e.class(equivalence, ThreadId(0))).collect();
        all.len()
    }

    /// Figure 1 of [ChatterjeePT2019]: four traces, three that observers tell apart, two observations, one by values.
    #[test]
    fn the_equivalences_get_coarser_on_the_motivating_example() {
        let text = "shared x = 0; thread p { x = 1; } thread q { x = 2; x = 1; let r = x; }";
        assert_eq!(classes(text, Equivalence::Observers), 3);
        assert_eq!(classes(text, Equivalence::Observation), 2);
        assert_eq!(classes(text, Equivalence::ValueHappensBefore), 1);
    }

    #[test]
    fn writes_that_nobody_reads_are_not_told_apart() {
        let text = "shared x = 0; thread p[3] { x = self + 1; }";
        assert_eq!(classes(text, Equivalence::Observers), 1);
        assert_eq!(classes(text, Equivalence::Observation), 1);
        let read = "shared x = 0; thread p[3] { x = self + 1; } finally { let r = x; assert(r > 0); }";
        assert_eq!(classes(read, Equivalence::Observers), 3);
        assert_eq!(classes(read, Equivalence::Observation), 3);
    }

    /// One reader of N writers: N · 2^(N-1) + 1 and N + 1.
    #[test]
    fn float_read_has_the_published_numbers() {
        let text = "shared x = 0; thread w[4] { x = self + 1; } thread r { let v = x; }";
        assert_eq!(classes(text, Equivalence::Observers), 4 * 8 + 1);
        assert_eq!(classes(text, Equivalence::Observation), 5);
    }

    #[test]
    fn a_thread_that_waits_for_ever_observes_what_it_waits_for() {
        let text = "shared x = 0; thread p { x = 1; } thread q { x = 2; } thread r { await(x == 1); }";
        let program = selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect("it compiles");
        let truth = oracle::findings(&program, Algorithm::Exhaustive, 10_000).expect("it is small");
        assert_eq!(truth.failures.len(), 1, "a deadlock");
        // r goes on before, between or after the two, or never.
        assert_eq!(classes(text, Equivalence::Observers), 3);
    }

    /// redundant-co with `w` writes of each of two threads and two reads of a third: 3w² + 3w + 1 observation functions. The published
    /// count of data-centric exploration, (w + 1)³, comes of telling apart the orders of the first read with the writes of the second
    /// writer, who is a leaf thread like the reader; of the second read, with which the execution ends, only what it observes counts.
    #[test]
    fn redundant_co_has_fewer_observation_functions_than_published() {
        for w in 1..=3 {
            let text = format!(
                "shared x = 0; thread p {{ for i in 0..{w} {{ x = 1; }} }} thread q {{ for i in 0..{w} {{ x = 1; }} }}
                 thread r {{ let a = x; let b = x; }}"
            );
            assert_eq!(classes(&text, Equivalence::Observation), 3 * w * w + 3 * w + 1);
            let program = selvedge_lang::compile("test.sel", &text, &BTreeMap::new()).expect("it compiles");
            let truth = oracle::findings(&program, Algorithm::Exhaustive, 10_000).expect("it is small");
            let with_leaves: BTreeSet<_> = truth
                .executions
                .iter()
                .map(|e| {
                    let of_leaves = |name: Name| name.0 == 1 || name == (2, 1);
                    (e.observations(), restricted(e.closure(|i, j| e.conflict(i, j)), of_leaves))
                })
                .collect();
            assert_eq!(with_leaves.len(), (w + 1).pow(3));
        }
    }

    /// The execution with the given schedule.
    fn execution(text: &str, schedule: &[u32]) -> Execution {
        let program = selvedge_lang::compile("test.sel", text, &BTreeMap::new()).expect("it compiles");
        let mut path = Path::new(Interpreter::new(&program));
        for &thread in schedule {
            path.push(Decision { thread: ThreadId(thread), choice: 0 });
        }
        Execution::of(&path, &mut Interpreter::new(&program))
    }

    const FIGURE_2: &str = "shared x = 0, y = 0; thread p { x = 1; y = 1; let r = x; }
                            thread q { y = 1; let r = y; x = 1; } thread s { x = 1; y = 2; }";

    /// Figure 2 of [ChatterjeePT2019]: the orders that happens-before and causally-happens-before add to the order of threads.
    #[test]
    fn the_orders_of_an_execution_are_those_of_the_paper() {
        let mut execution = execution(FIGURE_2, &[0, 2, 1, 1, 1, 2, 0, 0]);
        // Threads that have ended wait for nothing.
        execution.events.retain(|event| event.name.1 != WAITING);
        assert_eq!(execution.events.len(), 8);
        // As in the paper events count from 1.
        let with = |pairs: &[(usize, usize)]| execution.closure(|i, j| pairs.contains(&(i + 1, j + 1)));
        let happens_before = execution.closure(|i, j| execution.conflict(i, j));
        assert_eq!(happens_before, with(&[(1, 2), (2, 5), (5, 8), (3, 4), (4, 6), (6, 7)]));
        let causally = execution.closure(|i, j| execution.observes(j, i));
        assert_eq!(causally, with(&[(5, 8)]));
        assert!(causally.is_subset(&happens_before) && causally != happens_before);
    }

    /// The same execution by values, with the first thread as the root.
    #[test]
    fn executions_are_equal_by_values_if_reads_and_leaves_cannot_tell() {
        let class = |schedule: &[u32]| {
            execution(FIGURE_2, schedule).class(Equivalence::ValueHappensBefore, ThreadId(0))
        };
        let original = class(&[0, 2, 1, 1, 1, 2, 0, 0]);
        // The root writes `x` after the third thread, not before it.
        assert_eq!(class(&[2, 0, 1, 1, 1, 2, 0, 0]), original);
        // The two leaf threads write `x` in the other order, and the root observes the third.
        assert_ne!(class(&[0, 1, 1, 1, 2, 2, 0, 0]), original);
        // The root observes itself.
        assert_ne!(class(&[2, 1, 1, 1, 2, 0, 0, 0]), original);
    }
}
