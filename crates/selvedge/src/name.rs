//! Names for objects in reports.

use crate::runtime::{Object, with};

/// Something that can be given a name for reports.
pub trait Named {
    #[doc(hidden)]
    fn object(&self) -> Object;
}

/// Gives an object a name that reports show. Without one it is called by the variable or field that its line in the source
/// initialises, or by its type.
///
/// ```
/// use selvedge::sync::atomic::AtomicBool;
/// selvedge::check(|| {
///     let ready = AtomicBool::new(false);
///     selvedge::name(&ready, "ready flag");
/// });
/// ```
pub fn name(object: &impl Named, name: &str) {
    let object = object.object();
    with(|x| x.name_object(object, name));
}
