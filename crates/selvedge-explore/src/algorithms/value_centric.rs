//! Value-centric DPOR, VC-DPOR.
mod annotated;
mod closure;
mod explore;
mod next;
mod partial_order;
mod realize;
mod task;

pub use explore::run;
pub use next::Numbers;
