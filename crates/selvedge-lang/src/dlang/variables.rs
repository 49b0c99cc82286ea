//! The declared variables: sort, length and initial values of each name.
//!
//! An element without an initial value is 0. A variable whose declaration is wrong is kept all the same, so that
//! its uses are not reported as well.

use std::collections::BTreeMap;

use selvedge_ir::{Object, ObjectId, Span, Type};

use super::ast::{Declaration, Number, Sort, System};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::initial::{Shape, add_elements};
use crate::{limits, spelling};

/// A declared variable.
#[derive(Debug)]
pub struct Variable {
    /// The threads that see it.
    pub sort: Sort,
    /// The shared object, if it is shared.
    pub object: Option<ObjectId>,
    /// A scalar if its length is 1 and no index is used.
    pub shape: Shape,
    /// The initial values of all elements; kept in the object if it is shared.
    pub initial: Vec<i64>,
    /// The name in the declaration.
    pub span: Span,
}

/// All declared variables.
#[derive(Debug, Default)]
pub struct Variables {
    names: BTreeMap<String, Variable>,
    /// Those that are shared.
    pub objects: Vec<Object>,
    /// Elements of all variables so far.
    pub elements: i64,
}

impl Variables {
    /// Declares the variables of a program.
    pub fn declare(system: &System, diagnostics: &mut Diagnostics) -> Self {
        let mut variables = Variables::default();
        for declaration in &system.declarations {
            variables.add(declaration, system, diagnostics);
        }
        variables
    }

    /// The variable of this name.
    pub fn get(&self, name: &str) -> Option<&Variable> {
        self.names.get(name)
    }

    /// A declared name that may have been meant.
    pub fn closest(&self, name: &str) -> Option<&str> {
        spelling::closest(name, self.names.keys().map(String::as_str))
    }

    fn add(&mut self, declaration: &Declaration, system: &System, diagnostics: &mut Diagnostics) {
        let Declaration { sort, name, .. } = declaration;
        if let Some(before) = self.names.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            let diagnostic = Diagnostic::new(name.span, message, "declared again here");
            return diagnostics.report(diagnostic.note(before.span, "first declared here"));
        }
        let length = self.length(declaration, diagnostics);
        let mut initial: Vec<i64> = declaration.init_values.iter().map(|number| number.value).collect();
        initial.resize(usize::try_from(length).unwrap_or(1), 0);
        let shape = match length == 1 && !system.indexed.contains(&name.text) {
            true => Shape::Scalar,
            false => Shape::Array(length),
        };
        let mut object = None;
        if *sort == Sort::Shared {
            object = Some(ObjectId::at(self.objects.len()));
            let (is_array, initial) = (shape != Shape::Scalar, std::mem::take(&mut initial));
            self.objects.push(Object {
                name: name.text.clone(),
                ty: Type::Int,
                is_array,
                initial,
                span: name.span,
            });
        }
        let variable = Variable { sort: *sort, object, shape, initial, span: name.span };
        self.names.insert(name.text.clone(), variable);
    }

    /// The length of a variable, 1 if it is wrong.
    fn length(&mut self, declaration: &Declaration, diagnostics: &mut Diagnostics) -> i64 {
        let Declaration { sort, name, length: Number { value: length, span }, init_values } = declaration;
        let most = if *sort == Sort::Shared { limits::ELEMENTS } else { limits::LOCAL_ELEMENTS };
        if !(1..=most).contains(length) {
            let message = format!("the length of `{}` must be from 1 to {most}", name.text);
            diagnostics.report(Diagnostic::new(*span, message, format!("this is {length}")));
            return 1;
        }
        let values = init_values.len();
        if let Some(extra) = usize::try_from(*length).ok().and_then(|length| init_values.get(length)) {
            let message = format!("{values} initial values for `{}`, whose length is {length}", name.text);
            diagnostics
                .report(Diagnostic::new(extra.span, message, "one too many").note(*span, "its length"));
        }
        if *sort == Sort::Shared {
            match add_elements(self.elements, *length, *span) {
                Ok(elements) => self.elements = elements,
                Err(diagnostic) => {
                    diagnostic.into_iter().for_each(|diagnostic| diagnostics.report(diagnostic));
                    return 1;
                }
            }
        }
        *length
    }
}
