//! Which statements let control reach what follows them.

use crate::ast;
use crate::typed::{Statement, StatementKind};

/// Whether a body contains a `return` with a value.
pub fn returns_value(body: &ast::Block) -> bool {
    body.statements.iter().any(statement_returns_value)
}

fn statement_returns_value(statement: &ast::Statement) -> bool {
    use ast::StatementKind as Kind;
    match &statement.kind {
        Kind::Return(value) => value.is_some(),
        Kind::If { arms, otherwise } => arms.iter().map(|arm| &arm.body).chain(otherwise).any(returns_value),
        Kind::While { body, .. }
        | Kind::Loop(body)
        | Kind::For { body, .. }
        | Kind::Atomic(body)
        | Kind::Block(body) => returns_value(body),
        _ => false,
    }
}

/// Whether the end of the statements can be reached, as far as the shape of the code tells.
pub fn completes(statements: &[Statement]) -> bool {
    statements.iter().all(|statement| match &statement.kind {
        StatementKind::Return(_) | StatementKind::Break | StatementKind::Continue => false,
        StatementKind::If { arms, otherwise } => {
            arms.iter().any(|arm| completes(&arm.body)) || completes(otherwise)
        }
        StatementKind::While { condition, body } => condition.constant.is_none_or(|c| c == 0) || breaks(body),
        StatementKind::Loop(body) => breaks(body),
        StatementKind::Atomic(body) => completes(body),
        _ => true,
    })
}

/// Whether a `break` leaves the loop whose body this is.
fn breaks(body: &[Statement]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Break => true,
        StatementKind::If { arms, otherwise } => {
            arms.iter().any(|arm| breaks(&arm.body)) || breaks(otherwise)
        }
        StatementKind::Atomic(body) => breaks(body),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    fn accepted(body: &str) -> bool {
        let text = format!("shared x = 0; fn f(a) {{ {body} }}");
        crate::compile("t.sel", &text, &BTreeMap::new()).is_ok()
    }

    #[test]
    fn a_value_is_returned_on_all_paths() {
        assert!(accepted("if a { return 1; } else { return 2; }"));
        assert!(accepted("if a { return 1; } return 2;"));
        assert!(accepted("loop { if x { return 1; } }"));
        assert!(accepted("while true { x = 1; if a { return 3; } }"));
        assert!(accepted("atomic { return x; }"));
    }

    #[test]
    fn a_path_without_value_is_found() {
        assert!(!accepted("if a { return 1; }"));
        assert!(!accepted("loop { if x { break; } return 1; }"));
        assert!(!accepted("while a { return 1; }"));
        assert!(!accepted("for i in 0..2 { return i; }"));
    }
}
