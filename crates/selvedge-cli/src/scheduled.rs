//! `selvedge check --schedule`: a program of which only what a schedule permits is explored.
//!
//! Between sections a thread may go on if a section begins with the transition that it takes; the other events of the section follow
//! in any order that its partial order allows. Which thread may go on depends on all steps before, so there is nothing to reduce:
//! every permitted interleaving is explored.

use selvedge_explore::{Mark, Program, Readiness, ThreadStatus};
use selvedge_interp::code::Op;
use selvedge_interp::{Failure, Interpreter};
use selvedge_schedule::{Schedule, Section};
use selvedge_smt::evaluate::Value;
use selvedge_smt::{Patience, Terms, Variable};
use selvedge_symbolic::{BuildError, LocationKind, Place, System, Unsupported};
use selvedge_trace::{AccessKind, Decision, Footprint, LocationId, ThreadId};
use std::collections::BTreeSet;

/// Where a schedule stands.
#[derive(Clone, Debug)]
enum At {
    /// Between sections.
    Node(usize),
    /// In a section, with the events that have happened.
    Section(usize, Vec<bool>),
    /// The schedule does not know how to go on.
    Nowhere,
}

/// A program under a schedule.
pub struct Scheduled {
    inner: Interpreter,
    system: System,
    terms: Terms,
    schedule: Schedule,
    /// Where it stands after each step, with where the threads stand and the mark before the step, newest last.
    log: Vec<(At, Vec<u32>, Mark)>,
    start: Vec<u32>,
}

impl Scheduled {
    /// A program and a schedule for it.
    pub fn new(program: &selvedge_ir::Program, schedule: Schedule) -> Result<Scheduled, BuildError> {
        let mut terms = Terms::new();
        let system = System::new(program, &mut terms, &Patience::default())?;
        if let Some(span) = system.code.ops.iter().position(|op| matches!(op, Op::Call(_))) {
            let what =
                "a call: only programs without function calls can be explored under a schedule".to_owned();
            return Err(Unsupported { what, span: system.code.spans[span] }.into());
        }
        let start = system.start();
        let mut scheduled =
            Scheduled { inner: Interpreter::new(program), system, terms, schedule, log: Vec::new(), start };
        scheduled.log.push((At::Node(0), scheduled.start.clone(), Mark(0)));
        scheduled.settle();
        scheduled.start = scheduled.places().to_vec();
        Ok(scheduled)
    }

    fn at(&self) -> &At {
        self.log.last().map_or(&At::Nowhere, |entry| &entry.0)
    }

    fn places(&self) -> &[u32] {
        self.log.last().map_or(&self.start, |entry| &entry.1)
    }

    fn value(&self, variable: Variable) -> Option<Value> {
        let number = *self.system.numbers.get(&variable)?;
        Some(match self.system.variables[number].place {
            Place::Cell(cell) => Value::Int(self.inner.value(LocationId(cell)).into()),
            Place::Slot { thread, slot } => {
                let state = self.inner.thread_state(ThreadId(thread));
                Value::Int((*state.locals.get(slot as usize)?).into())
            }
            Place::Array(array) => {
                let range = &self.inner.layout().arrays[array as usize];
                let value = |index: u32| i128::from(self.inner.value(LocationId(range.start + index)));
                let elements = (0..range.length).map(|index| (index.into(), value(index)));
                Value::Array(0, std::sync::Arc::new(elements.collect()))
            }
        })
    }

    /// The transition that a thread takes with this choice, by its number.
    fn taken(&self, thread: usize, choice: u32) -> Option<usize> {
        let places = self.places();
        let mut ways = self.system.transitions(places, thread).filter(|(_, transition)| {
            let input = transition.input.as_ref().and_then(|(input, low)| {
                let low = self.terms.evaluate(*low, &|v| self.value(v))?.int()?;
                Some((*input, Value::Int(low + i128::from(choice))))
            });
            let value = |variable: Variable| match &input {
                Some((input, value)) if *input == variable => Some(value.clone()),
                _ => self.value(variable),
            };
            self.terms.evaluate(transition.guard, &value) == Some(Value::Int(1))
        });
        ways.nth(if self.wakes(thread) { choice as usize } else { 0 }).map(|(number, _)| number)
    }

    fn wakes(&self, thread: usize) -> bool {
        self.system.location(self.places(), thread).transitions.iter().any(|t| t.woken.is_some())
    }

    /// Where the schedule stands after a step, if it permits it.
    fn after(&self, thread: usize, choice: u32) -> Option<At> {
        let transition = self.taken(thread, choice)?;
        let place = self.places()[thread];
        let begins = |section: &Section| {
            let is_this = |first: &selvedge_schedule::Event| {
                (first.thread, first.place, first.transition) == (thread, place, transition)
            };
            section.events.first().is_some_and(is_this)
        };
        match self.at() {
            At::Nowhere => None,
            At::Node(node) => {
                let sections = &self.schedule.sections;
                let nodes = self.without_events(*node);
                let number =
                    sections.iter().position(|section| nodes.contains(&section.from) && begins(section))?;
                let mut done = vec![false; sections[number].events.len()];
                done[0] = true;
                Some(self.normal(number, done))
            }
            At::Section(number, done) => {
                let section = &self.schedule.sections[*number];
                let event =
                    (0..section.events.len()).find(|&e| !done[e] && section.events[e].thread == thread)?;
                let ready = section.order.iter().all(|&(first, then)| then != event || done[first]);
                let fits =
                    section.events[event].place == place && section.events[event].transition == transition;
                let mut done = done.clone();
                done[event] = true;
                (ready && fits).then(|| self.normal(*number, done))
            }
        }
    }

    /// The nodes that are reached by sections without events: local code that a thread goes round alone.
    fn without_events(&self, node: usize) -> BTreeSet<usize> {
        let mut nodes = BTreeSet::from([node]);
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            let empty = |section: &&Section| section.from == node && section.events.is_empty();
            let nexts = self.schedule.sections.iter().filter(empty).map(|section| section.to);
            todo.extend(nexts.filter(|&next| nodes.insert(next)));
        }
        nodes
    }

    fn normal(&self, section: usize, done: Vec<bool>) -> At {
        match done.iter().all(|&done| done) {
            true => At::Node(self.schedule.sections[section].to),
            false => At::Section(section, done),
        }
    }

    /// Follows local code to the next step.
    fn settle(&mut self) {
        // The interpreter is at the end of the local code already, so places are what it says, not what is computed.
        let Some((_, places, _)) = self.log.last_mut() else { return };
        for (thread, at) in places.iter_mut().enumerate() {
            let state = self.inner.thread_state(ThreadId::at(thread));
            let status = self.inner.status(ThreadId::at(thread));
            let locations = &self.system.threads[thread].locations;
            let found = locations.iter().position(|l| l.kind == LocationKind::Visible && l.pc == state.pc);
            *at = match (status, found) {
                (ThreadStatus::Running, Some(found)) => found as u32,
                (ThreadStatus::Dropped, _) => System::DROPPED as u32,
                (ThreadStatus::Ended, _) if *at as usize == System::NOT_STARTED => *at,
                _ => System::ENDED as u32,
            };
        }
    }
}

impl Program for Scheduled {
    type Failure = Failure;

    fn thread_count(&self) -> usize {
        self.inner.thread_count()
    }

    fn restart(&mut self) {
        self.inner.restart();
        self.log.truncate(1);
    }

    fn status(&self, thread: ThreadId) -> ThreadStatus {
        self.inner.status(thread)
    }

    fn is_enabled(&mut self, thread: ThreadId) -> bool {
        let choices = if self.inner.is_enabled(thread) { self.inner.choices(thread) } else { 0 };
        (0..choices).any(|choice| self.after(thread.index(), choice).is_some())
    }

    fn choices(&mut self, thread: ThreadId) -> u32 {
        self.inner.choices(thread)
    }

    fn pending(&mut self, decision: Decision, footprint: &mut Footprint) -> Readiness {
        let readiness = self.inner.pending(decision, footprint);
        footprint.record(self.schedule_location(), AccessKind::Write);
        match self.after(decision.thread.index(), decision.choice) {
            Some(_) => readiness,
            None => Readiness::Disabled,
        }
    }

    fn step(&mut self, decision: Decision, footprint: &mut Footprint) {
        let at = self.after(decision.thread.index(), decision.choice).unwrap_or(At::Nowhere);
        let (places, mark) = (self.places().to_vec(), self.inner.mark());
        self.inner.step(decision, footprint);
        footprint.record(self.schedule_location(), AccessKind::Write);
        self.log.push((at, places, mark));
        self.settle();
    }

    fn failures(&self) -> &[Failure] {
        self.inner.failures()
    }

    fn deadlock(&self) -> Failure {
        self.inner.deadlock()
    }

    fn mark(&self) -> Mark {
        self.inner.mark()
    }

    fn rollback(&mut self, mark: Mark) {
        self.inner.rollback(mark);
        while self.log.len() > 1 && self.log.last().is_some_and(|entry| entry.2.0 >= mark.0) {
            self.log.pop();
        }
    }
}

impl Scheduled {
    /// A location that nothing else uses.
    fn schedule_location(&self) -> LocationId {
        LocationId(self.inner.layout().initial.len() as u32)
    }
}
