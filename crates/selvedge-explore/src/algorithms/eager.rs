//! Eager partial-order reduction, EPOR and EPOR-SH [MetzlerSBHS2016, figure 3], repaired.
//!
//! The paper leaves open how to choose the length of sections; `eager-adaptive` begins a section only where it reaches
//! to the ends of all threads, and is Source-DPOR before that.
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. Some executions may end asleep, but none
//! does within a section.
//!
//! | paper | here |
//! |---|---|
//! | `section(u)` | [`Section`], made at a state by `Eager::begin_section` |
//! | trace constraint systems, schedules | the executions that [`Cursor`] enumerates |
//! | race detection between sections | `Eager::reverse_races_between_sections` |
//! | backtrack sets, sleep sets | as in [`super::source`] |
//!
//! DIVERGENCES, because the published algorithm loses traces (30 921 of 31 780 for branching(9)):
//!
//! 1. A section begins only where no thread sleeps; elsewhere operations are explored one by one, as Source-DPOR
//!    does, until something has woken all sleepers. (A section of the awake threads only would be complete too,
//!    but most of its traces may wake nobody and end asleep.)
//! 2. Schedules are the lexicographic normal forms of the traces of the section, explored in the order of threads, so
//!    that a thread put to sleep after its branch has returned has been explored first in all traces that can begin
//!    with it. Prefixes that cannot be completed, the unsatisfiable systems, are never begun; see [`crate::section`].
//! 3. Operations that wait, choose, or whose accesses vary end a section and are explored one by one.
//! 4. A thread that a race between sections asks for is explored at a state within a section even if no schedule of
//!    the section begins with it there: operations after the section may make that something new.
//!
//! *Why nothing is lost.* Consider a state at which a section begins, or within one, and an execution `w` from there
//! of which no sleeping thread is a weak initial. Let `p` be explored at that state and `w1` be the part of `w` before the
//! first operation `q` dependent on `p`, `p` chosen such that `w1` is longest. If `p` and `q` belong to the same section, the
//! operations of `w` that belong to it have a normal form, which the cursor explores: its first thread `r` is tried at
//! this state or asleep, and is a weak initial of `w`. Otherwise their race is one between sections, or with an
//! operation explored alone, and is reversed as in Source-DPOR: an initial of `w1.q` is put into the backtrack
//! set. Both contradict the choice of `p`.

use crate::backtrack::{self, Rule, Sets};
use crate::lookahead::Lookahead;
use crate::search::Level;
use crate::section::{Cursor, Length, Section};
use crate::sleep_set::Sleeper;
use crate::{Program, Reversal, Search};
use selvedge_trace::{Decision, EventId, ThreadId};

use super::source::SourceSets;

/// Explores section by section.
pub fn run<P: Program>(search: &mut Search<P>, length: Length) {
    let mut eager = Eager::new(search.path.order.thread_count(), length);
    while !search.stopped() {
        match eager.next(search) {
            Next::Scheduled { thread, asleep } => eager.step_in_section(search, thread, asleep),
            Next::Alone(decision) => eager.step_alone(search, decision),
            Next::Back if search.path.is_empty() => break,
            Next::Back => eager.back(search),
        }
    }
}

/// What to do at a state.
enum Next {
    /// Go on in the section with the thread at this position; these are asleep then.
    Scheduled { thread: u32, asleep: u64 },
    /// Perform an operation that belongs to no section.
    Alone(Decision),
    /// Nothing more.
    Back,
}

/// A state on the path.
#[derive(Clone, Copy, Debug)]
struct Node {
    place: Place,
    /// The threads of the section that are asleep.
    asleep: u64,
    /// The first thread of the section that has not been tried.
    untried: u32,
}

/// Where a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Between sections, just reached.
    New,
    /// Between sections; an operation that belongs to none comes next.
    Between,
    /// At the beginning of the section on top of the stack.
    Begins,
    /// Within the section on top of the stack.
    Within,
}

/// An event on the path.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The number of the first event of its section.
    section: u32,
    /// Its thread's position in the section, if it belongs to one.
    scheduled: Option<u32>,
}

struct Eager {
    length: Length,
    sets: Sets,
    nodes: Vec<Node>,
    steps: Vec<Step>,
    /// The sections begun on the path, and others to be used again.
    sections: Vec<(Section, Cursor)>,
    open: usize,
    /// For how many events the races have been looked for.
    raced: usize,
    rule: SourceSets,
    /// A thread of which not all operations were certain.
    uncertain: usize,
    ahead: Lookahead,
    scratch: Reversal,
}

impl Eager {
    fn new(threads: usize, length: Length) -> Self {
        Eager {
            length,
            sets: Sets::new(threads),
            nodes: vec![Node { place: Place::New, asleep: 0, untried: 0 }],
            steps: Vec::new(),
            sections: Vec::new(),
            open: 0,
            raced: 0,
            rule: SourceSets::default(),
            uncertain: 0,
            ahead: Lookahead::default(),
            scratch: Reversal::default(),
        }
    }

    fn node(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("there is a node for the present state")
    }

    fn next<P: Program>(&mut self, search: &mut Search<P>) -> Next {
        let is_new = self.node().place == Place::New;
        if is_new && let Some(next) = self.arrive(search) {
            return next;
        }
        if search.at_depth_limit() {
            if self.node().untried == 0 {
                self.end(search);
            }
            return Next::Back;
        }
        let Node { place, asleep, untried } = *self.node();
        if matches!(place, Place::Begins | Place::Within) {
            let (section, cursor) = &self.sections[self.open - 1];
            if let Some((thread, asleep)) = cursor.next(section, asleep, untried) {
                self.node().untried = thread + 1;
                return Next::Scheduled { thread, asleep };
            }
            if untried == 0 {
                search.statistics.unsatisfiable_systems += 1;
            }
        }
        backtrack::next_decision(&mut search.path, &self.sets).map_or(Next::Back, Next::Alone)
    }

    /// Begins a section at a state between sections, or says what to do if there is none.
    fn arrive<P: Program>(&mut self, search: &mut Search<P>) -> Option<Next> {
        if search.at_depth_limit() || search.path.next_enabled(None).is_none() {
            self.node().place = Place::Between;
            self.end(search);
            return Some(Next::Back);
        }
        self.put_in_order(search);
        if self.begin_section(search) {
            self.node().place = Place::Begins;
            return None;
        }
        self.node().place = Place::Between;
        match self.sets.sleep.next_awake(&mut search.path, None) {
            Some(d) => {
                self.sets.add(EventId::at(search.path.len()), d.thread);
                Some(Next::Alone(d))
            }
            None => {
                search.end_asleep();
                self.reverse_races_of_waiting(search);
                Some(Next::Back)
            }
        }
    }

    /// Makes a section of the enabled threads, if none is asleep; says whether there is anything in it.
    fn begin_section<P: Program>(&mut self, search: &mut Search<P>) -> bool {
        if !self.sets.sleep.present().is_empty() {
            return false;
        }
        if self.length == Length::ToTheEnd && !self.reach_their_ends(search) {
            return false;
        }
        if self.open == self.sections.len() {
            self.sections.push(<(Section, Cursor)>::default());
        }
        let (section, cursor) = &mut self.sections[self.open];
        section.clear();
        for thread in (0..search.path.order.thread_count()).map(ThreadId::at) {
            if section.has_room() && search.path.program.is_enabled(thread) {
                search.path.program.lookahead(thread, &mut self.ahead);
                section.add(thread, &self.ahead);
            }
        }
        if section.is_empty() {
            return false;
        }
        search.path.order.dependency_checks += section.complete(self.length);
        cursor.reset(section);
        self.open += 1;
        true
    }

    /// Whether all operations of the enabled threads are certain. Begins with the one of which that was not so the
    /// last time.
    fn reach_their_ends<P: Program>(&mut self, search: &mut Search<P>) -> bool {
        let threads = search.path.order.thread_count();
        for thread in (self.uncertain..threads).chain(0..self.uncertain).map(ThreadId::at) {
            if search.path.program.is_enabled(thread) {
                search.path.program.lookahead(thread, &mut self.ahead);
                if !self.ahead.reaches_end {
                    self.uncertain = thread.index();
                    return false;
                }
            }
        }
        true
    }

    fn step_in_section<P: Program>(&mut self, search: &mut Search<P>, thread: u32, asleep: u64) {
        let begins = self.node().place == Place::Begins;
        let first = if begins { self.steps.len() as u32 } else { self.steps[self.steps.len() - 1].section };
        let (section, cursor) = &mut self.sections[self.open - 1];
        let (id, ..) = cursor.operation(section, thread);
        let position = |sleeper: &Sleeper| section.position(sleeper.thread);
        self.sets.sleep.enter_where(|sleeper, _| position(sleeper).is_some_and(|p| asleep & (1 << p) != 0));
        cursor.advance(section, thread);
        let place = if cursor.is_at_end() { Place::New } else { Place::Within };
        search.step_unordered(Decision { thread: id, choice: 0 });
        self.steps.push(Step { section: first, scheduled: Some(thread) });
        self.nodes.push(Node { place, asleep, untried: 0 });
        self.sets.extend(&search.path);
        search.poll(|search| self.levels(search.path.len()));
    }

    fn step_alone<P: Program>(&mut self, search: &mut Search<P>, decision: Decision) {
        self.put_in_order(search);
        let e = search.step(decision);
        self.sets.sleep.enter(e, &mut search.path.order);
        self.steps.push(Step { section: e.0, scheduled: None });
        self.nodes.push(Node { place: Place::New, asleep: 0, untried: 0 });
        self.sets.extend(&search.path);
        backtrack::reverse_races(&mut search.path, &mut self.rule, &mut self.sets, e, &mut self.scratch);
        self.raced = search.path.len();
        search.poll(|search| self.levels(search.path.len()));
    }

    fn back<P: Program>(&mut self, search: &mut Search<P>) {
        if self.node().place == Place::Begins {
            self.open -= 1;
        }
        self.nodes.pop();
        let step = self.steps.pop().expect("back follows a step");
        match step.scheduled {
            Some(thread) => {
                let (section, cursor) = &mut self.sections[self.open - 1];
                cursor.retreat(thread);
                let (id, mask, accesses) = cursor.operation(section, thread);
                self.sets.sleep.leave_as(Decision { thread: id, choice: 0 }, mask, accesses);
                self.node().asleep |= 1 << thread;
            }
            None => self.sets.sleep.leave(EventId::at(search.path.len() - 1), &search.path.order),
        }
        search.path.pop();
        self.sets.shrink(&search.path);
        self.raced = self.raced.min(search.path.len());
    }

    /// Notes the end of an execution and reverses the races that have not been looked for.
    fn end<P: Program>(&mut self, search: &mut Search<P>) {
        if self.steps.last().is_some_and(|last| last.section > 0) {
            self.put_in_order(search);
        }
        search.end();
        self.reverse_races_of_waiting(search);
    }

    /// Reverses the races of operations that wait or vary, now that the execution has ended.
    fn reverse_races_of_waiting<P: Program>(&mut self, search: &mut Search<P>) {
        if search.running_threads().next().is_some() {
            self.put_in_order(search);
        }
        // What is not in order by now is a single section: nothing in it waits or varies.
        if search.path.order.len() == search.path.len() {
            backtrack::reverse_races_at_end(search, &mut self.rule, &mut self.sets, &mut self.scratch);
        }
    }

    /// Puts the events of finished schedules in order and reverses their races with earlier sections.
    fn put_in_order<P: Program>(&mut self, search: &mut Search<P>) {
        search.path.put_in_order();
        for e in (self.raced..search.path.len()).map(EventId::at) {
            for race in search.path.order.race_numbers(e) {
                let earlier = search.path.order.race(race);
                if self.steps[earlier.index()].section != self.steps[e.index()].section {
                    search.path.reverse(earlier, e, &mut self.scratch);
                    self.rule.reverse(&mut search.path, &self.scratch, &mut self.sets);
                }
            }
        }
        self.raced = search.path.len();
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = Level> {
        self.nodes[..length].iter().map(|node| {
            let explored = node.asleep.count_ones() as usize;
            Level { explored, known: explored + 1 }
        })
    }
}
