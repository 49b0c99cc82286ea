//! What the arguments of `selvedge check` ask for: a plan, and for C a question.

use crate::args::CheckArgs;
use crate::error::CliError;
use selvedge_explore::plan::{Counterexamples, Extent, PlanError};
use selvedge_explore::{AfterViolation, Bound, BoundKind, Limits, Plan};
use selvedge_interp::Deadlocks;
use selvedge_machine::{Addresses, Reuse};
use selvedge_report::choice;
use selvedge_report::terms::{Vacuity, Wakeups};
use selvedge_verify::{Ignored, Question};

/// How to explore.
pub fn plan(args: &CheckArgs) -> Result<Plan, CliError> {
    let kind = if args.delays.is_some() { BoundKind::Delays } else { BoundKind::Preemptions };
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
        bound: args.preemptions.or(args.delays).map(|limit| Bound { kind, limit }),
        root: None,
    };
    let extent = if args.iterative { Extent::Growing(kind) } else { Extent::Whole };
    let plan = Plan::new(args.algorithm, limits, extent).map_err(|error| match error {
        PlanError::NotBounded(algorithm) => CliError::NotBounded { algorithm: algorithm.name() },
        PlanError::NoDelays(algorithm) => CliError::NoDelays { algorithm: algorithm.name() },
    })?;
    if args.root.is_some() && !plan.may_have_root() {
        return Err(CliError::NoRoot { algorithm: plan.algorithm.name() });
    }
    Ok(match args.minimize {
        true => plan.showing(Counterexamples::FewestSwitches),
        false => plan,
    })
}

/// What to look for in a program in C.
pub fn question(args: &CheckArgs) -> Question {
    Question {
        property: args.property,
        more: args.check.clone(),
        ignored: args.ignore.clone(),
        unroll: args.unroll,
        wakeups: if args.spurious_wakeups { Wakeups::Spurious } else { Wakeups::OnlySignalled },
        reuse: if args.no_reuse { Reuse::Excluded } else { Reuse::Speculated },
        addresses: if args.fixed_addresses { Addresses::Fixed } else { Addresses::Speculated },
        vacuity: vacuity(args),
    }
}

/// Whether a claim about no execution is accepted.
pub fn vacuity(args: &CheckArgs) -> Vacuity {
    if args.allow_vacuous { Vacuity::Allowed } else { Vacuity::Refused }
}

/// Whether threads of a model that wait for ever are a violation.
pub fn deadlocks(args: &CheckArgs) -> Deadlocks {
    match args.ignore.contains(&Ignored::Deadlocks) {
        true => Deadlocks::Ignored,
        false => Deadlocks::Failures,
    }
}

/// Why an algorithm was chosen, as a line; nothing if the user did.
pub fn reason(plan: &Plan) -> String {
    plan.reason().map_or(String::new(), |reason| {
        format!("  chose {}: {}\n", plan.algorithm.name(), choice::because(reason))
    })
}
