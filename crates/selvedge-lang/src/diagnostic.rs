//! What is wrong with a source text, in words for its author.

use selvedge_ir::Span;

use crate::limits;

/// A mistake in a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The offending text.
    pub span: Span,
    /// What is wrong, as one line.
    pub message: String,
    /// What to write below the offending text.
    pub label: String,
    /// How to put it right.
    pub help: Option<String>,
    /// Other places that matter, such as an earlier declaration.
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// A diagnostic without help and notes.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Diagnostic { span, message: message.into(), label: label.into(), help: None, notes: Vec::new() }
    }

    /// The same diagnostic with advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same diagnostic with a pointer to another place.
    #[must_use]
    pub fn note(mut self, span: Span, text: impl Into<String>) -> Self {
        self.notes.push((span, text.into()));
        self
    }
}

/// The diagnostics of a run so far.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a diagnostic, unless it is there already or there are too many.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        if !self.is_full() && !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// Whether there is no diagnostic.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether further diagnostics would be dropped, so that no work need be spent on them.
    pub fn is_full(&self) -> bool {
        self.list.len() >= limits::DIAGNOSTICS
    }

    /// The diagnostics in the order of the source text.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|diagnostic| (diagnostic.span.start, diagnostic.span.end));
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diagnostics_come_in_the_order_of_the_text() {
        let mut diagnostics = Diagnostics::default();
        diagnostics.report(Diagnostic::new(Span::new(5, 6), "second", ""));
        diagnostics.report(Diagnostic::new(Span::new(1, 2), "first", ""));
        let messages: Vec<String> = diagnostics.into_sorted().into_iter().map(|d| d.message).collect();
        assert_eq!(messages, ["first", "second"]);
    }

    #[test]
    fn no_more_than_the_limit_are_kept() {
        let mut diagnostics = Diagnostics::default();
        for start in 0..2 * limits::DIAGNOSTICS as u32 {
            diagnostics.report(Diagnostic::new(Span::new(start, start), "again", ""));
        }
        assert_eq!(diagnostics.into_sorted().len(), limits::DIAGNOSTICS);
    }

    #[test]
    fn the_same_is_not_said_twice() {
        let mut diagnostics = Diagnostics::default();
        for _ in 0..2 {
            diagnostics.report(Diagnostic::new(Span::new(0, 1), "again", ""));
        }
        assert_eq!(diagnostics.into_sorted().len(), 1);
    }
}
