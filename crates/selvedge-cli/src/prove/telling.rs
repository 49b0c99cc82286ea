//! What is told of a proof: each result as soon as it is there, and the verdict.

use super::watching::Watching;
use super::{drawing, line, write};
use crate::error::CliError;
use crate::output;
use crate::preparing::Preparing;
use selvedge_certificate::Checked;
use selvedge_explore::Violation;
use selvedge_impact::{Effort, Naming, NodeId, Prover, Stop, Tree};
use selvedge_interp::Failure;
use selvedge_report::proof::{ProofReport, ScheduleReport, TreeReport, Turn};
use selvedge_report::scope::{self, MEMORY_MODEL, counted};
use selvedge_report::{Counterexample, Subject, Verdict, json, text};
use selvedge_sections::Sources;
use selvedge_verify::Monitor;
use selvedge_verify::prove::discovery::FoundProof;
use selvedge_verify::prove::{Basis, Conclusion, Discovery, Inputs, Proven, Recheck};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

/// Who tells.
pub struct Teller<'t> {
    subject: Subject<'t>,
    started: Instant,
    manner: Manner,
    files: Files<'t>,
    watching: Option<Watching>,
    /// The clock of the time before the search.
    preparing: Option<Preparing>,
    report: ProofReport,
    /// Why something could not be told.
    failed: Option<CliError>,
}

/// The files to which proofs are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Files<'t> {
    /// Certificates.
    pub certificate: Option<&'t Path>,
    /// Sets of schedules.
    pub schedule: Option<&'t Path>,
    /// Trees.
    pub drawing: Option<&'t Path>,
    /// The instructions that schedules name.
    pub sources: Option<&'t Sources>,
}

/// How much is told, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Everything, for people.
    Full,
    /// Counterexamples and the verdict, for people.
    Quiet,
    /// One JSON object at the end.
    Json,
}

/// What the independent checker says of a proof, in words.
fn rechecked(recheck: &Recheck) -> String {
    match recheck {
        Recheck::Done(Checked { queries, .. }) => format!("checked again with {queries} queries"),
        Recheck::NotAsked => "not checked again".to_owned(),
        Recheck::Cut(why) => format!("NOT checked again: {why}"),
    }
}

impl Monitor for Teller<'_> {
    fn discovers(&mut self, discovery: &Discovery) -> ControlFlow<()> {
        let told = match discovery {
            Discovery::Begun(prover) => self.begin(prover),
            Discovery::Schedules { number, proof } => {
                self.schedule(*number, proof).and_then(|()| self.save_schedules(proof))
            }
            Discovery::Proof(proof) => self.proof(proof).and_then(|()| self.save(proof)),
            Discovery::NoMoreSchedules { found, stop } => self.no_schedule(*found, stop),
            Discovery::Violation(violation) => self.counterexample(violation),
        };
        match told {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}

impl<'t> Teller<'t> {
    pub fn new(
        subject: Subject<'t>,
        started: Instant,
        preparing: Option<Preparing>,
        manner: Manner,
        files: Files<'t>,
    ) -> Self {
        let report = ProofReport { program: subject.source.name.to_owned(), ..ProofReport::default() };
        Teller { subject, started, manner, files, watching: None, preparing, report, failed: None }
    }

    /// Why something could not be told, if something could not.
    pub fn failed(self) -> Option<CliError> {
        self.failed
    }

    fn begin(&mut self, prover: &Prover) -> Result<(), CliError> {
        self.preparing = None;
        if self.manner == Manner::Full {
            self.watching = Watching::begin(prover.limits.gauge.clone(), self.started);
        }
        self.heading(prover)
    }

    /// Writes a proof to the files that are wanted.
    fn save(&self, proof: &FoundProof) -> Result<(), CliError> {
        if let Some(path) = self.files.certificate {
            write(path, &proof.certificate.to_string())?;
        }
        if let Some(path) = self.files.drawing {
            let drawing = drawing::drawing(proof.prover, proof.tree, self.subject.source);
            write(path, &drawing.of_kind(path))?;
        }
        Ok(())
    }

    /// Writes schedules to the files that are wanted.
    fn save_schedules(&self, proof: &FoundProof) -> Result<(), CliError> {
        if let Some(path) = self.files.schedule {
            let source = self.subject.source;
            let line_of = |span| line(source, span);
            let (program, sources) = (proof.certificate.program.clone(), self.files.sources);
            let instruction = |pc: u32| sources.and_then(|sources| sources.instruction(pc)).cloned();
            let creators = sources.map_or(&[][..], |sources| &sources.creators);
            let naming = Naming { line: &line_of, instruction: &instruction, creators };
            let schedule = proof.prover.schedule(proof.tree, program, naming);
            write(path, &schedule.to_string())?;
        }
        self.save(proof)
    }

    fn print(&self, text: &str) -> Result<(), CliError> {
        Ok(match &self.watching {
            Some(watching) => watching.aside(|| output::print(text)),
            None => output::print(text),
        }?)
    }

    fn say(&self, text: &str) -> Result<(), CliError> {
        if self.manner == Manner::Full { self.print(text) } else { Ok(()) }
    }

    /// Something that must not be overlooked.
    fn warn(&self, text: &str) -> Result<(), CliError> {
        if self.manner == Manner::Json { Ok(()) } else { self.print(text) }
    }

    fn heading(&self, prover: &Prover) -> Result<(), CliError> {
        let defines = self.subject.defines.iter().map(|(name, value)| format!(", {name} = {value}"));
        let threads = counted(self.subject.program.thread_count() as u64, "thread");
        let interior: usize = prover.movers.interior.iter().flatten().filter(|interior| **interior).count();
        let places: usize = prover.system.threads.iter().map(|thread| thread.locations.len() - 3).sum();
        self.say(&format!(
            "proving {}{}: {threads}, {places} places, {interior} of them inside blocks\n",
            self.subject.source.name,
            defines.collect::<String>(),
        ))
    }

    fn tree_report(&self, tree: &Tree, recheck: &Recheck) -> TreeReport {
        let (checked_with_queries, unchecked_because) = match recheck {
            Recheck::Done(checked) => (Some(checked.queries), None),
            Recheck::NotAsked => (None, Some("--no-certify".to_owned())),
            Recheck::Cut(why) => (None, Some(why.clone())),
        };
        let (seconds, nodes) = (self.started.elapsed().as_secs_f64(), tree.living().count());
        TreeReport { seconds, nodes, checked_with_queries, unchecked_because }
    }

    fn schedule(&mut self, number: u32, proof: &FoundProof) -> Result<(), CliError> {
        let FoundProof { prover, tree, recheck, .. } = *proof;
        let report = self.tree_report(tree, recheck);
        let choices = tree.living().filter(|&id| tree.node(id).expanded.len() > 1).count();
        let (turns, again_from) = self.round(prover, tree);
        let mut told = format!(
            "\nschedule {number} after {:.2} s: safe, free of deadlock and fair for every input ({} nodes, {})\n",
            report.seconds,
            report.nodes,
            rechecked(recheck),
        );
        for (number, Turn { thread, first_line, last_line }) in (1..).zip(&turns) {
            let lines = match first_line == last_line {
                true => format!("line {first_line}"),
                false => format!("lines {first_line} to {last_line}"),
            };
            told += &format!("  {number:>3}. {thread} ({lines})\n");
        }
        told += &match again_from {
            None => "  and then all have ended\n".to_owned(),
            Some(again) => format!("  and again from {again}\n"),
        };
        if choices > 0 {
            told += &format!("  and at {} another thread may go first\n", counted(choices as u64, "node"));
        }
        self.report.schedules.push(ScheduleReport { tree: report, choices, turns, again_from });
        self.say(&told)
    }

    /// The way through the tree that takes the first edge everywhere, thread by thread, and the turn with which it begins again.
    fn round(&self, prover: &Prover, tree: &Tree) -> (Vec<Turn>, Option<usize>) {
        let mut parts: Vec<(usize, BTreeSet<NodeId>)> = Vec::new();
        let mut id = Tree::ROOT;
        let mut seen = BTreeSet::new();
        let end = loop {
            let node = tree.node(id);
            if let Some(by) = node.covered_by {
                id = by;
                continue;
            }
            if !seen.insert(id) {
                break Some(id);
            }
            let Some(&(edge, child)) = node.children.first() else { break None };
            match parts.last_mut() {
                Some((thread, nodes)) if *thread == edge.thread => {
                    nodes.insert(id);
                }
                _ => parts.push((edge.thread, BTreeSet::from([id]))),
            }
            id = child;
        };
        let turn = |(thread, nodes): &(usize, BTreeSet<NodeId>)| {
            let line_at = |&id: &NodeId| {
                line(self.subject.source, prover.system.location(&tree.node(id).places, *thread).span)
            };
            let lines: BTreeSet<usize> = nodes.iter().map(line_at).collect();
            let thread = prover.system.names[*thread].clone();
            let (first_line, last_line) = (lines.first().copied(), lines.last().copied());
            Turn { thread, first_line: first_line.unwrap_or(0), last_line: last_line.unwrap_or(0) }
        };
        let again = end.map(|by| {
            let begins = |(_, nodes): &(usize, BTreeSet<NodeId>)| nodes.contains(&by);
            parts.iter().position(begins).map_or(1, |position| position + 1)
        });
        (parts.iter().map(turn).collect(), again)
    }

    fn proof(&mut self, proof: &FoundProof) -> Result<(), CliError> {
        let report = self.tree_report(proof.tree, proof.recheck);
        let (after, nodes) = (report.seconds, report.nodes);
        self.report.proof = Some(report);
        self.say(&format!("\nproof after {after:.2} s: {nodes} nodes, {}\n", rechecked(proof.recheck)))
    }

    fn no_schedule(&self, found: u32, stop: &Stop) -> Result<(), CliError> {
        let which = if found == 0 { "no schedule was found" } else { "no further schedule was found" };
        self.say(&format!("\n{which}: {stop}\n"))
    }

    fn counterexample(&mut self, violation: &Violation<Failure>) -> Result<(), CliError> {
        let example = Counterexample::of(&self.subject, violation)?;
        self.report.violations.push(json::violation(self.subject.source.name, &example));
        if self.manner == Manner::Json {
            return Ok(());
        }
        let text = text::counterexample(&example, self.subject.source, output::page());
        self.print(&format!("\n{text}"))
    }

    /// Tells the conclusion.
    pub fn conclusion(&mut self, proven: &Proven) -> Result<(), CliError> {
        self.watching = None;
        if self.manner == Manner::Json {
            return self.json(proven);
        }
        let told = self.scope(proven);
        self.print(&format!("\n{told}\n"))?;
        let Effort { nodes, queries, predicates, refinements, .. } = &proven.effort;
        self.say(&format!(
            "{nodes} nodes, {queries} queries, {predicates} predicates, {refinements} refinements, {:.2} s\n",
            self.started.elapsed().as_secs_f64(),
        ))
    }

    /// The claim, in one line.
    fn scope(&self, proven: &Proven) -> String {
        let found = match proven.schedules {
            0 => "no schedule was found that is certain to be safe".to_owned(),
            1 => "a set of schedules was found that is safe, free of deadlock and fair for every input"
                .to_owned(),
            n => format!(
                "{n} sets of schedules were found, each larger than the one before, that are safe, free of deadlock and fair for every input"
            ),
        };
        let (premises, allowances) = (scope::premises(&proven.terms), scope::allowed(&proven.terms));
        match &proven.conclusion {
            Conclusion::Safe(Basis::Proof) => format!(
                "{}{}{premises}",
                SAFE,
                match &self.report.proof {
                    Some(TreeReport { unchecked_because: Some(why), .. }) =>
                        format!("; not checked again ({why})"),
                    _ => String::new(),
                }
            ),
            Conclusion::Safe(Basis::Executions(executions)) => format!(
                "{SAFE}; found by exploring all {}, which end{}, {}{premises}",
                counted(*executions, "execution"),
                classes(proven.inputs),
                without_proof(proven)
            ),
            Conclusion::Safe(Basis::States(states)) => format!(
                "{SAFE}; found by visiting all {}{}, {}{premises}",
                counted(*states, "state"),
                classes(proven.inputs),
                without_proof(proven)
            ),
            Conclusion::PartiallySafe => {
                format!("partially safe: there are violations, but {found}, {MEMORY_MODEL}{premises}")
            }
            Conclusion::Unsafe => {
                format!("unsafe: there are violations, and {found}, {MEMORY_MODEL}{allowances}")
            }
            Conclusion::Vacuous(why) => format!("inconclusive: {why} (--allow-vacuous accepts that)"),
            Conclusion::Inconclusive(stop) => {
                format!("inconclusive: {stop}; {found}, {MEMORY_MODEL}{}", scope::assumed(&proven.terms))
            }
        }
    }

    /// The last line of those who ask for a property.
    pub fn property(&self, conclusion: &Conclusion) -> Result<(), CliError> {
        self.warn(match conclusion.verdict() {
            Verdict::Verified => "VERDICT: true\n",
            Verdict::Violation => "VERDICT: false(unreach-call)\n",
            Verdict::Inconclusive => "VERDICT: unknown\n",
        })
    }

    fn json(&mut self, proven: &Proven) -> Result<(), CliError> {
        self.report.scope = self.scope(proven);
        let (report, effort) = (&mut self.report, &proven.effort);
        report.verdict = proven.conclusion.name();
        match &proven.conclusion {
            Conclusion::Inconclusive(stop) => report.reason = Some(stop.to_string()),
            Conclusion::Vacuous(why) => report.reason = Some((*why).to_owned()),
            Conclusion::Safe(Basis::Executions(executions)) => report.explored_executions = Some(*executions),
            Conclusion::Safe(Basis::States(states)) => report.visited_states = Some(*states),
            Conclusion::Safe(Basis::Proof) | Conclusion::PartiallySafe | Conclusion::Unsafe => {}
        }
        report.listed_states = proven.listing.iter().flatten().map(|listing| listing.states).next();
        (report.nodes, report.queries) = (effort.nodes, effort.queries);
        (report.predicates, report.refinements) = (effort.predicates, effort.refinements);
        report.seconds = self.started.elapsed().as_secs_f64();
        Ok(output::print(&report.to_text())?)
    }
}

/// What is shown of a program that is safe.
const SAFE: &str = "safe: under all schedules and for all inputs, under sequential consistency";

/// Which inputs the program was run with, if not with all.
fn classes(inputs: Inputs) -> &'static str {
    match inputs {
        Inputs::All => "",
        Inputs::Classes => {
            " (inputs that are only tested: one value for each way in which the tests come out)"
        }
    }
}

/// What stands for a proof that was not found.
fn without_proof(proven: &Proven) -> String {
    match &proven.listing {
        None => "without a proof or a certificate".to_owned(),
        Some(Ok(listing)) => format!(
            "without a proof; the certificate lists all {} between steps, and was checked again",
            counted(listing.states as u64, "state")
        ),
        Some(Err(why)) => format!("without a proof or a certificate ({why})"),
    }
}
