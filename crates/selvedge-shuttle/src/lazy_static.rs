//! Statics that are made at their first use, anew in each execution.

pub use selvedge::lazy_static;
pub use selvedge::statics::lazy::{Lazy, LazyStatic, initialize};
