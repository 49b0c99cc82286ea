//! Bounds on preemptions and delays: what executions and traces cost, and searches within a bound.

pub mod blocks;
pub mod bound;
pub mod bounded_search;
pub mod deepening;
pub mod few_delays;
pub mod least_cost;
pub mod witness;
