//! What the output is: a terminal or not, how wide, with colours or without.

use selvedge_report::{Page, Palette};
use std::io::{IsTerminal, Write};

/// The page that standard output is.
pub fn page() -> Page {
    let palette = match std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        true => Palette::Terminal,
        false => Palette::Plain,
    };
    Page { width: width().unwrap_or(Page::default().width), palette, ..Page::default() }
}

/// The width that the user or the terminal asks for.
fn width() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    columns.or_else(|| terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.into()))
}

/// Writes to standard output. Unlike `print!`, it does not panic when nobody reads.
pub fn print(text: &str) -> std::io::Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
