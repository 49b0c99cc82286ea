//! A plan: how to explore a program, with everything that was asked for and everything that is decided by itself.
//!
//! A plan is made before a program is there. With the program it [gets an algorithm](Plan::resolve_auto), if that is to be chosen, and
//! [a root thread](Plan::with_default_root), if the algorithm has one; then it [explores](Plan::explore).

use crate::auto::{self, Choice, Reason};
use crate::bounds::deepening::{Reached, explore_iteratively, explore_within};
use crate::minimize::fewest_switches;
use crate::{
    Algorithm, BoundKind, BoundPromise, Explorable, Exploration, Limits, Monitor, Program, default_root,
};
use selvedge_trace::ThreadId;
use std::time::Instant;

/// How to explore.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The limits.
    pub limits: Limits,
    extent: Extent,
    counterexamples: Counterexamples,
    auto: Auto,
}

/// An algorithm, or the wish to have one chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// As the program suggests.
    Auto,
    /// With this algorithm.
    Named(Algorithm),
}

/// Whether the bound grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Everything within the limits at once.
    Whole,
    /// Within a bound of this kind that grows from 0, up to the one that the limits give.
    Growing(BoundKind),
}

/// The executions that violations are shown by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counterexamples {
    /// Those that were found.
    AsFound,
    /// Equivalent ones with the fewest context switches.
    FewestSwitches,
}

/// Whether the algorithm is chosen by the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Auto {
    No,
    Open,
    Chosen(Reason),
}

/// Why a plan is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanError {
    /// An algorithm that knows no bounds was given one.
    NotBounded(Algorithm),
    /// An algorithm for bounds on preemptions was given one on delays.
    NoDelays(Algorithm),
}

/// What a plan comes to.
pub struct Explored<P: Program> {
    /// What was found.
    pub exploration: Exploration<P::Failure>,
    /// Where a bound that grew ended.
    pub reached: Option<Reached>,
    /// The program.
    pub program: P,
}

impl Plan {
    /// A plan with an algorithm; if none is given, the default for the limits.
    ///
    /// # Errors
    /// When the algorithm does not know the bound.
    pub fn new(algorithm: Option<Chosen>, limits: Limits, extent: Extent) -> Result<Plan, PlanError> {
        let kind = match (extent, limits.bound) {
            (Extent::Growing(kind), _) => Some(kind),
            (Extent::Whole, bound) => bound.map(|bound| bound.kind),
        };
        let default = if kind.is_some() { Algorithm::LazyBounded } else { Algorithm::Optimal };
        let (algorithm, auto) = match algorithm {
            None => (default, Auto::No),
            Some(Chosen::Named(algorithm)) => (algorithm, Auto::No),
            Some(Chosen::Auto) if kind.is_some() => (default, Auto::Chosen(Reason::OnlyOne)),
            Some(Chosen::Auto) => (default, Auto::Open),
        };
        match (algorithm.bound_promise(), kind) {
            (None, Some(_)) => Err(PlanError::NotBounded(algorithm)),
            (Some(BoundPromise::EveryTrace), Some(BoundKind::Delays)) => Err(PlanError::NoDelays(algorithm)),
            _ => Ok(Plan { algorithm, limits, extent, counterexamples: Counterexamples::AsFound, auto }),
        }
    }

    /// The plan to explore everything with an algorithm that needs no bound.
    pub fn of(algorithm: Algorithm, limits: Limits) -> Plan {
        let (extent, counterexamples) = (Extent::Whole, Counterexamples::AsFound);
        Plan { algorithm, limits, extent, counterexamples, auto: Auto::No }
    }

    /// The plan with counterexamples of this kind.
    pub fn showing(self, counterexamples: Counterexamples) -> Plan {
        Plan { counterexamples, ..self }
    }

    /// Whether the algorithm treats one thread differently, or may turn out to be one that does.
    pub fn may_have_root(&self) -> bool {
        self.auto == Auto::Open || has_root(self.algorithm)
    }

    /// The plan with a root thread, if there is one.
    pub fn with_root(self, root: Option<ThreadId>) -> Plan {
        Plan { limits: Limits { root, ..self.limits }, ..self }
    }

    /// The plan with the root thread that the algorithm takes for a program if none is given.
    pub fn with_default_root<P: Explorable>(self, program: &mut P) -> Plan {
        match (has_root(self.algorithm), self.limits.root) {
            (false, _) => self.with_root(None),
            (true, None) => self.with_root(Some(default_root(program))),
            (true, Some(_)) => self,
        }
    }

    /// The plan with other limits.
    pub fn with_limits(&self, limits: Limits) -> Plan {
        Plan { limits, ..*self }
    }

    /// The plan with the time that remains since a moment.
    pub fn with_remaining_time(self, started: Instant) -> Plan {
        let time = self.limits.time.map(|time| time.saturating_sub(started.elapsed()));
        Plan { limits: Limits { time, ..self.limits }, ..self }
    }

    /// The plan with an algorithm for this program, if it is still to be chosen, from candidates that explore all that is asked for.
    pub fn resolve_auto<P: Explorable>(self, program: P, candidates: &[(Algorithm, u64)]) -> Plan {
        if !self.is_open() {
            return self;
        }
        let started = Instant::now();
        let (choice, _) = auto::choose(program, candidates, self.limits);
        self.with_choice(choice).with_remaining_time(started)
    }

    /// Whether the algorithm is still to be chosen.
    pub fn is_open(&self) -> bool {
        self.auto == Auto::Open
    }

    /// The plan with an algorithm that was chosen.
    pub fn with_choice(self, choice: Choice) -> Plan {
        Plan { algorithm: choice.algorithm, auto: Auto::Chosen(choice.reason), ..self }
    }

    /// Why the algorithm was chosen, if the user did not.
    pub fn reason(&self) -> Option<Reason> {
        match self.auto {
            Auto::Chosen(reason) => Some(reason),
            Auto::No | Auto::Open => None,
        }
    }

    /// Whether executions beyond a bound are left out, at first at least.
    pub fn is_bounded(&self) -> bool {
        self.limits.bound.is_some() || self.extent != Extent::Whole
    }

    /// Explores a program.
    pub fn explore<P: Explorable>(&self, program: P, monitor: &mut dyn Monitor<P>) -> Explored<P> {
        let Plan { algorithm, limits, .. } = *self;
        let (mut exploration, reached, mut program) = match self.extent {
            Extent::Growing(kind) => {
                let (found, reached, program) =
                    explore_iteratively(program, algorithm, kind, limits, monitor);
                (found, Some(reached), program)
            }
            Extent::Whole => {
                let (found, program) = explore_within(program, algorithm, limits, monitor);
                (found, None, program)
            }
        };
        if self.counterexamples == Counterexamples::FewestSwitches {
            for violation in &mut exploration.violations {
                let (schedule, again) = fewest_switches(program, &violation.schedule);
                (violation.schedule, program) = (schedule, again);
            }
        }
        Explored { exploration, reached, program }
    }
}

/// Whether the algorithm treats one thread differently.
fn has_root(algorithm: Algorithm) -> bool {
    algorithm.asks_what_is_observed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Bound;

    fn within(kind: BoundKind) -> Limits {
        Limits { bound: Some(Bound { kind, limit: 2 }), ..Limits::default() }
    }

    #[test]
    fn the_default_algorithm_knows_the_bound() {
        let algorithm = |limits, extent| Plan::new(None, limits, extent).map(|plan| plan.algorithm);
        assert_eq!(algorithm(Limits::default(), Extent::Whole), Ok(Algorithm::Optimal));
        assert_eq!(algorithm(within(BoundKind::Delays), Extent::Whole), Ok(Algorithm::LazyBounded));
        let growing = Extent::Growing(BoundKind::Preemptions);
        assert_eq!(algorithm(Limits::default(), growing), Ok(Algorithm::LazyBounded));
    }

    #[test]
    fn an_algorithm_that_does_not_know_the_bound_is_no_plan() {
        let plan = |algorithm, kind| {
            Plan::new(Some(Chosen::Named(algorithm)), within(kind), Extent::Whole).map(|_| ())
        };
        let source = Algorithm::Source;
        assert_eq!(plan(source, BoundKind::Preemptions), Err(PlanError::NotBounded(source)));
        let bounded = Algorithm::SourceBounded;
        assert_eq!(plan(bounded, BoundKind::Delays), Err(PlanError::NoDelays(bounded)));
        assert_eq!(plan(bounded, BoundKind::Preemptions), Ok(()));
    }

    #[test]
    fn within_a_bound_there_is_nothing_to_choose() {
        let auto = |limits| Plan::new(Some(Chosen::Auto), limits, Extent::Whole);
        let bounded = auto(within(BoundKind::Preemptions)).map(|plan| (plan.is_open(), plan.reason()));
        assert_eq!(bounded, Ok((false, Some(Reason::OnlyOne))));
        assert_eq!(auto(Limits::default()).map(|plan| plan.is_open()), Ok(true));
    }
}
