//! Solvers that are missing, die, keep silent, do not know, lie or talk nonsense: errors, never answers.

use selvedge_smt::{Answer, Core, Options, Solver, SolverError, Sort, Terms};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// A program that behaves like this shell script.
fn fake(name: &str, script: &str) -> Options {
    let path: PathBuf = std::env::temp_dir().join(format!("selvedge-{}-{name}", std::process::id()));
    // A shell writes it: a file that this process holds open for writing while another test starts a program is held
    // open by that program too for a moment, and cannot be run (ETXTBSY).
    let install = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$0\" && chmod +x \"$0\"";
    let ran = Command::new("sh").args(["-c", install]).arg(&path).arg(script).status();
    assert!(ran.expect("there is a shell").success(), "cannot be made a program");
    let mut options = Options::named(&path.display().to_string());
    options.query_time = Duration::from_millis(200);
    options
}

/// Answers the two questions that test a new solver, then goes on as the script says.
const HONEST_START: &str = "n=0; while read line; do case \"$line\" in '(check-sat)') n=$((n+1)); \
     if [ $n -eq 1 ]; then echo unsat; elif [ $n -eq 2 ]; then echo sat; else ";

fn after_honest_start(name: &str, then: &str) -> Solver {
    let script = format!("{HONEST_START} {then}; fi;; esac; done");
    Solver::start(fake(name, &script)).expect("it begins well")
}

fn ask(mut solver: Solver) -> Result<Answer, SolverError> {
    ask_again(&mut solver)
}

fn ask_again(solver: &mut Solver) -> Result<Answer, SolverError> {
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::Word);
    let (x, zero) = (terms.var(x), terms.int(0));
    let positive = terms.lt(zero, x);
    solver.check(&terms, &[positive])
}

#[test]
fn a_missing_solver_names_its_package() {
    let error = Solver::start(Options::named("/no/such/z3")).expect_err("it is not there");
    assert!(error.to_string().contains("install the package `z3`"), "{error}");
    let error = Solver::start(Options::named("/no/such/cvc5")).expect_err("it is not there");
    assert!(error.to_string().contains("install the package `cvc5`"), "{error}");
}

#[test]
fn a_solver_that_ends_at_once_has_died() {
    assert_eq!(Solver::start(fake("ends", "exit 0")).expect_err("it ends"), SolverError::Died);
}

#[test]
fn a_solver_that_always_says_the_same_is_wrong() {
    for word in ["sat", "unsat"] {
        let script = format!("while read line; do case \"$line\" in '(check-sat)') echo {word};; esac; done");
        let error = Solver::start(fake(&format!("always-{word}"), &script)).expect_err("it lies");
        assert!(matches!(error, SolverError::Wrong { .. }), "{error}");
    }
}

#[test]
fn a_solver_that_dies_in_the_middle_is_an_error() {
    assert_eq!(ask(after_honest_start("dies", "exit 1")), Err(SolverError::Died));
}

#[test]
fn a_solver_that_does_not_know_is_no_answer() {
    assert_eq!(ask(after_honest_start("unknown", "echo unknown")), Ok(Answer::Unknown));
}

#[test]
fn a_question_without_answer_does_not_spoil_the_next() {
    // Each process can answer one question, does not know the second and dies of the third.
    let script = "case $n in 3) echo sat;; 4) echo unknown;; *) exit 1;; esac";
    let mut solver = after_honest_start("tires", script);
    for _ in 0..3 {
        assert_eq!(ask_again(&mut solver), Ok(Answer::Sat));
        assert_eq!(ask_again(&mut solver), Ok(Answer::Unknown));
    }
    assert_eq!(solver.queries(), 6);
}

#[test]
fn nonsense_is_an_error() {
    for (name, words) in [("error", "(error \\\"no\\\")"), ("prose", "perhaps"), ("empty", "()")] {
        let answer = ask(after_honest_start(name, &format!("echo \"{words}\"")));
        assert!(matches!(answer, Err(SolverError::Nonsense(_))), "{answer:?}");
    }
}

#[test]
fn a_solver_that_keeps_silent_is_not_waited_for_for_ever() {
    let mut solver = after_honest_start("silent", "exec sleep 60");
    for _ in 0..3 {
        assert_eq!(ask_again(&mut solver), Ok(Answer::Unknown));
    }
    let answer = ask_again(&mut solver);
    assert!(matches!(answer, Err(SolverError::Silent(_))), "{answer:?}");
}

#[test]
fn a_solver_that_comes_to_its_limit_of_memory_does_not_know() {
    let mut solver = after_honest_start("full", "exit 101");
    for _ in 0..3 {
        assert_eq!(ask_again(&mut solver), Ok(Answer::Unknown));
    }
    assert_eq!(ask_again(&mut solver), Err(SolverError::Full));
}

#[test]
fn a_solver_that_knows_no_limit_of_memory_is_ended() {
    // It would answer after a while, if it were not ended.
    let eats = "exec perl -e '$| = 1; $full = \"x\" x (100 << 20); sleep 20; print \"unsat\\n\"; sleep 60'";
    let mut options = fake("eats", &format!("{HONEST_START} {eats}; fi;; esac; done"));
    options.query_time = Duration::from_secs(600);
    options.megabytes = 80;
    let mut solver = Solver::start(options).expect("it begins well");
    assert_eq!(ask_again(&mut solver), Ok(Answer::Unknown));
}

#[test]
fn real_solvers_keep_to_their_memory() {
    for name in ["z3", "cvc5"] {
        let mut options = Options::named(name);
        options.megabytes = 100;
        let mut solver = Solver::start(options).expect("it is installed");
        let mut terms = Terms::new();
        // Pigeons and holes, too many to be told apart in so little memory.
        let pigeons: Vec<_> = (0..600).map(|n| terms.variable(format!("p{n}"), Sort::Word)).collect();
        let pigeons: Vec<_> = pigeons.into_iter().map(|pigeon| terms.var(pigeon)).collect();
        let mut formulas = Vec::new();
        for (number, &pigeon) in pigeons.iter().enumerate() {
            let (zero, holes) = (terms.int(0), terms.int(599));
            formulas.extend([terms.le(zero, pigeon), terms.lt(pigeon, holes)]);
            formulas.extend(pigeons[..number].iter().map(|&other| terms.ne(pigeon, other)));
        }
        assert_eq!(solver.check(&terms, &formulas), Ok(Answer::Unknown), "{name}");
        assert_eq!(ask_again(&mut solver), Ok(Answer::Sat), "{name}");
    }
}

#[test]
fn a_core_of_formulas_that_were_not_asked_about_is_nonsense() {
    let mut solver = after_honest_start("core", "echo unsat; echo '(c7)'");
    let mut terms = Terms::new();
    let x = terms.variable("x", Sort::Word);
    let (x, zero) = (terms.var(x), terms.int(0));
    let positive = terms.lt(zero, x);
    assert!(matches!(solver.core(&terms, &[], &[positive]), Err(SolverError::Nonsense(_))));
}

#[test]
fn real_solvers_answer() {
    for name in ["z3", "cvc5"] {
        let mut solver = Solver::start(Options::named(name)).expect("it is installed");
        let mut terms = Terms::new();
        let x = terms.variable("x", Sort::Word);
        let tx = terms.var(x);
        let (three, five) = (terms.int(3), terms.int(5));
        let (above, below, far) = (terms.lt(three, tx), terms.lt(tx, five), terms.lt(five, tx));
        assert_eq!(solver.check(&terms, &[above, below]), Ok(Answer::Sat));
        let model = solver.model(&terms, &[above, below], &[x]).expect("no error").expect("there is one");
        assert_eq!(model[&x].int(), Some(4));
        assert_eq!(solver.core(&terms, &[], &[above, below, far]), Ok(Core::Unsat(vec![1, 2])), "{name}");
        // Words have 64 bits: there is none above the greatest.
        let most = terms.int(i64::MAX);
        let beyond = terms.lt(most, tx);
        assert_eq!(solver.check(&terms, &[beyond]), Ok(Answer::Unsat));
    }
}
