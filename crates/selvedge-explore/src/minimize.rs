//! Counterexamples that are easier to read: fewer steps, and fewer context switches.
//!
//! [`fewest_switches`] reorders: the execution stays equivalent to the one that was found. [`shorten`] leaves out: threads, then
//! ever smaller runs of consecutive steps (delta debugging [ZellerH2002, the algorithm ddmin], in which a step that cannot be performed without those
//! that were left out is left out, too). At last it tries the same number of steps with fewer context switches: one thread does
//! the work of another, or goes on sooner. Each candidate is performed from the beginning of the program; only one that ends in
//! the same failure replaces the best so far.

use crate::bounds::bound::{Bound, BoundKind};
use crate::bounds::least_cost::{Answer, LeastCost, Pending, Question};
use crate::{Path, Program, Violation};
use selvedge_trace::{Decision, Footprint, ThreadId};
use std::time::Instant;

/// The schedule of an equivalent execution with the fewest context switches, or one that could be found in time.
/// The last decision stays the last if everything else happens before it.
pub fn fewest_switches<P: Program>(program: P, schedule: &[Decision]) -> (Vec<Decision>, P) {
    let mut path = Path::new(program);
    for &decision in schedule {
        path.push(decision);
    }
    let switches = switches(schedule) as u32;
    let mut least = LeastCost::default();
    for limit in 0..switches {
        let bound = Bound { kind: BoundKind::Switches, limit };
        let question =
            Question { order: &path.order, pending: Pending::Unknown, could_go_on: &mut |_, _| true };
        match least.ask(question, bound) {
            Answer::Within => {
                let fewer = least.sequence().iter().map(|&e| path.order.event(e).decision).collect();
                return (fewer, path.program);
            }
            Answer::Over => {}
            Answer::Unknown => break,
        }
    }
    (schedule.to_vec(), path.program)
}

fn switches(schedule: &[Decision]) -> usize {
    schedule.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// How much work a shorter counterexample is worth.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Steps of all candidates together.
    pub steps: u64,
    /// When to stop, however few steps were performed. Which schedule is the best by then depends on the speed of the machine.
    pub deadline: Option<Instant>,
}

/// Leaves steps out of the schedule of a violation as long as the same failure remains. The violation is always the best so far,
/// even if the program unwinds in the middle of a candidate. Says whether no single thread and no single step can be left out any more.
pub fn shorten<P: Program>(
    program: &mut P,
    violation: &mut Violation<P::Failure>,
    is_same: impl Fn(&P::Failure, &P::Failure) -> bool,
    effort: Effort,
) -> Shortened {
    let mut shortener = Shortener { program, violation, is_same, effort, footprint: Footprint::default() };
    match shortener.run() {
        Some(()) => Shortened::Minimal,
        None => Shortened::OutOfEffort,
    }
}

/// How an attempt at a shorter schedule ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortened {
    /// No single thread and no single step can be left out.
    Minimal,
    /// The work was no longer worth it.
    OutOfEffort,
}

/// What came of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Candidate {
    /// It is the best schedule now.
    Shorter,
    Refuted,
}

struct Shortener<'a, P: Program, S> {
    program: &'a mut P,
    violation: &'a mut Violation<P::Failure>,
    is_same: S,
    effort: Effort,
    footprint: Footprint,
}

impl<P: Program, S: Fn(&P::Failure, &P::Failure) -> bool> Shortener<'_, P, S> {
    fn run(&mut self) -> Option<()> {
        self.leave_out_threads()?;
        self.leave_out_runs()?;
        self.merge_threads()?;
        self.join_runs()
    }

    /// The threads of the best schedule so far.
    fn threads(&self) -> Vec<ThreadId> {
        let mut threads: Vec<ThreadId> = self.violation.schedule.iter().map(|d| d.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        threads
    }

    /// Leaves out all steps of a thread, for one thread after the other. Nothing if that is too much work.
    fn leave_out_threads(&mut self) -> Option<()> {
        for thread in self.threads() {
            let others = |decision: &Decision| decision.thread != thread;
            let candidate = self.violation.schedule.iter().copied().filter(others).collect();
            self.attempt(candidate)?;
        }
        Some(())
    }

    /// Leaves out runs of consecutive steps, from half of the schedule down to single ones, these until none can be left out.
    fn leave_out_runs(&mut self) -> Option<()> {
        let mut length = self.violation.schedule.len() / 2;
        while length > 0 {
            let has_improved = self.leave_out_runs_of(length)?;
            if length > 1 || !has_improved {
                length /= 2;
            }
        }
        Some(())
    }

    /// Leaves out runs of one length; whether any could be left out.
    fn leave_out_runs_of(&mut self, length: usize) -> Option<bool> {
        let (mut at, mut has_improved) = (0, false);
        while at < self.violation.schedule.len() {
            let schedule = &self.violation.schedule;
            let rest = schedule.get(at + length..).unwrap_or(&[]);
            let candidate = schedule[..at].iter().chain(rest).copied().collect();
            match self.attempt(candidate)? {
                Candidate::Shorter => has_improved = true,
                Candidate::Refuted => at += length,
            }
        }
        Some(has_improved)
    }

    /// Lets one thread do the steps of another.
    fn merge_threads(&mut self) -> Option<()> {
        let threads = self.threads();
        for (number, &kept) in threads.iter().enumerate() {
            for &other in &threads[number + 1..] {
                let merge = |decision: &Decision| match decision.thread == other {
                    true => Decision { thread: kept, ..*decision },
                    false => *decision,
                };
                let candidate = self.violation.schedule.iter().map(merge).collect();
                self.attempt(candidate)?;
            }
        }
        Some(())
    }

    /// Lets a thread go on at once where another interrupts it.
    fn join_runs(&mut self) -> Option<()> {
        let mut at = 1;
        while at < self.violation.schedule.len() {
            let schedule = &self.violation.schedule;
            let thread = schedule[at].thread;
            let length = schedule[at..].iter().take_while(|decision| decision.thread == thread).count();
            let earlier = schedule[..at].iter().rposition(|decision| decision.thread == thread);
            at += length;
            if let Some(earlier) = earlier.filter(|earlier| earlier + 1 + length < at) {
                let mut candidate = schedule.clone();
                candidate[earlier + 1..at].rotate_right(length);
                self.attempt(candidate)?;
            }
        }
        Some(())
    }

    /// Whether a schedule is shorter than the best so far, or as long with fewer context switches.
    fn is_better(&self, schedule: &[Decision]) -> bool {
        let best = &self.violation.schedule;
        schedule.len() < best.len() || schedule.len() == best.len() && switches(schedule) < switches(best)
    }

    /// Accepts a candidate that has led to a failure, if it is better than the best so far and the failure is the same.
    fn accept(&mut self, failure: P::Failure, schedule: Vec<Decision>) -> Candidate {
        if !(self.is_same)(&failure, &self.violation.failure) || !self.is_better(&schedule) {
            return Candidate::Refuted;
        }
        *self.violation = Violation { failure, schedule };
        Candidate::Shorter
    }

    /// Performs a candidate from the beginning, without the steps that are not possible any more, and then lets threads take turns, so
    /// that one that waits for another in a loop does not wait for ever. Nothing if that is too much work.
    fn attempt(&mut self, candidate: Vec<Decision>) -> Option<Candidate> {
        if self.effort.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return None;
        }
        self.program.restart();
        let mut taken = Vec::new();
        let mut wanted = candidate.into_iter();
        loop {
            let failures = self.program.failures();
            if let Some(failure) = failures.iter().find(|f| (self.is_same)(f, &self.violation.failure)) {
                let failure = failure.clone();
                return Some(self.accept(failure, taken));
            }
            if !failures.is_empty() {
                return Some(Candidate::Refuted);
            }
            let next =
                wanted.find(|&d| self.can_perform(d)).or_else(|| self.next_in_turn(taken.last().copied()));
            let Some(decision) = next else { break };
            if taken.len() >= self.violation.schedule.len() {
                return Some(Candidate::Refuted);
            }
            self.effort.steps = self.effort.steps.checked_sub(1)?;
            self.program.step(decision, &mut self.footprint);
            taken.push(decision);
        }
        if !crate::sampling::hunt::is_deadlock(self.program) {
            return Some(Candidate::Refuted);
        }
        let failure = self.program.deadlock();
        Some(self.accept(failure, taken))
    }

    fn can_perform(&mut self, Decision { thread, choice }: Decision) -> bool {
        thread.index() < self.program.thread_count()
            && self.program.is_enabled(thread)
            && choice < self.program.choices(thread)
    }

    /// The first enabled thread after the one of the latest step.
    fn next_in_turn(&mut self, latest: Option<Decision>) -> Option<Decision> {
        let count = self.program.thread_count();
        let first = latest.map_or(0, |decision| decision.thread.index() + 1);
        let mut threads = (0..count).map(|number| ThreadId::at((first + number) % count));
        let thread = threads.find(|&thread| self.program.is_enabled(thread))?;
        Some(Decision { thread, choice: 0 })
    }
}
