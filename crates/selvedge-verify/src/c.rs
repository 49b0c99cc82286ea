//! C and C++: programs as they are read, what is asked of them, and how that is decided.

pub mod check;
pub mod native;
pub mod portfolio;
pub mod question;
pub mod terms;
