//! What `selvedge bench --paper` has compared: tables on the screen as rows end, a summary line, and all tables on one page of HTML.
//!
//! A row is a program at a size under an algorithm. Each has exactly one [`Outcome`], so the summary adds up.

use super::measurement::Measurement;
use super::sink::{self, Sinks};
use super::{page, table};
use crate::args::BenchArgs;
use crate::error::CliError;
use crate::output;
use std::borrow::Cow;
use std::path::PathBuf;

/// The names of the columns of a table with their widths.
pub type Columns = &'static [(&'static str, usize)];

/// How a row compares with the published one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The counts, or the verdicts, are the same.
    Reproduced,
    /// They are not, and this is why.
    Explained(Cow<'static, str>),
    /// There is no program to run, or no published figure that could be read, and this is why.
    NotReproducible(&'static str),
    /// The published search did not end, or the row is not published, for a reason if there is one.
    NothingToCompare(&'static str),
    /// The search was cut by our time limit, or left out because a smaller size was cut.
    Cut,
    /// The counts differ, and should not.
    Wrong,
    /// It is no result but says something of the programs; not counted.
    Description,
}

impl Outcome {
    /// What the last column of a table says.
    pub fn note(&self) -> String {
        match self {
            Outcome::Reproduced => " ✓".to_owned(),
            Outcome::Explained(why) => format!("  {why}"),
            Outcome::NotReproducible(why) => format!("  not reproducible: {why}"),
            Outcome::NothingToCompare("") | Outcome::Description => String::new(),
            Outcome::NothingToCompare(why) => format!("  {why}"),
            Outcome::Cut => "  not finished within the time limit".to_owned(),
            Outcome::Wrong => " ✗ WRONG".to_owned(),
        }
    }
}

/// A table that has been printed.
#[derive(Debug)]
pub struct Section {
    /// What it is about.
    pub title: &'static str,
    /// Its columns.
    pub columns: Columns,
    /// Its rows.
    pub rows: Vec<(Vec<String>, Outcome)>,
    /// How many rows were left out because a smaller size was cut.
    pub left_out: usize,
    /// What is said below it.
    pub legend: String,
}

/// All that has been compared.
pub struct Report {
    sinks: Sinks,
    page: Option<PathBuf>,
    sections: Vec<Section>,
}

impl Report {
    /// An empty report; files that cannot be written are known now.
    pub fn create(args: &BenchArgs) -> Result<Report, CliError> {
        if let Some(path) = &args.report {
            sink::write(path, "")?;
        }
        Ok(Report { sinks: Sinks::create(args)?, page: args.report.clone(), sections: Vec::new() })
    }

    /// Begins a table.
    pub fn begin(&mut self, title: &'static str, columns: Columns) -> Result<(), CliError> {
        self.sections.push(Section { title, columns, rows: Vec::new(), left_out: 0, legend: String::new() });
        Ok(output::print(&table::header_of(columns))?)
    }

    /// A row of the table that was begun last.
    pub fn row(&mut self, cells: Vec<String>, outcome: Outcome) -> Result<(), CliError> {
        let Some(section) = self.sections.last_mut() else { return Ok(()) };
        output::print(&table::aligned_cells(section.columns, &cells))?;
        section.rows.push((cells, outcome));
        Ok(())
    }

    /// Rows of the table that was begun last which are not run because a smaller size was cut, in a line.
    pub fn leave_out(&mut self, rows: usize, line: &str) -> Result<(), CliError> {
        if let Some(section) = self.sections.last_mut() {
            section.left_out += rows;
        }
        Ok(output::print(line)?)
    }

    /// What is said below the table that was begun last.
    pub fn legend(&mut self, text: &str) -> Result<(), CliError> {
        if let Some(section) = self.sections.last_mut() {
            text.clone_into(&mut section.legend);
        }
        Ok(output::print(text)?)
    }

    /// A measurement for the files of CSV and JSON and the plot.
    pub fn record(&mut self, measured: Measurement) -> Result<(), CliError> {
        self.sinks.record(measured)
    }

    /// Prints the summary and writes what needs all rows; the number of rows that are wrong.
    pub fn finish(self) -> Result<u32, CliError> {
        let summary = Summary::of(&self.sections);
        output::print(&summary.line())?;
        if let Some(path) = &self.page {
            sink::write(path, &page::html(&self.sections, &summary.line()))?;
        }
        self.sinks.finish()?;
        Ok(summary.wrong)
    }
}

/// How many rows have which outcome.
#[derive(Debug, Default, PartialEq, Eq)]
struct Summary {
    rows: usize,
    reproduced: usize,
    explained: usize,
    /// Each reason with its number of rows, in the order in which they came up.
    not_reproducible: Vec<(&'static str, usize)>,
    without_figure: usize,
    cut: usize,
    wrong: u32,
}

impl Summary {
    fn of(sections: &[Section]) -> Summary {
        let left_out = sections.iter().map(|section| section.left_out).sum();
        let mut summary = Summary { rows: left_out, cut: left_out, ..Summary::default() };
        for (_, outcome) in sections.iter().flat_map(|section| &section.rows) {
            summary.rows += usize::from(*outcome != Outcome::Description);
            match outcome {
                Outcome::Description => {}
                Outcome::Reproduced => summary.reproduced += 1,
                Outcome::Explained(_) => summary.explained += 1,
                Outcome::NotReproducible(why) => summary.count_reason(why),
                Outcome::NothingToCompare(_) => summary.without_figure += 1,
                Outcome::Cut => summary.cut += 1,
                Outcome::Wrong => summary.wrong += 1,
            }
        }
        summary
    }

    fn count_reason(&mut self, why: &'static str) {
        match self.not_reproducible.iter_mut().find(|(known, _)| *known == why) {
            Some((_, rows)) => *rows += 1,
            None => self.not_reproducible.push((why, 1)),
        }
    }

    fn line(&self) -> String {
        let published = self.rows - self.without_figure;
        let mut text = format!(
            "{published} rows published: {} reproduced, {} different and explained",
            self.reproduced, self.explained
        );
        let lost: usize = self.not_reproducible.iter().map(|(_, rows)| rows).sum();
        if lost > 0 {
            let reasons: Vec<String> =
                self.not_reproducible.iter().map(|(why, rows)| format!("{rows}: {why}")).collect();
            text += &format!(", {lost} not reproducible ({})", reasons.join("; "));
        }
        if self.cut > 0 {
            text += &format!(", {} not finished within the time limit", self.cut);
        }
        if self.wrong > 0 {
            text += &format!(", {} WRONG", self.wrong);
        }
        if self.without_figure > 0 {
            text += &format!("; {} more without a published figure", self.without_figure);
        }
        text + "\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_adds_up() {
        let outcomes = [
            Outcome::Reproduced,
            Outcome::Reproduced,
            Outcome::Explained("an erratum".into()),
            Outcome::NotReproducible("no code"),
            Outcome::NotReproducible("no code"),
            Outcome::NotReproducible("unreadable"),
            Outcome::NothingToCompare(""),
            Outcome::Cut,
            Outcome::Wrong,
            Outcome::Description,
        ];
        let rows = outcomes.into_iter().map(|outcome| (Vec::new(), outcome)).collect();
        let section = Section { title: "", columns: &[], rows, left_out: 0, legend: String::new() };
        let line = Summary::of(&[section]).line();
        assert_eq!(
            line,
            "8 rows published: 2 reproduced, 1 different and explained, 3 not reproducible (2: no code; 1: unreadable), \
             1 not finished within the time limit, 1 WRONG; 1 more without a published figure\n"
        );
    }

    #[test]
    fn rows_that_were_left_out_are_counted() {
        let section = Section {
            title: "",
            columns: &[],
            rows: vec![(Vec::new(), Outcome::Reproduced)],
            left_out: 2,
            legend: String::new(),
        };
        assert_eq!(
            Summary::of(&[section]).line(),
            "3 rows published: 1 reproduced, 0 different and explained, 2 not finished within the time limit\n"
        );
    }
}
