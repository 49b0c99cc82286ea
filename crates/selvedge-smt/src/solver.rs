//! Questions to a solver: is this satisfiable, by which values, and which parts contradict each other.
//!
//! Every question is asked in a scope of its own, with nothing but its formulas in it: solvers are slower the more
//! they have to carry around. A new process is tested with two questions whose answers are known, and after a question that a
//! process could not answer a new one takes its place: what it has begun to think about would be in the way of the next.

use crate::evaluate::Value;
use crate::patience::Patience;
use crate::process::{Limit, Process, Reuse, SolverError};
use crate::term::{Term, Terms, Variable};
use crate::{parse, text};
use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

/// The work for one question, in the units of the solvers: some seconds.
const MOST_WORK: u64 = 8_000_000;

/// The megabytes of memory that a solver may use by default. Questions that are answered take far less.
const MOST_MEMORY: u64 = 1024;

/// The time that a solver may take beyond its limit for a question: some of its computations do not look at the clock.
const GRACE: Duration = Duration::from_secs(2);

/// Questions in a row that a solver may leave without an answer.
const MOST_SILENCES: u32 = 3;

/// Questions between two looks at the solver's own count of its work.
const BETWEEN_COUNTS: u64 = 16;

/// A kind of solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Z3 of Microsoft Research.
    Z3,
    /// cvc5 of Stanford and Iowa.
    Cvc5,
}

/// Which solver, and how long it may think.
#[derive(Clone, Debug)]
pub struct Options {
    /// The kind, which decides the arguments.
    pub kind: Kind,
    /// The program to start.
    pub program: String,
    /// The time for one question. It is a last resort: the work for one question is limited before, so that what a solver says
    /// does not depend on how busy the machine is.
    pub query_time: Duration,
    /// The megabytes of memory that it may use.
    pub megabytes: u64,
    /// How long to wait for all of them.
    pub patience: Patience,
    /// Whether its process may be one that was used before.
    pub reuse: Reuse,
}

impl Options {
    /// The solver of this name: `z3`, `cvc5`, or the path of a program whose name contains one of them; anything else is
    /// started like z3.
    pub fn named(program: &str) -> Options {
        let file = std::path::Path::new(program).file_name().map(|name| name.to_string_lossy().into_owned());
        let kind = if file.is_some_and(|name| name.contains("cvc5")) { Kind::Cvc5 } else { Kind::Z3 };
        Options {
            kind,
            program: program.to_owned(),
            query_time: Duration::from_secs(30),
            megabytes: MOST_MEMORY,
            patience: Patience::default(),
            reuse: Reuse::Never,
        }
    }
}

/// The answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There are values that make all formulas true.
    Sat,
    /// There are none.
    Unsat,
    /// The solver does not know.
    Unknown,
}

/// Which formulas contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Core {
    /// These do, by their numbers.
    Unsat(Vec<usize>),
    /// The assertions do not contradict each other.
    Sat,
    /// The solver does not know.
    Unknown,
}

/// What solvers did, in their own units: the same on every machine, so searches may be limited by it.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    /// Of processes that were replaced.
    before: u64,
    /// Of the present process.
    present: u64,
}

/// A solver.
#[derive(Debug)]
pub struct Solver {
    process: Process,
    options: Options,
    declared: HashSet<Variable>,
    queries: u64,
    /// The work of processes that were replaced, and of the present one when it was last asked.
    work: Work,
    /// Questions in a row that were not answered within the limits of time and memory.
    silences: u32,
}

impl Solver {
    /// Starts a solver and tests it.
    ///
    /// # Errors
    /// When it cannot be started or does not behave like a solver.
    pub fn start(options: Options) -> Result<Solver, SolverError> {
        let process = started(&options)?;
        let mut solver = Solver {
            process,
            options,
            declared: HashSet::new(),
            queries: 0,
            work: Work::default(),
            silences: 0,
        };
        solver.begin()?;
        Ok(solver)
    }

    fn begin(&mut self) -> Result<(), SolverError> {
        let logic = match self.options.kind {
            Kind::Z3 => "",
            Kind::Cvc5 => "(set-logic ALL)\n",
        };
        self.process.send(&format!(
            "(set-option :print-success false)\n(set-option :produce-unsat-cores true)\n(set-option :produce-models true)\n{logic}"
        ))?;
        self.test("(assert (< 2 1))", "unsat")?;
        self.test("(assert (< 1 2))", "sat")
    }

    /// Closes the scope of a question; a process that could not answer it is replaced.
    fn close(&mut self, is_answered: bool) -> Result<(), SolverError> {
        if is_answered {
            self.process.send("(pop 1)\n")?;
            return self.count_work();
        }
        self.work = Work { before: self.work.before + self.work.present + MOST_WORK, present: 0 };
        self.process.forget();
        self.process = started(&self.options)?;
        self.declared.clear();
        self.begin()
    }

    /// Asks for the work of the present process, now and then: only z3 tells.
    fn count_work(&mut self) -> Result<(), SolverError> {
        if self.options.kind != Kind::Z3 || !self.queries.is_multiple_of(BETWEEN_COUNTS) {
            return Ok(());
        }
        self.process.send("(get-info :rlimit)\n")?;
        let answer = self.answer()?;
        let number = answer.trim_matches(['(', ')']).strip_prefix(":rlimit ");
        // A solver that does not count does not matter: then questions are counted alone.
        self.work.present = number.and_then(|number| number.trim().parse().ok()).unwrap_or(self.work.present);
        Ok(())
    }

    fn test(&mut self, formula: &'static str, expected: &str) -> Result<(), SolverError> {
        self.process.send(&format!("(push 1)\n{formula}\n(check-sat)\n"))?;
        let answer = self.answer()?;
        self.process.send("(pop 1)\n")?;
        match &answer[..] {
            _ if answer == expected => Ok(()),
            "sat" | "unsat" => Err(SolverError::Wrong { formula, answer }),
            _ => Err(SolverError::Nonsense(answer)),
        }
    }

    /// The number of questions asked.
    pub fn queries(&self) -> u64 {
        self.queries
    }

    /// The work of the solver, in its own units, as far as it is known: a question that was not answered counts as all the work that
    /// is allowed for one.
    pub fn work(&self) -> u64 {
        self.work.before + self.work.present
    }

    /// Waits no longer than this from now on.
    pub fn wait_for(&mut self, patience: Patience) {
        self.options.patience = patience;
    }

    fn answer(&mut self) -> Result<String, SolverError> {
        let limit = Limit { time: self.options.query_time + GRACE, megabytes: self.options.megabytes };
        self.process.answer(limit, &self.options.patience)
    }

    fn declare(&mut self, terms: &Terms, formulas: &[Term], script: &mut String) {
        for variable in terms.variables_of(formulas.iter().copied()) {
            if self.declared.insert(variable) {
                script.push_str(&text::declaration(terms, variable));
                script.push('\n');
            }
        }
    }

    fn ask(&mut self, script: &str) -> Result<Answer, SolverError> {
        self.queries += 1;
        let answer = match self.process.send(script).and_then(|()| self.answer()) {
            Err(SolverError::Silent(_) | SolverError::Full) if self.silences < MOST_SILENCES => {
                self.silences += 1;
                return Ok(Answer::Unknown);
            }
            answer => answer?,
        };
        self.silences = 0;
        match &answer[..] {
            "sat" => Ok(Answer::Sat),
            "unsat" => Ok(Answer::Unsat),
            "unknown" | "timeout" => Ok(Answer::Unknown),
            _ => Err(SolverError::Nonsense(answer)),
        }
    }

    /// Whether all formulas can be true together.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn check(&mut self, terms: &Terms, formulas: &[Term]) -> Result<Answer, SolverError> {
        let answer = self.open(terms, formulas)?;
        self.close(answer != Answer::Unknown)?;
        Ok(answer)
    }

    /// Opens a scope, asserts formulas and asks.
    fn open(&mut self, terms: &Terms, formulas: &[Term]) -> Result<Answer, SolverError> {
        let mut script = String::new();
        self.declare(terms, formulas, &mut script);
        script.push_str("(push 1)\n");
        for &formula in formulas {
            script.push_str(&format!("(assert {})\n", text::term(terms, formula)));
        }
        script.push_str("(check-sat)\n");
        self.ask(&script)
    }

    /// Values of integer variables that make all formulas true, or the answer if there are none.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn model(
        &mut self,
        terms: &Terms,
        formulas: &[Term],
        variables: &[Variable],
    ) -> Result<Result<BTreeMap<Variable, Value>, Answer>, SolverError> {
        let answer = self.open(terms, formulas)?;
        if answer != Answer::Sat {
            self.close(answer != Answer::Unknown)?;
            return Ok(Err(answer));
        }
        let wanted: Vec<Variable> = variables.iter().copied().filter(|v| self.declared.contains(v)).collect();
        let mut values = BTreeMap::new();
        if !wanted.is_empty() {
            let symbols: Vec<String> = wanted.iter().map(|&variable| text::symbol(variable)).collect();
            self.process.send(&format!("(get-value ({}))\n", symbols.join(" ")))?;
            let answer = self.answer()?;
            let numbers = parse::values(&answer).ok_or_else(|| SolverError::Nonsense(answer.clone()))?;
            if numbers.len() != wanted.len() {
                return Err(SolverError::Nonsense(answer));
            }
            values.extend(wanted.into_iter().zip(numbers.into_iter().map(Value::Int)));
        }
        self.close(true)?;
        Ok(Ok(values))
    }

    /// Some of the `soft` formulas that contradict each other and the `hard` ones.
    ///
    /// # Errors
    /// When the solver fails.
    pub fn core(&mut self, terms: &Terms, hard: &[Term], soft: &[Term]) -> Result<Core, SolverError> {
        let mut script = String::new();
        self.declare(terms, hard, &mut script);
        self.declare(terms, soft, &mut script);
        script.push_str("(push 1)\n");
        for &formula in hard {
            script.push_str(&format!("(assert {})\n", text::term(terms, formula)));
        }
        for (number, &formula) in soft.iter().enumerate() {
            script.push_str(&format!("(assert (! {} :named c{number}))\n", text::term(terms, formula)));
        }
        script.push_str("(check-sat)\n");
        let answer = self.ask(&script)?;
        let core = match answer {
            Answer::Sat => Core::Sat,
            Answer::Unknown => Core::Unknown,
            Answer::Unsat => {
                self.process.send("(get-unsat-core)\n")?;
                let answer = self.answer()?;
                let names = answer.trim_matches(['(', ')']).split_whitespace();
                let numbers: Option<Vec<usize>> = names
                    .map(|name| name.strip_prefix('c')?.parse().ok().filter(|&number| number < soft.len()))
                    .collect();
                let mut numbers = numbers.ok_or(SolverError::Nonsense(answer))?;
                numbers.sort_unstable();
                Core::Unsat(numbers)
            }
        };
        self.close(answer != Answer::Unknown)?;
        Ok(core)
    }
}

/// Starts a process, with limits for each question.
fn started(options: &Options) -> Result<Process, SolverError> {
    let milliseconds = options.query_time.as_millis().max(1);
    let (arguments, package): (Vec<String>, _) = match options.kind {
        Kind::Z3 => {
            let memory = format!("-memory:{}", options.megabytes);
            let limits = [format!("-t:{milliseconds}"), format!("rlimit={MOST_WORK}"), memory];
            (["-in", "-smt2"].into_iter().map(str::to_owned).chain(limits).collect(), "z3")
        }
        Kind::Cvc5 => {
            let limits = [format!("--tlimit-per={milliseconds}"), format!("--rlimit-per={MOST_WORK}")];
            let words = ["--incremental", "--produce-models", "--produce-unsat-cores", "-q", "--lang=smt2"];
            (words.into_iter().map(str::to_owned).chain(limits).collect(), "cvc5")
        }
    };
    Process::start(&options.program, &arguments, package, options.reuse)
}
