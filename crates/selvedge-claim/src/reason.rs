//! The end of a counterexample: a place, or the threads that wait.

use crate::Page;
use crate::excerpt::Excerpt;
use crate::paint::Role;
use std::fmt::Write;

/// A line of the source with a part underlined.
pub fn underlined(line: usize, Excerpt { text, indent, length }: &Excerpt, page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let line = line.to_string();
    let (margin, indent) = (" ".repeat(line.len()), " ".repeat(*indent));
    let bar = paint(Role::Frame, "│");
    let carets = paint(Role::Bad, &"^".repeat(*length));
    format!("  {} {bar} {text}\n  {margin} {bar} {indent}{carets}\n", paint(Role::Frame, &line))
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
