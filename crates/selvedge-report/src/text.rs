//! A report as text for people.

use crate::paint::Role;
use crate::scope::counted;
use crate::{Counterexample, Report, Source, Subject, Verdict, reason, statistics, table};
use selvedge_explore::Algorithm;
use selvedge_trace::ThreadId;
use std::fmt::Write;

pub use selvedge_claim::page::{Page, Statements};

/// How much to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Counterexamples, scope and counters.
    Full,
    /// Counterexamples and scope.
    Brief,
}

/// What is going to be explored, one line.
pub fn heading(subject: &Subject, algorithm: Algorithm, root: Option<ThreadId>) -> String {
    let defines = subject.defines.iter().map(|(name, value)| format!(", {name} = {value}"));
    let threads = counted(subject.program.thread_count() as u64, "thread");
    let (name, defines) = (subject.source.name, defines.collect::<String>());
    let named = |root: ThreadId| subject.program.thread_names().get(root.index()).cloned();
    let root = root.map(|root| named(root).unwrap_or_else(|| format!("thread {}", root.0)));
    let root = root.map_or(String::new(), |root| format!(", root {root}"));
    format!("checking {name}{defines}: {threads}, algorithm {}{root}\n", algorithm.name())
}

/// What was found.
pub fn text(report: &Report, page: Page, extent: Extent) -> String {
    let mut out = String::new();
    let examples = &report.counterexamples;
    for (number, example) in (1..).zip(examples) {
        if examples.len() > 1 {
            let title = format!("violation {number} of {}", examples.len());
            let _ = writeln!(out, "\n{}", page.palette.paint(Role::Name, &title));
        }
        let _ = write!(out, "\n{}", counterexample(example, report.source, page));
    }
    if !examples.is_empty() {
        out.push('\n');
    }
    let role = match report.verdict {
        Verdict::Verified => Role::Good,
        Verdict::Violation => Role::Bad,
        Verdict::Inconclusive => Role::Unknown,
    };
    let _ = writeln!(out, "{}", page.palette.paint(role, &report.scope));
    if extent == Extent::Full {
        out.push_str(&statistics::statistics(report));
    }
    out
}

/// A counterexample: its steps and the reason.
pub fn counterexample(example: &Counterexample, source: Source, page: Page) -> String {
    let steps = table::table(&example.steps, page);
    let gap = if steps.is_empty() { "" } else { "\n" };
    format!("{steps}{gap}{}", reason::reason(example, source, page))
}
