//! Limits on the size of programs, shared by the checker and the reader of the text form.
//!
//! They keep recursion over expressions within the stack of a thread, and a short text from asking for all
//! the memory there is. Every program within the limits can be written down and read back.

/// How deep expressions nest at most; a constant has depth 1.
pub const MAX_DEPTH: usize = 500;

/// How many initial values the objects and thread-local arrays of a program have at most, all together.
pub const MAX_VALUES: usize = 1 << 24;

/// How many bytes a program in text form has at most.
pub const MAX_TEXT: usize = 1 << 30;
