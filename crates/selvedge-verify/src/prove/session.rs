//! A search for a proof: schedules, all schedules and running the program take turns.
//!
//! Neither the search for schedules nor that for a proof need end, and each may be easy where the other is not. So each gets
//! a share of effort, and larger ones as long as both are undecided. Shares are counted in nodes and queries, so that the same program
//! gives the same result.

use super::conclusion::{Basis, Conclusion, Inputs, Proven};
use super::discovery::{Discovery, FoundProof, Recheck};
use super::hunt::{LONG, SHORT};
use super::visiting::Glance;
use super::{Certificates, Checking, Goal, Prove, failure};
use crate::{Monitor, VerifyError};
use selvedge_certificate::{CheckError, Claim, check};
use selvedge_claim::Verdict;
use selvedge_claim::terms::Vacuity;
use selvedge_explore::Violation;
use selvedge_impact::complete::Outcome;
use selvedge_impact::inputs::InputClasses;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Counterexample, Prover, Stop, Tree};
use selvedge_interp::{Failure, FailureKind};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The first share of the searches. The next are larger by this factor, and those of the search for a proof once more.
const FIRST_SHARE: u64 = 1000;
const FACTOR: u64 = 4;
/// The largest share of the search for schedules of a program that is known to be unsafe.
const LAST_SHARE: u64 = 4000;
/// The largest share with which states are visited when no proof can be found.
const LAST_VISIT: u64 = 4000;
/// The part of the time limit that is left for running the program when there is no proof.
const HUNTING_PART: u32 = 8;

/// The time for running the program when none is left.
const SHORTEST_HUNT: Duration = Duration::from_millis(50);

/// How far a search is.
enum Search {
    /// It may go on.
    Open,
    /// It has come to its end.
    Done,
    /// It cannot go on.
    Stopped(Stop),
}

/// How far the search for a proof is.
enum Proof {
    /// It may go on, or others may.
    Open,
    /// There is one.
    Found,
    /// Everything ends here.
    Ended(Stop),
}

/// A search for a proof in progress.
pub struct Session<'s> {
    pub(super) task: Prove<'s>,
    pub(super) prover: Prover,
    monitor: &'s mut dyn Monitor,
    /// When everything must have come to its end.
    end: Option<Instant>,
    /// Violations that were replayed.
    pub(super) found: Vec<Violation<Failure>>,
    /// Sets of schedules that were found.
    count: u32,
    /// Those of them that the checker agrees with, or all if it is not asked.
    certain: u32,
    /// The latest.
    schedules: Option<Schedules>,
    /// The proof, if there is one.
    pub(super) proof: Option<Tree>,
    /// The program with one value of each class of inputs that are only tested, if there are such.
    pub(super) classes: Option<InputClasses>,
}

impl<'s> Session<'s> {
    pub fn new(task: Prove<'s>, prover: Prover, monitor: &'s mut dyn Monitor) -> Self {
        let end = prover.limits.deadline;
        let classes = InputClasses::of(task.program);
        Session {
            task,
            prover,
            monitor,
            end,
            found: Vec::new(),
            count: 0,
            certain: 0,
            schedules: None,
            proof: None,
            classes,
        }
    }

    /// Proves.
    pub fn run(mut self) -> Result<Proven, VerifyError> {
        tell(self.monitor, Discovery::Begun(&self.prover))?;
        if let Some(time) = self.task.time {
            self.prover.limits.deadline = self.end.map(|end| end - time / HUNTING_PART);
        }
        let completes = !matches!(self.task.goal, Goal::Schedules(_));
        let mut conclusion = match completes {
            true => self.all_schedules()?,
            false => self.some_schedules()?,
        };
        if let Conclusion::Inconclusive(stop) = &conclusion
            && *stop != Stop::Interrupted
            && completes
            && self.found.is_empty()
        {
            self.hunt(LONG)?;
        }
        if !self.found.is_empty() && matches!(conclusion, Conclusion::Inconclusive(_)) {
            conclusion = if self.certain > 0 { Conclusion::PartiallySafe } else { Conclusion::Unsafe };
        }
        if conclusion.verdict() == Verdict::Verified
            && self.task.vacuity == Vacuity::Refused
            && let Some(why) = self.vacuity()
        {
            conclusion = Conclusion::Vacuous(why);
        }
        let conclusion = self.about_property(conclusion);
        let is_listed = matches!(conclusion, Conclusion::Safe(Basis::Executions(_) | Basis::States(_)));
        let listing = match is_listed && self.task.certificates == Certificates::Wanted {
            true => Some(self.list_states()?),
            false => None,
        };
        let Session { found, certain, prover, classes, .. } = self;
        let inputs = if classes.is_some() { Inputs::Classes } else { Inputs::All };
        let effort = prover.effort;
        let terms = self.task.origin.terms(self.task.program, self.task.vacuity);
        Ok(Proven { conclusion, schedules: certain, inputs, violations: found, listing, effort, terms })
    }

    /// The verdict about the property that was asked for, if one was: behaviour without meaning is no call of an error function.
    fn about_property(&self, conclusion: Conclusion) -> Conclusion {
        let is_asked_for = |found: &Violation<Failure>| found.failure.kind == FailureKind::Assertion;
        match self.task.property {
            Some(_) if !self.found.is_empty() && !self.found.iter().any(is_asked_for) => {
                Conclusion::Inconclusive(Stop::Unknown("there is a violation of another property".to_owned()))
            }
            _ => conclusion,
        }
    }

    /// The time that is left for running the program, if it is limited: never none at all.
    pub(super) fn left(&self) -> Option<Duration> {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        self.end.map(|end| left(end).max(SHORTEST_HUNT))
    }

    /// When everything must have come to its end.
    pub(super) fn end(&self) -> Option<Instant> {
        self.end
    }

    /// Looks for as many sets of schedules as are wanted.
    fn some_schedules(&mut self) -> Result<Conclusion, VerifyError> {
        let stop = match self.iterate()? {
            Search::Stopped(stop) => {
                self.no_more_schedules(&stop)?;
                stop
            }
            Search::Open | Search::Done => {
                Stop::Unknown("only some schedules were looked at, as --iterations asks".to_owned())
            }
        };
        Ok(Conclusion::Inconclusive(stop))
    }

    /// Visits some states, and then looks for schedules and for a proof. What the states show counts if the searches do not come to their end.
    fn all_schedules(&mut self) -> Result<Conclusion, VerifyError> {
        let glance = self.glance();
        let conclusion = self.in_turns()?;
        match (&conclusion, glance) {
            (Conclusion::Inconclusive(stop), _) if *stop == Stop::Interrupted || !self.found.is_empty() => {
                Ok(conclusion)
            }
            (Conclusion::Inconclusive(_), Glance::Safe(states)) => {
                Ok(Conclusion::Safe(Basis::States(states)))
            }
            (Conclusion::Inconclusive(_), Glance::Violation(found)) => self.keep(found).map(|()| conclusion),
            _ => Ok(conclusion),
        }
    }

    /// Looks for schedules and for a proof in turns.
    fn in_turns(&mut self) -> Result<Conclusion, VerifyError> {
        let mut share = FIRST_SHARE;
        let mut iterations = Search::Open;
        // The states, if all have been visited: then a proof is only looked for a little longer, for the sake of its certificate.
        let mut visited = None;
        // Why a proof cannot be found, if that is known: running the program and visiting its states need none.
        let mut hopeless = None;
        loop {
            if matches!(iterations, Search::Open) {
                self.prover.allow(share);
                iterations = self.iterate()?;
            }
            let goes_on = matches!(iterations, Search::Open) && share < LAST_SHARE;
            if !self.found.is_empty() {
                if goes_on {
                    share *= FACTOR;
                    continue;
                }
                // With what was found this is no longer inconclusive.
                return Ok(Conclusion::Inconclusive(Stop::Effort));
            }
            let effort = match share {
                FIRST_SHARE => FIRST_SHARE,
                _ if visited.is_some() && self.task.certificates == Certificates::NotWanted => share,
                _ => FACTOR * share,
            };
            match self.prove_with(effort, &mut hopeless)? {
                Proof::Found => return Ok(Conclusion::Safe(Basis::Proof)),
                Proof::Ended(stop) => {
                    if let Search::Stopped(why) = &iterations {
                        self.no_more_schedules(why)?;
                    }
                    return Ok(visited_or(visited, stop));
                }
                Proof::Open if share == FIRST_SHARE && self.found.is_empty() => {
                    self.hunt(SHORT)?;
                    if self.found.is_empty()
                        && let Some(executions) = self.explore()?
                    {
                        return Ok(Conclusion::Safe(Basis::Executions(executions)));
                    }
                }
                Proof::Open => {}
            }
            match visited {
                Some(states) if self.found.is_empty() => return Ok(Conclusion::Safe(Basis::States(states))),
                None if self.found.is_empty() => visited = self.visit(share)?,
                _ => {}
            }
            share *= FACTOR;
            if let Some(stop) = &hopeless
                && self.found.is_empty()
                && (visited.is_some() || share > LAST_VISIT)
            {
                if let Search::Stopped(why) = &iterations {
                    self.no_more_schedules(why)?;
                }
                return Ok(visited_or(visited, stop.clone()));
            }
        }
    }

    /// Looks for a proof with so much effort, unless that is known to be hopeless.
    fn prove_with(&mut self, effort: u64, hopeless: &mut Option<Stop>) -> Result<Proof, VerifyError> {
        if hopeless.is_some() {
            return Ok(Proof::Open);
        }
        self.prover.allow(effort);
        match self.prover.complete() {
            Ok(Outcome::Safe(tree)) => {
                return Ok(match self.accept(&tree, Claim::AllSchedules)? {
                    Recheck::Done(_) | Recheck::NotAsked => {
                        self.proof = Some(tree);
                        Proof::Found
                    }
                    Recheck::Cut(why) => {
                        let what = "a proof was found, but it could not be checked again";
                        Proof::Ended(Stop::Unknown(format!("{what}: {why}")))
                    }
                });
            }
            Ok(Outcome::Unsafe(found)) => self.replay(&found)?,
            Err(Stop::Effort) => {}
            // Without a solver, too, states can be visited.
            Err(stop @ (Stop::Unknown(_) | Stop::Nodes(_) | Stop::Solver(_))) => *hopeless = Some(stop),
            Err(stop) => return Ok(Proof::Ended(stop)),
        }
        Ok(Proof::Open)
    }

    /// Looks for schedules.
    fn iterate(&mut self) -> Result<Search, VerifyError> {
        let wanted = self.task.wanted_schedules();
        let mut schedules = match self.schedules.clone() {
            Some(schedules) => schedules,
            None => Schedules::new(&mut self.prover),
        };
        let end = loop {
            if self.count >= wanted {
                break Search::Done;
            }
            match schedules.iteration(&mut self.prover) {
                Ok(Progress::Larger) => {
                    self.count += 1;
                    let recheck = self.accept(&schedules.tree, Claim::SomeSchedules)?;
                    self.certain += u32::from(!matches!(recheck, Recheck::Cut(_)));
                    self.schedules = Some(schedules.clone());
                }
                Ok(Progress::Counterexample(found)) => self.replay(&found)?,
                Ok(Progress::None) => break Search::Done,
                Err(Stop::Effort) => break Search::Open,
                Err(stop) => break Search::Stopped(stop),
            }
        };
        let found: Vec<Counterexample> = schedules.counterexamples().collect();
        found.iter().try_for_each(|found| self.replay(found))?;
        Ok(end)
    }

    /// Checks a proof and tells of it. What the checker could not come to the end of is told, but does not count.
    fn accept(&mut self, tree: &Tree, claim: Claim) -> Result<Recheck, VerifyError> {
        let certificate = self.prover.certificate(self.task.program, tree, claim);
        let recheck = match self.task.checking {
            Checking::NotAsked => Recheck::NotAsked,
            Checking::Asked => {
                match check::check(self.task.program, &certificate, self.task.solver.clone()) {
                    Ok(checked) => Recheck::Done(checked),
                    Err(error @ CheckError::Wrong(_)) => {
                        return Err(VerifyError::Unproved(error.to_string()));
                    }
                    Err(error) => Recheck::Cut(error.to_string()),
                }
            }
        };
        let proof = FoundProof { prover: &self.prover, tree, certificate: &certificate, recheck: &recheck };
        let discovery = match claim {
            Claim::SomeSchedules => Discovery::Schedules { number: self.count, proof },
            Claim::AllSchedules => Discovery::Proof(proof),
        };
        tell(self.monitor, discovery)?;
        Ok(recheck)
    }

    fn no_more_schedules(&mut self, stop: &Stop) -> Result<(), VerifyError> {
        tell(self.monitor, Discovery::NoMoreSchedules { found: self.count, stop })
    }

    /// Replays a counterexample in the interpreter, and keeps it if it is new.
    fn replay(&mut self, found: &Counterexample) -> Result<(), VerifyError> {
        let failure = failure(self.task.program, found)
            .ok_or_else(|| VerifyError::Unproved("a counterexample cannot be replayed".to_owned()))?;
        self.keep(Violation { failure, schedule: found.schedule.clone() })
    }

    /// Keeps a violation and tells of it, if it is new.
    pub(super) fn keep(&mut self, violation: Violation<Failure>) -> Result<(), VerifyError> {
        if self.found.iter().all(|known| known.failure != violation.failure) {
            tell(self.monitor, Discovery::Violation(&violation))?;
            self.found.push(violation);
        }
        Ok(())
    }
}

/// The conclusion of searches that came to no end, if perhaps all states have been visited.
fn visited_or(visited: Option<u64>, stop: Stop) -> Conclusion {
    match visited {
        Some(states) => Conclusion::Safe(Basis::States(states)),
        None => Conclusion::Inconclusive(stop),
    }
}

/// Lets the monitor tell of something; an error if it ends the search.
fn tell(monitor: &mut dyn Monitor, discovery: Discovery) -> Result<(), VerifyError> {
    match monitor.discovers(&discovery) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(VerifyError::Ended),
    }
}
