//! What a search notices besides violations, and what that adds to the claim.

use crate::reach::{self, Point};
use crate::runtime::with;
use crate::sync::atomic::{compared, weaker};
use std::fmt::Write;

/// What a search noticed.
#[derive(Clone, Debug, Default)]
pub struct Noticed {
    /// A thread that spins has waited.
    pub has_spun: bool,
    /// An ordering weaker than `SeqCst` was used.
    pub weaker_orderings: bool,
    /// A compare-exchange expected an address.
    pub addresses_compared: bool,
    /// What the user should know besides: the first execution that was cut, and threads of which nothing is seen.
    pub warnings: Vec<String>,
    /// The points of `reachable!` that were reached.
    pub reached: Vec<&'static Point>,
}

/// What the search on the present thread of the operating system has to say besides.
fn warnings() -> Vec<String> {
    let observed = with(|x| x.observed.clone());
    let mut warnings = observed.warnings();
    warnings.extend(observed.about_cut());
    warnings
}

impl Noticed {
    /// What the search on the present thread of the operating system has noticed so far.
    pub fn so_far() -> Noticed {
        Noticed {
            has_spun: with(|x| x.has_spun),
            weaker_orderings: weaker::were_used(),
            addresses_compared: compared::were_compared(),
            warnings: warnings(),
            reached: reach::reached_so_far(),
        }
    }

    /// Adds what another search of the same closure noticed.
    pub fn add(&mut self, other: &Noticed) {
        self.has_spun |= other.has_spun;
        self.weaker_orderings |= other.weaker_orderings;
        self.addresses_compared |= other.addresses_compared;
        for warning in &other.warnings {
            if !self.warnings.contains(warning) {
                self.warnings.push(warning.clone());
            }
        }
        for &point in &other.reached {
            if !self.reached.iter().any(|&known| std::ptr::eq(known, point)) {
                self.reached.push(point);
            }
        }
    }

    /// Adds to the claim of a search without violations what it leaves out.
    pub fn qualify(&self, scope: &mut String) {
        if self.has_spun {
            scope.push_str("; threads that spin wait until something that they read changes");
        }
        if self.weaker_orderings {
            let _ = write!(scope, "; {WEAKER}");
        }
        if self.addresses_compared {
            let _ = write!(scope, "; {REUSE}");
        }
    }
}

const WEAKER: &str = "orderings weaker than SeqCst were used, and what only they allow was not explored";
const REUSE: &str =
    "pointers were compared, and freed memory came back at its old address only where the allocator did so";
