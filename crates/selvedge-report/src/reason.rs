//! The end of a counterexample: what is wrong, where, and why.

use crate::paint::Role;
use crate::source::{Excerpt, shortened};
use crate::{Counterexample, Page, Source};
use std::fmt::Write;

/// Room for the statement of a blocked thread.
const STATEMENT_WIDTH: usize = 40;

/// The reason for a counterexample, several lines.
pub fn reason(counterexample: &Counterexample, source: Source, page: Page) -> String {
    match counterexample.blocked.is_empty() {
        true => failure(counterexample, source, page),
        false => deadlock(counterexample, source, page),
    }
}

/// The reason on one line, with thread and place.
pub fn headline(counterexample: &Counterexample, source: Source) -> String {
    let Counterexample { message, thread, span, .. } = counterexample;
    match (thread, counterexample.blocked.is_empty()) {
        (_, false) => message.clone(),
        (None, _) => format!("{message} at {}", source.place(*span)),
        (Some(thread), _) => format!("{message} in {thread} at {}", source.place(*span)),
    }
}

fn failure(counterexample: &Counterexample, source: Source, page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let Excerpt { text, indent, length } = source.excerpt(counterexample.span);
    let line = counterexample.position.line.to_string();
    let margin = " ".repeat(line.len());
    let bar = paint(Role::Frame, "│");
    let carets = paint(Role::Bad, &"^".repeat(length));
    let mut out = format!("{}\n", paint(Role::Bad, &headline(counterexample, source)));
    let _ = writeln!(out, "  {} {bar} {text}", paint(Role::Frame, &line));
    let _ = writeln!(out, "  {margin} {bar} {}{carets}", " ".repeat(indent));
    out
}

fn deadlock(counterexample: &Counterexample, source: Source, page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let blocked = &counterexample.blocked;
    let width = |of: &dyn Fn(usize) -> usize| (0..blocked.len()).map(of).max().unwrap_or(0);
    let names = width(&|i| blocked[i].thread.chars().count());
    let statements: Vec<String> = blocked.iter().map(|b| shortened(&b.statement, STATEMENT_WIDTH)).collect();
    let places: Vec<String> = blocked.iter().map(|b| format!("{}:{}", source.name, b.line)).collect();
    let (place_width, statement_width) =
        (width(&|i| places[i].chars().count()), width(&|i| statements[i].chars().count()));
    let mut out = format!("{}\n", paint(Role::Bad, &headline(counterexample, source)));
    for ((thread, place), statement) in blocked.iter().zip(&places).zip(&statements) {
        let name = paint(Role::Name, &format!("{:names$}", thread.thread));
        let place = paint(Role::Frame, &format!("{place:place_width$}"));
        let _ = writeln!(out, "  {name}  {place}  {statement:statement_width$}  {}", thread.waits_for);
    }
    out
}
