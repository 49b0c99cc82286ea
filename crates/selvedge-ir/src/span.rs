//! Places in source text.

use crate::FileId;

/// A range of bytes of a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    /// The span from byte `start` up to byte `end` of the first file.
    pub fn new(start: u32, end: u32) -> Self {
        Span { file: FileId(0), start, end }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The part of `text` (the content of the file) that this span covers; empty when it does not fit.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }

    /// Line and column of the first byte in `text`, both counted from 1, columns in characters.
    pub fn line_column(self, text: &str) -> (usize, usize) {
        let start = (self.start as usize).min(text.len());
        let before = text.get(..start).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        (line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one() {
        let text = "ab\ncd\n";
        assert_eq!(Span::new(0, 1).line_column(text), (1, 1));
        assert_eq!(Span::new(4, 5).line_column(text), (2, 2));
        assert_eq!(Span::new(4, 5).text(text), "d");
    }
}
