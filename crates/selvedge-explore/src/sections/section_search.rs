//! Search section by section, the frame of eager and lazy partial-order reduction.
//!
//! At a state at which no thread sleeps a section may begin; its traces are enumerated by a [`ConstraintSystem`] without looking
//! for races. Elsewhere, and for what belongs to no section, operations are explored one by one as in Source-DPOR. Races
//! between sections are reversed at the state, perhaps within a section, before the earlier event. How the sections
//! are found is the [`Plan`] of the algorithm. Why nothing is lost is explained in [`crate::algorithms::eager`].

use crate::algorithms::source::SourceSets;
use crate::frames::backtrack::{self, Rule, Sets, Sleep};
use crate::frames::sleep_set::{Known, Sleeper};
use crate::search::Level;
use crate::sections::constraint_system::ConstraintSystem;
use crate::sections::section::Section;
use crate::states::known_states::KnownStates;
use crate::{Excursions, Path, Reversal, Search, States, ThreadStatus};
use selvedge_trace::{Access, Decision, EventId, Footprint, ThreadId};

/// How the sections of an algorithm are found.
pub trait Plan<P: Excursions + States> {
    /// Finds a section at the present state, at which no thread sleeps. Says whether there is one.
    fn find(&mut self, search: &mut Search<P>, section: &mut Section) -> Found;

    /// Notes that a state within a section had another thread to explore.
    fn branched(&mut self) {}
}

/// Whether there is a section at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// There is one.
    Section,
    /// There is none, or none that is worth it.
    Nothing,
}

/// Explores section by section.
pub fn run<P: Excursions + States, Q: Plan<P>>(search: &mut Search<P>, plan: Q, known: Option<KnownStates>) {
    let mut sections = SectionSearch::new(search.path.order.thread_count(), plan, known);
    while !search.stopped() {
        match sections.next(search) {
            Next::Scheduled { thread, asleep } => sections.step_in_section(search, thread, asleep),
            Next::Alone(decision) => sections.step_alone(search, decision),
            Next::Back if search.path.is_empty() => break,
            Next::Back => sections.back(search),
        }
    }
}

/// What to do at a state.
enum Next {
    /// Go on in the section with the thread at this position; these are asleep then.
    Scheduled { thread: u32, asleep: u64 },
    /// Perform an operation that belongs to no section.
    Alone(Decision),
    /// Go back: everything here has been explored.
    Back,
}

/// A state on the path, and the event that led to it.
#[derive(Clone, Copy, Debug)]
struct Node {
    place: Place,
    /// The first thread of the section that has not been tried.
    untried: u32,
    /// The threads of the section that are asleep.
    asleep: u64,
    /// What races have shown about the event now explored.
    known: Known,
    /// The threads of which the only choice has been explored, as far as they fit.
    done: u64,
    /// All threads before this one have ended.
    first: ThreadId,
    /// The number of the first event of the section to which the event that led here belongs.
    section: u32,
    /// Its thread's position in the section, if it belongs to one.
    scheduled: Option<u32>,
}

impl Node {
    fn new(place: Place, asleep: u64, first: ThreadId, section: u32, scheduled: Option<u32>) -> Self {
        Node { place, untried: 0, asleep, known: Known::default(), done: 0, first, section, scheduled }
    }
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

struct SectionSearch<Q> {
    plan: Q,
    known: Option<KnownStates>,
    sets: Sets,
    nodes: Vec<Node>,
    /// The sections begun on the path, and others to be used again.
    sections: Vec<(Section, ConstraintSystem)>,
    open: usize,
    /// For how many events the races have been looked for.
    raced: usize,
    rule: SourceSets,
    scratch: Reversal,
}

impl<Q> SectionSearch<Q> {
    fn new(threads: usize, plan: Q, known: Option<KnownStates>) -> Self {
        SectionSearch {
            plan,
            known,
            sets: Sets::new(threads),
            nodes: vec![Node::new(Place::New, 0, ThreadId(0), 0, None)],
            sections: Vec::new(),
            open: 0,
            raced: 0,
            rule: SourceSets::default(),
            scratch: Reversal::default(),
        }
    }

    fn node(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("there is a node for the present state")
    }

    /// The number of the first event of the section of an event.
    fn section_of(&self, e: EventId) -> u32 {
        self.nodes[e.index() + 1].section
    }

    fn next<P: Excursions + States>(&mut self, search: &mut Search<P>) -> Next
    where
        Q: Plan<P>,
    {
        match self.node().place {
            Place::New => match self.arrive(search) {
                Some(next) => next,
                None => self.next_in_section(search),
            },
            Place::Between => self.next_alone(search),
            Place::Begins | Place::Within => self.next_in_section(search),
        }
    }

    fn next_in_section<P: Excursions + States>(&mut self, search: &mut Search<P>) -> Next
    where
        Q: Plan<P>,
    {
        let Node { asleep, untried, .. } = *self.node();
        if search.at_depth_limit() {
            if untried == 0 {
                self.end(search);
            }
            return Next::Back;
        }
        let (section, system) = &self.sections[self.open - 1];
        if let Some((thread, asleep)) = system.next(section, asleep, untried) {
            if untried > 0 {
                self.plan.branched();
            }
            self.node().untried = thread + 1;
            return Next::Scheduled { thread, asleep };
        }
        if untried == 0 {
            search.statistics.unsatisfiable_systems += 1;
        }
        self.next_alone(search)
    }

    fn next_alone<P: Excursions + States>(&mut self, search: &mut Search<P>) -> Next {
        let done = self.node().done;
        if self.sets.are_within(EventId::at(search.path.len()), done) {
            return Next::Back;
        }
        backtrack::next_decision(&mut search.path, &self.sets).map_or(Next::Back, Next::Alone)
    }

    /// Begins a section at a state between sections, or says what to do if there is none.
    fn arrive<P: Excursions + States>(&mut self, search: &mut Search<P>) -> Option<Next>
    where
        Q: Plan<P>,
    {
        self.node().place = Place::Between;
        let awake = self.first_awake(&mut search.path);
        let Some(decision) = awake.filter(|_| !search.at_depth_limit()) else {
            self.end_between_sections(search, awake.is_none());
            return Some(Next::Back);
        };
        self.put_in_order(search);
        if self.sets.sleep.present().is_empty() {
            if self.is_known(search) {
                return Some(Next::Back);
            }
            if self.begin_section(search) {
                self.node().place = Place::Begins;
                return None;
            }
        }
        self.sets.add(EventId::at(search.path.len()), decision.thread);
        Some(Next::Alone(decision))
    }

    /// What to explore first at the present state. The first threads, if they have ended, are not asked again.
    fn first_awake<P: Excursions + States>(&mut self, path: &mut Path<P>) -> Option<Decision> {
        let has_ended = |thread| {
            path.program.status(thread) == ThreadStatus::Ended && path.order.latest_of(thread).is_some()
        };
        let mut first = self.node().first;
        while first.index() < path.order.thread_count() && has_ended(first) {
            first.0 += 1;
        }
        self.node().first = first;
        self.sets.sleep.next_awake_from(path, first)
    }

    /// Ends an execution at a state just reached, in which no thread is awake or which is at the depth limit.
    fn end_between_sections<P: Excursions + States>(&mut self, search: &mut Search<P>, nobody_awake: bool) {
        if nobody_awake && search.path.next_enabled(None).is_some() && !search.at_depth_limit() {
            self.put_in_order(search);
            search.end_sleep_set_blocked();
            self.reverse_races_of_waiting(search);
        } else {
            self.end(search);
        }
    }

    /// Whether the present state, at which no thread sleeps, has been explored. If so, whatever was done after it is taken
    /// to race with the events of the path that conflict with it.
    fn is_known<P: Excursions + States>(&mut self, search: &mut Search<P>) -> bool {
        let Some(known) = &mut self.known else { return false };
        let Some(summary) = known.arrive(&search.path.program, search.path.len()) else { return false };
        let order = &search.path.order;
        for e in order.events() {
            let thread = order.event(e).thread();
            let conflicts = |a: &Access| {
                let of_others = summary.iter().filter(|(other, _)| *other != thread);
                let mut on_same = of_others.filter(|(_, b)| a.location == b.location);
                on_same.any(|(_, b)| a.kind.conflicts_with(b.kind))
            };
            if order.accesses(e).iter().any(conflicts) {
                self.sets.add_all(e);
            }
        }
        search.end_known();
        true
    }

    /// Begins a section, if the plan has one.
    fn begin_section<P: Excursions + States>(&mut self, search: &mut Search<P>) -> bool
    where
        Q: Plan<P>,
    {
        if self.open == self.sections.len() {
            self.sections.push(<(Section, ConstraintSystem)>::default());
        }
        let (section, system) = &mut self.sections[self.open];
        if self.plan.find(search, section) == Found::Nothing {
            return false;
        }
        system.reset(section);
        self.open += 1;
        true
    }

    fn step_in_section<P: Excursions + States>(&mut self, search: &mut Search<P>, thread: u32, asleep: u64) {
        let first = match *self.node() {
            Node { place: Place::Begins, .. } => search.path.len() as u32,
            Node { section, .. } => section,
        };
        let (section, system) = &mut self.sections[self.open - 1];
        let (id, ..) = system.operation(section, thread);
        let position = |sleeper: &Sleeper| section.position(sleeper.thread);
        self.sets.sleep.enter_where(|sleeper, _| position(sleeper).is_some_and(|p| asleep & (1 << p) != 0));
        system.advance(section, thread);
        let place = if system.is_at_end() { Place::New } else { Place::Within };
        search.step_unordered(Decision { thread: id, choice: 0 });
        let ended = self.node().first;
        self.nodes.push(Node::new(place, asleep, ended, first, Some(thread)));
        self.sets.extend(&search.path);
        search.poll(|search| self.levels(search.path.len()));
    }

    fn step_alone<P: Excursions + States>(&mut self, search: &mut Search<P>, decision: Decision) {
        self.put_in_order(search);
        let e = search.step(decision);
        self.sets.sleep.enter(e, &mut search.path.order);
        let ended = self.node().first;
        self.nodes.push(Node::new(Place::New, 0, ended, e.0, None));
        self.sets.extend(&search.path);
        match search.path.is_plain(e) {
            true => self.reverse_races_between_sections(&mut search.path, e),
            false => self.reverse_other_races(&mut search.path, e),
        }
        self.raced = search.path.len();
        search.poll(|search| self.levels(search.path.len()));
    }

    fn back<P: Excursions + States>(&mut self, search: &mut Search<P>) {
        if self.node().place == Place::Begins {
            self.open -= 1;
        }
        let left = self.nodes.pop().expect("back follows a step");
        self.note_explored(search);
        let known = std::mem::take(&mut self.node().known);
        match left.scheduled {
            Some(thread) => {
                let (section, system) = &mut self.sections[self.open - 1];
                system.retreat(thread);
                let (id, mask, accesses) = system.operation(section, thread);
                self.sets.sleep.leave_as(Decision { thread: id, choice: 0 }, mask, accesses);
                self.node().asleep |= 1 << thread;
            }
            None => {
                let e = EventId::at(search.path.len() - 1);
                self.sets.sleep.leave_knowing(e, &search.path.order, known);
            }
        }
        let Decision { thread, .. } = search.path.pop();
        if thread.0 < 64 && search.path.program.choices(thread) == 1 {
            self.node().done |= 1 << thread.0;
        }
        self.sets.shrink(&search.path);
        self.raced = self.raced.min(search.path.len());
    }

    /// Tells the known states that what follows the last event has been explored, and the event.
    fn note_explored<P: Excursions + States>(&mut self, search: &mut Search<P>) {
        if let Some(known) = &mut self.known {
            known.leave(search.path.len());
            let (decision, accesses) = search.path.last();
            known.note(decision.thread, accesses);
        }
    }

    /// Notes the end of an execution and reverses the races that have not been looked for.
    fn end<P: Excursions + States>(&mut self, search: &mut Search<P>) {
        if self.node().section > 0 {
            self.put_in_order(search);
        }
        search.end();
        self.reverse_races_of_waiting(search);
    }

    /// Reverses the races of operations that wait or vary, now that the execution has ended.
    fn reverse_races_of_waiting<P: Excursions + States>(&mut self, search: &mut Search<P>) {
        if search.running_threads().next().is_some() {
            self.put_in_order(search);
            self.note_waiting(search);
        }
        // What is not in order by now is a single section: nothing in it waits or varies.
        if search.path.order.len() == search.path.len() {
            backtrack::reverse_races_at_end(search, &mut self.rule, &mut self.sets, &mut self.scratch);
        }
    }

    /// Tells the known states what the threads that have not ended would access next.
    fn note_waiting<P: Excursions + States>(&mut self, search: &mut Search<P>) {
        if let Some(known) = &mut self.known {
            let mut footprint = Footprint::default();
            for thread in search.running_threads().collect::<Vec<_>>() {
                search.path.program.pending(Decision { thread, choice: 0 }, &mut footprint);
                known.note(thread, footprint.accesses());
            }
        }
    }

    /// Puts the events of finished schedules in order and reverses their races with earlier sections.
    #[inline]
    fn put_in_order<P: Excursions + States>(&mut self, search: &mut Search<P>) {
        if self.raced < search.path.len() {
            self.put_new_in_order(&mut search.path);
        }
    }

    fn put_new_in_order<P: Excursions + States>(&mut self, path: &mut Path<P>) {
        let new = self.raced..path.len();
        let mut reverse = |path: &mut Path<P>, e: EventId| {
            if path.is_plain(e) {
                self.reverse_races_between_sections(path, e);
            }
        };
        for e in (new.start..path.order.len()).map(EventId::at) {
            reverse(path, e);
        }
        path.put_in_order_with(reverse);
        for e in new.map(EventId::at) {
            // An operation that may wait or vary is dependent on nothing in its own section.
            if !path.is_plain(e) {
                self.reverse_other_races(path, e);
            }
        }
        self.raced = path.len();
    }

    /// Reverses the races of an operation that may wait or vary.
    fn reverse_other_races<P: Excursions + States>(&mut self, path: &mut Path<P>, e: EventId) {
        let mut rule = Noting { rule: &mut self.rule, nodes: &mut self.nodes };
        backtrack::reverse_races(path, &mut rule, &mut self.sets, e, &mut self.scratch);
    }

    /// Reverses the races of a plain operation with those of other sections.
    fn reverse_races_between_sections<P: Excursions + States>(&mut self, path: &mut Path<P>, e: EventId) {
        for race in path.order.race_numbers(e) {
            let earlier = path.order.race(race);
            if self.section_of(earlier) != self.section_of(e) {
                path.reverse(earlier, e, &mut self.scratch);
                let mut rule = Noting { rule: &mut self.rule, nodes: &mut self.nodes };
                rule.reverse(path, &self.scratch, &mut self.sets);
            }
        }
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = Level> {
        self.nodes[..length].iter().map(|node| {
            let explored = node.asleep.count_ones() as usize;
            Level { explored, known: explored + 1 }
        })
    }
}

/// Source sets, and notes of what the reversals show about the first event left out: it is independent of the first
/// event that is kept, and of the last decision only if something is kept.
struct Noting<'a> {
    rule: &'a mut SourceSets,
    nodes: &'a mut [Node],
}

impl<P: Excursions + States> Rule<P> for Noting<'_> {
    const SLEEP: Sleep = Sleep::On;

    fn reverse(&mut self, path: &mut Path<P>, reversal: &Reversal, sets: &mut Sets) {
        let known = &mut self.nodes[reversal.at.index()].known;
        match reversal.sequence.first() {
            Some(&kept) => known.note(path.order.event(kept).decision, false),
            None => known.note(reversal.decision, true),
        }
        self.rule.reverse(path, reversal, sets);
    }
}
