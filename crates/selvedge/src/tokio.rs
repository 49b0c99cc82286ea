//! The parts of the crate `tokio` that synchronise tasks: [`sync`]. Tasks are those of [`future`](crate::future).
//!
//! Runtimes, time, input and output are not here, nor are `broadcast`, `watch`, `Barrier`, `OnceCell` and owned guards.

pub mod sync;
