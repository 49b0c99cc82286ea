//! tmp
pub mod cell;
pub mod checker;
pub mod choose;
pub mod future;
pub mod hint;
pub mod name;
pub mod report;
mod runtime;
mod spin;
pub mod statics;
pub mod sync;
pub mod thread;
pub use checker::{Checker, check};
pub use choose::{assume, choose};
pub use name::name;
pub use selvedge_explore::Algorithm;
