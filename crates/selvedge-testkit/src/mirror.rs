//! A program run twice, side by side: by the interpreter, and by the transitions on terms with values for the variables.

use crate::random::Random;
use selvedge_explore::{Program as _, ThreadStatus};
use selvedge_interp::Interpreter;
use selvedge_ir::Program;
use selvedge_smt::evaluate::Value;
use selvedge_smt::{Terms, Variable};
use selvedge_symbolic::{LocationKind, Place, System, Target, Transition};
use selvedge_trace::{Decision, Footprint, LocationId, ThreadId};
use std::collections::BTreeMap;

/// Both.
pub struct Mirror {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// The transitions.
    pub system: System,
    terms: Terms,
    /// Where the threads stand.
    pub places: Vec<u32>,
    values: BTreeMap<Variable, Value>,
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// At the next place.
    There,
    /// In a failure.
    Failed,
}

impl Mirror {
    /// Both at the beginning.
    ///
    /// # Errors
    /// When the program cannot be translated.
    pub fn new(program: &Program) -> Result<Mirror, String> {
        let mut terms = Terms::new();
        let system = System::new(program, &mut terms).map_err(|error| error.to_string())?;
        let first = |v: &selvedge_symbolic::StateVariable| {
            terms.evaluate(v.initial, &|_| None).map(|value| (v.variable, value))
        };
        let values = system.variables.iter().filter_map(first).collect();
        let places = system.start();
        Ok(Mirror { interpreter: Interpreter::new(program), system, terms, places, values })
    }

    /// The thread that is in the middle of a step.
    pub fn in_the_middle(&self) -> Option<usize> {
        (0..self.places.len()).find(|&t| self.system.location(&self.places, t).kind == LocationKind::Internal)
    }

    /// The transition that a thread takes, with the alternative that the interpreter numbers so.
    fn taken(&self, thread: usize, choice: u32) -> Result<(usize, BTreeMap<Variable, Value>), String> {
        let mut found = Vec::new();
        for (number, transition) in self.system.transitions(&self.places, thread) {
            let mut values = self.values.clone();
            if let Some((input, low)) = &transition.input {
                let low = self.terms.evaluate(*low, &|v| self.values.get(&v).cloned()).and_then(|v| v.int());
                values.insert(*input, Value::Int(low.ok_or("no value")? + i128::from(choice)));
            }
            if self.terms.evaluate(transition.guard, &|v| values.get(&v).cloned()) == Some(Value::Int(1)) {
                found.push((number, values));
            }
        }
        let is_signal = |(number, _): &(usize, BTreeMap<Variable, Value>)| {
            self.system.location(&self.places, thread).transitions[*number].woken.is_some()
        };
        match &found[..] {
            [only] => Ok(only.clone()),
            several if several.iter().all(is_signal) => {
                // Paths to threads that wait, which the interpreter numbers in the order of the threads.
                let mut several = several.to_vec();
                several.sort_by_key(|(number, _)| {
                    self.system.location(&self.places, thread).transitions[*number]
                        .woken
                        .as_ref()
                        .map(|w| w.thread)
                });
                several.get(choice as usize).cloned().ok_or_else(|| "no such choice".to_owned())
            }
            _ => Err(format!("{} ways for thread {thread} at {:?}", found.len(), self.places)),
        }
    }

    fn apply(&mut self, thread: usize, transition: &Transition, values: &BTreeMap<Variable, Value>) {
        let value = |term| self.terms.evaluate(term, &|v| values.get(&v).cloned());
        let new: Vec<_> =
            transition.updates.iter().filter_map(|(&v, &term)| Some((v, value(term)?))).collect();
        self.values.extend(new);
        if let Some(places) = self.system.after(&self.places, thread, transition) {
            self.places = places;
        }
    }

    /// Goes on in the middle of a step of the interpreter, which is there already; the number of the transition.
    ///
    /// # Errors
    /// When the two differ.
    pub fn go_on(&mut self, thread: usize) -> Result<usize, String> {
        let (number, values) = self.taken(thread, 0)?;
        let transition = self.system.location(&self.places, thread).transitions[number].clone();
        self.apply(thread, &transition, &values);
        Ok(number)
    }

    /// Whether a thread can make a step, for both.
    ///
    /// # Errors
    /// When they differ.
    pub fn is_enabled(&mut self, thread: usize) -> Result<bool, String> {
        let enabled = self.interpreter.is_enabled(ThreadId::at(thread));
        if !self.system.is_running(&self.places, thread) {
            return if enabled { Err(format!("thread {thread} runs, but not on terms")) } else { Ok(false) };
        }
        let (number, _) = self.taken(thread, 0)?;
        let is_blocked =
            self.system.location(&self.places, thread).transitions[number].target == Target::Blocked;
        match is_blocked == enabled {
            true => Err(format!("thread {thread} is enabled: {enabled}, on terms: {}", !is_blocked)),
            false => Ok(enabled),
        }
    }

    /// Makes a step of both; the number of the transition.
    ///
    /// # Errors
    /// When they differ.
    pub fn step(&mut self, thread: usize, choice: u32) -> Result<(usize, Ended), String> {
        let (number, values) = self.taken(thread, choice)?;
        let transition = self.system.location(&self.places, thread).transitions[number].clone();
        let mut footprint = Footprint::default();
        self.interpreter.step(Decision { thread: ThreadId::at(thread), choice }, &mut footprint);
        let failed = !self.interpreter.failures().is_empty();
        match &transition.target {
            Target::Failed(kind, span) => {
                let same = self.interpreter.failures().iter().any(|f| f.kind == *kind && f.span == *span);
                return if same {
                    Ok((number, Ended::Failed))
                } else {
                    Err(format!("{kind:?} on terms only"))
                };
            }
            Target::Location(_) => self.apply(thread, &transition, &values),
            Target::Blocked | Target::Diverged => return Err("a step that is none on terms".to_owned()),
        }
        // Local code comes later on terms: it may still fail.
        if failed && self.in_the_middle().is_none() {
            return Err(format!("{:?} in the interpreter only", self.interpreter.failures()));
        }
        Ok((number, if failed { Ended::Failed } else { Ended::There }))
    }

    /// Whether both are in the same state; only to be asked when no thread is in the middle of a step.
    ///
    /// # Errors
    /// In words, what differs.
    pub fn compare(&self) -> Result<(), String> {
        for variable in &self.system.variables {
            let value = &self.values[&variable.variable];
            let differs = |there: i64| value.int() != Some(there.into());
            match variable.place {
                Place::Cell(cell) => {
                    let there = self.interpreter.value(LocationId(cell));
                    if differs(there) {
                        return Err(format!("{} is {there}, on terms {value:?}", variable.name));
                    }
                }
                Place::Slot { thread, slot } => {
                    let state = self.interpreter.thread_state(ThreadId(thread));
                    let runs = state.status == ThreadStatus::Running && state.depth == 0;
                    if let Some(&there) = state.locals.get(slot as usize).filter(|_| runs)
                        && differs(there)
                    {
                        return Err(format!("{} is {there}, on terms {value:?}", variable.name));
                    }
                }
                Place::Array(array) => {
                    let range = &self.interpreter.layout().arrays[array as usize];
                    let Value::Array(usual, others) = value else { return Err("no array".to_owned()) };
                    for index in 0..range.length {
                        let there = self.interpreter.value(LocationId(range.start + index));
                        let here = others.get(&i128::from(index)).unwrap_or(usual);
                        if *here != i128::from(there) {
                            return Err(format!("{}[{index}] is {there}, on terms {here}", variable.name));
                        }
                    }
                }
            }
        }
        for thread in 0..self.places.len() {
            let is_running = self.system.is_running(&self.places, thread);
            let status = self.interpreter.status(ThreadId::at(thread));
            if is_running != (status == ThreadStatus::Running) {
                return Err(format!("thread {thread} is {status:?}, but not on terms"));
            }
        }
        Ok(())
    }
}

/// Runs a program along a random schedule for a number of steps, comparing all the way.
///
/// # Errors
/// When the two differ.
pub fn random_run(program: &Program, random: &mut Random, steps: usize) -> Result<(), String> {
    let mut mirror = Mirror::new(program)?;
    for _ in 0..steps {
        while let Some(thread) = mirror.in_the_middle() {
            let before = mirror.places.clone();
            let number = mirror.go_on(thread)?;
            if mirror.system.location(&before, thread).transitions[number].place().is_none() {
                return Ok(());
            }
        }
        mirror.compare()?;
        let mut enabled = Vec::new();
        for thread in 0..mirror.places.len() {
            if mirror.is_enabled(thread)? {
                enabled.push(thread);
            }
        }
        if enabled.is_empty() {
            return Ok(());
        }
        let thread = *random.pick(&enabled);
        let choices = mirror.interpreter.choices(ThreadId::at(thread));
        let choice = random.below(choices.min(1 << 20) as usize) as u32;
        if mirror.step(thread, choice)?.1 == Ended::Failed {
            return Ok(());
        }
    }
    Ok(())
}
