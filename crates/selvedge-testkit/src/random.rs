//! A small deterministic random generator, so that a seed means the same program for ever.

use selvedge_explore::sampling::Stream;

/// A stream of random numbers determined by its seed.
#[derive(Clone, Debug)]
pub struct Random(Stream);

impl Random {
    /// The stream of a seed.
    pub fn new(seed: u64) -> Random {
        Random(Stream::new(seed))
    }

    /// The next number.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }

    /// True in `percent` of 100 cases.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the elements.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}
