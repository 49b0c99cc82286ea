//! Outcomes of random tests, counted and held to floors: a test whose programs are hardly ever decided shows nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;

/// Programs below which shares say nothing.
const FEWEST: u64 = 30;

/// How often each outcome was seen, among a known number of programs.
pub struct Outcomes {
    programs: u64,
    counts: Mutex<BTreeMap<String, u64>>,
}

impl Outcomes {
    /// No outcome yet of these many programs.
    pub fn of(programs: u64) -> Outcomes {
        Outcomes { programs, counts: Mutex::default() }
    }

    /// No outcome yet of the programs with these seeds.
    pub fn of_seeds(seeds: &Range<u64>) -> Outcomes {
        Outcomes::of(seeds.end.saturating_sub(seeds.start))
    }

    /// Counts an outcome.
    pub fn count(&self, outcome: impl Into<String>) {
        *self.counts.lock().expect("no panic").entry(outcome.into()).or_default() += 1;
    }

    /// How often an outcome was seen.
    pub fn get(&self, outcome: &str) -> u64 {
        self.counts.lock().expect("no panic").get(outcome).copied().unwrap_or(0)
    }

    /// How often the outcomes were seen whose names begin so.
    fn beginning_with(&self, prefix: &str) -> u64 {
        let counts = self.counts.lock().expect("no panic");
        counts.iter().filter(|(outcome, _)| outcome.starts_with(prefix)).map(|(_, count)| count).sum()
    }

    /// Demands that each outcome is that of so many percent of the programs at least, unless there are too few programs to tell.
    ///
    /// # Panics
    /// When one is not.
    pub fn assert_at_least(&self, floors: &[(&str, u64)]) {
        for (outcome, percent) in floors {
            let is_few = self.get(outcome) * 100 < percent * self.programs;
            assert!(
                self.programs < FEWEST || !is_few,
                "fewer than {percent} % of {} programs are \"{outcome}\": {self}",
                self.programs
            );
        }
    }

    /// Demands that the outcomes whose names begin so are together those of so many percent of the programs at most.
    ///
    /// # Panics
    /// When there are more.
    pub fn assert_at_most(&self, prefix: &str, percent: u64) {
        let is_many = self.beginning_with(prefix) * 100 > percent * self.programs;
        assert!(
            self.programs < FEWEST || !is_many,
            "more than {percent} % of {} programs are \"{prefix}\": {self}",
            self.programs
        );
    }
}

impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#?}", self.counts.lock().expect("no panic"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ninety_safe() -> Outcomes {
        let outcomes = Outcomes::of(100);
        (0..90).for_each(|_| outcomes.count("safe"));
        (0..10).for_each(|n| outcomes.count(format!("unknown: {n}")));
        outcomes
    }

    #[test]
    fn shares_within_their_bounds_pass() {
        ninety_safe().assert_at_least(&[("safe", 90)]);
        ninety_safe().assert_at_most("unknown", 10);
    }

    #[test]
    #[should_panic(expected = "fewer than 91 %")]
    fn a_share_below_its_floor_fails() {
        ninety_safe().assert_at_least(&[("safe", 91)]);
    }

    #[test]
    #[should_panic(expected = "more than 9 %")]
    fn too_many_undecided_programs_fail() {
        ninety_safe().assert_at_most("unknown", 9);
    }

    #[test]
    #[should_panic(expected = "fewer than 1 %")]
    fn a_test_that_counts_nothing_fails() {
        Outcomes::of(100).assert_at_least(&[("safe", 1)]);
    }
}
