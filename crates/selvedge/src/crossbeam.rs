//! The parts of the crate `crossbeam` that programs use beside std: [`channel`] and [`utils`].
//!
//! `select!`, `after`, `tick`, `deque`, `epoch` and `queue` are not here.

pub mod channel;
pub mod utils;
