//! What is wrong, in one line.

use crate::Source;
use selvedge_interp::{Detail, Failure, FailureKind};

/// What is wrong, in one line without the place.
pub fn message(failure: &Failure, detail: &Detail, thread_names: &[String], source: Source) -> String {
    let statement = source.statement(failure.span);
    match (&failure.kind, detail) {
        (FailureKind::Assertion, _) => format!("assertion failed: `{}`", condition(&statement)),
        (FailureKind::DivisionByZero, _) => format!("division by zero: `{statement}`"),
        (FailureKind::ShiftOutOfRange, Detail::Amount(by)) => {
            format!("shift by {by} bits, which is not in 0..64: `{statement}`")
        }
        (FailureKind::IndexOutOfRange, Detail::Element(element, count)) => {
            format!("index out of range: {element} ({})", indices(*count))
        }
        (FailureKind::UnlockNotHeld, Detail::Mutex(mutex, holder)) => {
            let holder = holder.and_then(|holder| thread_names.get(holder.index()));
            format!("unlock of `{mutex}`, which {}", held(holder))
        }
        (FailureKind::WaitNotHeld, Detail::Mutex(mutex, holder)) => {
            let holder = holder.and_then(|holder| thread_names.get(holder.index()));
            format!("wait with `{mutex}`, which {}", held(holder))
        }
        (FailureKind::SpawnedTwice, Detail::Thread(thread)) => format!("`{thread}` is started twice"),
        (FailureKind::EmptyChoice, Detail::Range(low, high)) => {
            format!("choice from the empty range {low}..{high}")
        }
        (FailureKind::Deadlock(blocked), _) => match blocked.len() {
            1 => "deadlock: a thread waits for ever".to_owned(),
            n => format!("deadlock: {n} threads wait for ever"),
        },
        (kind, _) => format!("{}: `{statement}`", kind.name().replace('-', " ")),
    }
}

/// The condition of an assertion, or all of the statement.
fn condition(statement: &str) -> &str {
    let inner = statement.strip_prefix("assert").map(str::trim);
    inner.and_then(|inner| inner.strip_prefix('(')?.strip_suffix(')')).map_or(statement, str::trim)
}

fn indices(count: u32) -> String {
    match count {
        0 => "there are none".to_owned(),
        1 => "the only index is 0".to_owned(),
        _ => format!("indices are 0 to {}", count - 1),
    }
}

fn held(holder: Option<&String>) -> String {
    match holder {
        None => "is free".to_owned(),
        Some(holder) => format!("{holder} holds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selvedge_ir::Span;
    use selvedge_trace::ThreadId;

    fn told(kind: FailureKind, detail: Detail, text: &str) -> String {
        let failure = Failure { kind, span: Span::new(0, text.len() as u32) };
        message(&failure, &detail, &["a".to_owned()], Source { name: "t.sel", text })
    }

    #[test]
    fn an_assertion_is_told_by_its_condition() {
        let text = "assert( (x) == (1) );";
        assert_eq!(told(FailureKind::Assertion, Detail::None, text), "assertion failed: `(x) == (1)`");
    }

    #[test]
    fn numbers_are_told() {
        assert_eq!(
            told(FailureKind::IndexOutOfRange, Detail::Element("a[7]".to_owned(), 3), ""),
            "index out of range: a[7] (indices are 0 to 2)"
        );
        assert_eq!(
            told(FailureKind::ShiftOutOfRange, Detail::Amount(64), "x = x << 64;"),
            "shift by 64 bits, which is not in 0..64: `x = x << 64`"
        );
        assert_eq!(
            told(FailureKind::UnlockNotHeld, Detail::Mutex("m".to_owned(), Some(ThreadId(0))), ""),
            "unlock of `m`, which a holds"
        );
    }
}
