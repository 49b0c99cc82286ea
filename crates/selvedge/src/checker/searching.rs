//! Searches of a checker: explorations that begin again when an execution refutes a speculation.

use super::{Checker, Progress};
use crate::checkpointing::{self, CheckpointFile, Interrupted};
use crate::reach::Knowledge;
use crate::report::Report;
use crate::runtime::assumptions::Assumptions;
use crate::runtime::execution::Refused;
use crate::runtime::failure::Failure;
use crate::runtime::panics::{self, Noise};
use crate::runtime::program::{Closure, Halt, HaltPayload};
use crate::runtime::{observed, with};
use crate::telling::divergence;
use crate::telling::steps::can_perform;
use selvedge_claim::Run;
use selvedge_explore::bounds::deepening::{Reached, explore_iteratively, explore_within};
use selvedge_explore::{
    Algorithm, Checkpoint, End, Exploration, Limits, Monitor, Path, Statistics, Stop, explore_from,
    restart_while_refuted,
};
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::time::Instant;

impl Checker {
    /// Complains about something that the algorithm cannot treat.
    ///
    /// # Panics
    /// With the complaint.
    fn refuse(&self, refused: &Refused) -> ! {
        let place = refused.place.map_or(String::new(), |place| format!(" at {place}"));
        let (algorithm, what) = (self.algorithm.name(), &refused.what);
        panic!("selvedge: not supported by `{algorithm}`: {what}{place}; choose `optimal`");
    }

    /// Explores until no speculation is refuted.
    pub(crate) fn search(&self, body: &Rc<dyn Fn()>) -> (Report, Knowledge) {
        let started = Instant::now();
        let mut known = Knowledge::Whole;
        let mut file = checkpointing::requested(self.checkpoint.as_deref());
        let found = restart_while_refuted(Assumptions::default(), |mut assumptions| {
            let interrupted = file.as_ref().and_then(|file| self.interrupted(file));
            if let Some(interrupted) = &interrupted {
                assumptions = interrupted.assumptions;
                known = Knowledge::Resumed;
            }
            with(|x| x.begin_search(assumptions, self.semantics()));
            Halt::as_attempt(self.explore(body, self.limits, interrupted, &mut file))
        });
        let report = match found {
            Ok((exploration, reached)) => {
                if let Some(file) = &file
                    && exploration.stop.is_none_or(|stop| stop == Stop::Violation)
                {
                    file.remove();
                }
                self.report(body, &exploration, reached, started)
            }
            Err(Halt::Refused(refused)) => self.refuse(&refused),
            Err(Halt::Exhausted(what)) => panic!("selvedge: {what}"),
            Err(Halt::Diverged(found)) => Report::diverged(divergence::tell(&found), started.elapsed()),
            Err(Halt::Refuted) => unreachable!("a refuted search begins again"),
        };
        (report, known)
    }

    /// The search that left a checkpoint, if there is one.
    ///
    /// # Panics
    /// When it cannot be read, or is one of another algorithm.
    fn interrupted(&self, file: &CheckpointFile) -> Option<Interrupted> {
        let interrupted = match file.read() {
            Ok(interrupted) => interrupted?,
            Err(message) => panic!("selvedge: the checkpoint {message}"),
        };
        let (now, before) = (self.algorithm.name(), interrupted.algorithm.name());
        assert!(now == before, "selvedge: the checkpoint is one of the algorithm `{before}`, not of `{now}`");
        Some(interrupted)
    }

    /// What a search shows. Telling it performs the closure again.
    fn report(
        &self,
        body: &Rc<dyn Fn()>,
        exploration: &Exploration<Failure>,
        reached: Option<Reached>,
        started: Instant,
    ) -> Report {
        let report = without_noise(|| {
            let run = Run {
                chosen_because: None,
                algorithm: self.algorithm,
                limits: self.limits,
                reached,
                elapsed: started.elapsed(),
                terms: self.terms(),
            };
            Report::new(&run, exploration, body, self.minimization)
        });
        report.unwrap_or_else(|_| {
            let told = "the closure is not deterministic: told about again, it did something else";
            Report::diverged(told.to_owned(), started.elapsed())
        })
    }

    /// Complains about what checkpoints do not work with.
    ///
    /// # Panics
    /// With the complaint.
    pub(super) fn check_that_checkpoints_work(&self) {
        if self.algorithm.keeps_checkpoints() && self.growing.is_none() && self.limits.bound.is_none() {
            return;
        }
        let names: Vec<&str> = Algorithm::ALL
            .into_iter()
            .filter(|algorithm| algorithm.keeps_checkpoints())
            .map(Algorithm::name)
            .collect();
        panic!(
            "selvedge: SELVEDGE_CHECKPOINT does not work with the algorithm `{}`; it does with {}",
            self.algorithm.name(),
            names.join(", ")
        );
    }

    /// One search.
    pub(crate) fn explore(
        &self,
        body: &Rc<dyn Fn()>,
        limits: Limits,
        interrupted: Option<Interrupted>,
        file: &mut Option<CheckpointFile>,
    ) -> Result<(Exploration<Failure>, Option<Reached>), Halt> {
        let mut watch = Watch {
            started: Instant::now(),
            progress: self.progress,
            algorithm: self.algorithm,
            file: file.as_mut(),
        };
        let checkpoint = interrupted.map(|interrupted| {
            with(|x| x.names = interrupted.names);
            interrupted.checkpoint
        });
        without_noise(|| {
            if let Some(checkpoint) = &checkpoint {
                check_that_it_fits(checkpoint, Closure::new(Rc::clone(body)));
            }
            let closure = Closure::new(Rc::clone(body));
            let (exploration, reached, mut closure) = match (self.growing, limits.bound) {
                (Some(kind), _) => {
                    let (found, reached, closure) =
                        explore_iteratively(closure, self.algorithm, kind, limits, &mut watch);
                    (found, Some(reached), closure)
                }
                (None, Some(_)) => {
                    let (found, closure) = explore_within(closure, self.algorithm, limits, &mut watch);
                    (found, None, closure)
                }
                (None, None) => {
                    let checkpoint = checkpoint.as_ref();
                    let (found, closure) =
                        explore_from(closure, self.algorithm, limits, &mut watch, checkpoint);
                    (found, None, closure)
                }
            };
            closure.conclude();
            // The latest execution is compared with nothing else.
            if exploration.violations.is_empty() {
                closure.run_twice();
            }
            (exploration, reached)
        })
    }
}

/// Complains about a checkpoint of another closure.
///
/// # Panics
/// With the complaint.
fn check_that_it_fits(checkpoint: &Checkpoint, closure: Closure) {
    let mut path = Path::new(closure);
    for schedule in checkpoint.violations.iter().chain([&checkpoint.path]) {
        while !path.is_empty() {
            path.pop();
        }
        for &decision in schedule {
            let fits = can_perform(&mut path, decision);
            assert!(
                fits,
                "selvedge: the checkpoint does not fit this closure: did the code change, or is it another test?"
            );
            path.push(decision);
        }
    }
}

/// Runs something that runs closures, without the noise of their panics.
pub fn without_noise<R>(run: impl FnOnce() -> R) -> Result<R, Halt> {
    let was_calm = !std::thread::panicking();
    let noise = panics::set_noise(Noise::Quiet);
    let outcome = catch_unwind(AssertUnwindSafe(run));
    if was_calm {
        panics::calm_down();
    }
    panics::set_noise(noise);
    outcome.map_err(|payload| match payload.downcast::<HaltPayload>() {
        Ok(halt) => halt.0,
        Err(payload) => resume_unwind(payload),
    })
}

/// Watches a search.
struct Watch<'f> {
    started: Instant,
    progress: Progress,
    algorithm: Algorithm,
    file: Option<&'f mut CheckpointFile>,
}

impl Monitor<Closure> for Watch<'_> {
    fn execution(&mut self, _path: &Path<Closure>, end: End) {
        observed::note(end);
    }

    fn wants_checkpoint(&mut self) -> bool {
        self.file.as_ref().is_some_and(|file| file.is_due())
    }

    fn keeps_checkpoints(&self) -> bool {
        self.file.is_some()
    }

    fn checkpoint(&mut self, _closure: &Closure, checkpoint: Checkpoint) {
        if let Some(file) = &mut self.file {
            file.write(self.algorithm, &checkpoint);
        }
    }

    fn progress(&mut self, statistics: &Statistics, fraction: f64) -> ControlFlow<()> {
        if self.progress == Progress::Shown && std::io::stderr().is_terminal() {
            let seconds = self.started.elapsed().as_secs();
            let percent = fraction * 100.0;
            eprint!("\r{} executions, {seconds} s, about {percent:.1} %  ", statistics.executions());
        }
        ControlFlow::Continue(())
    }
}
