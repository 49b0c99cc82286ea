//! What is told of a proof: each result as soon as it is there, and the verdict.

use super::{Verdict, line, seconds};
use crate::error::CliError;
use crate::output;
use selvedge_certificate::Checked;
use selvedge_explore::Violation;
use selvedge_impact::{Effort, NodeId, Prover, Stop, Tree};
use selvedge_interp::Failure;
use selvedge_report::scope::counted;
use selvedge_report::{Counterexample, Subject, text};
use std::collections::BTreeSet;
use std::time::Instant;

/// Who tells.
pub struct Teller<'t> {
    subject: Subject<'t>,
    started: Instant,
    quiet: bool,
}

impl<'t> Teller<'t> {
    pub fn new(subject: Subject<'t>, started: Instant, quiet: bool) -> Teller<'t> {
        Teller { subject, started, quiet }
    }

    fn say(&self, text: &str) -> Result<(), CliError> {
        if !self.quiet {
            output::print(text)?;
        }
        Ok(())
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

    fn checked(checked: Option<Checked>) -> String {
        match checked {
            Some(Checked { queries, .. }) => format!("checked again with {queries} queries"),
            None => "not checked again".to_owned(),
        }
    }

    pub fn schedule(
        &self,
        prover: &Prover,
        tree: &Tree,
        number: u32,
        checked: Option<Checked>,
    ) -> Result<(), CliError> {
        let nodes = tree.living().count();
        let choices = tree.living().filter(|&id| tree.node(id).expanded.len() > 1).count();
        let mut told = format!(
            "\nschedule {number} after {}: safe, free of deadlock and fair for every input ({nodes} nodes, {})\n",
            seconds(self.started.elapsed()),
            Self::checked(checked),
        );
        told += &self.round(prover, tree);
        if choices > 0 {
            told += &format!("  and at {} another thread may go first\n", counted(choices as u64, "node"));
        }
        self.say(&told)
    }

    /// The way through the tree that takes the first edge everywhere, thread by thread.
    fn round(&self, prover: &Prover, tree: &Tree) -> String {
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
        let mut told = String::new();
        for (number, (thread, nodes)) in (1..).zip(&parts) {
            let line_at = |&id: &NodeId| {
                line(self.subject.source, prover.system.location(&tree.node(id).places, *thread).span)
            };
            let lines: BTreeSet<usize> = nodes.iter().map(line_at).collect();
            let (first, last) = (lines.first().copied().unwrap_or(0), lines.last().copied().unwrap_or(0));
            let lines =
                if first == last { format!("line {first}") } else { format!("lines {first} to {last}") };
            told += &format!("  {number:>3}. {} ({lines})\n", prover.system.names[*thread]);
        }
        match end {
            None => told += "  and then all have ended\n",
            Some(by) => {
                let begins = |(_, nodes): &(usize, BTreeSet<NodeId>)| nodes.contains(&by);
                let again = parts.iter().position(begins).map_or(1, |position| position + 1);
                told += &format!("  and again from {again}\n");
            }
        }
        told
    }

    pub fn proof(&self, tree: &Tree, checked: Option<Checked>) -> Result<(), CliError> {
        let nodes = tree.living().count();
        let after = seconds(self.started.elapsed());
        self.say(&format!("\nproof after {after}: {nodes} nodes, {}\n", Self::checked(checked)))
    }

    pub fn no_schedule(&self, found: u32, stop: &Stop) -> Result<(), CliError> {
        let which = if found == 0 { "no schedule was found" } else { "no further schedule was found" };
        self.say(&format!("\n{which}: {stop}\n"))
    }

    pub fn counterexample(&self, violation: &Violation<Failure>) -> Result<(), CliError> {
        let example = Counterexample::of(&self.subject, violation)?;
        let text = text::counterexample(&example, self.subject.source, output::page());
        Ok(output::print(&format!("\n{text}"))?)
    }

    pub fn verdict(&self, verdict: &Verdict, schedules: u32, effort: &Effort) -> Result<(), CliError> {
        let found = match schedules {
            0 => "no schedule was found that is certain to be safe".to_owned(),
            1 => "a set of schedules was found that is safe, free of deadlock and fair for every input"
                .to_owned(),
            n => format!(
                "{n} sets of schedules were found, each larger than the one before, that are safe, free of deadlock and fair for every input"
            ),
        };
        let told = match verdict {
            Verdict::Safe => {
                "safe: under all schedules and for all inputs, under sequential consistency".to_owned()
            }
            Verdict::PartiallySafe => format!("partially safe: there are violations, but {found}"),
            Verdict::Unsafe => format!("unsafe: there are violations, and {found}"),
            Verdict::Inconclusive(stop) => format!("inconclusive: {stop}; {found}"),
        };
        output::print(&format!("\n{told}\n"))?;
        let Effort { nodes, queries, predicates, refinements } = effort;
        self.say(&format!(
            "{nodes} nodes, {queries} queries, {predicates} predicates, {refinements} refinements, {}\n",
            seconds(self.started.elapsed()),
        ))
    }
}
