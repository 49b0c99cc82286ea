//! Verdicts, their scopes, and counterexamples as tables, whatever was explored.
//!
//! A [`Run`] says how something was explored, a [`Verdict`] what that shows, and the [scope](scope::scope) what was covered. Counterexamples
//! are [`Step`]s in a [table](table::table) on a [`Page`], with a [`reason`] at the end. This crate knows no programs: models, C and
//! closures are told in these words by others, `selvedge-report` and `selvedge`.

pub mod choice;
pub mod excerpt;
pub mod page;
pub mod paint;
pub mod reason;
pub mod reservations;
pub mod run;
pub mod scope;
pub mod step;
pub mod table;
pub mod terms;
pub mod verdict;

pub use page::Page;
pub use paint::Palette;
pub use reservations::Reservations;
pub use run::Run;
pub use step::Step;
pub use terms::Terms;
pub use verdict::Verdict;
