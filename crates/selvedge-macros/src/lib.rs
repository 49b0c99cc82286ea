//! The attribute of the crate `selvedge`.
