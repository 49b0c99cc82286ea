//! Data-centric DPOR.
use super::value_centric::{self, Numbers};
use crate::{Program, Search};

/// Explores one execution of each class.
pub fn run<P: Program>(search: &mut Search<P>) {
    let root = search.limits().root;
    value_centric::run(search, root, Numbers::DoNotMatter);
}
