//! What compiles and holds with std compiles and holds with this library: the same source, once with the names of each.
//!
//! What is newer in std than the oldest compiler that this workspace supports is in `like_std.rs`.

#![allow(clippy::duplicate_mod, reason = "that is the point")]
#![allow(unsafe_code, reason = "some of std's functions are unsafe")]

mod with_selvedge;
mod with_std;
