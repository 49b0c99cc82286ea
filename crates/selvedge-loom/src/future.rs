//! An executor for futures, and a waker that several threads may use. Loom has these with its feature `futures`.

pub use selvedge::future::{AtomicWaker, block_on};
