//! The frames of algorithms: depth-first search with backtrack sets or with wakeup trees, and sleep sets.

pub mod backtrack;
pub mod sleep_set;
pub mod wakeup_search;
pub mod wakeup_tree;
