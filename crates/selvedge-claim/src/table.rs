//! The steps of a counterexample as a table with one column for each thread.
//!
//! A cell holds the statement and, below it, what the statement did; what is too long for a line is continued on the next. When the
//! columns do not fit on the page, the table is compact: one row for each step with the thread's name in it.

mod column;
mod compact;

use crate::excerpt::shortened;
use crate::page::Statements;
use crate::paint::Role;
use crate::{Page, Step};
use column::{Column, columns};
use selvedge_trace::ThreadId;
use std::fmt::Write;

/// The most room that a statement gets, even if there is more.
const STATEMENT_WIDTH: usize = 44;

/// The steps as a table; nothing when there are none.
pub fn table(steps: &[Step], page: Page) -> String {
    if steps.is_empty() {
        return String::new();
    }
    let margin = Margin::of(steps);
    match columns(steps, page.width.saturating_sub(margin.width())) {
        Some(columns) => Grid { margin, columns, page }.draw(steps),
        None => compact::draw(steps, &margin, page),
    }
}

/// The numbers on the left: step and source line.
struct Margin {
    step: usize,
    line: usize,
    /// What the numbers, or places, of the second column are.
    title: &'static str,
}

impl Margin {
    fn of(steps: &[Step]) -> Margin {
        let digits = |number: usize| number.to_string().len();
        let line = steps.iter().map(|step| step.place().chars().count()).max().unwrap_or(1);
        let title = if steps.iter().any(|step| step.file.is_some()) { "place" } else { "line" };
        Margin { step: digits(steps.len()).max("step".len()), line: line.max(title.len()), title }
    }

    fn width(&self) -> usize {
        self.step + 2 + self.line + 1
    }
}

struct Grid {
    margin: Margin,
    columns: Vec<Column>,
    page: Page,
}

impl Grid {
    fn draw(&self, steps: &[Step]) -> String {
        let mut out = String::new();
        self.header(&mut out);
        for (number, step) in (1..).zip(steps) {
            let numbers = (number.to_string(), step.place());
            let width = self.width_of(step.decision.thread);
            let mut numbers = (numbers.0.as_str(), numbers.1.as_str());
            for line in statement(step, width, self.page) {
                self.row(&mut out, numbers, step.decision.thread, (None, &line));
                numbers = ("", "");
            }
            for line in wrapped(&step.effects, width.saturating_sub(2)) {
                let cell = format!("  {line}");
                self.row(&mut out, ("", ""), step.decision.thread, (Some(Role::Effect), &cell));
            }
        }
        out
    }

    fn width_of(&self, thread: ThreadId) -> usize {
        self.columns.iter().find(|column| column.thread == thread).map_or(0, |column| column.width)
    }

    fn header(&self, out: &mut String) {
        let frame = |text: &str| self.page.palette.paint(Role::Frame, text);
        let (step, line) = (self.margin.step, self.margin.line);
        out.push_str(&frame(&format!("{:>step$}  {:>line$} ", "step", self.margin.title)));
        for (i, column) in self.columns.iter().enumerate() {
            let last = i + 1 == self.columns.len();
            let width = if last { 0 } else { column.width };
            let name = shortened(&column.name, column.width);
            let name = self.page.palette.paint(Role::Name, &format!("{name:width$}"));
            let _ = write!(out, "{}{name}", frame("│ "));
            out.push_str(if last { "\n" } else { " " });
        }
        let mut rule = "─".repeat(self.margin.width());
        for column in &self.columns {
            rule.push('┼');
            rule.push_str(&"─".repeat(column.width + 2));
        }
        let _ = writeln!(out, "{}", frame(&rule));
    }

    /// A row with a text in the column of one thread.
    fn row(&self, out: &mut String, numbers: (&str, &str), thread: ThreadId, cell: (Option<Role>, &str)) {
        let frame = |text: &str| self.page.palette.paint(Role::Frame, text);
        let (step, line) = (self.margin.step, self.margin.line);
        out.push_str(&frame(&format!("{:>step$}  {:>line$}", numbers.0, numbers.1)));
        for (i, column) in self.columns.iter().enumerate() {
            let last = i + 1 == self.columns.len();
            let text = if column.thread == thread { cell.1 } else { "" };
            let padded = if last { text.to_owned() } else { format!("{text:0$}", column.width) };
            let painted = cell.0.map_or(padded.clone(), |role| self.page.palette.paint(role, &padded));
            let gap = if painted.is_empty() { "" } else { " " };
            let _ = write!(out, " {}{gap}{painted}", frame("│"));
        }
        out.push('\n');
    }
}

/// The lines of a statement where there is room for `width` characters.
fn statement(step: &Step, width: usize, page: Page) -> Vec<String> {
    match page.statements {
        Statements::Cut => vec![shortened(&step.statement, width.min(STATEMENT_WIDTH))],
        Statements::Whole => folded(&step.statement, width),
    }
}

/// A text on lines of at most `width` characters, all but the first indented. It is broken at spaces, or within words that are too
/// long for a line.
fn folded(text: &str, width: usize) -> Vec<String> {
    if text.chars().count() <= width {
        return vec![text.to_owned()];
    }
    let mut lines = vec![String::new()];
    let mut left = width;
    for word in text.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        let is_new = lines.last().is_some_and(|line| line.trim().is_empty());
        if length > left && !is_new && length + INDENT.len() <= width {
            lines.push(INDENT.to_owned());
            left = width.saturating_sub(INDENT.len());
        }
        for letter in word.chars() {
            if left == 0 && letter != ' ' {
                lines.push(INDENT.to_owned());
                left = width.saturating_sub(INDENT.len()).max(1);
            }
            if let Some(line) = lines.last_mut() {
                line.push(letter);
            }
            left = left.saturating_sub(1);
        }
    }
    lines.iter_mut().for_each(|line| line.truncate(line.trim_end().len()));
    lines
}

/// What the lines after the first begin with.
const INDENT: &str = "  ";

/// What every phrase about a value that was read begins with.
const READS: &str = "reads ";

/// Phrases separated by commas, on lines of at most `width` characters each. Of several reads in a row on one
/// line only the first says so.
fn wrapped(phrases: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut previous = "";
    for phrase in phrases {
        let more = match previous.starts_with(READS) {
            true => phrase.strip_prefix(READS).unwrap_or(phrase),
            false => phrase,
        };
        previous = phrase;
        match lines.last_mut() {
            Some(line) if line.chars().count() + 2 + more.chars().count() <= width => {
                line.push_str(", ");
                line.push_str(more);
            }
            _ => lines.extend(folded(phrase, width)),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
