//! Samples, taken block by block, on one or several threads of the operating system.
//!
//! The blocks of a sample know nothing of each other: each is a search of its own, with its own part of the random numbers. What
//! is reported is what taking them one after the other would have found, up to the first that ends the sample; so it does not depend
//! on how many threads there are.

use crate::Checker;
use crate::checker::without_noise;
use crate::noticed::Noticed;
use crate::reach::Point;
use crate::report::{Report, Violation};
use crate::runtime::assumptions::Assumptions;
use crate::runtime::failure::{Failure, FailureKind, Site};
use crate::runtime::program::Halt;
use crate::runtime::with;
use crate::telling::divergence;
use selvedge_claim::Run;
use selvedge_explore::sampling::{BLOCK, SAMPLE};
use selvedge_explore::{Attempt, Exploration, Limits, Statistics, Stop, restart_while_refuted};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// A closure that may run on several threads of the operating system.
pub type SharedBody = Arc<dyn Fn() + Send + Sync>;

/// Who takes the sample.
pub enum Takers<'a> {
    /// The present thread.
    Present(&'a Rc<dyn Fn()>),
    /// So many others.
    Others(usize, SharedBody),
}

/// The points of `reachable!` that were reached.
type Reached = Vec<&'static Point>;

/// Takes a sample.
pub fn sample(checker: &Checker, takers: &Takers) -> (Report, Reached) {
    let started = Instant::now();
    let sampled = restart_while_refuted(Assumptions::default(), |assumptions| {
        let round = Round { checker, assumptions, started };
        let mut blocks = match takers {
            Takers::Present(body) => round.take_here(body),
            Takers::Others(jobs, body) => round.take_on_others(*jobs, body),
        };
        match blocks.pop() {
            Some(Block::Refuted(corrected)) => Ok(Attempt::Refuted(corrected)),
            Some(Block::Diverged(told)) => Err(told),
            last => Ok(Attempt::Stands(round.conclude(blocks.into_iter().chain(last)))),
        }
    });
    sampled.unwrap_or_else(|told| (Report::diverged(told, started.elapsed()), Vec::new()))
}

/// What came of a block.
enum Block {
    Explored(Box<Explored>),
    /// Something that was taken for granted is wrong: everything begins again.
    Refuted(Assumptions),
    /// The closure is not deterministic.
    Diverged(String),
}

/// A block without surprises.
struct Explored {
    statistics: Statistics,
    stop: Option<Stop>,
    violations: Vec<(Failure, Violation)>,
    noticed: Noticed,
}

impl Block {
    /// Whether no other blocks follow.
    fn is_last(&self) -> bool {
        match self {
            Block::Explored(explored) => {
                !matches!(explored.stop, None | Some(Stop::Sampled | Stop::Executions))
            }
            Block::Refuted(_) | Block::Diverged(_) => true,
        }
    }
}

/// All blocks, as long as what is taken for granted stays right.
struct Round<'a> {
    checker: &'a Checker,
    assumptions: Assumptions,
    started: Instant,
}

impl Round<'_> {
    fn executions(&self) -> u64 {
        self.checker.limits.executions.unwrap_or(SAMPLE)
    }

    /// The blocks in their order, up to the first that ends the sample.
    fn take_here(&self, body: &Rc<dyn Fn()>) -> Vec<Block> {
        let mut blocks = Vec::new();
        for number in 0..self.executions().div_ceil(BLOCK) {
            blocks.push(self.take(number, body));
            if blocks.last().is_some_and(Block::is_last) {
                break;
            }
        }
        blocks
    }

    /// The same on so many other threads. Each takes the next block until nothing is left before the end.
    fn take_on_others(&self, jobs: usize, body: &SharedBody) -> Vec<Block> {
        let next = AtomicU64::new(0);
        let end = AtomicU64::new(self.executions().div_ceil(BLOCK));
        let blocks = Mutex::new(BTreeMap::new());
        let work = || {
            let body = Arc::clone(body);
            let body: Rc<dyn Fn()> = Rc::new(move || body());
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end.load(Ordering::Relaxed) {
                    return;
                }
                let block = self.take(number, &body);
                if block.is_last() {
                    end.fetch_min(number + 1, Ordering::Relaxed);
                }
                blocks.lock().unwrap_or_else(PoisonError::into_inner).insert(number, block);
            }
        };
        std::thread::scope(|scope| (0..jobs).for_each(|_| drop(scope.spawn(work))));
        let (end, blocks) = (end.into_inner(), blocks.into_inner().unwrap_or_else(PoisonError::into_inner));
        blocks.into_iter().filter(|&(number, _)| number < end).map(|(_, block)| block).collect()
    }

    /// Takes one block.
    fn take(&self, number: u64, body: &Rc<dyn Fn()>) -> Block {
        let before = number * BLOCK;
        let limits = Limits {
            first_execution: before,
            executions: Some((self.executions() - before).min(BLOCK)),
            time: self.checker.limits.time.map(|time| time.saturating_sub(self.started.elapsed())),
            ..self.checker.limits
        };
        with(|x| x.begin_search(self.assumptions, self.checker.semantics));
        let told = self.checker.explore(body, limits, None, &mut None).and_then(|(exploration, _)| {
            let told = without_noise(|| Violation::all_of(&exploration, body, self.checker.minimization))?;
            Ok((exploration, told))
        });
        match told {
            Ok((Exploration { violations, statistics, stop }, Ok(told))) => {
                let failures = violations.into_iter().map(|violation| violation.failure);
                let violations = failures.zip(told).collect();
                Block::Explored(Box::new(Explored {
                    statistics,
                    stop,
                    violations,
                    noticed: Noticed::so_far(),
                }))
            }
            Ok((_, Err(unrepeatable))) => Block::Diverged(unrepeatable),
            Err(Halt::Refuted) => Block::Refuted(with(|x| x.assumptions)),
            Err(Halt::Exhausted(what)) => panic!("selvedge: {what}"),
            Err(Halt::Refused(_)) => unreachable!("samples do not ask what is observed"),
            Err(Halt::Diverged(found)) => Block::Diverged(divergence::tell(&found)),
        }
    }

    /// Puts blocks together.
    fn conclude(&self, blocks: impl Iterator<Item = Block>) -> (Report, Reached) {
        let mut statistics = Statistics::default();
        let (mut stop, mut noticed) = (Some(Stop::Sampled), Noticed::default());
        // Each block numbers threads on its own.
        let mut seen: Vec<(FailureKind, Vec<Site>)> = Vec::new();
        let (mut violations, mut told) = (Vec::new(), Vec::new());
        for block in blocks {
            let Block::Explored(explored) = block else { continue };
            statistics.add(&explored.statistics);
            noticed.add(&explored.noticed);
            stop = explored.stop.filter(|&stop| stop != Stop::Executions).or(stop);
            for (failure, violation) in explored.violations {
                let key = (failure.kind, failure.sites.clone());
                if !seen.contains(&key) {
                    seen.push(key);
                    violations.push(selvedge_explore::Violation { failure, schedule: Vec::new() });
                    told.push(violation);
                }
            }
        }
        let run = Run {
            chosen_because: None,
            algorithm: self.checker.algorithm,
            limits: self.checker.limits,
            reached: None,
            elapsed: self.started.elapsed(),
            terms: self.checker.terms(),
        };
        (
            Report::conclude(&run, &Exploration { violations, statistics, stop }, told, &noticed),
            noticed.reached,
        )
    }
}
