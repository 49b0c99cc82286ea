//! One call of `selvedge prove`: schedules, all schedules and running the program take turns.
//!
//! Neither the search for schedules nor that for a proof need end, and each may be easy where the other is not. So each gets
//! a share of effort, and larger ones as long as both are undecided. Shares are counted in nodes and queries, so that the same program
//! gives the same result.

use super::hunt::{LONG, SHORT};
use super::telling::{Recheck, Teller};
use super::visiting::Glance;
use super::{Verdict, drawing, failure, line, write};
use crate::args::ProveArgs;
use crate::assumptions::Origin;
use crate::error::CliError;
use crate::native::is_native;
use selvedge_certificate::{CheckError, Claim, check};
use selvedge_explore::Violation;
use selvedge_impact::complete::Outcome;
use selvedge_impact::iterate::{Progress, Schedules};
use selvedge_impact::{Counterexample, Prover, Stop, Tree};
use selvedge_interp::{Failure, FailureKind};
use selvedge_report::Subject;
use selvedge_smt::Options;
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

/// A call of `selvedge prove`.
pub struct Session<'s> {
    args: &'s ProveArgs,
    pub(super) subject: Subject<'s>,
    pub(super) prover: Prover,
    options: Options,
    teller: Teller<'s>,
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
    /// Where the program comes from.
    pub(super) origin: Origin,
}

impl<'s> Session<'s> {
    pub fn new(
        args: &'s ProveArgs,
        subject: Subject<'s>,
        prover: Prover,
        options: Options,
        teller: Teller<'s>,
    ) -> Self {
        let end = prover.limits.deadline;
        let found = Vec::new();
        let origin = match is_native(&args.program.path) {
            true => Origin::Translated,
            false => Origin::Model,
        };
        Session {
            args,
            subject,
            prover,
            options,
            teller,
            end,
            found,
            count: 0,
            certain: 0,
            schedules: None,
            proof: None,
            origin,
        }
    }

    /// Proves; the exit code.
    pub fn run(mut self) -> Result<u8, CliError> {
        if let Some(time) = self.args.max_time {
            self.prover.limits.deadline = self.end.map(|end| end - time / HUNTING_PART);
        }
        let completes = self.args.until_complete || self.args.iterations.is_none();
        let mut verdict = match completes {
            true => self.all_schedules()?,
            false => self.some_schedules()?,
        };
        if let Verdict::Inconclusive(stop) = &verdict
            && *stop != Stop::Interrupted
            && completes
            && self.found.is_empty()
        {
            self.hunt(LONG)?;
        }
        if !self.found.is_empty() && matches!(verdict, Verdict::Inconclusive(_)) {
            verdict = if self.certain > 0 { Verdict::PartiallySafe } else { Verdict::Unsafe };
        }
        if verdict.exit_code() == 0
            && !self.args.allow_vacuous
            && let Some(why) = self.vacuity()?
        {
            verdict = Verdict::Vacuous(why);
        }
        let verdict = self.about_property(verdict);
        if let (Verdict::Explored(_) | Verdict::Visited(_), Some(path)) = (&verdict, &self.args.certificate) {
            let listed = self.list_states(path)?;
            self.teller.listed(listed);
        }
        self.teller.verdict(&verdict, self.certain, &self.prover.effort)?;
        if self.args.language.property.is_some() {
            self.teller.property(&verdict)?;
        }
        Ok(verdict.exit_code())
    }

    /// The verdict about the property that was asked for, if one was: behaviour without meaning is no call of an error function.
    fn about_property(&self, verdict: Verdict) -> Verdict {
        let is_asked_for = |found: &Violation<Failure>| found.failure.kind == FailureKind::Assertion;
        match self.args.language.property {
            Some(_) if !self.found.is_empty() && !self.found.iter().any(is_asked_for) => {
                Verdict::Inconclusive(Stop::Unknown("there is a violation of another property".to_owned()))
            }
            _ => verdict,
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
    fn some_schedules(&mut self) -> Result<Verdict, CliError> {
        let stop = match self.iterate()? {
            Search::Stopped(stop) => {
                self.teller.no_schedule(self.count, &stop)?;
                stop
            }
            Search::Open | Search::Done => {
                Stop::Unknown("only some schedules were looked at, as --iterations asks".to_owned())
            }
        };
        Ok(Verdict::Inconclusive(stop))
    }

    /// Visits some states, and then looks for schedules and for a proof. What the states show counts if the searches do not come to their end.
    fn all_schedules(&mut self) -> Result<Verdict, CliError> {
        let glance = self.glance();
        let verdict = self.in_turns()?;
        match (&verdict, glance) {
            (Verdict::Inconclusive(stop), _) if *stop == Stop::Interrupted || !self.found.is_empty() => {
                Ok(verdict)
            }
            (Verdict::Inconclusive(_), Glance::Safe(states)) => Ok(Verdict::Visited(states)),
            (Verdict::Inconclusive(_), Glance::Violation(found)) => self.keep(found).map(|()| verdict),
            _ => Ok(verdict),
        }
    }

    /// Looks for schedules and for a proof in turns.
    fn in_turns(&mut self) -> Result<Verdict, CliError> {
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
                return Ok(Verdict::Inconclusive(Stop::Effort));
            }
            let effort = match share {
                FIRST_SHARE => FIRST_SHARE,
                _ if visited.is_some() && self.args.certificate.is_none() => share,
                _ => FACTOR * share,
            };
            match self.prove_with(effort, &mut hopeless)? {
                Proof::Found => return Ok(Verdict::Safe),
                Proof::Ended(stop) => {
                    if let Search::Stopped(why) = &iterations {
                        self.teller.no_schedule(self.count, why)?;
                    }
                    return Ok(visited.map_or(Verdict::Inconclusive(stop), Verdict::Visited));
                }
                Proof::Open if share == FIRST_SHARE && self.found.is_empty() => {
                    self.hunt(SHORT)?;
                    if self.found.is_empty()
                        && let Some(executions) = self.explore()?
                    {
                        return Ok(Verdict::Explored(executions));
                    }
                }
                Proof::Open => {}
            }
            match visited {
                Some(states) if self.found.is_empty() => return Ok(Verdict::Visited(states)),
                None if self.found.is_empty() => visited = self.visit(share)?,
                _ => {}
            }
            share *= FACTOR;
            if let Some(stop) = &hopeless
                && self.found.is_empty()
                && (visited.is_some() || share > LAST_VISIT)
            {
                if let Search::Stopped(why) = &iterations {
                    self.teller.no_schedule(self.count, why)?;
                }
                return Ok(visited.map_or(Verdict::Inconclusive(stop.clone()), Verdict::Visited));
            }
        }
    }

    /// Looks for a proof with so much effort, unless that is known to be hopeless.
    fn prove_with(&mut self, effort: u64, hopeless: &mut Option<Stop>) -> Result<Proof, CliError> {
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
    fn iterate(&mut self) -> Result<Search, CliError> {
        // A property is about all schedules.
        let wanted = self.args.iterations.unwrap_or(u32::from(self.args.language.property.is_none()));
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

    /// Checks a proof and tells of it. What the checker could not come to the end of is told and written, but does not count.
    fn accept(&mut self, tree: &Tree, claim: Claim) -> Result<Recheck, CliError> {
        let certificate = self.prover.certificate(self.subject.program, tree, claim);
        let recheck = match self.args.no_certify {
            true => Recheck::NotAsked,
            false => match check::check(self.subject.program, &certificate, self.options.clone()) {
                Ok(checked) => Recheck::Done(checked),
                Err(error @ CheckError::Wrong(_)) => return Err(CliError::Unproved(error.to_string())),
                Err(error) => Recheck::Cut(error.to_string()),
            },
        };
        match claim {
            Claim::SomeSchedules => self.teller.schedule(&self.prover, tree, self.count, &recheck)?,
            Claim::AllSchedules => self.teller.proof(tree, &recheck)?,
        }
        if let Some(path) = &self.args.certificate {
            write(path, &certificate.to_string())?;
        }
        if let (Some(path), Claim::SomeSchedules) = (&self.args.schedule, claim) {
            let source = self.subject.source;
            let schedule = self.prover.schedule(tree, certificate.program, &|span| line(source, span));
            write(path, &schedule.to_string())?;
        }
        if let Some(path) = &self.args.drawing {
            let drawing = drawing::drawing(&self.prover, tree, self.subject.source);
            write(path, &drawing.of_kind(path))?;
        }
        Ok(recheck)
    }

    /// Replays a counterexample in the interpreter, and keeps it if it is new.
    fn replay(&mut self, found: &Counterexample) -> Result<(), CliError> {
        let failure = failure(self.subject.program, found)
            .ok_or_else(|| CliError::Unproved("a counterexample cannot be replayed".to_owned()))?;
        self.keep(Violation { failure, schedule: found.schedule.clone() })
    }

    /// Keeps a violation and tells of it, if it is new.
    pub(super) fn keep(&mut self, violation: Violation<Failure>) -> Result<(), CliError> {
        if self.found.iter().all(|known| known.failure != violation.failure) {
            self.teller.counterexample(&violation)?;
            self.found.push(violation);
        }
        Ok(())
    }
}
