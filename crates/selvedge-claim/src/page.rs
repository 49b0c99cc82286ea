//! What a text is written on.

use crate::Palette;

/// What a text is written on.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The number of characters of a line.
    pub width: usize,
    /// The colours.
    pub palette: Palette,
    /// What becomes of long statements.
    pub statements: Statements,
}

/// What becomes of statements that are too long for their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statements {
    /// They are cut: the reader has the source.
    Cut,
    /// They are continued on the next line: they hold values that are nowhere else.
    Whole,
}

impl Default for Page {
    fn default() -> Self {
        Page { width: 120, palette: Palette::Plain, statements: Statements::Cut }
    }
}
