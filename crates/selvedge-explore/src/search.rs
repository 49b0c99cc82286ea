//! A search in progress: the path with everything that all algorithms have in common around it.
//!
//! The search counts, collects violations, watches the limits and reports to a [`Monitor`]. What lives for one
//! execution is in the [`Path`]; what lives for the whole search is here.

use crate::admissible::{Admissible, Below, Change, Outside};
use crate::{Bound, BoundKind, Checkpoint, End, Path, Program, Statistics, ThreadStatus, WaitingForEver};
use selvedge_trace::{Decision, EventId, Footprint, HappensBefore, ThreadId};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// When to stop before everything is explored.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Stop after that many executions.
    pub executions: Option<u64>,
    /// Stop after that time.
    pub time: Option<Duration>,
    /// Cut executions after that many operations.
    pub depth: usize,
    /// What to do when a violation is found.
    pub after_violation: AfterViolation,
    /// The bound of the algorithms that have one.
    pub bound: Option<Bound>,
    /// The seed of the algorithms that sample.
    pub seed: u64,
    /// Where in the sample to begin: a multiple of [`BLOCK`](crate::sampling::BLOCK).
    pub first_execution: u64,
    /// The root thread of the algorithms that have one.
    pub root: Option<ThreadId>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            executions: None,
            time: None,
            depth: 100_000,
            after_violation: AfterViolation::Stop,
            bound: None,
            seed: 0,
            first_execution: 0,
            root: None,
        }
    }
}

/// What to do when a violation is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterViolation {
    /// Stop the search.
    Stop,
    /// Go on and collect those that differ.
    KeepGoing,
}

/// Why a search stopped before everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A violation was found.
    Violation,
    /// The limit on the number of executions.
    Executions,
    /// The limit on time.
    Time,
    /// The monitor asked for it.
    Interrupted,
    /// The algorithm only samples, and has taken its sample.
    Sampled,
}

/// Something wrong with the program, and how to get there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation<F> {
    /// What is wrong.
    pub failure: F,
    /// The decisions that lead to it, without those that have nothing to do with it.
    pub schedule: Vec<Decision>,
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub struct Exploration<F> {
    /// The violations, in the order in which they were found; no two with equal failures.
    pub violations: Vec<Violation<F>>,
    /// What was done.
    pub statistics: Statistics,
    /// Why the search stopped early, if it did.
    pub stop: Option<Stop>,
}

/// An observer of a search.
pub trait Monitor<P> {
    /// An execution has ended; the path holds all of it.
    fn execution(&mut self, _path: &Path<P>, _end: End) {}

    /// Whether the monitor looks at the order of events when an execution has ended.
    fn looks_at_order(&self) -> bool {
        false
    }

    /// Whether the safe admissible trace prefix is wanted. Only some algorithms [follow](crate::Algorithm::follows_prefixes) it. A search
    /// that follows it does not stop at the first violation, but when that does not become shorter any more.
    fn follows_prefix(&self) -> bool {
        false
    }

    /// The execution to begin with, as far as it can be followed. An algorithm that tries threads in a fixed order does not follow it.
    fn guide(&self) -> Vec<Decision> {
        Vec::new()
    }

    /// The first admissible trace was found: the path, a complete execution without a violation.
    fn admissible(&mut self, _path: &Path<P>) {}

    /// The first so many events of the first admissible trace are a safe prefix. The path begins with them.
    fn prefix(&mut self, _path: &Path<P>, _length: usize, _outside: &Outside) {}

    /// Whether it is time for a checkpoint; asked after `progress`.
    fn wants_checkpoint(&mut self) -> bool {
        false
    }

    /// Whether a checkpoint is wanted when the search ends before everything is explored.
    fn keeps_checkpoints(&self) -> bool {
        false
    }

    /// A checkpoint was made.
    fn checkpoint(&mut self, _program: &P, _checkpoint: Checkpoint) {}

    /// Some more work was done: the counters so far and a rough estimate of the fraction that was explored.
    /// `Break` ends the search.
    fn progress(&mut self, _statistics: &Statistics, _fraction: f64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// A monitor that does nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl<P> Monitor<P> for Silent {}

/// Operations between two looks at the clock.
const POLL_INTERVAL: u64 = 1 << 8;

/// Events whose races are reversed between two looks at the clock.
pub const REVERSAL_INTERVAL: usize = 1 << 4;

/// The time between two reports to the monitor.
const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// A search in progress.
pub struct Search<'m, P: Program> {
    /// The current path.
    pub path: Path<P>,
    /// The counters.
    pub statistics: Statistics,
    limits: Limits,
    monitor: &'m mut dyn Monitor<P>,
    violations: Vec<Violation<P::Failure>>,
    started: Instant,
    next_poll: u64,
    next_report: Duration,
    /// What was explored, as it was reported last.
    fraction: f64,
    stop: Option<Stop>,
    checkpoint_is_due: bool,
    resumed: Option<&'m Checkpoint>,
    admissible: Option<Box<Admissible>>,
    guide: Vec<Decision>,
    /// How many events of the path follow the guide.
    guided: usize,
}

impl<'m, P: Program> Search<'m, P> {
    /// A search at the beginning of the program.
    pub fn new(program: P, limits: Limits, monitor: &'m mut dyn Monitor<P>) -> Self {
        let mut search = Search {
            path: Path::new(program),
            statistics: Statistics::default(),
            limits,
            monitor,
            violations: Vec::new(),
            started: Instant::now(),
            next_poll: POLL_INTERVAL,
            next_report: REPORT_INTERVAL,
            fraction: 0.0,
            stop: None,
            checkpoint_is_due: false,
            resumed: None,
            admissible: None,
            guide: Vec::new(),
            guided: 0,
        };
        search.guide = search.monitor.guide();
        search.admissible = search.monitor.follows_prefix().then(Box::default);
        // A checkpoint would miss what is broken off.
        if !search.monitor.keeps_checkpoints() {
            search.path.deadline = limits.time.and_then(|time| search.started.checked_add(time));
        }
        search.note_failures(None);
        search
    }

    /// The same search, to go on from a checkpoint.
    pub fn resuming(self, checkpoint: Option<&'m Checkpoint>) -> Self {
        Search { resumed: checkpoint, ..self }
    }

    /// The checkpoint from which to go on, if there is one.
    pub fn resumed(&self) -> Option<&'m Checkpoint> {
        self.resumed
    }

    /// The bound, which excludes nothing if the user set none.
    pub fn bound(&self) -> Bound {
        self.limits.bound.unwrap_or(Bound { kind: BoundKind::Preemptions, limit: u32::MAX })
    }

    /// What has been found.
    pub fn finish(mut self) -> (Exploration<P::Failure>, P) {
        self.copy_counters();
        if self.path.is_broken_off {
            self.stop = self.stop.or(Some(Stop::Time));
        }
        let exploration =
            Exploration { violations: self.violations, statistics: self.statistics, stop: self.stop };
        (exploration, self.path.into_program())
    }

    /// Whether the monitor waits for a checkpoint: it asked for one, or the search ends before everything is explored.
    pub fn checkpoint_is_due(&self) -> bool {
        let is_cut_short = self.stop.is_some_and(|stop| stop != Stop::Violation);
        self.checkpoint_is_due || is_cut_short && self.monitor.keeps_checkpoints()
    }

    /// Hands a checkpoint to the monitor.
    pub fn save(&mut self, checkpoint: Checkpoint) {
        self.checkpoint_is_due = false;
        self.monitor.checkpoint(&self.path.program, checkpoint);
    }

    /// The decisions that lead to each violation found so far.
    pub fn violation_schedules(&self) -> Vec<Vec<Decision>> {
        self.violations.iter().map(|violation| violation.schedule.clone()).collect()
    }

    /// Performs what led to violations before, from the beginning of the program, so that they are known again.
    pub fn revisit(&mut self, schedules: &[Vec<Decision>]) {
        for schedule in schedules {
            for &decision in schedule {
                self.step(decision);
            }
            if self.path.next_enabled(None).is_none() && self.classify() == End::Deadlock {
                self.note(Violation { failure: self.path.program.deadlock(), schedule: schedule.clone() });
            }
            while !self.path.is_empty() {
                self.path.pop();
            }
        }
    }

    /// Notes that there may be more than what was explored.
    pub fn end_of_sample(&mut self) {
        self.stop = self.stop.or(Some(Stop::Sampled));
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether the search must end now.
    #[inline]
    pub fn stopped(&self) -> bool {
        self.stop.is_some()
    }

    /// Whether the path is as long as it may get.
    #[inline]
    pub fn at_depth_limit(&self) -> bool {
        self.path.len() >= self.limits.depth
    }

    /// Counts a step. After the last execution that the limit allows there must be none.
    #[inline]
    fn note_step(&mut self) {
        self.statistics.transitions += 1;
        if self.limits.executions.is_some_and(|limit| self.statistics.executions() >= limit) {
            self.stop = self.stop.or(Some(Stop::Executions));
        }
    }

    /// Performs the next operation of a thread.
    #[inline]
    pub fn step(&mut self, decision: Decision) -> EventId {
        self.note_step();
        if self.guide.get(self.guided) == Some(&decision) && self.guided == self.path.len() {
            self.guided += 1;
        }
        let site = self.admissible.as_ref().map(|_| self.path.program.site(decision.thread));
        let e = self.path.push(decision);
        if let (Some(admissible), Some(site)) = (&mut self.admissible, site) {
            admissible.enter(e, site, &self.path.order);
        }
        if !self.path.program.failures().is_empty() {
            self.note_failures(Some(e));
        }
        e
    }

    /// What the guide does in the present state. Once an execution has left it, it is of no use to others.
    pub fn guided(&mut self) -> Option<Decision> {
        let next = *self.guide.get(self.path.len())?;
        if self.guided < self.path.len() || next.choice > 0 || !self.path.program.is_enabled(next.thread) {
            self.guide.clear();
            return None;
        }
        Some(next)
    }

    /// Everything that follows the present state is explored, up to what sleeps there; the search is about to go back, or at its end. Says
    /// whether something was unsafe.
    pub fn complete_state(&mut self) -> Below {
        let length = self.path.len();
        self.guided = self.guided.min(length.saturating_sub(1));
        let Some(admissible) = &mut self.admissible else { return Below::Safe };
        let below = admissible.below(length);
        if self.stop.is_some() || self.path.is_broken_off {
            return below;
        }
        if admissible.complete(length) == Change::Shorter {
            self.monitor.prefix(&self.path, length, admissible.outside());
        }
        admissible.leave(length);
        self.stop_if_settled();
        below
    }

    /// Performs the next operation of a thread; what goes wrong has to be [noted](Self::note_failure) later.
    pub fn step_quietly(&mut self, decision: Decision) -> EventId {
        self.note_step();
        self.path.push(decision)
    }

    /// Notes what went wrong, with the decisions that lead there.
    pub fn note_failure(&mut self, failure: P::Failure, schedule: Vec<Decision>) {
        self.note(Violation { failure, schedule });
    }

    /// Performs the next operation of a thread without finding out how it is ordered.
    #[inline]
    pub fn step_unordered(&mut self, decision: Decision) {
        self.note_step();
        self.path.push_unordered(decision);
        if !self.path.program.failures().is_empty() {
            self.path.put_in_order();
            self.note_failures(Some(EventId::at(self.path.len() - 1)));
        }
    }

    /// Notes that the path is an execution that goes on no further because nothing is enabled, or because it
    /// has reached the limit of length.
    pub fn end(&mut self) {
        self.end_with(|path| path.schedule());
    }

    /// The same; the schedule of an equivalent execution is made if it is wanted.
    pub fn end_with(&mut self, schedule: impl FnOnce(&Path<P>) -> Vec<Decision>) {
        let end = self.classify();
        self.note_deadlock(end, schedule);
        self.count(end);
    }

    /// Notes that the path has reached the limit of length, and that it stands for longer executions, too, even if nothing
    /// is enabled.
    pub fn end_cut(&mut self) {
        let end = self.classify();
        self.note_deadlock(end, |path| path.schedule());
        self.count(End::Cut);
    }

    fn note_deadlock(&mut self, end: End, schedule: impl FnOnce(&Path<P>) -> Vec<Decision>) {
        if end == End::Deadlock {
            let schedule = schedule(&self.path);
            self.note(Violation { failure: self.path.program.deadlock(), schedule });
        }
    }

    /// Notes that everything enabled is asleep.
    pub fn end_sleep_set_blocked(&mut self) {
        self.count(End::SleepSetBlocked);
    }

    /// Notes that the last step led out of the bound.
    pub fn end_over_bound(&mut self) {
        self.statistics.count(End::OverBound);
    }

    /// Notes that everything that can follow was explored before, from the same state.
    pub fn end_known(&mut self) {
        self.count(End::Known);
    }

    /// The threads that are neither ended nor given up. At the end of an execution: those that wait for good.
    pub fn running_threads(&self) -> impl Iterator<Item = ThreadId> {
        let program = &self.path.program;
        (0..self.path.order.thread_count())
            .map(ThreadId::at)
            .filter(|&t| program.status(t) == ThreadStatus::Running)
    }

    /// Looks at the clock and tells the monitor, now and then. The levels are those of the path: how many
    /// branches are explored and how many are known at each.
    #[inline]
    pub fn poll<I: Iterator<Item = Level>>(&mut self, levels: impl FnOnce(&Self) -> I) {
        if self.statistics.transitions >= self.next_poll {
            self.next_poll = self.statistics.transitions + POLL_INTERVAL;
            let elapsed = self.started.elapsed();
            if self.limits.time.is_some_and(|limit| elapsed >= limit) {
                self.stop = Some(Stop::Time);
            }
            if elapsed >= self.next_report {
                self.fraction = explored_fraction(levels(self));
                self.report(elapsed);
                self.checkpoint_is_due = self.monitor.wants_checkpoint();
            }
        }
    }

    /// Looks at the clock in the middle of long work at the end of an execution; whether to drop that work, since the
    /// search ends. A checkpoint would miss what is dropped, so nothing is if one is wanted.
    pub fn gives_up(&mut self) -> bool {
        if self.monitor.keeps_checkpoints() {
            return false;
        }
        let elapsed = self.started.elapsed();
        if self.limits.time.is_some_and(|limit| elapsed >= limit) {
            self.stop = self.stop.or(Some(Stop::Time));
        } else if elapsed >= self.next_report {
            self.report(elapsed);
        }
        matches!(self.stop, Some(Stop::Time | Stop::Interrupted))
    }

    /// Reports to the monitor, which may want to end the search.
    fn report(&mut self, elapsed: Duration) {
        self.next_report = elapsed + REPORT_INTERVAL;
        self.copy_counters();
        if self.monitor.progress(&self.statistics, self.fraction).is_break() {
            self.stop = Some(Stop::Interrupted);
        }
    }

    fn copy_counters(&mut self) {
        self.statistics.race_checks = self.path.order.race_checks;
        self.statistics.dependency_checks = self.path.order.dependency_checks;
    }

    fn classify(&mut self) -> End {
        if self.at_depth_limit() && self.path.next_enabled(None).is_some() {
            return End::Cut;
        }
        let mut end = End::Complete;
        let program = &self.path.program;
        let threads = (0..self.path.order.thread_count()).map(ThreadId::at);
        let waits = |thread| {
            (program.status(thread) == ThreadStatus::Running).then(|| program.waiting_for_ever(thread))
        };
        let is_over = threads.clone().any(|thread| waits(thread) == Some(WaitingForEver::EndOfProgram));
        for thread in threads {
            end = match (program.status(thread), end) {
                (ThreadStatus::Failed, _) => return End::Failed,
                (ThreadStatus::Diverged, End::Complete | End::Deadlock | End::Dropped) => End::Cut,
                (ThreadStatus::Dropped, End::Complete | End::Deadlock) => End::Dropped,
                (ThreadStatus::Running, End::Complete | End::Deadlock)
                    if waits(thread) == Some(WaitingForEver::FalseAssumption) =>
                {
                    End::Dropped
                }
                (ThreadStatus::Running, End::Complete) if !is_over && program.counts_as_deadlock() => {
                    End::Deadlock
                }
                (_, end) => end,
            };
        }
        end
    }

    fn count(&mut self, end: End) {
        self.note_safety(end);
        self.statistics.count(end);
        self.statistics.longest = self.statistics.longest.max(self.path.len() as u64);
        if self.monitor.looks_at_order() {
            self.path.put_in_order();
        }
        self.monitor.execution(&self.path, end);
    }

    /// Notes what the end of an execution means for the prefix.
    fn note_safety(&mut self, end: End) {
        let length = self.path.len();
        let Some(admissible) = &mut self.admissible else { return };
        match end {
            End::Deadlock | End::Failed | End::Cut | End::OverBound => admissible.note_unsafe(length),
            End::Complete if admissible.note_safe(length) => {
                self.monitor.admissible(&self.path);
                self.monitor.prefix(&self.path, length, admissible.outside());
            }
            _ => {}
        }
        self.stop_if_settled();
    }

    /// Ends the search if violations stand in the way of every shorter prefix.
    fn stop_if_settled(&mut self) {
        let is_settled = self.admissible.as_ref().is_some_and(|admissible| admissible.is_final());
        let stops = self.limits.after_violation == AfterViolation::Stop;
        if is_settled && stops && !self.violations.is_empty() {
            self.stop = self.stop.or(Some(Stop::Violation));
        }
    }

    fn note_failures(&mut self, event: Option<EventId>) {
        for i in 0..self.path.program.failures().len() {
            let failure = self.path.program.failures()[i].clone();
            let schedule = event.map_or(Vec::new(), |e| self.schedule_of_past(e));
            self.note(Violation { failure, schedule });
        }
        if self.stop == Some(Stop::Violation) {
            // The search ends in the middle of this execution.
            self.count(End::Failed);
        }
    }

    fn note(&mut self, violation: Violation<P::Failure>) {
        if self.violations.iter().all(|known| known.failure != violation.failure) {
            self.violations.push(violation);
        }
        match &mut self.admissible {
            Some(admissible) => {
                admissible.note_unsafe(self.path.len());
                self.stop_if_settled();
            }
            None if self.limits.after_violation == AfterViolation::Stop => {
                self.stop = Some(Stop::Violation);
            }
            None => {}
        }
    }

    /// The decisions for the events that happen before `e`, and `e`. Threads that were given up at a read are
    /// left out: without that read they are just not as far yet, and what only led to it is left out too.
    fn schedule_of_past(&self, e: EventId) -> Vec<Decision> {
        let order = &self.path.order;
        let was_given_up = |f: EventId| {
            let event = order.event(f);
            f != e
                && event.mask.is_read_only()
                && order.latest_of(event.thread()) == Some(f)
                && matches!(
                    self.path.program.status(event.thread()),
                    ThreadStatus::Dropped | ThreadStatus::Failed
                )
        };
        let accomplices = self.path.program.accomplices().iter().filter_map(|&t| order.latest_of(t));
        let ends: Vec<EventId> = accomplices.chain([e]).collect();
        let mut left = HappensBefore::new(order.thread_count());
        let mut ends_left = Vec::new();
        let mut footprint = Footprint::default();
        for f in order.events().filter(|&f| !was_given_up(f)) {
            footprint.clear();
            for access in order.accesses(f) {
                footprint.record(access.location, access.kind);
            }
            let copy = left.push(order.event(f).decision, &footprint);
            ends_left.extend(ends.contains(&f).then_some(copy));
        }
        let leads_here = |f: EventId| ends_left.iter().any(|&end| f <= end && left.happens_before(f, end));
        left.events().filter(|&f| leads_here(f)).map(|f| left.event(f).decision).collect()
    }
}

/// How far the exploration of one state on the path is.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// Branches explored completely.
    pub explored: usize,
    /// Branches known, including the present one.
    pub known: usize,
}

impl Level {
    /// A state at which the last of so many branches is being explored, and another may follow.
    pub fn after(begun: usize) -> Level {
        Level { explored: begun.saturating_sub(1), known: begun + 1 }
    }
}

/// The levels of a path on which every thread is tried in order at each state.
pub fn levels_by_thread<P: Program>(search: &Search<P>) -> std::vec::IntoIter<Level> {
    let order = &search.path.order;
    let level = |e| Level { explored: order.event(e).thread().index(), known: order.thread_count() };
    order.events().map(level).collect::<Vec<_>>().into_iter()
}

fn explored_fraction(levels: impl Iterator<Item = Level>) -> f64 {
    let (mut fraction, mut weight) = (0.0, 1.0);
    for Level { explored, known } in levels {
        let known = known.max(1) as f64;
        fraction += weight * explored as f64 / known;
        weight /= known;
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fraction_weighs_each_level_by_the_branches_above() {
        let levels = [Level { explored: 1, known: 2 }, Level { explored: 1, known: 4 }];
        assert_eq!(explored_fraction(levels.into_iter()), 0.5 + 0.125);
        assert_eq!(explored_fraction(std::iter::empty()), 0.0);
    }
}
