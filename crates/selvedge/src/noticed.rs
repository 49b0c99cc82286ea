//! What a search notices besides violations, and what that adds to the claim.

use crate::reach::{self, Point};
use crate::runtime::with;
use crate::sync::atomic::{compared, weaker};
use crate::sync::woken::{self, Wakeups};
use selvedge_claim::Reservations;

/// What a search noticed.
#[derive(Clone, Debug, Default)]
pub struct Noticed {
    /// A thread that spins has waited.
    pub has_spun: bool,
    /// An ordering weaker than `SeqCst` was used.
    pub weaker_orderings: bool,
    /// A compare-exchange expected an address.
    pub addresses_compared: bool,
    /// What ended waits for condition variables.
    pub wakeups: Option<Wakeups>,
    /// What the user should know besides: the first execution that was cut, and threads of which nothing is seen.
    pub warnings: Vec<String>,
    /// What a thread that is not checked did to an object of the closure.
    pub stray: Option<String>,
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
            wakeups: woken::wakeups(),
            warnings: warnings(),
            stray: with(|x| x.take_stray()),
            reached: reach::reached_so_far(),
        }
    }

    /// Adds what another search of the same closure noticed.
    pub fn add(&mut self, other: &Noticed) {
        self.has_spun |= other.has_spun;
        self.weaker_orderings |= other.weaker_orderings;
        self.addresses_compared |= other.addresses_compared;
        self.wakeups = self.wakeups.or(other.wakeups);
        if self.stray.is_none() {
            self.stray.clone_from(&other.stray);
        }
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

    /// What the claim of a search without violations leaves out, one clause each.
    pub fn reservations(&self) -> Reservations {
        let clauses = [
            (self.wakeups == Some(Wakeups::Notified), NOTIFIED),
            (self.wakeups == Some(Wakeups::Spurious), SPURIOUS),
            (self.has_spun, SPINS),
            (self.weaker_orderings, WEAKER),
            (self.addresses_compared, REUSE),
        ];
        let noticed = clauses.into_iter().filter(|(is_noticed, _)| *is_noticed).map(|(_, clause)| clause);
        let doubts = self.stray.iter().map(|_| STRAY.to_owned()).collect();
        Reservations { doubts, noticed: noticed.collect(), ..Reservations::default() }
    }
}

const STRAY: &str = "threads of std took part, which are not explored";
const NOTIFIED: &str = "threads wake up from condition variables only when notified";
const SPURIOUS: &str = "waits for condition variables may also end spuriously";
const SPINS: &str = "threads that spin wait until something that they read changes";
const WEAKER: &str = "orderings weaker than SeqCst were used, and what only they allow was not explored";
const REUSE: &str =
    "pointers were compared, and freed memory came back at its old address only where the allocator did so";
