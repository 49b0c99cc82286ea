//! What the tests of all crates share: random programs, oracles, and the corpus runner.
//!
//! [`generate`] makes random programs of the modelling language and makes failing ones smaller. [`oracle`] holds
//! algorithms to their promises against brute force, with an order of events computed by its definition, [`classes`] does the same for
//! coarser equivalences. [`corpus`] runs programs that state in their header what is expected of them. [`proving`] holds the
//! prover to exploration, [`mirror`] its transitions to the interpreter, [`scheduled`] runs programs under the schedules it
//! found, [`adherence`] judges schedules by their definition, and [`mutation`] makes wrong ones. [`tickets`] share work between threads,
//! [`outcomes`] keep random tests from deciding nothing. [`oracle_c`]
//! holds algorithms to brute force on programs of C, [`prefixes`] and [`prefixes_c`] hold trace prefixes to it, such as those of [`waiting_c`], which [`batch_c`] compiles many at
//! a time; those of [`table_c`] vary without a compiler.

pub mod adherence;
pub mod batch_c;
pub mod blocks;
pub mod bounded;
pub mod classes;
pub mod corpus;
pub mod endless_c;
pub mod enforced;
pub mod generate;
pub mod library_c;
pub mod mirror;
pub mod mutation;
pub mod native;
pub mod observing_c;
pub mod operations_c;
pub mod oracle;
pub mod oracle_c;
pub mod outcomes;
pub mod permitted;
pub mod prefixes;
pub mod prefixes_c;
pub mod provable_c;
pub mod proving;
pub mod random;
pub mod random_c;
pub mod scheduled;
pub mod stateful;
pub mod table_c;
pub mod tickets;
pub mod waiting_c;

/// The atomics of [`tickets`].
mod atomics {
    pub use std::sync::atomic::{AtomicU64, Ordering};
}
