//! The algorithms, one file each.

pub mod dpor;
pub mod eager;
pub mod exhaustive;
pub mod optimal;
pub mod pct;
pub mod random;
pub mod sleep;
pub mod source;
