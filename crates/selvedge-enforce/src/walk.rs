//! The transitions of a program, on values: where each thread stands and what the variables hold.

use selvedge_ir::Program;
use selvedge_smt::evaluate::Value;
use selvedge_smt::{Patience, Term, Terms, Variable, parse};
use selvedge_symbolic::{BuildError, LocationKind, System, Transition};
use std::collections::BTreeMap;

/// A program as transitions.
#[derive(Debug)]
pub struct Walk {
    /// The transitions.
    pub system: System,
    /// Their terms.
    pub terms: Terms,
}

/// A state between two transitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Where the threads stand.
    pub places: Vec<u32>,
    /// What the variables hold, by their numbers.
    values: Vec<Option<Value>>,
}

/// A transition that a thread takes, by its number, with the value of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// The number of the transition among those of the place.
    pub transition: usize,
    input: Option<(Variable, i128)>,
}

impl Walk {
    /// A well-formed program.
    ///
    /// # Errors
    /// When it has something that cannot be translated.
    pub fn new(program: &Program) -> Result<Walk, BuildError> {
        let mut terms = Terms::new();
        let system = System::new(program, &mut terms, &Patience::default())?;
        Ok(Walk { system, terms })
    }

    /// Reads a formula over the variables of the program, and over the input of a step if it has one.
    pub fn formula(&mut self, text: &str, input: Option<Variable>) -> Option<Term> {
        let mut names: BTreeMap<&str, Variable> =
            self.system.variables.iter().map(|v| (v.name.as_str(), v.variable)).collect();
        let of_input = input.map(|input| (self.terms.name(input).to_owned(), input));
        if let Some((name, input)) = &of_input {
            names.insert(name, *input);
        }
        parse::term(&mut self.terms, text, &|name| names.get(name).copied())
    }

    /// Whether a formula holds in a state, with the input of this way.
    pub fn holds(&self, state: &State, formula: Term, way: Option<Way>) -> bool {
        self.evaluate(state, formula, way.and_then(|way| way.input)) == Some(Value::Int(1))
    }

    /// The beginning.
    pub fn start(&self) -> State {
        let mut values = Vec::new();
        for variable in &self.system.variables {
            let number = variable.variable.0 as usize;
            values.resize(values.len().max(number + 1), None);
            values[number] = self.terms.evaluate(variable.initial, &|_| None);
        }
        State { places: self.system.start(), values }
    }

    /// Which kind of place a thread is at.
    pub fn kind(&self, state: &State, thread: usize) -> LocationKind {
        self.system.location(&state.places, thread).kind
    }

    /// The transition that a way is.
    pub fn transition(&self, state: &State, thread: usize, way: Way) -> &Transition {
        &self.system.location(&state.places, thread).transitions[way.transition]
    }

    fn evaluate(&self, state: &State, term: Term, input: Option<(Variable, i128)>) -> Option<Value> {
        self.terms.evaluate(term, &|variable| match input {
            Some((this, value)) if this == variable => Some(Value::Int(value)),
            _ => state.values.get(variable.0 as usize)?.clone(),
        })
    }

    /// The way that a thread goes with the alternative that the interpreter numbers so.
    pub fn way(&self, state: &State, thread: usize, choice: u32) -> Option<Way> {
        let mut ways = Vec::new();
        for (transition, of) in self.system.transitions(&state.places, thread) {
            let input = match &of.input {
                None => None,
                Some((input, low)) => {
                    let low = self.evaluate(state, *low, None)?.int()?;
                    Some((*input, low + i128::from(choice)))
                }
            };
            if self.evaluate(state, of.guard, input) == Some(Value::Int(1)) {
                ways.push((of.woken.as_ref().map(|woken| woken.thread), Way { transition, input }));
            }
        }
        // A signal has a way for each thread that waits, which the interpreter numbers in the order of the threads.
        ways.sort_by_key(|(woken, _)| *woken);
        let number = if ways.len() > 1 { choice as usize } else { 0 };
        ways.get(number).map(|(_, way)| *way)
    }

    /// The state after a way, if it leads to a place.
    pub fn after(&self, state: &State, thread: usize, way: Way) -> Option<State> {
        let transition = self.transition(state, thread, way);
        let places = self.system.after(&state.places, thread, transition)?;
        let mut values = state.values.clone();
        for (variable, &term) in &transition.updates {
            values[variable.0 as usize] = self.evaluate(state, term, way.input);
        }
        Some(State { places, values })
    }
}

impl State {
    /// Words that tell this state from others of the same program.
    pub fn words(&self, mut add: impl FnMut(u64)) {
        self.places.iter().for_each(|&place| add(place.into()));
        for value in &self.values {
            match value {
                None => add(1),
                Some(Value::Int(number)) => add(*number as u64),
                Some(Value::Array(usual, exceptions)) => {
                    add(*usual as u64);
                    for (index, value) in exceptions.iter().filter(|(_, value)| *value != usual) {
                        add(*index as u64);
                        add(*value as u64);
                    }
                    add(u64::MAX);
                }
            }
        }
    }
}
