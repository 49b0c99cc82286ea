//! The seam: what a program must do to be explored, and what it may do besides.

pub mod capabilities;
pub mod fingerprint;
pub mod lookahead;
pub mod program;
pub mod undo_log;
