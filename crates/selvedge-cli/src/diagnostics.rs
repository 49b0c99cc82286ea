//! Mistakes in a program, shown with the source text around them.

use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use selvedge_ir::Span;
use selvedge_lang::Diagnostic;
use std::fmt;
use std::io::IsTerminal;
use std::ops::Range;

/// A program that was not accepted.
#[derive(Debug)]
pub struct Rejection {
    /// The name of the file.
    pub name: String,
    /// Its content.
    pub text: String,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.diagnostics.len() {
            1 => write!(f, "1 error in {}", self.name),
            n => write!(f, "{n} errors in {}", self.name),
        }
    }
}

/// A range of characters of a named file.
type FileRange = (String, Range<usize>);

impl Rejection {
    /// Writes all mistakes and their number to standard error.
    pub fn tell(&self) {
        let is_coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let config = Config::default().with_color(is_coloured).with_index_type(IndexType::Char);
        for diagnostic in &self.diagnostics {
            let mut cache = (self.name.clone(), Source::from(self.text.as_str()));
            if self.report(diagnostic, config).eprint(&mut cache).is_err() {
                eprintln!("error: {}: {}", self.name, diagnostic.message);
            }
        }
        eprintln!("{self}");
    }

    fn report(&self, diagnostic: &Diagnostic, config: Config) -> Report<'_, FileRange> {
        let mut report = Report::build(ReportKind::Error, self.range(diagnostic.span))
            .with_config(config)
            .with_message(&diagnostic.message)
            .with_labels(self.labels(diagnostic));
        if let Some(help) = &diagnostic.help {
            report = report.with_help(help);
        }
        report.finish()
    }

    /// The labels in the order of the text; in any other they would be shown in several frames.
    fn labels(&self, diagnostic: &Diagnostic) -> Vec<Label<FileRange>> {
        let notes = diagnostic.notes.iter().map(|(span, text)| (*span, text, Color::Blue));
        let mut labels: Vec<_> = notes.collect();
        labels.push((diagnostic.span, &diagnostic.label, Color::Red));
        labels.sort_by_key(|(span, ..)| (span.start, span.end));
        let label = |(span, text, color)| Label::new(self.range(span)).with_message(text).with_color(color);
        labels.into_iter().map(label).collect()
    }

    /// A span in characters: ariadne panics on some ranges of bytes.
    fn range(&self, span: Span) -> FileRange {
        let characters = |byte: u32| self.text.char_indices().take_while(|(i, _)| *i < byte as usize).count();
        let (start, end) = (characters(span.start), characters(span.end));
        (self.name.clone(), start..end.max(start))
    }
}
