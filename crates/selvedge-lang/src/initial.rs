//! Lengths and initial values of variables and arrays, shared and thread-local alike.
//!
//! Both are constant expressions. Lengths are bounded before anything is allocated.

use selvedge_ir::{Span, Type};

use crate::ast::{Expr, Initial};
use crate::constants::{Constant, Lookup, evaluate};
use crate::diagnostic::Diagnostic;
use crate::limits;

/// Whether a variable is an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A single value.
    Scalar,
    /// So many values.
    Array(i64),
}

impl Shape {
    /// The number of values.
    pub fn elements(self) -> i64 {
        match self {
            Shape::Scalar => 1,
            Shape::Array(length) => length,
        }
    }
}

/// A number of things, from `least` to `most`.
pub fn count(
    expr: &Expr,
    what: &str,
    (least, most): (i64, i64),
    lookup: &Lookup,
) -> Result<i64, Option<Diagnostic>> {
    let Constant { ty, value } = evaluate(expr, lookup)?;
    if ty == Type::Bool {
        let message = format!("{what} is a number, this is a boolean");
        return Err(Some(Diagnostic::new(expr.span, message, "a boolean")));
    }
    let wrong = |message: String| Err(Some(Diagnostic::new(expr.span, message, format!("this is {value}"))));
    match value {
        _ if value < 0 => wrong(format!("{what} cannot be negative")),
        _ if value < least => wrong(format!("{what} must be at least {least}")),
        _ if value > most => wrong(format!("{what} can be at most {most}")),
        _ => Ok(value),
    }
}

/// The elements of all arrays together, after one more array.
pub fn add_elements(before: i64, count: i64, span: Span) -> Result<i64, Option<Diagnostic>> {
    match before.checked_add(count) {
        Some(total) if total <= limits::ELEMENTS => Ok(total),
        _ => {
            let message = format!(
                "the variables and arrays of a program have at most {} elements together",
                limits::ELEMENTS
            );
            Err(Some(Diagnostic::new(span, message, format!("{count} more, after {before}"))))
        }
    }
}

/// The type and the initial values of a variable.
pub fn values(
    initial: Option<&Initial>,
    shape: Shape,
    span: Span,
    lookup: &Lookup,
) -> Result<(Type, Vec<i64>), Option<Diagnostic>> {
    let elements = usize::try_from(shape.elements()).unwrap_or(0);
    match initial {
        None => Ok((Type::Int, vec![0; elements])),
        Some(Initial::One(value)) => {
            let Constant { ty, value } = evaluate(value, lookup)?;
            Ok((ty, vec![value; elements]))
        }
        Some(Initial::List(list, list_span)) => {
            check_list(list.len(), *list_span, shape, span)?;
            let values: Vec<Constant> =
                list.iter().map(|value| evaluate(value, lookup)).collect::<Result<_, _>>()?;
            let boolean = !values.is_empty() && values.iter().all(|value| value.ty == Type::Bool);
            let ty = if boolean { Type::Bool } else { Type::Int };
            Ok((ty, values.into_iter().map(|value| value.value).collect()))
        }
    }
}

fn check_list(values: usize, list: Span, shape: Shape, span: Span) -> Result<(), Option<Diagnostic>> {
    let plural = if values == 1 { "" } else { "s" };
    match shape {
        Shape::Scalar => {
            let message = "a list of values needs an array";
            let diagnostic = Diagnostic::new(list, message, format!("{values} value{plural}"));
            Err(Some(
                diagnostic.help(format!("give the length: `name[{values}] = …`")).note(span, "declared here"),
            ))
        }
        Shape::Array(length) if i64::try_from(values) != Ok(length) => {
            let message = format!("{values} initial value{plural} for an array of length {length}");
            let diagnostic = Diagnostic::new(list, message, format!("{values} value{plural}"));
            Err(Some(
                diagnostic
                    .help("give one value for each element, or a single one for all")
                    .note(span, format!("its length is {length}")),
            ))
        }
        Shape::Array(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::ExprKind;

    fn number(value: i64) -> Expr {
        Expr { kind: ExprKind::Int(value), span: Span::new(0, 1), height: 1 }
    }

    fn truth(value: bool) -> Expr {
        Expr { kind: ExprKind::Bool(value), span: Span::new(0, 1), height: 1 }
    }

    fn values_of(initial: Option<Initial>, shape: Shape) -> Option<(Type, Vec<i64>)> {
        values(initial.as_ref(), shape, Span::new(0, 1), &|_, _| Err(None)).ok()
    }

    #[test]
    fn one_value_fills_an_array() {
        let one = Some(Initial::One(truth(true)));
        assert_eq!(values_of(one, Shape::Array(3)), Some((Type::Bool, vec![1, 1, 1])));
        assert_eq!(values_of(None, Shape::Array(2)), Some((Type::Int, vec![0, 0])));
    }

    #[test]
    fn a_list_with_a_number_is_a_list_of_numbers() {
        let list = Some(Initial::List(vec![number(7), truth(true)], Span::new(0, 1)));
        assert_eq!(values_of(list, Shape::Array(2)), Some((Type::Int, vec![7, 1])));
    }

    #[test]
    fn a_list_has_one_value_for_each_element() {
        let list = || Some(Initial::List(vec![number(7)], Span::new(0, 1)));
        assert_eq!(values_of(list(), Shape::Array(2)), None);
        assert_eq!(values_of(list(), Shape::Scalar), None);
    }

    #[test]
    fn counts_are_kept_in_their_range() {
        let count_of = |value| count(&number(value), "it", (1, 5), &|_, _| Err(None)).ok();
        assert_eq!([-1, 0, 1, 5, 6].map(count_of), [None, None, Some(1), Some(5), None]);
    }
}
