//! The algorithms, one file each.

pub mod dpor;
pub mod eager;
pub mod exhaustive;
pub mod lazy;
pub mod optimal;
pub mod sleep;
pub mod source;
