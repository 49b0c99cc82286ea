//! Corpus placeholder
