//! Limits that keep every compilation short and the stack shallow, whatever the input.
//!
//! Each is far above what a verifier can explore; going beyond one is a diagnostic.

/// Bytes of source text.
pub const SOURCE_BYTES: usize = 16 << 20;

/// Bytes of a dlang text after its repetition blocks have been expanded.
pub const EXPANDED_BYTES: usize = 4 << 20;

/// Nodes of expressions that one dlang statement may copy: in the IR its `%` needs the divisor three times.
pub const COPIED_NODES: usize = 10_000;

/// Diagnostics of one run; what comes after them is not reported.
pub const DIAGNOSTICS: usize = 100;

/// How deeply statements may be nested, and how deeply parentheses and the like inside a statement.
pub const NESTING: u32 = 64;

/// Height of the tree of an expression; also bounds the length of chains such as `a + b + c`.
pub const EXPRESSION_HEIGHT: u32 = 200;

/// Elements of all variables and arrays of a program together.
pub const ELEMENTS: i64 = 16_000_000;

/// Elements of a thread-local array.
pub const LOCAL_ELEMENTS: i64 = 65_536;

/// Threads of a program: the order of an execution takes memory that grows with the square of their number.
pub const THREADS: i64 = 20_000;

/// Threads that a barrier waits for.
pub const BARRIER_WIDTH: i64 = THREADS;

/// Arrays up to this length are reset element by element, longer ones by a loop.
pub const UNROLLED_ELEMENTS: usize = 16;
