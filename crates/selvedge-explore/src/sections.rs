//! Sections: parts of a program that are known in advance, and all their traces from constraint systems.

pub mod constraint_system;
pub mod draft;
pub mod section;
pub mod section_search;
pub mod solo;
