//! C and C++: programs as they are read, what is asked of them, and how that is decided.

mod admissible_trace;
pub mod check;
mod first_execution;
pub mod native;
pub mod portfolio;
pub mod prefix;
pub mod question;
pub mod terms;
