//! A report: everything that is known after an exploration, ready to be shown.

use crate::verdict::Options;
use crate::{Counterexample, ReportError, Source, Verdict, memory, scope};
use selvedge_claim::{Reservations, choice};
use selvedge_explore::{Exploration, Statistics, Stop};
use selvedge_interp::Failure;
use selvedge_ir::Program;
use std::collections::BTreeMap;

pub use selvedge_claim::Run;

/// What was explored.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its text.
    pub source: Source<'a>,
    /// The constants that the user gave other values.
    pub defines: &'a BTreeMap<String, i64>,
}

/// Everything that is known after an exploration.
#[derive(Debug)]
pub struct Report<'a> {
    /// The text of what was explored.
    pub source: Source<'a>,
    /// The constants that the user gave other values.
    pub defines: &'a BTreeMap<String, i64>,
    /// How.
    pub run: Run,
    /// Why this algorithm, if the program decided that.
    pub chosen_because: Option<String>,
    /// Whether allocations decided whether to get freed memory.
    pub reuses_memory: bool,
    /// Whether comparisons decided which of two objects comes first in memory.
    pub orders_objects: bool,
    /// The verdict.
    pub verdict: Verdict,
    /// What was covered.
    pub scope: String,
    /// Why the search ended early, if it did.
    pub stop: Option<Stop>,
    /// The counters.
    pub statistics: Statistics,
    /// The violations, replayed.
    pub counterexamples: Vec<Counterexample>,
    /// The most memory used, in bytes.
    pub peak_memory: Option<u64>,
}

impl<'a> Report<'a> {
    /// Replays the violations of an exploration and draws the conclusions.
    ///
    /// # Errors
    /// When a violation cannot be replayed, which is a bug of ours.
    pub fn new(
        subject: Subject<'a>,
        run: Run,
        exploration: &Exploration<Failure>,
    ) -> Result<Report<'a>, ReportError> {
        let told = exploration.violations.iter().map(|violation| Counterexample::of(&subject, violation));
        let told = told.collect::<Result<_, _>>()?;
        Ok(Report::with(subject.source, subject.defines, run, exploration, told, &Reservations::default()))
    }

    /// A report of violations that were replayed and put into words already, with the reservations of the claim.
    pub fn with<F>(
        source: Source<'a>,
        defines: &'a BTreeMap<String, i64>,
        run: Run,
        exploration: &Exploration<F>,
        counterexamples: Vec<Counterexample>,
        reservations: &Reservations,
    ) -> Report<'a> {
        Report {
            source,
            defines,
            run,
            chosen_because: run.chosen_because.map(choice::because),
            reuses_memory: false,
            orders_objects: false,
            verdict: scope::qualified_verdict(&run, exploration, reservations),
            scope: scope::scope(&run, Options::CommandLine, exploration, reservations),
            stop: exploration.stop,
            statistics: exploration.statistics,
            counterexamples,
            peak_memory: memory::peak(),
        }
    }
}
