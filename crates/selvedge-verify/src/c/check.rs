//! Checking a program in C: explored by a plan, or a property decided by a portfolio, and begun again when an execution refutes a
//! speculation.

use super::native::Native;
use super::portfolio::{self, Decided};
use super::question::Question;
use super::terms;
use crate::monitor::OfSearch;
use crate::{Monitor, Outcome, Task, VerifyError, root};
use selvedge_claim::{Run, scope};
use selvedge_explore::auto::{self, CANDIDATES, Reason};
use selvedge_explore::bounds::deepening::Reached;
use selvedge_explore::plan::Explored;
use selvedge_explore::{
    Algorithm, Attempt, Exploration, Plan, Speculates, Stop, explore, restart_while_refuted,
};
use selvedge_machine::failure::CutReason;
use selvedge_machine::{Failure, Machine, Options};
use std::time::Instant;

/// A program in C or C++ to check.
#[derive(Clone, Copy, Debug)]
pub struct CheckC<'t> {
    /// The program.
    pub native: &'t Native,
    /// What to look for.
    pub question: &'t Question,
    /// How to explore it.
    pub plan: Plan,
    /// The root thread that is asked for, by its number.
    pub root: Option<&'t str>,
}

/// What was found in a program in C.
pub struct EvidenceInC {
    /// How it was explored, and what a claim about it assumes.
    pub run: Run,
    /// The machine that found it.
    pub machine: Machine,
    /// What was found.
    pub exploration: Exploration<Failure>,
}

impl EvidenceInC {
    /// Whether nothing but the length or the number of executions stands in the way of a verdict.
    pub fn is_only_long(&self) -> bool {
        let is_long = self.exploration.statistics.cut > 0 || self.exploration.stop == Some(Stop::Time);
        let is_length = |reason: &CutReason| matches!(reason, CutReason::Unroll(_) | CutReason::Counted(_));
        is_long && self.machine.cuts().iter().all(|cut| is_length(&cut.reason))
    }
}

impl Task for CheckC<'_> {
    type Evidence = EvidenceInC;

    fn decide(self, monitor: &mut dyn Monitor) -> Result<Outcome<EvidenceInC>, VerifyError> {
        let prepared = self.prepare(monitor)?;
        self.conclude(prepared, &mut OfSearch(monitor))
    }
}

/// A search that can begin.
pub(super) struct Prepared {
    pub plan: Plan,
    machine: Machine,
}

impl Prepared {
    /// The program at its beginning.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}

impl CheckC<'_> {
    /// Makes the machine and all of the plan.
    pub(super) fn prepare(&self, monitor: &mut dyn Monitor) -> Result<Prepared, VerifyError> {
        self.question.check_preserved(self.plan.algorithm)?;
        let plan = self.resolve_auto();
        let prepared = Instant::now();
        let mut machine = self.machine(plan.algorithm)?;
        let plan = plan.with_remaining_time(prepared);
        let room = machine.thread_room();
        let plan = plan.with_root(root::of_machine(self.root, room)?).with_default_root(&mut machine);
        monitor.begins(&plan, room);
        Ok(Prepared { plan, machine })
    }

    /// Explores, and says what was found.
    pub(super) fn conclude(
        &self,
        Prepared { plan, machine }: Prepared,
        monitor: &mut dyn selvedge_explore::Monitor<Machine>,
    ) -> Result<Outcome<EvidenceInC>, VerifyError> {
        let started = Instant::now();
        let found = self.explored(&plan, machine, started, monitor)?;
        let elapsed = started.elapsed();
        let Found { machine, exploration, reached, states } = found;
        self.check_observed(plan.algorithm, &machine, &exploration)?;
        let terms = terms::of_machine(self.question, &machine, states);
        let (Plan { algorithm, limits, .. }, chosen_because) = (plan, plan.reason());
        let run = Run { algorithm, chosen_because, limits, reached, elapsed, terms };
        let verdict = scope::verdict(&run, &exploration, machine.cuts().len());
        Ok(Outcome { verdict, evidence: EvidenceInC { run, machine, exploration } })
    }
}

/// What an attempt has found.
struct Found {
    machine: Machine,
    exploration: Exploration<Failure>,
    reached: Option<Reached>,
    /// The number of states, if it was a search of states.
    states: Option<usize>,
}

impl Found {
    fn of(explored: Explored<Machine>) -> Found {
        let Explored { exploration, reached, program } = explored;
        Found { machine: program, exploration, reached, states: None }
    }
}

impl CheckC<'_> {
    fn options(&self, algorithm: Algorithm) -> Options {
        self.question.options(algorithm, self.native.path())
    }

    fn machine(&self, algorithm: Algorithm) -> Result<Machine, VerifyError> {
        self.native.machine(self.options(algorithm))
    }

    /// The plan with an algorithm, if that is still to be chosen. One that asks what is observed has to be told every operation, and its
    /// probe must have left nothing out.
    fn resolve_auto(&self) -> Plan {
        let plan = self.plan;
        if !plan.is_open() {
            return plan;
        }
        let is_local = self.question.property.is_none() && self.question.not_local().is_none();
        let covers = |algorithm: Algorithm| match algorithm {
            Algorithm::Observers => false,
            _ => is_local || !algorithm.asks_what_is_observed(),
        };
        let candidates: Vec<_> = CANDIDATES.into_iter().filter(|(algorithm, _)| covers(*algorithm)).collect();
        let started = Instant::now();
        let choice =
            auto::choose_by(&candidates, |algorithm, executions| self.probe(algorithm, executions, started));
        plan.with_choice(choice).with_remaining_time(started)
    }

    /// What speaks for an algorithm after so many executions.
    fn probe(&self, algorithm: Algorithm, executions: u64, started: Instant) -> Option<Reason> {
        let machine = self.machine(algorithm).ok()?;
        let limits = auto::probe_limits(self.plan.limits, executions, started);
        let (found, machine) = explore(machine, algorithm, limits, &mut selvedge_explore::Silent);
        let is_whole =
            found.violations.is_empty() && machine.cuts().is_empty() && machine.refuted().is_none();
        let reason = match Reason::of(algorithm, &found) {
            Some(Reason::Finished { executions }) if !machine.cuts().is_empty() => {
                Some(Reason::Cut { executions })
            }
            reason => reason,
        };
        reason.filter(|_| is_whole || !algorithm.asks_what_is_observed())
    }

    /// Explores until no speculation of the machine is refuted.
    fn explored(
        &self,
        plan: &Plan,
        machine: Machine,
        started: Instant,
        monitor: &mut dyn selvedge_explore::Monitor<Machine>,
    ) -> Result<Found, VerifyError> {
        let unroll = machine.options().unroll;
        let (speculations, mut first) = (*machine.options(), Some(machine));
        restart_while_refuted(speculations, |speculations| {
            let machine = match first.take() {
                Some(machine) => machine,
                None => self.native.machine(Options { unroll, ..speculations })?,
            };
            let found = self.attempt(&plan.with_remaining_time(started), machine, monitor)?;
            let refuted = found.machine.refuted();
            // A search that follows a prefix claims something of all that comes after it.
            let is_settled = monitor.follows_prefix() && found.exploration.stop == Some(Stop::Violation);
            let stop = found.exploration.stop.filter(|_| !is_settled);
            Ok(Attempt::of(found, stop, refuted))
        })
    }

    /// Explores once. To decide a property there is more than one way, but only the algorithms with a bound know what is within it.
    fn attempt(
        &self,
        plan: &Plan,
        machine: Machine,
        monitor: &mut dyn selvedge_explore::Monitor<Machine>,
    ) -> Result<Found, VerifyError> {
        if self.question.property.is_none() {
            return Ok(Found::of(plan.explore(machine, monitor)));
        }
        let options = *machine.options();
        let unlimited = match options.unroll {
            None => None,
            Some(_) => Some(self.native.machine(Options { unroll: None, ..options })?),
        };
        if plan.is_bounded() {
            return Ok(Found::of(portfolio::decide_within_bound(unlimited, machine, plan, monitor)));
        }
        let Plan { algorithm, limits, .. } = *plan;
        let (Decided { exploration, states }, machine) = match unlimited {
            None => portfolio::decide(machine, algorithm, limits, monitor),
            Some(unlimited) => portfolio::decide_unrolled(unlimited, machine, algorithm, limits, monitor),
        };
        Ok(Found { machine, exploration, reached: None, states })
    }

    /// Refuses a program with operations that the algorithm cannot treat, unless it has shown something wrong all the same.
    fn check_observed(
        &self,
        algorithm: Algorithm,
        machine: &Machine,
        exploration: &Exploration<Failure>,
    ) -> Result<(), VerifyError> {
        let untold = machine.cuts().iter().find_map(|cut| match &cut.reason {
            CutReason::Untold(what) => Some((what.clone(), cut.place)),
            _ => None,
        });
        match untold {
            Some((what, place)) if exploration.violations.is_empty() => {
                let file = machine.code().files.get(place.file as usize);
                let file = file.map_or(String::new(), |file| self.native.known_name(file));
                let place = match place.line {
                    0 => String::new(),
                    line => format!(" at {file}:{line}"),
                };
                Err(VerifyError::NotObserved { algorithm: algorithm.name(), operation: what, place })
            }
            _ => Ok(()),
        }
    }
}
