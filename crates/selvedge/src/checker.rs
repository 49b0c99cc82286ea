//! The checker: what to explore, how, and how far.

use crate::report::Report;
use crate::runtime::execution::{Assumptions, Semantics};
use crate::runtime::failure::Failure;
use crate::runtime::panics::{self, Noise};
use crate::runtime::program::{Closure, Halt, HaltPayload};
use crate::runtime::{Mode, with};
use selvedge_explore::{AfterViolation, Algorithm, Exploration, Limits, Monitor, Silent, explore};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Checks a closure in every interleaving that matters.
#[derive(Clone, Debug)]
pub struct Checker {
    pub(crate) algorithm: Algorithm,
    pub(crate) limits: Limits,
    pub(crate) semantics: Semantics,
}

impl Default for Checker {
    fn default() -> Self {
        Checker { algorithm: Algorithm::Optimal, limits: Limits::default(), semantics: Semantics::default() }
    }
}

impl Checker {
    /// A checker with the algorithm `optimal` and without limits.
    pub fn new() -> Checker {
        Checker::default()
    }

    /// Explores with another algorithm.
    #[must_use]
    pub fn algorithm(mut self, algorithm: Algorithm) -> Checker {
        self.algorithm = algorithm;
        self
    }

    /// Explores.
    pub fn run(&self, f: impl Fn() + 'static) -> Report {
        let body: Rc<dyn Fn()> = Rc::new(f);
        let started = Instant::now();
        panics::install();
        let mut assumptions = Assumptions::default();
        loop {
            with(|x| x.begin_search(assumptions, self.semantics));
            let noise = panics::set_noise(Noise::Quiet);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                explore(Closure::new(Rc::clone(&body)), self.algorithm, self.limits, &mut Silent)
            }));
            panics::set_noise(noise);
            match outcome {
                Ok((exploration, closure)) => {
                    return Report::new(self, exploration, closure, started.elapsed());
                }
                Err(payload) => match payload.downcast::<HaltPayload>() {
                    Ok(halt) => match halt.0 {
                        Halt::Refuted => assumptions = with(|x| x.assumptions),
                        Halt::Diverged(divergence) => panic!("{divergence:?}"),
                    },
                    Err(payload) => resume_unwind(payload),
                },
            }
        }
    }
}

/// Checks.
pub fn check(f: impl Fn() + 'static) {
    let report = Checker::new().run(f);
    assert!(report.violations.is_empty(), "{:?}", report.violations);
}
