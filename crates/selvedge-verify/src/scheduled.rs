//! Programs under a schedule: only what it permits is explored, or proved by induction where that is too much.

use crate::assumptions::{Assumptions, Origin};
use crate::monitor::OfSearch;
use crate::{Monitor, Outcome, Task, VerifyError};
use selvedge_claim::terms::Vacuity;
use selvedge_claim::verdict::is_vacuous;
use selvedge_claim::{Run, Terms, Verdict, scope};
use selvedge_enforce::confirm::{Confirmation, confirm};
use selvedge_enforce::induction::{NotProved, Proved};
use selvedge_enforce::search::Explored;
use selvedge_enforce::{Fairness, Lost};
use selvedge_explore::{Algorithm, Plan};
use selvedge_ir::Program;
use selvedge_schedule::Schedule;
use selvedge_smt::Options;
use selvedge_trace::ThreadId;
use std::time::Instant;

/// A program to explore under a schedule.
#[derive(Clone, Debug)]
pub struct CheckScheduled<'t> {
    /// The program.
    pub program: &'t Program,
    /// Where it comes from.
    pub origin: Origin,
    /// The schedule, which is one for this program.
    pub schedule: &'t Schedule,
    /// The limits; the algorithm is that of schedules.
    pub plan: Plan,
    /// The solver for proofs by induction.
    pub solver: Options,
    /// Whether a claim about no execution is accepted.
    pub vacuity: Vacuity,
}

/// What was found under a schedule.
#[derive(Debug)]
pub struct EvidenceUnderSchedule {
    /// How it was explored, and what a claim about it assumes.
    pub run: Run,
    /// What was explored.
    pub explored: Explored,
    /// The proof by induction that decides, if there is one.
    pub proof: Option<Proved>,
    /// Why what was explored may not be all that is permitted.
    pub doubts: Vec<Doubt>,
}

/// Why what was explored may not be all that a schedule permits, or the schedule is not what it claims to be.
#[derive(Clone, Debug)]
pub enum Doubt {
    /// The schedule does not say how to go on.
    Lost(Lost),
    /// Threads go on in local code in too many ways.
    Overrun,
    /// The schedule is wrong, so only some steps were looked at.
    OnlySome,
    /// The schedule claims of this node what does not hold there.
    FalseClaim(usize),
    /// The schedule can go on for ever without this thread, which could go on.
    Starved(ThreadId),
    /// Whether the schedule is fair is unknown.
    UndecidedFairness,
    /// No proof by induction was found.
    NotProved(NotProved),
}

impl Task for CheckScheduled<'_> {
    type Evidence = EvidenceUnderSchedule;

    fn decide(self, monitor: &mut dyn Monitor) -> Result<Outcome<EvidenceUnderSchedule>, VerifyError> {
        let Plan { limits, .. } = self.plan;
        monitor.begins(&self.plan, self.program.thread_count());
        let started = Instant::now();
        let mut monitor = OfSearch(monitor);
        let found = confirm(self.program, self.schedule, limits, self.solver.clone(), &mut monitor);
        let Confirmation { explored, proof } = found?;
        let elapsed = started.elapsed();
        let terms = Terms { states: Some(explored.states as u64), ..self.terms() };
        let algorithm = Algorithm::Exhaustive;
        let run = Run { algorithm, chosen_because: None, limits, reached: None, elapsed, terms };
        let mut doubts = match &proof {
            Some(Ok(_)) => Vec::new(),
            _ => doubts(&explored),
        };
        let proof = match proof {
            Some(Err(why)) => {
                if !doubts.is_empty() || !explored.is_whole {
                    doubts.push(Doubt::NotProved(why));
                }
                None
            }
            // The proof is about all that is permitted, and nothing wrong was found in what was visited of it.
            Some(Ok(proved)) if !is_vacuous(&explored.exploration.statistics) => Some(proved),
            Some(Ok(_)) | None => None,
        };
        let verdict = match proof {
            Some(_) => Verdict::Verified,
            None => scope::verdict(&run, &explored.exploration, doubts.len()),
        };
        Ok(Outcome { verdict, evidence: EvidenceUnderSchedule { run, explored, proof, doubts } })
    }
}

impl CheckScheduled<'_> {
    /// The terms of the claim. Where C ends the program its translation stops at an assumption, which does not make a claim vacuous.
    fn terms(&self) -> Terms {
        let terms = self.origin.terms(self.program, self.vacuity);
        let is_translated = self.origin != Origin::Model;
        match is_translated && Assumptions::of(self.program, self.origin).are_none() {
            true => Terms { vacuity: Vacuity::Allowed, ..terms },
            false => terms,
        }
    }
}

/// Why what was explored may not be all that is permitted.
fn doubts(explored: &Explored) -> Vec<Doubt> {
    let program = &explored.program;
    let is_cut_short =
        !explored.is_whole && explored.exploration.stop.is_none() && explored.exploration.statistics.cut == 0;
    let lost = program.lost().cloned().map(Doubt::Lost);
    let overrun = program.is_overrun().then_some(Doubt::Overrun);
    let only_some = is_cut_short.then_some(Doubt::OnlySome);
    let false_claim = program.false_claim().map(Doubt::FalseClaim);
    let unfair = match explored.fairness {
        Fairness::Fair => None,
        Fairness::Starved(thread) => Some(Doubt::Starved(thread)),
        Fairness::Undecided => explored.is_whole.then_some(Doubt::UndecidedFairness),
    };
    [lost, overrun, only_some, false_claim, unfair].into_iter().flatten().collect()
}
