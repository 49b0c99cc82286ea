//! Program schedules for compiled programs.
//!
//! [`Sources`] say which instruction of the LLVM IR each step of a translated program is.

pub mod sources;

pub use sources::Sources;
