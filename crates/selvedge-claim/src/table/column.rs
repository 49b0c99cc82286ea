//! The widths of the columns of a table.

use super::STATEMENT_WIDTH;
use crate::Step;
use selvedge_trace::ThreadId;
use std::collections::BTreeMap;

/// The room a column needs to be readable.
const LEAST_WIDTH: usize = 20;

/// Characters between two columns: a bar with a space on either side.
const GAP: usize = 3;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Whose steps it shows.
    pub thread: ThreadId,
    /// The name of the thread.
    pub name: String,
    /// The characters in it.
    pub width: usize,
}

/// The columns for the threads that take part, in the order of threads; nothing when they do not fit.
pub fn columns(steps: &[Step], room: usize) -> Option<Vec<Column>> {
    let mut columns: BTreeMap<ThreadId, Column> = BTreeMap::new();
    for step in steps {
        let thread = step.decision.thread;
        let name = step.thread.clone();
        let column = columns.entry(thread).or_insert(Column { thread, width: name.chars().count(), name });
        column.width = column.width.max(natural_width(step));
    }
    let mut columns: Vec<Column> = columns.into_values().collect();
    let room = room.checked_sub(GAP * columns.len())?;
    let limit = common_limit(&columns, room)?;
    for column in &mut columns {
        column.width = column.width.min(limit);
    }
    Some(columns)
}

fn natural_width(step: &Step) -> usize {
    // Two spaces before the first effect, a comma and a space between any two.
    let effects: usize = step.effects.iter().map(|effect| effect.chars().count() + 2).sum();
    step.statement.chars().count().max(effects).min(STATEMENT_WIDTH)
}

/// The greatest width such that all columns, cut to it, fit into the room.
fn common_limit(columns: &[Column], room: usize) -> Option<usize> {
    let needed = |limit: usize| columns.iter().map(|column| column.width.min(limit)).sum::<usize>();
    (LEAST_WIDTH..=STATEMENT_WIDTH.max(LEAST_WIDTH)).rev().find(|&limit| needed(limit) <= room)
}
