//! A certificate of all states: a set that contains the beginning, that no step leads out of, and in which nothing goes wrong.
//!
//! A program that runs forever may have few states and no proof that is found soon. The list of its states is a proof, too, that can be checked
//! without a solver and without believing the maker of the list: every step of every thread, with every input, from every state of the
//! list leads to a state of the list, and none fails; in none of them all threads have to wait. States are those between steps of the
//! interpreter: local code belongs to the step before.
//!
//! ```text
//! selvedge certificate 2
//! program 7d1c…
//! claim all states
//! variables |count| |m|
//! state 3 5 : 0 0
//! state 4 5 : 1 {0;3=7;}
//! end
//! ```

use crate::certificate::{FormatError, HEAD, fingerprint, fingerprint_of, is_head};
use crate::check::CheckError;
use selvedge_smt::evaluate::Value;
use selvedge_smt::{Patience, Term, Terms, Variable};
use selvedge_symbolic::{LocationKind, System, Target, Transition};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fmt::{self, Write};
use std::sync::Arc;

/// The most states that a certificate may list.
pub const MOST_STATES: usize = 100_000;
/// The most values of one input that are tried.
const MOST_INPUTS: i128 = 1 << 16;
/// The most local steps between two steps of the interpreter.
const MOST_LOCAL: usize = 10_000;

/// All states of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCertificate {
    /// Which program it is about: its [`fingerprint`].
    pub program: String,
    /// The names of the variables.
    pub variables: Vec<String>,
    /// The states: the places of the threads and the values of the variables, as text.
    pub states: Vec<String>,
}

/// Why there is no list of states.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoList {
    /// There are too many.
    #[error("there are more than {MOST_STATES} states")]
    TooMany,
    /// Something goes wrong, or cannot be listed.
    #[error(transparent)]
    Check(#[from] CheckError),
}

impl fmt::Display for StateCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEAD}\nprogram {}\nclaim all states", self.program)?;
        let variables: String = self.variables.iter().map(|name| format!(" |{name}|")).collect();
        writeln!(f, "variables{variables}")?;
        self.states.iter().try_for_each(|state| writeln!(f, "state {state}"))?;
        writeln!(f, "end")
    }
}

impl StateCertificate {
    /// Whether a text claims to be a list of states.
    pub fn is_claimed_by(text: &str) -> bool {
        text.lines().take(3).any(|line| line == "claim all states")
    }

    /// Reads the text of a list of states.
    ///
    /// # Errors
    /// When the text is none.
    pub fn parse(text: &str) -> Result<StateCertificate, FormatError> {
        let mut certificate =
            StateCertificate { program: String::new(), variables: Vec::new(), states: Vec::new() };
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in (1..).zip(&lines) {
            let fail = |what| FormatError { line: number, what };
            let expect = |head: &str| line.strip_prefix(head).ok_or(fail("this is not understood here"));
            match number {
                1 => is_head(line).map_err(fail)?,
                2 => certificate.program = fingerprint_of(expect("program ")?).map_err(fail)?,
                3 => drop(expect("claim all states")?),
                4 => {
                    let names = expect("variables")?.split_terminator('|').skip(1).step_by(2);
                    certificate.variables = names.map(str::to_owned).collect();
                }
                _ if number == lines.len() => drop(expect("end")?),
                _ => certificate.states.push(expect("state ")?.to_owned()),
            }
        }
        match lines.last() {
            Some(&"end") if lines.len() > 4 => {
                // Nothing may be in the text but what was read from it.
                let rewritten = certificate.to_string();
                match rewritten.lines().zip(&lines).position(|(one, other)| one != *other) {
                    None => Ok(certificate),
                    Some(at) => Err(FormatError { line: at + 1, what: "this is not understood" }),
                }
            }
            _ => Err(FormatError { line: lines.len(), what: "the end is missing" }),
        }
    }
}

/// Lists all states of a program.
///
/// # Errors
/// When there are too many, or something goes wrong in one of them.
pub fn list(program: &selvedge_ir::Program, patience: &Patience) -> Result<StateCertificate, NoList> {
    let mut steps = Steps::new(program, patience)?;
    let mut states: Vec<String> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut todo: VecDeque<State> = steps.start()?.into();
    while let Some(state) = todo.pop_front() {
        patience.watch().map_err(CheckError::from)?;
        let text = state.to_string();
        if !known.insert(text.clone()) {
            continue;
        }
        if known.len() > MOST_STATES {
            return Err(NoList::TooMany);
        }
        states.push(text);
        todo.extend(steps.after(&state)?);
    }
    let variables = steps.system.variables.iter().map(|v| v.name.clone()).collect();
    Ok(StateCertificate { program: fingerprint(program), variables, states })
}

/// Checks a list of states; how many there are.
///
/// # Errors
/// When it is wrong, or cannot be checked.
pub fn check(
    program: &selvedge_ir::Program,
    certificate: &StateCertificate,
    patience: &Patience,
) -> Result<usize, CheckError> {
    if certificate.program != fingerprint(program) {
        return wrong("it is about another program");
    }
    let mut steps = Steps::new(program, patience)?;
    if !steps.system.variables.iter().map(|v| &v.name).eq(&certificate.variables) {
        return wrong("the variables of the program are others");
    }
    let listed: HashSet<&str> = certificate.states.iter().map(String::as_str).collect();
    if listed.len() != certificate.states.len() {
        return wrong("a state is listed twice");
    }
    let is_listed = |state: &State| listed.contains(&state.to_string()[..]);
    if !steps.start()?.iter().all(is_listed) {
        return wrong("the beginning is not listed");
    }
    for (number, text) in certificate.states.iter().enumerate() {
        patience.watch()?;
        let Some(state) = steps.read(text) else {
            return wrong(format!("state {number} cannot be read: {text}"));
        };
        if let Some(missing) = steps.after(&state)?.iter().find(|after| !is_listed(after)) {
            return wrong(format!("a step leads from state {number} to one that is not listed: {missing}"));
        }
    }
    Ok(listed.len())
}

fn wrong<T>(what: impl Into<String>) -> Result<T, CheckError> {
    Err(CheckError::Wrong(what.into()))
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    places: Vec<u32>,
    /// By the numbers of the variables in the system.
    values: Vec<Value>,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.places.iter().try_for_each(|place| write!(text, "{place} "))?;
        text.push(':');
        for value in &self.values {
            match value {
                Value::Int(number) => write!(text, " {number}")?,
                Value::Array(usual, exceptions) => {
                    write!(text, " {{{usual};")?;
                    for (index, value) in exceptions.iter().filter(|(_, value)| *value != usual) {
                        write!(text, "{index}={value};")?;
                    }
                    text.push('}');
                }
            }
        }
        f.write_str(&text)
    }
}

/// The steps of a program on values.
struct Steps {
    system: System,
    terms: Terms,
}

impl Steps {
    fn new(program: &selvedge_ir::Program, patience: &Patience) -> Result<Steps, CheckError> {
        let mut terms = Terms::new();
        let system = System::new(program, &mut terms, patience)?;
        Ok(Steps { system, terms })
    }

    fn read(&self, text: &str) -> Option<State> {
        let (places, values) = text.split_once(" :")?;
        let places: Vec<u32> = places.split(' ').map(|place| place.parse().ok()).collect::<Option<_>>()?;
        let values: Vec<Value> = values.split_whitespace().map(value).collect::<Option<_>>()?;
        let threads = &self.system.threads;
        let is_place = |(thread, &place): (usize, &u32)| (place as usize) < threads[thread].locations.len();
        let fits = places.len() == threads.len()
            && values.len() == self.system.variables.len()
            && places.iter().enumerate().all(is_place);
        // A text that is read must be the one that is written, so that a state has one text only.
        Some(State { places, values }).filter(|state| fits && state.to_string() == text)
    }

    fn evaluate(&self, state: &State, term: Term, input: Option<(Variable, i128)>) -> Option<Value> {
        self.terms.evaluate(term, &|variable| match input {
            Some((this, value)) if this == variable => Some(Value::Int(value)),
            _ => self.system.numbers.get(&variable).map(|&number| state.values[number].clone()),
        })
    }

    /// The states at the beginning, after local code.
    fn start(&mut self) -> Result<Vec<State>, CheckError> {
        let values = self.system.variables.iter().map(|v| self.terms.evaluate(v.initial, &|_| None));
        let Some(values) = values.collect::<Option<Vec<Value>>>() else {
            return wrong("a variable has no value at the beginning");
        };
        self.settled(vec![State { places: self.system.start(), values }])
    }

    /// The states after one step of any thread, if nothing goes wrong and not all threads have to wait.
    fn after(&mut self, state: &State) -> Result<Vec<State>, CheckError> {
        let mut after = Vec::new();
        let mut is_stuck = true;
        for thread in 0..state.places.len() {
            if self.system.is_running(&state.places, thread) {
                let ways = self.step(state, thread)?;
                is_stuck &= ways.is_empty();
                after.extend(ways);
            }
        }
        if is_stuck && self.system.counts_as_deadlock(&state.places) {
            return wrong(format!("all threads have to wait in the state {state}"));
        }
        self.settled(after)
    }

    /// The states after a transition of a thread; none if it has to wait.
    fn step(&self, state: &State, thread: usize) -> Result<Vec<State>, CheckError> {
        let mut after = Vec::new();
        let mut is_defined = false;
        for (_, transition) in self.system.transitions(&state.places, thread) {
            for input in self.inputs(state, transition)? {
                match self.evaluate(state, transition.guard, input) {
                    Some(Value::Int(1)) => is_defined = true,
                    Some(_) => continue,
                    None => return wrong(format!("a condition has no value in the state {state}")),
                }
                match transition.target {
                    Target::Blocked => {}
                    Target::Failed(..) | Target::Diverged => {
                        return wrong(format!("thread {thread} can fail in the state {state}"));
                    }
                    Target::Location(_) => match self.taken(state, thread, transition, input) {
                        Some(next) => after.push(next),
                        None => return wrong(format!("a step has no result in the state {state}")),
                    },
                }
            }
        }
        match is_defined {
            true => Ok(after),
            false => wrong(format!("thread {thread} has no step in the state {state}")),
        }
    }

    /// The inputs of a transition, by the values that its variable can have.
    fn inputs(
        &self,
        state: &State,
        transition: &Transition,
    ) -> Result<Vec<Option<(Variable, i128)>>, CheckError> {
        let Some((input, low)) = transition.input else { return Ok(vec![None]) };
        let bound = |term: Option<Term>| self.evaluate(state, term?, None)?.int();
        match (bound(Some(low)), bound(transition.input_end)) {
            (Some(low), Some(end)) if end - low <= MOST_INPUTS => {
                Ok((low..end).map(|value| Some((input, value))).collect())
            }
            _ => Err(CheckError::Unknown(format!("an input has more than {MOST_INPUTS} values"))),
        }
    }

    fn taken(
        &self,
        state: &State,
        thread: usize,
        transition: &Transition,
        input: Option<(Variable, i128)>,
    ) -> Option<State> {
        let places = self.system.after(&state.places, thread, transition)?;
        let mut values = state.values.clone();
        for (variable, &term) in &transition.updates {
            values[*self.system.numbers.get(variable)?] = self.evaluate(state, term, input)?;
        }
        Some(State { places, values })
    }

    /// The states after local code, in which threads go on before others do.
    fn settled(&self, states: Vec<State>) -> Result<Vec<State>, CheckError> {
        let mut settled = Vec::new();
        let mut todo: Vec<(State, usize)> = states.into_iter().map(|state| (state, 0)).collect();
        while let Some((state, depth)) = todo.pop() {
            let is_local =
                |&thread: &usize| self.system.location(&state.places, thread).kind == LocationKind::Internal;
            let Some(thread) = (0..state.places.len()).find(is_local) else {
                settled.push(state);
                continue;
            };
            if depth > MOST_LOCAL {
                return Err(CheckError::Unknown("a thread ends its local code".to_owned()));
            }
            todo.extend(self.step(&state, thread)?.into_iter().map(|next| (next, depth + 1)));
        }
        Ok(settled)
    }
}

/// The value that a word is.
fn value(word: &str) -> Option<Value> {
    let Some(array) = word.strip_prefix('{') else { return Some(Value::Int(word.parse().ok()?)) };
    let mut parts = array.strip_suffix(";}")?.split(';');
    let usual = parts.next()?.parse().ok()?;
    let pairs = parts.map(|pair| {
        let (index, value) = pair.split_once('=')?;
        Some((index.parse().ok()?, value.parse().ok()?))
    });
    Some(Value::Array(usual, Arc::new(pairs.collect::<Option<BTreeMap<i128, i128>>>()?)))
}
