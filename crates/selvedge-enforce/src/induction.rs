//! A schedule checked by induction: what its nodes claim holds at the beginning, and every section keeps it.
//!
//! Where inputs are wide, or variables grow, a schedule permits too many states to visit. Then a solver is asked, for every section on its own:
//! if what the first node claims holds, nothing goes wrong in the section, nothing happens that the schedule does not foresee, and what the last
//! node claims holds in the end. So all that the schedule permits is safe and free of deadlock, whatever the inputs. It is fair if no cycle of
//! sections leaves out a thread that may be enabled on it [Metzler2020, definition 29].
//!
//! The claims come from the prover, but none is believed, and no code is shared with it but the translation of programs and the terms.

use crate::automaton::{is_ordered, past};
use crate::fit::Formulas;
use crate::scheduled::SetupError;
use crate::walk::Walk;
use selvedge_schedule::{Event, Schedule, Section};
use selvedge_smt::substitute::Substitution;
use selvedge_smt::{Answer, Options, Solver, SolverError, Sort, Stopped, Term};
use selvedge_symbolic::{BuildError, LocationKind, Target};
use std::collections::BTreeSet;

/// Why a schedule is not proved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotProved {
    /// A claim does not follow. The schedule may be right all the same.
    #[error("{0}")]
    Wrong(String),
    /// The solver does not know.
    #[error("the solver cannot tell whether {0}")]
    Unknown(String),
    /// The solver failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    /// The schedule cannot be for this program.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The time is over.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

/// What was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proved {
    /// Sections.
    pub sections: usize,
    /// Questions to the solver.
    pub queries: u64,
}

type Check<T = ()> = Result<T, NotProved>;

/// Parts of a section, as sets of events, up to which all are looked at.
const MOST_PARTS: usize = 200;

/// Proves that what a schedule permits is safe, free of deadlock and fair, for all inputs.
///
/// # Errors
/// When it cannot be proved.
pub fn prove(program: &selvedge_ir::Program, schedule: &Schedule, options: Options) -> Check<Proved> {
    let patience = options.patience.clone();
    let mut walk = Walk::new(program).map_err(|error: BuildError| SetupError::from(error))?;
    let formulas = Formulas::new(&mut walk, schedule).map_err(SetupError::from)?;
    let solver = Solver::start(options)?;
    let mut induction = Induction { schedule, walk, formulas, solver };
    induction.beginning()?;
    for node in 0..schedule.nodes.len() {
        patience.watch()?;
        induction.node(node)?;
    }
    for section in 0..schedule.sections.len() {
        patience.watch()?;
        induction.section(section)?;
    }
    induction.fairness()?;
    Ok(Proved { sections: schedule.sections.len(), queries: induction.solver.queries() })
}

fn wrong<T>(what: impl Into<String>) -> Check<T> {
    Err(NotProved::Wrong(what.into()))
}

struct Induction<'i> {
    schedule: &'i Schedule,
    walk: Walk,
    formulas: Formulas,
    solver: Solver,
}

/// A state in the midst of a section, in terms of the state at its beginning and of inputs.
#[derive(Clone)]
struct Midst {
    places: Vec<u32>,
    /// What variables hold that have changed.
    values: Substitution,
    /// What is known of the beginning and the inputs.
    known: Vec<Term>,
}

impl Induction<'_> {
    /// Demands that formulas contradict each other.
    fn contradict(&mut self, formulas: Vec<Term>, what: &dyn Fn() -> String) -> Check {
        let terms = &mut self.walk.terms;
        let all = terms.and(formulas);
        if all == terms.no() {
            return Ok(());
        }
        let conjuncts = terms.conjuncts(all);
        let asked = terms.propagated(conjuncts);
        match self.solver.check(&self.walk.terms, &asked)? {
            Answer::Unsat => Ok(()),
            Answer::Sat => wrong(what()),
            Answer::Unknown => Err(NotProved::Unknown(what())),
        }
    }

    /// What the first node claims holds at the beginning.
    fn beginning(&mut self) -> Check {
        if self.schedule.nodes[0].places != self.walk.system.start() {
            return wrong("the first node is not the beginning");
        }
        let state: Substitution =
            self.walk.system.variables.iter().map(|v| (v.variable, v.initial)).collect();
        for claim in self.formulas.claims[0].clone() {
            let first = self.walk.terms.substitute(claim, &state);
            let negated = self.walk.terms.not(first);
            self.contradict(vec![negated], &|| {
                "the first node claims what does not hold at the beginning".to_owned()
            })?;
        }
        Ok(())
    }

    /// The numbers of the sections that begin at a node.
    fn sections_from(&self, node: usize) -> Vec<usize> {
        let sections = &self.schedule.sections;
        (0..sections.len()).filter(|&number| sections[number].from == node).collect()
    }

    /// At a node, whatever the threads that may go on do is foreseen, none fails, and one of them can go on if any thread can.
    fn node(&mut self, node: usize) -> Check {
        let places = self.schedule.nodes[node].places.clone();
        let sections = self.sections_from(node);
        let mut permitted = BTreeSet::new();
        for &section in &sections {
            let Event { thread, place, transition, .. } = self.schedule.sections[section].events[0];
            let mut ways = self.walk.system.transitions(&places, thread);
            if places[thread] != place || !ways.any(|(way, _)| way == transition) {
                return wrong(format!(
                    "section {section} cannot begin where the threads stand at node {node}"
                ));
            }
            permitted.insert(thread);
        }
        if let Some(thread) = self.in_the_middle(&places)
            && permitted.iter().any(|&other| other != thread)
        {
            return wrong(format!("another thread goes on at node {node} in the middle of a step"));
        }
        for &thread in &permitted {
            self.permitted(node, thread, &sections)?;
        }
        self.waiting(node, &permitted)
    }

    /// The thread that is in the shared part of a step.
    fn in_the_middle(&self, places: &[u32]) -> Option<usize> {
        (0..places.len()).find(|&thread| {
            let location = self.walk.system.location(places, thread);
            location.kind == LocationKind::Internal && !location.may_open
        })
    }

    /// Whatever a thread does that may go on at a node is foreseen, and no failure.
    fn permitted(&mut self, node: usize, thread: usize, sections: &[usize]) -> Check {
        let places = self.schedule.nodes[node].places.clone();
        let ways: Vec<(usize, Term, Target)> = self
            .walk
            .system
            .transitions(&places, thread)
            .map(|(way, transition)| (way, transition.guard, transition.target.clone()))
            .collect();
        for (way, guard, target) in ways {
            let mut formulas = self.formulas.claims[node].clone();
            formulas.push(guard);
            match target {
                Target::Blocked => continue,
                Target::Failed(..) | Target::Diverged => {
                    self.contradict(formulas, &|| format!("thread {thread} can fail at node {node}"))?;
                }
                Target::Location(_) => {
                    let foresees = |&&section: &&usize| {
                        let first = &self.schedule.sections[section].events[0];
                        (first.thread, first.transition) == (thread, way)
                    };
                    let foreseen: Vec<usize> = sections.iter().filter(foresees).copied().collect();
                    for section in foreseen {
                        formulas.push(self.walk.terms.not(self.formulas.conditions[section]));
                    }
                    let what = || format!("what thread {thread} does at node {node} may be unforeseen");
                    self.contradict(formulas, &what)?;
                }
            }
        }
        Ok(())
    }

    /// One of the threads that may go on at a node can, or none can and that is no deadlock.
    fn waiting(&mut self, node: usize, permitted: &BTreeSet<usize>) -> Check {
        let Walk { system, terms } = &mut self.walk;
        let places = &self.schedule.nodes[node].places;
        let running: Vec<usize> =
            (0..places.len()).filter(|&thread| system.is_running(places, thread)).collect();
        if running.is_empty() {
            return Ok(());
        }
        let mut formulas = self.formulas.claims[node].clone();
        formulas.extend(permitted.iter().map(|&thread| system.blocked(terms, places, thread)));
        if !system.counts_as_deadlock(places) {
            let blocked: Vec<Term> =
                running.iter().map(|&thread| system.blocked(terms, places, thread)).collect();
            let none = terms.and(blocked);
            formulas.push(terms.not(none));
        }
        self.contradict(formulas, &|| format!("all threads that may go on at node {node} can be blocked"))
    }

    /// The state after the first event of a section.
    fn first(&mut self, section: &Section, number: usize) -> Midst {
        let places = self.schedule.nodes[section.from].places.clone();
        let mut known = self.formulas.claims[section.from].clone();
        known.push(self.formulas.conditions[number]);
        let midst = Midst { places, values: Substitution::new(), known };
        // The condition speaks of the input of the event by its own name.
        self.after(midst, &section.events[0], InputName::Own)
    }

    /// The state after an event.
    fn after(&mut self, midst: Midst, event: &Event, name: InputName) -> Midst {
        let Walk { system, terms } = &mut self.walk;
        let transition =
            &system.threads[event.thread].locations[event.place as usize].transitions[event.transition];
        let mut before = midst.values.clone();
        if let (Some((input, _)), InputName::Fresh) = (&transition.input, name) {
            let fresh = terms.variable("an input", Sort::Word);
            let fresh = terms.var(fresh);
            before.insert(*input, fresh);
        }
        let mut known = midst.known;
        known.push(terms.substitute(transition.guard, &before));
        let mut values = midst.values;
        for (&variable, &value) in &transition.updates {
            let value = terms.substitute(value, &before);
            values.insert(variable, value);
        }
        let places = system.after(&midst.places, event.thread, transition).unwrap_or(midst.places);
        Midst { places, values, known }
    }

    /// A section leads to what its last node claims, and nothing unforeseen happens on the way.
    fn section(&mut self, number: usize) -> Check {
        let section = &self.schedule.sections[number];
        if !is_ordered(&self.walk, section) {
            return wrong(format!(
                "events of section {number} are not ordered though they depend on each other"
            ));
        }
        let mut midst = self.first(section, number);
        for (at, event) in section.events.iter().enumerate().skip(1) {
            self.foreseen(&midst, event, number, at)?;
            midst = self.after(midst, event, InputName::Fresh);
        }
        if midst.places != self.schedule.nodes[section.to].places {
            return wrong(format!(
                "section {number} does not lead to where the threads stand at node {}",
                section.to
            ));
        }
        for claim in self.formulas.claims[section.to].clone() {
            let after = self.walk.terms.substitute(claim, &midst.values);
            let mut formulas = midst.known.clone();
            formulas.push(self.walk.terms.not(after));
            self.contradict(formulas, &|| {
                format!("what node {} claims may not hold after section {number}", section.to)
            })?;
        }
        Ok(())
    }

    /// An event in a section is all that its thread can do.
    fn foreseen(&mut self, midst: &Midst, event: &Event, number: usize, at: usize) -> Check {
        let what = || format!("event {at} of section {number} is not all that can happen");
        let thread = event.thread;
        let others: Vec<(usize, Term)> =
            self.walk.system.transitions(&midst.places, thread).map(|(way, t)| (way, t.guard)).collect();
        let is_there =
            midst.places[thread] == event.place && others.iter().any(|other| other.0 == event.transition);
        let forced = self.in_the_middle(&midst.places);
        let location = &self.walk.system.threads[thread].locations[event.place as usize];
        let leads = matches!(location.transitions[event.transition].target, Target::Location(_));
        if !is_there || !leads || forced.is_some_and(|forced| forced != thread) {
            return wrong(what());
        }
        for (way, guard) in others {
            if way != event.transition {
                let guard = self.walk.terms.substitute(guard, &midst.values);
                let mut formulas = midst.known.clone();
                formulas.push(guard);
                self.contradict(formulas, &what)?;
            }
        }
        Ok(())
    }
}

/// How the input of an event is called.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InputName {
    Own,
    Fresh,
}

impl Induction<'_> {
    /// No cycle of sections leaves out a thread that may be enabled on it.
    fn fairness(&mut self) -> Check {
        for thread in 0..self.schedule.threads.len() {
            let without: Vec<usize> = (0..self.schedule.sections.len())
                .filter(|&number| {
                    self.schedule.sections[number].events.iter().all(|event| event.thread != thread)
                })
                .collect();
            for &number in &without {
                let Section { from, to, .. } = self.schedule.sections[number];
                if self.reaches(to, from, &without) {
                    self.never_enabled(number, thread)?;
                }
            }
        }
        Ok(())
    }

    /// Whether some of these sections lead from one node to another.
    fn reaches(&self, from: usize, to: usize, by: &[usize]) -> bool {
        let mut reached = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(node) = todo.pop() {
            let next = by.iter().map(|&number| &self.schedule.sections[number]).filter(|s| s.from == node);
            todo.extend(next.map(|section| section.to).filter(|&next| reached.insert(next)));
        }
        reached.contains(&to)
    }

    /// A thread has to wait as long as a section, of other threads, takes: in every state that some order of its events leads to.
    fn never_enabled(&mut self, number: usize, thread: usize) -> Check {
        let section = &self.schedule.sections[number];
        let starved = || {
            format!(
                "thread {thread} could go on in section {number}, but executions can go on for ever without it"
            )
        };
        let places = self.schedule.nodes[section.from].places.clone();
        let known = self.formulas.claims[section.from].clone();
        self.blocked(&Midst { places, values: Substitution::new(), known }, thread, &starved)?;
        let past = past(section);
        let first = self.first(section, number);
        let mut parts: Vec<(BTreeSet<usize>, Midst)> = vec![(BTreeSet::from([0]), first)];
        let mut at = 0;
        while at < parts.len() {
            let (done, midst) = parts[at].clone();
            at += 1;
            if done.len() < section.events.len() {
                self.blocked(&midst, thread, &starved)?;
            }
            for (event, before) in past.iter().enumerate() {
                let mut more = done.clone();
                let is_next = before.is_subset(&done) && more.insert(event);
                if is_next && parts.iter().all(|(known, _)| *known != more) {
                    if parts.len() >= MOST_PARTS {
                        return Err(NotProved::Unknown(format!(
                            "thread {thread} has to wait during section {number}, whose events have many orders"
                        )));
                    }
                    let after = self.after(midst.clone(), &section.events[event], InputName::Fresh);
                    parts.push((more, after));
                }
            }
        }
        Ok(())
    }

    fn blocked(&mut self, midst: &Midst, thread: usize, what: &dyn Fn() -> String) -> Check {
        let Walk { system, terms } = &mut self.walk;
        if !system.is_running(&midst.places, thread) {
            return Ok(());
        }
        let blocked = system.blocked(terms, &midst.places, thread);
        let blocked = terms.substitute(blocked, &midst.values);
        let mut formulas = midst.known.clone();
        formulas.push(terms.not(blocked));
        self.contradict(formulas, what)
    }
}
