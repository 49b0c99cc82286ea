//! The algorithms, one file each.

pub mod classic_bounded;
pub mod data_centric;
pub mod dpor;
pub mod eager;
pub mod exhaustive;
pub mod lazy;
pub mod lazy_bounded;
pub mod naive_bounded;
pub mod nidhugg;
pub mod nidhugg_bounded;
pub mod observers;
pub mod optimal;
pub mod pct;
pub mod pos;
pub mod random;
pub mod sleep;
pub mod source;
pub mod source_bounded;
pub mod urw;
pub mod value_centric;
