//! Lookahead: the operations that a thread will perform for certain.

use selvedge_trace::{Blocking, Footprint, Variation};

/// Footprints of the next operations of a thread, recycled from one use to the next.
#[derive(Debug, Default)]
pub struct Lookahead {
    footprints: Vec<Footprint>,
    length: usize,
    /// Whether the thread ends after these operations for certain.
    pub reaches_end: bool,
}

impl Lookahead {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.length = 0;
        self.reaches_end = false;
    }

    /// The footprints, the next operation first.
    pub fn footprints(&self) -> &[Footprint] {
        &self.footprints[..self.length]
    }

    /// Adds an operation that accesses nothing so far.
    pub fn add(&mut self) -> &mut Footprint {
        if self.length == self.footprints.len() {
            self.footprints.push(Footprint::default());
        }
        let footprint = &mut self.footprints[self.length];
        self.length += 1;
        footprint.clear();
        footprint
    }

    /// Takes the last operation back.
    pub fn remove_last(&mut self) {
        self.length -= 1;
    }
}

/// Whether an operation never waits and always accesses the same, and so do those that conflict with it.
pub fn is_certain(footprint: &Footprint) -> bool {
    footprint.blocking == Blocking::Never && footprint.variation == Variation::Fixed
}
