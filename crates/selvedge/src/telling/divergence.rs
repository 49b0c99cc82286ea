//! A closure that is not deterministic, told to its author.

use super::{effects, names, source};
use crate::runtime::Operation;
use crate::runtime::history::Divergence;
use crate::runtime::script::Standing;
use selvedge_trace::ThreadId;
use std::fmt::Write;

/// How many of the operations before the divergence are shown.
const SHOWN: usize = 12;

/// Both histories: what they have in common, and where they part.
pub fn tell(divergence: &Divergence) -> String {
    let mut out = String::from(
        "the closure is not deterministic: run again under the same decisions, it did something else.\n\
         Time, randomness, hash seeds, addresses, statics or other threads of the system may be why.\n\n",
    );
    let skipped = divergence.common.len().saturating_sub(SHOWN);
    let _ = match skipped {
        0 if divergence.common.is_empty() => writeln!(out, "  at the beginning:"),
        0 => writeln!(out, "  both times:"),
        _ => writeln!(out, "  both times, after {skipped} operations that are not shown:"),
    };
    for (thread, operation) in &divergence.common[skipped..] {
        let _ = writeln!(out, "    {}", line(*thread, operation));
    }
    let before =
        divergence.before.as_ref().map_or("it did not exist".to_owned(), |s| standing(divergence.thread, s));
    let then = if divergence.common.is_empty() { "" } else { "then, " };
    let _ = writeln!(out, "  {then}the first time:\n    {before}");
    let now = standing(divergence.thread, &divergence.now);
    let _ = writeln!(out, "  {then}the second time:\n    {now}");
    out
}

fn standing(thread: ThreadId, standing: &Standing) -> String {
    match standing {
        Standing::At(operation) => line(thread, operation),
        Standing::Ended => format!("{} ends", names::thread(thread)),
        Standing::Failed => format!("{} fails", names::thread(thread)),
        Standing::Dropped => format!("{} finds an assumption false", names::thread(thread)),
        Standing::Diverged => format!("{} reaches a limit", names::thread(thread)),
    }
}

fn line(thread: ThreadId, operation: &Operation) -> String {
    let place = format!("{}:{}", source::short(operation.place.file()), operation.place.line());
    format!("{}  {}  {place}", names::thread(thread), effects::statement(operation))
}
