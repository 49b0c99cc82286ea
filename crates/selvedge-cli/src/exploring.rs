//! How to explore: the algorithm, the limits and the bounds that the arguments ask for.

use crate::args::{CheckArgs, Chosen};
use crate::error::CliError;
use selvedge_explore::auto::{self, Choice, Reason};
use selvedge_explore::bounds::deepening::{Reached, explore_iteratively, explore_within};
use selvedge_explore::minimize::fewest_switches;
use selvedge_explore::{
    AfterViolation, Algorithm, Bound, BoundKind, BoundPromise, Explorable, Exploration, Limits, Monitor,
    default_root,
};
use selvedge_report::scope::counted;
use selvedge_trace::ThreadId;
use std::time::Instant;

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The limits.
    pub limits: Limits,
    growing: Option<BoundKind>,
    minimize: bool,
    /// Whether the algorithm is still to be chosen, and why it was.
    auto: Auto,
}

/// Whether the algorithm is chosen by the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Auto {
    No,
    Open,
    Chosen(Reason),
}

/// Whether the algorithm treats one thread differently.
fn has_root(algorithm: Algorithm) -> bool {
    algorithm.asks_what_is_observed()
}

impl Plan {
    /// What the arguments ask for.
    pub fn of(args: &CheckArgs) -> Result<Plan, CliError> {
        let kind = if args.delays.is_some() { BoundKind::Delays } else { BoundKind::Preemptions };
        let bound = args.preemptions.or(args.delays).map(|limit| Bound { kind, limit });
        let is_bounded = bound.is_some() || args.iterative;
        let default = if is_bounded { Algorithm::LazyBounded } else { Algorithm::Optimal };
        let (algorithm, auto) = match args.algorithm {
            None => (default, Auto::No),
            Some(Chosen::Named(algorithm)) => (algorithm, Auto::No),
            Some(Chosen::Auto) if is_bounded => (default, Auto::Chosen(Reason::OnlyOne)),
            Some(Chosen::Auto) => (default, Auto::Open),
        };
        match algorithm.bound_promise() {
            None if is_bounded => return Err(CliError::NotBounded { algorithm: algorithm.name() }),
            Some(BoundPromise::EveryTrace) if kind == BoundKind::Delays => {
                return Err(CliError::NoDelays { algorithm: algorithm.name() });
            }
            _ => {}
        }
        if args.root.is_some() && !has_root(algorithm) && auto != Auto::Open {
            return Err(CliError::NoRoot { algorithm: algorithm.name() });
        }
        let limits = Limits {
            seed: args.seed,
            first_execution: 0,
            executions: args.max_executions,
            time: args.max_time,
            depth: args.max_depth as usize,
            after_violation: match args.keep_going {
                true => AfterViolation::KeepGoing,
                false => AfterViolation::Stop,
            },
            bound,
            root: None,
        };
        let growing = args.iterative.then_some(kind);
        Ok(Plan { algorithm, limits, growing, minimize: args.minimize, auto })
    }

    /// The same with a root thread, if there is one.
    pub fn with_root(self, root: Option<ThreadId>) -> Plan {
        Plan { limits: Limits { root, ..self.limits }, ..self }
    }

    /// The same with the root thread that the algorithm takes for a program if nobody says otherwise.
    pub fn rooted<P: Explorable>(self, program: &mut P) -> Plan {
        match (has_root(self.algorithm), self.limits.root) {
            (false, _) => self.with_root(None),
            (true, None) => self.with_root(Some(default_root(program))),
            (true, Some(_)) => self,
        }
    }

    /// The same with other limits.
    pub fn with_limits(&self, limits: Limits) -> Plan {
        Plan { limits, ..*self }
    }

    /// The same with an algorithm for this program, if it is still to be chosen, from those that explore all that is asked for.
    pub fn settled<P: Explorable>(self, program: P, candidates: &[(Algorithm, u64)]) -> (Plan, P) {
        if !self.is_open() {
            return (self, program);
        }
        let started = Instant::now();
        let (choice, program) = auto::choose(program, candidates, self.limits);
        (self.with_choice(choice).after(started), program)
    }

    /// The same with what is left of the time since a moment.
    pub fn after(self, started: Instant) -> Plan {
        let time = self.limits.time.map(|time| time.saturating_sub(started.elapsed()));
        Plan { limits: Limits { time, ..self.limits }, ..self }
    }

    /// Whether executions beyond a bound are left out, at first at least.
    pub fn is_bounded(&self) -> bool {
        self.limits.bound.is_some() || self.growing.is_some()
    }

    /// Whether the algorithm is still to be chosen.
    pub fn is_open(&self) -> bool {
        self.auto == Auto::Open
    }

    /// The same with an algorithm that was chosen.
    pub fn with_choice(self, choice: Choice) -> Plan {
        Plan { algorithm: choice.algorithm, auto: Auto::Chosen(choice.reason), ..self }
    }

    /// Why the algorithm was chosen, as a line; nothing if the user did.
    pub fn reason(&self) -> String {
        self.chosen_because()
            .map_or(String::new(), |why| format!("  chose {}: {why}\n", self.algorithm.name()))
    }

    /// Why the algorithm was chosen, if the user did not.
    pub fn chosen_because(&self) -> Option<String> {
        let Auto::Chosen(reason) = self.auto else { return None };
        let why = match reason {
            Reason::OnlyOne => "nothing else that `auto` tries covers what is asked for".to_owned(),
            Reason::Finished { executions } => {
                format!("it explores everything in {}", counted(executions, "execution"))
            }
            Reason::Cut { executions } => {
                format!(
                    "it ends after {}, not all of which came to their ends",
                    counted(executions, "execution")
                )
            }
            Reason::Violation { executions } => {
                format!("it finds a violation within {}", counted(executions, "execution"))
            }
            Reason::CostsLeast => "no probe came to an end, and it costs least for each execution".to_owned(),
        };
        Some(why)
    }

    /// Explores a program.
    pub fn explore<P: Explorable>(
        &self,
        program: P,
        monitor: &mut dyn Monitor<P>,
    ) -> (Exploration<P::Failure>, Option<Reached>, P) {
        let (mut exploration, reached, mut program) = match self.growing {
            Some(kind) => {
                let (found, reached, program) =
                    explore_iteratively(program, self.algorithm, kind, self.limits, monitor);
                (found, Some(reached), program)
            }
            None => {
                let (found, program) = explore_within(program, self.algorithm, self.limits, monitor);
                (found, None, program)
            }
        };
        if self.minimize {
            for violation in &mut exploration.violations {
                let (schedule, again) = fewest_switches(program, &violation.schedule);
                (violation.schedule, program) = (schedule, again);
            }
        }
        (exploration, reached, program)
    }
}
