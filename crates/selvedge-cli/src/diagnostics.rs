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

/// A range of bytes of a named file.
type FileRange = (String, Range<usize>);

impl Rejection {
    /// Writes all mistakes and their number to standard error.
    pub fn tell(&self) {
        let is_coloured = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let config = Config::default().with_color(is_coloured).with_index_type(IndexType::Byte);
        for diagnostic in &self.diagnostics {
            let mut cache = (self.name.clone(), Source::from(self.text.as_str()));
            if self.report(diagnostic, config).eprint(&mut cache).is_err() {
                eprintln!("error: {}: {}", self.name, diagnostic.message);
            }
        }
        eprintln!("{self}");
    }

    fn report(&self, diagnostic: &Diagnostic, config: Config) -> Report<'_, FileRange> {
        let label = Label::new(self.range(diagnostic.span)).with_color(Color::Red);
        let mut report = Report::build(ReportKind::Error, self.range(diagnostic.span))
            .with_config(config)
            .with_message(&diagnostic.message)
            .with_label(label.with_message(&diagnostic.label));
        for (span, text) in &diagnostic.notes {
            report =
                report.with_label(Label::new(self.range(*span)).with_message(text).with_color(Color::Blue));
        }
        if let Some(help) = &diagnostic.help {
            report = report.with_help(help);
        }
        report.finish()
    }

    fn range(&self, span: Span) -> FileRange {
        let end = (span.end as usize).min(self.text.len());
        (self.name.clone(), (span.start as usize).min(end)..end)
    }
}
