//! What is told of a proof: each result as soon as it is there, and the verdict.

use super::watching::Watching;
use super::{Verdict, line};
use crate::error::CliError;
use crate::output;
use selvedge_certificate::Checked;
use selvedge_explore::Violation;
use selvedge_impact::{Effort, NodeId, Prover, Stop, Tree};
use selvedge_interp::Failure;
use selvedge_report::proof::{ProofReport, ScheduleReport, TreeReport, Turn};
use selvedge_report::scope::counted;
use selvedge_report::{Counterexample, Subject, json, text};
use std::collections::BTreeSet;
use std::time::Instant;

/// Who tells.
pub struct Teller<'t> {
    subject: Subject<'t>,
    started: Instant,
    manner: Manner,
    watching: Option<Watching>,
    report: ProofReport,
    /// Whether all states were listed as a certificate.
    listed: Option<Result<usize, String>>,
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

/// What the independent checker says of a proof that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recheck {
    /// It agrees.
    Done(Checked),
    /// Nobody wants to know.
    NotAsked,
    /// It did not come to its end, for this reason.
    Cut(String),
}

impl Recheck {
    fn told(&self) -> String {
        match self {
            Recheck::Done(Checked { queries, .. }) => format!("checked again with {queries} queries"),
            Recheck::NotAsked => "not checked again".to_owned(),
            Recheck::Cut(why) => format!("NOT checked again: {why}"),
        }
    }
}

impl<'t> Teller<'t> {
    pub fn new(subject: Subject<'t>, started: Instant, manner: Manner, watching: Option<Watching>) -> Self {
        let report = ProofReport { program: subject.source.name.to_owned(), ..ProofReport::default() };
        Teller { subject, started, manner, watching, report, listed: None }
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
    pub fn warn(&self, text: &str) -> Result<(), CliError> {
        if self.manner == Manner::Json { Ok(()) } else { self.print(text) }
    }

    pub fn heading(&self, prover: &Prover) -> Result<(), CliError> {
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

    pub fn schedule(
        &mut self,
        prover: &Prover,
        tree: &Tree,
        number: u32,
        recheck: &Recheck,
    ) -> Result<(), CliError> {
        let report = self.tree_report(tree, recheck);
        let choices = tree.living().filter(|&id| tree.node(id).expanded.len() > 1).count();
        let (turns, again_from) = self.round(prover, tree);
        let mut told = format!(
            "\nschedule {number} after {:.2} s: safe, free of deadlock and fair for every input ({} nodes, {})\n",
            report.seconds,
            report.nodes,
            recheck.told(),
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

    pub fn proof(&mut self, tree: &Tree, recheck: &Recheck) -> Result<(), CliError> {
        let report = self.tree_report(tree, recheck);
        let (after, nodes) = (report.seconds, report.nodes);
        self.report.proof = Some(report);
        self.say(&format!("\nproof after {after:.2} s: {nodes} nodes, {}\n", recheck.told()))
    }

    pub fn no_schedule(&self, found: u32, stop: &Stop) -> Result<(), CliError> {
        let which = if found == 0 { "no schedule was found" } else { "no further schedule was found" };
        self.say(&format!("\n{which}: {stop}\n"))
    }

    pub fn counterexample(&mut self, violation: &Violation<Failure>) -> Result<(), CliError> {
        let example = Counterexample::of(&self.subject, violation)?;
        self.report.violations.push(json::violation(self.subject.source.name, &example));
        if self.manner == Manner::Json {
            return Ok(());
        }
        let text = text::counterexample(&example, self.subject.source, output::page());
        self.print(&format!("\n{text}"))
    }

    pub fn verdict(&mut self, verdict: &Verdict, schedules: u32, effort: &Effort) -> Result<(), CliError> {
        self.watching = None;
        if self.manner == Manner::Json {
            return self.json(verdict, effort);
        }
        let found = match schedules {
            0 => "no schedule was found that is certain to be safe".to_owned(),
            1 => "a set of schedules was found that is safe, free of deadlock and fair for every input"
                .to_owned(),
            n => format!(
                "{n} sets of schedules were found, each larger than the one before, that are safe, free of deadlock and fair for every input"
            ),
        };
        let told = match verdict {
            Verdict::Safe => format!(
                "safe: under all schedules and for all inputs, under sequential consistency{}",
                match &self.report.proof {
                    Some(TreeReport { unchecked_because: Some(why), .. }) =>
                        format!("; not checked again ({why})"),
                    _ => String::new(),
                }
            ),
            Verdict::Explored(executions) => format!(
                "safe: under all schedules and for all inputs, under sequential consistency; found by exploring all {}, which end, {}",
                counted(*executions, "execution"),
                self.without_proof()
            ),
            Verdict::Visited(states) => format!(
                "safe: under all schedules and for all inputs, under sequential consistency; found by visiting all {}, {}",
                counted(*states, "state"),
                self.without_proof()
            ),
            Verdict::PartiallySafe => format!("partially safe: there are violations, but {found}"),
            Verdict::Unsafe => format!("unsafe: there are violations, and {found}"),
            Verdict::Vacuous(why) => format!("inconclusive: {why} (--allow-vacuous accepts that)"),
            Verdict::Inconclusive(stop) => format!("inconclusive: {stop}; {found}"),
        };
        self.print(&format!("\n{told}\n"))?;
        let Effort { nodes, queries, predicates, refinements } = effort;
        self.say(&format!(
            "{nodes} nodes, {queries} queries, {predicates} predicates, {refinements} refinements, {:.2} s\n",
            self.started.elapsed().as_secs_f64(),
        ))
    }

    /// Remembers whether the states were listed as a certificate, and how many, or why they were not.
    pub fn listed(&mut self, listed: Result<usize, String>) {
        self.report.listed_states = listed.as_ref().ok().copied();
        self.listed = Some(listed);
    }

    /// What stands for a proof that was not found.
    fn without_proof(&self) -> String {
        match &self.listed {
            None => "without a proof or a certificate".to_owned(),
            Some(Ok(count)) => format!(
                "without a proof; the certificate lists all {} between steps, and was checked again",
                counted(*count as u64, "state")
            ),
            Some(Err(why)) => format!("without a proof or a certificate ({why})"),
        }
    }

    /// The last line of those who ask for a property.
    pub fn property(&self, verdict: &Verdict) -> Result<(), CliError> {
        self.warn(match verdict {
            Verdict::Safe | Verdict::Explored(_) | Verdict::Visited(_) => "VERDICT: true\n",
            Verdict::PartiallySafe | Verdict::Unsafe => "VERDICT: false(unreach-call)\n",
            Verdict::Vacuous(_) | Verdict::Inconclusive(_) => "VERDICT: unknown\n",
        })
    }

    fn json(&mut self, verdict: &Verdict, effort: &Effort) -> Result<(), CliError> {
        let report = &mut self.report;
        report.verdict = verdict.name();
        match verdict {
            Verdict::Inconclusive(stop) => report.reason = Some(stop.to_string()),
            Verdict::Vacuous(why) => report.reason = Some((*why).to_owned()),
            Verdict::Explored(executions) => report.explored_executions = Some(*executions),
            Verdict::Visited(states) => report.visited_states = Some(*states),
            Verdict::Safe | Verdict::PartiallySafe | Verdict::Unsafe => {}
        }
        (report.nodes, report.queries) = (effort.nodes, effort.queries);
        (report.predicates, report.refinements) = (effort.predicates, effort.refinements);
        report.seconds = self.started.elapsed().as_secs_f64();
        Ok(output::print(&report.to_text())?)
    }
}
