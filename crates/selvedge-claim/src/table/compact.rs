//! The compact table: one row for each step.

use super::{Margin, STATEMENT_WIDTH, statement, wrapped};
use crate::paint::Role;
use crate::{Page, Step};
use std::fmt::Write;

/// The least room for a statement and for its effects, even on a narrow page.
const LEAST_WIDTH: usize = 20;

/// The steps, one row each.
pub fn draw(steps: &[Step], margin: &Margin, page: Page) -> String {
    let widest =
        |text: &dyn Fn(&Step) -> &str| steps.iter().map(|s| text(s).chars().count()).max().unwrap_or(0);
    let names = widest(&|step| &step.thread).max("thread".len());
    let (step_width, line_width) = (margin.step, margin.line);
    let numbers = step_width + 2 + names + 2 + line_width + 2;
    let half = (page.width.saturating_sub(numbers) / 2).clamp(LEAST_WIDTH, STATEMENT_WIDTH);
    let statements = widest(&|step| &step.statement).min(half);
    let room = page.width.saturating_sub(numbers + statements + 2).max(LEAST_WIDTH);
    let frame = |text: &str| page.palette.paint(Role::Frame, text);
    let mut out = String::new();
    let header =
        format!("{:>step_width$}  {:names$}  {:>line_width$}  statement", "step", "thread", margin.title);
    let _ = writeln!(out, "{}", frame(&header));
    for (number, step) in (1..).zip(steps) {
        let number = frame(&format!("{number:>step_width$}"));
        let name = page.palette.paint(Role::Name, &format!("{:names$}", step.thread));
        let line = frame(&format!("{:>line_width$}", step.place()));
        let mut told = statement(step, statements, page).into_iter();
        let mut effects = wrapped(&step.effects, room).into_iter();
        let mut before = format!("{number}  {name}  {line}  ");
        loop {
            let (told, effect) = match (told.next(), effects.next()) {
                (None, None) => break,
                (told, None) => (told.unwrap_or_default(), String::new()),
                (told, Some(effect)) => (
                    format!("{:statements$}  ", told.unwrap_or_default()),
                    page.palette.paint(Role::Effect, &effect),
                ),
            };
            let _ = writeln!(out, "{before}{told}{effect}");
            before = " ".repeat(numbers);
        }
    }
    out
}
