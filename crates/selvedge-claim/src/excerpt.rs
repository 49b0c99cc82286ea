//! Pieces of source text.

/// A line of source text with a part to underline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The line.
    pub text: String,
    /// Characters before the part.
    pub indent: usize,
    /// Characters of the part, at least 1.
    pub length: usize,
}

/// A text of at most `width` characters, with `…` at its end when something is missing.
pub fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(width.saturating_sub(1)).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}
