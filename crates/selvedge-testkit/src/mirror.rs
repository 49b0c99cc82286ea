//! A program run twice, side by side: by the interpreter, and by the transitions on terms with values for the variables.

use crate::random::Random;
use selvedge_explore::{Program as _, ThreadStatus};
use selvedge_interp::Interpreter;
use selvedge_ir::Program;
use selvedge_smt::evaluate::Value;
use selvedge_smt::{Patience, Term, Terms, Variable};
use selvedge_symbolic::{LocationKind, Place, System, Target};
use selvedge_trace::{Decision, Footprint, LocationId, ThreadId};

/// Both.
pub struct Mirror {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// The transitions.
    pub system: System,
    terms: Terms,
    /// Where the threads stand.
    pub places: Vec<u32>,
    /// By the number of the variable.
    values: Vec<Option<Value>>,
}

/// A transition by its number, with the value of its input.
type Taken = (usize, Option<(Variable, i128)>);

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
        let system =
            System::new(program, &mut terms, &Patience::default()).map_err(|error| error.to_string())?;
        let mut values = Vec::new();
        for variable in &system.variables {
            let number = variable.variable.0 as usize;
            values.resize(values.len().max(number + 1), None);
            values[number] = terms.evaluate(variable.initial, &|_| None);
        }
        let places = system.start();
        Ok(Mirror { interpreter: Interpreter::new(program), system, terms, places, values })
    }

    /// The thread that is in the middle of a step.
    pub fn in_the_middle(&self) -> Option<usize> {
        (0..self.places.len()).find(|&t| self.system.location(&self.places, t).kind == LocationKind::Internal)
    }

    /// Whether a thread is in the middle of a step.
    pub fn is_in_the_middle(&self, thread: usize) -> bool {
        self.system.location(&self.places, thread).kind == LocationKind::Internal
    }

    fn evaluate(&self, term: Term, input: Option<(Variable, i128)>) -> Option<Value> {
        self.terms.evaluate(term, &|variable| match input {
            Some((this, value)) if this == variable => Some(Value::Int(value)),
            _ => self.values.get(variable.0 as usize)?.clone(),
        })
    }

    /// The transition that a thread takes, with the alternative that the interpreter numbers so.
    fn taken(&self, thread: usize, choice: u32) -> Result<Taken, String> {
        let mut found: Vec<Taken> = Vec::new();
        for (number, transition) in self.system.transitions(&self.places, thread) {
            let input = match &transition.input {
                None => None,
                Some((input, low)) => {
                    let low = self.evaluate(*low, None).and_then(|low| low.int()).ok_or("no value")?;
                    Some((*input, low + i128::from(choice)))
                }
            };
            if self.evaluate(transition.guard, input) == Some(Value::Int(1)) {
                found.push((number, input));
            }
        }
        let woken = |taken: &Taken| {
            let transition = &self.system.location(&self.places, thread).transitions[taken.0];
            transition.woken.as_ref().map(|woken| woken.thread)
        };
        match &found[..] {
            [only] => Ok(*only),
            several if several.iter().all(|taken| woken(taken).is_some()) => {
                // Paths to threads that wait, which the interpreter numbers in the order of the threads.
                found.sort_by_key(woken);
                found.get(choice as usize).copied().ok_or_else(|| "no such choice".to_owned())
            }
            _ => Err(format!("{} ways for thread {thread} at {:?}", found.len(), self.places)),
        }
    }

    fn apply(&mut self, thread: usize, (number, input): Taken) {
        let transition = &self.system.location(&self.places, thread).transitions[number];
        let value = |(&variable, &term): (&Variable, &Term)| Some((variable, self.evaluate(term, input)?));
        let new: Vec<(Variable, Value)> = transition.updates.iter().filter_map(value).collect();
        let places = self.system.after(&self.places, thread, transition);
        for (variable, value) in new {
            self.values[variable.0 as usize] = Some(value);
        }
        self.places = places.unwrap_or_else(|| std::mem::take(&mut self.places));
    }

    /// Goes on in the middle of a step of the interpreter, which is there already; the number of the transition.
    ///
    /// # Errors
    /// When the two differ.
    pub fn go_on(&mut self, thread: usize) -> Result<usize, String> {
        let taken = self.taken(thread, 0)?;
        self.apply(thread, taken);
        Ok(taken.0)
    }

    /// Whether a thread can make a step, for both. One that is in the middle of a step can, on terms; others may have to wait on terms
    /// for its end, to which the interpreter has come already.
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
        let may_differ = self.is_in_the_middle(thread) || (is_blocked && self.in_the_middle().is_some());
        match is_blocked == enabled && !may_differ {
            true => Err(format!("thread {thread} is enabled: {enabled}, on terms: {}", !is_blocked)),
            false => Ok(!is_blocked),
        }
    }

    /// Makes a step of both; the number of the transition.
    ///
    /// # Errors
    /// When they differ.
    pub fn step(&mut self, thread: usize, choice: u32) -> Result<(usize, Ended), String> {
        let taken = self.taken(thread, choice)?;
        let number = taken.0;
        let target = self.system.location(&self.places, thread).transitions[number].target.clone();
        let mut footprint = Footprint::default();
        self.interpreter.step(Decision { thread: ThreadId::at(thread), choice }, &mut footprint);
        let failed = !self.interpreter.failures().is_empty();
        match &target {
            Target::Failed(kind, span) => {
                let same = self.interpreter.failures().iter().any(|f| f.kind == *kind && f.span == *span);
                return if same {
                    Ok((number, Ended::Failed))
                } else {
                    Err(format!("{kind:?} on terms only"))
                };
            }
            Target::Location(_) => self.apply(thread, taken),
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
            let Some(value) = &self.values[variable.variable.0 as usize] else { continue };
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
