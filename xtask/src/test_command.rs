//! The test command: every check of the repository, step by step, up to the first that fails.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crate::{clang, solvers, tidy};

/// How much to test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// What is tested at every commit.
    Usual,
    /// With many more random programs.
    Long,
}

/// One check.
struct Step {
    name: &'static str,
    action: Action,
}

enum Action {
    /// Cargo with these arguments and this variable.
    Cargo { arguments: &'static [&'static str], variable: Option<(&'static str, &'static str)> },
    /// The house rules.
    Tidy,
    /// A clang for the tests of C and C++.
    Clang,
    /// Solvers for the tests of proofs.
    Solvers,
}

/// Whether a step found something wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    Failed,
}

/// A step that has been done.
#[derive(Debug)]
struct Done {
    name: &'static str,
    outcome: Outcome,
    time: Duration,
}

/// Runs all steps, prints a summary, and fails if a step does.
pub fn run(root: &Path, effort: Effort) -> ExitCode {
    let steps = steps(effort);
    let done = run_steps(&steps, |action| perform(root, action));
    println!("\n{}", summary(&steps, &done));
    match done.iter().all(|step| step.outcome == Outcome::Passed) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn steps(effort: Effort) -> Vec<Step> {
    let cargo = |name, arguments, variable| Step { name, action: Action::Cargo { arguments, variable } };
    let clippy = &["clippy", "--workspace", "--all-targets", "--profile", "checked", "--", "-D", "warnings"];
    let long = match effort {
        Effort::Usual => None,
        Effort::Long => Some(("SELVEDGE_LONG", "1")),
    };
    vec![
        cargo("format", &["fmt", "--all", "--check"], None),
        cargo("lints", clippy, None),
        cargo("documentation", &["doc", "--workspace", "--no-deps"], Some(("RUSTDOCFLAGS", "-D warnings"))),
        Step { name: "tidy", action: Action::Tidy },
        Step { name: "clang", action: Action::Clang },
        Step { name: "solvers", action: Action::Solvers },
        cargo("tests", &["test", "--workspace", "--profile", "checked"], long),
    ]
}

/// Performs the steps in order up to the first that fails, with a heading and the time of each.
fn run_steps(steps: &[Step], mut perform: impl FnMut(&Action) -> Outcome) -> Vec<Done> {
    let mut done = Vec::new();
    for (position, step) in steps.iter().enumerate() {
        println!("\n=== {} of {}: {} ===", position + 1, steps.len(), heading(step));
        let start = Instant::now();
        let outcome = perform(&step.action);
        let time = start.elapsed();
        println!("=== {} {} after {:.1} s ===", step.name, verb(outcome), time.as_secs_f64());
        done.push(Done { name: step.name, outcome, time });
        if outcome == Outcome::Failed {
            break;
        }
    }
    done
}

/// The name of the step and the command line that repeats it.
fn heading(step: &Step) -> String {
    match &step.action {
        Action::Tidy => format!("{} (cargo xtask tidy)", step.name),
        Action::Clang => format!("{} (apt-get install clang, if there is none)", step.name),
        Action::Solvers => format!("{} (apt-get install z3 cvc5, if they are missing)", step.name),
        Action::Cargo { arguments, variable } => {
            let variable = variable.map(|(name, value)| format!("{name}=\"{value}\" ")).unwrap_or_default();
            format!("{} ({variable}cargo {})", step.name, arguments.join(" "))
        }
    }
}

fn verb(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "passed",
        Outcome::Failed => "FAILED",
    }
}

fn perform(root: &Path, action: &Action) -> Outcome {
    let is_success = match action {
        Action::Tidy => tidy::run(root) == ExitCode::SUCCESS,
        Action::Clang => clang::provide(),
        Action::Solvers => solvers::provide(),
        Action::Cargo { arguments, variable } => {
            let mut command = Command::new(cargo());
            command.args(*arguments).envs(*variable).current_dir(root);
            match command.status() {
                Ok(status) => status.success(),
                Err(error) => {
                    eprintln!("cargo could not be started: {error}");
                    false
                }
            }
        }
    };
    if is_success { Outcome::Passed } else { Outcome::Failed }
}

/// The cargo that runs us.
fn cargo() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| env!("CARGO").into())
}

fn summary(steps: &[Step], done: &[Done]) -> String {
    let mut lines = vec!["summary".to_owned()];
    for step in steps {
        let result = match done.iter().find(|done| done.name == step.name) {
            Some(done) => format!("{}  {:>7.1} s", verb(done.outcome), done.time.as_secs_f64()),
            None => "not run".to_owned(),
        };
        lines.push(format!("  {:<14} {result}", step.name));
    }
    let total: Duration = done.iter().map(|done| done.time).sum();
    lines.push(format!("  {:<14} {:>15.1} s", "total", total.as_secs_f64()));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(action: &Action) -> Vec<&'static str> {
        match action {
            Action::Tidy => vec!["tidy"],
            Action::Clang => vec!["clang"],
            Action::Solvers => vec!["solvers"],
            Action::Cargo { arguments, .. } => arguments.to_vec(),
        }
    }

    #[test]
    fn all_steps_run_when_all_pass() {
        let mut seen = Vec::new();
        let done = run_steps(&steps(Effort::Usual), |action| {
            seen.push(arguments(action)[0]);
            Outcome::Passed
        });
        assert_eq!(seen, ["fmt", "clippy", "doc", "tidy", "clang", "solvers", "test"]);
        assert!(done.iter().all(|step| step.outcome == Outcome::Passed));
    }

    #[test]
    fn nothing_runs_after_a_step_that_fails() {
        let steps = steps(Effort::Usual);
        let done = run_steps(&steps, |action| match arguments(action)[0] {
            "clippy" => Outcome::Failed,
            _ => Outcome::Passed,
        });
        let outcomes: Vec<_> = done.iter().map(|step| (step.name, step.outcome)).collect();
        assert_eq!(outcomes, [("format", Outcome::Passed), ("lints", Outcome::Failed)]);
        let summary = summary(&steps, &done);
        assert!(summary.contains("lints          FAILED"), "{summary}");
        assert!(summary.contains("tests          not run"), "{summary}");
    }

    #[test]
    fn a_long_run_says_so_to_the_tests_only() {
        let long =
            |effort| steps(effort).iter().filter(|step| heading(step).contains("SELVEDGE_LONG")).count();
        assert_eq!(long(Effort::Usual), 0);
        assert_eq!(long(Effort::Long), 1);
        assert!(heading(&steps(Effort::Long)[6]).starts_with("tests (SELVEDGE_LONG=\"1\" cargo test"));
    }

    #[test]
    fn a_cargo_command_that_fails_fails_its_step() {
        let action = Action::Cargo { arguments: &["no-such-subcommand"], variable: None };
        assert_eq!(perform(&crate::root(), &action), Outcome::Failed);
        let action = Action::Cargo { arguments: &["--version"], variable: Some(("SELVEDGE_LONG", "1")) };
        assert_eq!(perform(&crate::root(), &action), Outcome::Passed);
    }
}
