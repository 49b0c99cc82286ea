//! What a schedule permits, by its definition [Metzler2020, definitions 10, 38 to 40], on the transitions of the program.
//!
//! A configuration is a place in the schedule and a state of the program. Every event that may come next is tried with every input, in all orders; nothing is
//! left out, nothing is merged, and whether a thread is starved is found by looking for a way from each configuration back to itself. Slow, and
//! sharing no code with `selvedge-enforce`.

use selvedge_ir::Program;
use selvedge_schedule::{Schedule, Section};
use selvedge_smt::evaluate::Value;
use selvedge_smt::{Patience, Term, Terms, Variable, parse};
use selvedge_symbolic::{System, Target, Transition};
use std::collections::{BTreeMap, BTreeSet};

/// What a schedule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Safe, free of deadlock, fair, and never at a loss; what it claims is true.
    Right,
    /// Not so.
    Wrong,
}

/// Judges a schedule; nothing if that takes more configurations than this.
pub fn judge(program: &Program, schedule: &Schedule, most: usize) -> Option<Judgement> {
    let mut terms = Terms::new();
    let system = System::new(program, &mut terms, &Patience::default()).ok()?;
    let mut judge = Judge { system, terms, schedule, conditions: Vec::new(), claims: Vec::new() };
    if judge.read().is_none() {
        return Some(Judgement::Wrong);
    }
    judge.all(most)
}

struct Judge<'j> {
    system: System,
    terms: Terms,
    schedule: &'j Schedule,
    conditions: Vec<Term>,
    claims: Vec<Vec<Term>>,
}

/// A place in a schedule: a node, or a section with the events that have happened.
type At = Result<usize, (usize, BTreeSet<usize>)>;

#[derive(Clone, Debug)]
struct Configuration {
    at: At,
    places: Vec<u32>,
    values: BTreeMap<Variable, Value>,
}

/// The steps from a configuration.
enum Ways {
    Steps(Vec<(usize, Configuration)>),
    Wrong,
}

impl Judge<'_> {
    fn read(&mut self) -> Option<()> {
        let names: BTreeMap<String, Variable> =
            self.system.variables.iter().map(|v| (v.name.clone(), v.variable)).collect();
        self.schedule.threads.iter().map(|thread| &thread.name).eq(&self.system.names).then_some(())?;
        for node in &self.schedule.nodes {
            let terms = &mut self.terms;
            let claims =
                node.holds.iter().map(|text| parse::term(terms, text, &|name| names.get(name).copied()));
            self.claims.push(claims.collect::<Option<_>>()?);
        }
        for section in &self.schedule.sections {
            for event in &section.events {
                let place = self.system.threads.get(event.thread)?.locations.get(event.place as usize)?;
                place.transitions.get(event.transition)?;
            }
            let first = &section.events[0];
            let place = &self.system.threads[first.thread].locations[first.place as usize];
            let input = place.transitions[first.transition].input.map(|(input, _)| input);
            let of_input = input.map(|input| (self.terms.name(input).to_owned(), input));
            let variable = |name: &str| match &of_input {
                Some((this, input)) if this == name => Some(*input),
                _ => names.get(name).copied(),
            };
            self.conditions.push(parse::term(&mut self.terms, &section.condition, &variable)?);
        }
        Some(())
    }

    fn holds(&self, of: &Configuration, term: Term, input: Option<(Variable, i128)>) -> bool {
        self.value(of, term, input) == Some(Value::Int(1))
    }

    fn value(&self, of: &Configuration, term: Term, input: Option<(Variable, i128)>) -> Option<Value> {
        self.terms.evaluate(term, &|variable| match input {
            Some((this, value)) if this == variable => Some(Value::Int(value)),
            _ => of.values.get(&variable).cloned(),
        })
    }

    /// All ways of a thread in a state, with their inputs.
    fn ways(&self, of: &Configuration, thread: usize) -> Vec<(usize, Option<(Variable, i128)>)> {
        let mut ways = Vec::new();
        for (number, transition) in self.system.transitions(&of.places, thread) {
            let inputs: Vec<Option<(Variable, i128)>> = match (transition.input, transition.input_end) {
                (Some((input, low)), Some(end)) => {
                    let bound = |term| self.value(of, term, None).and_then(|value| value.int()).unwrap_or(0);
                    (bound(low)..bound(end)).map(|value| Some((input, value))).collect()
                }
                _ => vec![None],
            };
            ways.extend(
                inputs
                    .into_iter()
                    .filter(|&input| self.holds(of, transition.guard, input))
                    .map(|i| (number, i)),
            );
        }
        ways
    }

    fn transition(&self, of: &Configuration, thread: usize, way: usize) -> &Transition {
        &self.system.location(&of.places, thread).transitions[way]
    }

    fn is_enabled(&self, of: &Configuration, thread: usize) -> bool {
        let is_blocked = |way: usize| self.transition(of, thread, way).target == Target::Blocked;
        self.system.is_running(&of.places, thread)
            && self.ways(of, thread).iter().any(|way| !is_blocked(way.0))
    }

    /// The events that may come next, by section and number.
    fn ready(&self, of: &Configuration) -> Vec<(usize, usize)> {
        let sections = &self.schedule.sections;
        match &of.at {
            Ok(node) => (0..sections.len()).filter(|&s| sections[s].from == *node).map(|s| (s, 0)).collect(),
            Err((section, done)) => {
                let is_ready = |event: &usize| {
                    !done.contains(event)
                        && (0..*event).all(|e| done.contains(&e) || !precedes(&sections[*section], e, *event))
                };
                (0..sections[*section].events.len()).filter(is_ready).map(|event| (*section, event)).collect()
            }
        }
    }

    fn steps(&self, of: &Configuration) -> Ways {
        let ready: Vec<(usize, usize)> = self
            .ready(of)
            .into_iter()
            .filter(|&(section, event)| {
                let event = &self.schedule.sections[section].events[event];
                of.places[event.thread] == event.place
            })
            .collect();
        let threads: BTreeSet<usize> = ready
            .iter()
            .map(|&(section, event)| self.schedule.sections[section].events[event].thread)
            .collect();
        let mut steps = Vec::new();
        for thread in threads {
            for (way, input) in self.ways(of, thread) {
                if self.transition(of, thread, way).target == Target::Blocked {
                    continue;
                }
                let mut is_foreseen = false;
                for &(section, number) in &ready {
                    let event = &self.schedule.sections[section].events[number];
                    let may = of.at.is_err() || self.holds(of, self.conditions[section], input);
                    if (event.thread, event.transition) == (thread, way) && may {
                        let Some(after) = self.after(of, section, number, input) else { return Ways::Wrong };
                        is_foreseen = true;
                        steps.push((thread, after));
                    }
                }
                if !is_foreseen {
                    return Ways::Wrong;
                }
            }
        }
        Ways::Steps(steps)
    }

    fn after(
        &self,
        of: &Configuration,
        section: usize,
        number: usize,
        input: Option<(Variable, i128)>,
    ) -> Option<Configuration> {
        let event = &self.schedule.sections[section].events[number];
        let transition = self.transition(of, event.thread, event.transition);
        let places = self.system.after(&of.places, event.thread, transition)?;
        let mut values = of.values.clone();
        for (&variable, &term) in &transition.updates {
            values.insert(variable, self.value(of, term, input)?);
        }
        let mut done = match &of.at {
            Ok(_) => BTreeSet::new(),
            Err((_, done)) => done.clone(),
        };
        done.insert(number);
        let section_of = &self.schedule.sections[section];
        let at = if done.len() == section_of.events.len() { Ok(section_of.to) } else { Err((section, done)) };
        Some(Configuration { at, places, values })
    }

    fn claims_hold(&self, of: &Configuration) -> bool {
        let Ok(node) = of.at else { return true };
        self.schedule.nodes[node].places == of.places
            && self.claims[node].iter().all(|&claim| self.holds(of, claim, None))
    }

    fn all(&self, most: usize) -> Option<Judgement> {
        let initial = self.system.variables.iter();
        let values = initial.map(|v| Some((v.variable, self.terms.evaluate(v.initial, &|_| None)?)));
        let first =
            Configuration { at: Ok(0), places: self.system.start(), values: values.collect::<Option<_>>()? };
        let mut numbers = BTreeMap::from([(format!("{first:?}"), 0)]);
        let mut configurations = vec![first];
        let mut steps: Vec<Vec<(usize, usize)>> = Vec::new();
        while steps.len() < configurations.len() {
            if configurations.len() > most {
                return None;
            }
            let present = configurations[steps.len()].clone();
            let Ways::Steps(ways) = self.steps(&present) else { return Some(Judgement::Wrong) };
            let threads = present.places.len();
            let is_stuck = ways.is_empty()
                && (self.system.counts_as_deadlock(&present.places)
                    || (0..threads).any(|t| self.is_enabled(&present, t)));
            if is_stuck || !self.claims_hold(&present) {
                return Some(Judgement::Wrong);
            }
            let mut next = Vec::new();
            for (thread, after) in ways {
                let count = configurations.len();
                let number = *numbers.entry(format!("{after:?}")).or_insert(count);
                if number == count {
                    configurations.push(after);
                }
                next.push((thread, number));
            }
            steps.push(next);
        }
        let is_starved = |thread: usize| {
            (0..steps.len())
                .any(|c| self.is_enabled(&configurations[c], thread) && comes_back(&steps, c, thread))
        };
        match (0..self.system.threads.len()).any(is_starved) {
            true => Some(Judgement::Wrong),
            false => Some(Judgement::Right),
        }
    }
}

/// Whether an event of a section has to come before another.
fn precedes(section: &Section, first: usize, then: usize) -> bool {
    first == 0
        || section.events[first].thread == section.events[then].thread
        || section.order.contains(&(first, then))
}

/// Whether some steps lead back to a configuration, none of them of a thread.
fn comes_back(steps: &[Vec<(usize, usize)>], to: usize, without: usize) -> bool {
    let mut seen = vec![false; steps.len()];
    let mut todo = vec![to];
    while let Some(from) = todo.pop() {
        for &(thread, next) in &steps[from] {
            if thread == without || std::mem::replace(&mut seen[next], true) {
                continue;
            }
            if next == to {
                return true;
            }
            todo.push(next);
        }
    }
    false
}
