//! The end of a counterexample: what is wrong, where, and why.

use crate::blocked::BlockedThread;
use crate::paint::Role;
use crate::source::shortened;
use crate::{Counterexample, Page, Source};

pub use selvedge_claim::reason::{Waiting, underlined, waiting};

/// Room for the statement of a blocked thread.
const STATEMENT_WIDTH: usize = 40;

/// The reason for a counterexample, several lines.
pub fn reason(counterexample: &Counterexample, source: Source, page: Page) -> String {
    match counterexample.blocked.is_empty() {
        true => failure(counterexample, source, page),
        false => deadlock(counterexample, source, page),
    }
}

/// The reason on one line, with thread and place.
pub fn headline(counterexample: &Counterexample, source: Source) -> String {
    let Counterexample { message, thread, position, .. } = counterexample;
    let name = counterexample.source(source).name;
    let place = format!("{name}:{}:{}", position.line, position.column);
    match (thread, counterexample.blocked.is_empty()) {
        (_, false) => message.clone(),
        (None, _) => format!("{message} at {place}"),
        (Some(thread), _) => format!("{message} in {thread} at {place}"),
    }
}

fn failure(counterexample: &Counterexample, source: Source, page: Page) -> String {
    let paint = |role, text: &str| page.palette.paint(role, text);
    let headline = paint(Role::Bad, &headline(counterexample, source));
    let source = counterexample.source(source);
    if source.text.is_empty() {
        return format!("{headline}\n");
    }
    let excerpt = source.excerpt(counterexample.span);
    format!("{headline}\n{}", underlined(counterexample.position.line, &excerpt, page))
}

fn deadlock(counterexample: &Counterexample, source: Source, page: Page) -> String {
    let row = |b: &BlockedThread| Waiting {
        thread: b.thread.clone(),
        place: format!("{}:{}", b.file.as_deref().unwrap_or(source.name), b.line),
        statement: shortened(&b.statement, STATEMENT_WIDTH),
        waits_for: b.waits_for.clone(),
    };
    let rows: Vec<Waiting> = counterexample.blocked.iter().map(row).collect();
    waiting(&headline(counterexample, source), &rows, page)
}
