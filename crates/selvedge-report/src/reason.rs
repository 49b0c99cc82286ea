//! The end of a counterexample: what is wrong, where, and why.

use crate::blocked::BlockedThread;
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
    let Counterexample { message, thread, position, .. } = counterexample;
    let name = counterexample.source(source).name;
    let place = format!("{name}:{}:{}", position.line, position.column);
    match (thread, counterexample.blocked.is_empty()) {
        (_, false) => message.clone(),
        (None, _) => format!("{message} at {place}"),
        (Some(thread), _) => format!("{message} in {thread} at {place}"),
    }
}

fn failure(counterexample: &Counterexample, source: Source, page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let headline = paint(Role::Bad, &headline(counterexample, source));
    let source = counterexample.source(source);
    if source.text.is_empty() {
        return format!("{headline}\n");
    }
    let excerpt = source.excerpt(counterexample.span);
    format!("{headline}\n{}", underlined(counterexample.position.line, &excerpt, page))
}

/// A line of the source with a part underlined.
pub fn underlined(line: usize, Excerpt { text, indent, length }: &Excerpt, page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let line = line.to_string();
    let (margin, indent) = (" ".repeat(line.len()), " ".repeat(*indent));
    let bar = paint(Role::Frame, "│");
    let carets = paint(Role::Bad, &"^".repeat(*length));
    format!("  {} {bar} {text}\n  {margin} {bar} {indent}{carets}\n", paint(Role::Frame, &line))
}

fn deadlock(counterexample: &Counterexample, source: Source, page: Page) -> String {
    let row = |b: &BlockedThread| Waiting {
        thread: b.thread.clone(),
        place: format!("{}:{}", b.file.as_deref().unwrap_or(source.name), b.line),
        statement: shortened(&b.statement, STATEMENT_WIDTH),
        waits_for: b.waits_for.clone(),
    };
    let rows: Vec<Waiting> = counterexample.blocked.iter().map(row).collect();
    waiting(&headline(counterexample, source), &rows, page)
}

/// A thread that waits for ever, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its name.
    pub thread: String,
    /// Where it waits.
    pub place: String,
    /// Its statement.
    pub statement: String,
    /// What it waits for.
    pub waits_for: String,
}

/// A headline, and below it what each thread waits for.
pub fn waiting(headline: &str, rows: &[Waiting], page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let width =
        |of: &dyn Fn(&Waiting) -> &str| rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0);
    let (names, places) = (width(&|row| &row.thread), width(&|row| &row.place));
    let statements = width(&|row| &row.statement);
    let mut out = format!("{}\n", paint(Role::Bad, headline));
    for Waiting { thread, place, statement, waits_for } in rows {
        let name = paint(Role::Name, &format!("{thread:names$}"));
        let place = paint(Role::Frame, &format!("{place:places$}"));
        let _ = writeln!(out, "  {name}  {place}  {statement:statements$}  {waits_for}");
    }
    out
}
