//! Eager partial-order reduction, EPOR and EPOR-SH [MetzlerSBHS2016, figure 3], repaired.
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. Some executions may be sleep-set blocked, but none
//! does within a section.
//!
//! | paper | here |
//! |---|---|
//! | `section(u)` | [`Section`], made at a state by [`Plan::find`] |
//! | trace constraint systems, schedules | [`ConstraintSystem`](crate::sections::constraint_system::ConstraintSystem) |
//! | hiding dependencies, branching transitions | where [look-ahead](crate::seam::lookahead) ends |
//! | race detection between sections | `SectionSearch::reverse_races_between_sections` |
//! | backtrack sets, sleep sets | as in [`super::source`] |
//!
//! DIVERGENCES, because the published algorithm loses traces (30 921 of 31 780 for branching(9)):
//!
//! 1. A section begins only where no thread sleeps; elsewhere operations are explored one by one, as Source-DPOR
//!    does, until something has woken all sleepers. (A section of the awake threads only would be complete too,
//!    but most of its traces may wake no thread and be sleep-set blocked.)
//! 2. Schedules are the lexicographic normal forms of the traces of the section, explored in the order of threads.
//!    Prefixes that cannot be completed, the unsatisfiable systems, are never begun.
//! 3. A thread that a race between sections asks for is explored at a state within a section even if no schedule of
//!    the section begins with it there: operations after the section may make that something new.
//!
//! and because it can be had:
//!
//! 4. What is certain is found at each state anew, not once for the program: by running the threads on partly unknown
//!    values, and, where that ends, by [running each alone](crate::sections::solo) to see which values no other thread will change.
//!    Operations that wait, or whose accesses vary, are in a section if nothing in it is dependent on them.
//! 5. Where sections begin is free. One that reaches to the ends of all threads has no races with what comes after. Any
//!    other is made only if no such races are in sight, because they lead out of the schedules made in advance; and an
//!    account of costs and savings keeps the search for sections from slowing down programs that have none. `eager-short`
//!    and `eager-adaptive` differ in which sections they accept: short ones, and only those to the ends of all threads.
//!
//! 6. What a race has shown is not compared again: the first event kept in a reversal is independent of the one left out,
//!    the later operation of the race, if it could have come first, is dependent on it. Sleep sets use that.
//!
//! *Why nothing is lost.* Let `S` be a section that begins at a state `s0`: for each of its threads a sequence of
//! operations, such that every execution from `s0` of operations of `S` only performs these, with these accesses, and does not
//! have to wait. Call an event of any execution from `s0` an *S-event* if it is the k-th event of a thread, the thread
//! has at least k operations in `S`, and it accesses the same. Events before which only S-events happened are
//! S-events.
//!
//! Claim: when the exploration of a state `s` within `S` is finished, every execution `w` from `s` that goes to its end
//! and of which no sleeping thread is a weak initial has a weak initial among the threads explored at `s`. From that, all else
//! follows as for Source-DPOR [AbdullaAJS2017, theorem 4.3], by induction on the order in which explorations finish:
//! after exploring thread `p` at `s`, every execution that begins with `p` has been explored up to equivalence.
//! (Between sections a state is that of Source-DPOR, and the claim is theirs.)
//!
//! Assume a `w` that contradicts the claim. The threads of `S` with operations left at `s` are tried in their order;
//! one that is not tried, `v`, was passed over because performing it there would leave sleepers `U` that no operation of
//! the other threads of `S` is dependent on; and all in `U` were explored at `s`, or slept there before. Let `U` be all
//! threads of `S` with operations left if none was passed over. Let `x` be the first event of `w` that is of a thread in `U`
//! or dependent on the next operation of one. (If there is none, every thread in `U` is a weak initial of `w`.)
//!
//! If `x` is of a thread `u` in `U`, nothing before it in `w` is dependent on it, so it is the next operation of `u`, and `u` is
//! an initial of `w`: a contradiction. Otherwise `x` is dependent on the next operation of some `u` in `U`. It is no
//! S-event: those of threads outside `U` are not dependent on operations of `U`. So let `w = w1.x.w2`. The
//! next operation of `u` is independent of `w1`, and by induction an execution equivalent to one that begins with
//! `u.w1.x` was explored, unless `x` waits for what comes after `u`, or becomes another operation; then [`crate::path::reversal`]
//! finds it. In it `u` and `x` race. They are not events of the same section, because `x` is no S-event: either the section
//! was left before it by an operation explored alone, or it comes after the section. So the race was reversed and an
//! initial of `w1.x` is in the backtrack set of `s`, explored or asleep: again a contradiction. If `u` slept at `s` before, its
//! next operation was explored at an earlier state from which only independent events led here, and `w` after these was
//! explored there.

use crate::algorithm::About;
use crate::seam::lookahead::Lookahead;
use crate::sections::draft::{Draft, Length};
use crate::sections::section::Section;
use crate::sections::section_search::{self, Found, Plan};
use crate::sections::solo::{Reach, Solo};
use crate::{Excursions, LooksAhead, Promise, Search, States};
use selvedge_trace::ThreadId;

/// What it costs to look at an operation in advance, in states passed by.
const COST: i64 = 64;

/// What a race within a section saves that need not be reversed, in states passed by.
const GAIN: i64 = 64;

/// How many operations of each thread are performed alone: first few, to find out cheaply that there is no section.
const SOLO_RUNS: [usize; 4] = [4, 16, 64, 256];

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "eager",
    "Eager POR: each trace once, dependences looked for once per section of the program",
    Promise::EveryTraceOnce,
);

/// Explores section by section.
pub fn run<P: Excursions + LooksAhead + States>(search: &mut Search<P>) {
    run_with(search, Length::Full);
}

/// Eager POR with short sections.
pub mod short {
    use super::*;

    /// What is known of the algorithm before it runs.
    pub const ABOUT: About =
        About::new("eager-short", "Eager POR with short sections", Promise::EveryTraceOnce);

    /// Explores section by section.
    pub fn run<P: Excursions + LooksAhead + States>(search: &mut Search<P>) {
        run_with(search, Length::Short);
    }
}

/// Eager POR with sections only where they reach to the ends of all threads.
pub mod adaptive {
    use super::*;

    /// What is known of the algorithm before it runs.
    pub const ABOUT: About = About::new(
        "eager-adaptive",
        "Eager POR where sections reach to the end, Source-DPOR before",
        Promise::EveryTraceOnce,
    );

    /// Explores section by section.
    pub fn run<P: Excursions + LooksAhead + States>(search: &mut Search<P>) {
        run_with(search, Length::ToTheEnd);
    }
}

fn run_with<P: Excursions + LooksAhead + States>(search: &mut Search<P>, length: Length) {
    section_search::run(search, Eager { length, ..Eager::default() }, None);
}

/// Finds sections by looking ahead.
#[derive(Default)]
struct Eager {
    length: Length,
    /// A thread of which not all operations were certain.
    uncertain: usize,
    ahead: Lookahead,
    draft: Draft,
    solo: Solo,
    /// What sections have saved so far, less what it cost to find them: below zero, states are passed by.
    account: i64,
}

impl<P: Excursions + LooksAhead + States> Plan<P> for Eager {
    fn find(&mut self, search: &mut Search<P>, section: &mut Section) -> Found {
        if self.account < 0 {
            self.account += 1;
            return Found::Nothing;
        }
        self.account -= COST;
        if !self.look_ahead_to_the_end(search) && !self.run_alone(search) {
            return Found::Nothing;
        }
        self.account -= COST * self.draft.len() as i64;
        search.path.order.dependency_checks += section.make(&mut self.draft);
        Found::Section
    }

    fn branched(&mut self) {
        self.account += GAIN;
    }
}

impl Eager {
    /// Drafts a section of all that is certain whatever the others do, if that is everything.
    fn look_ahead_to_the_end<P: Excursions + LooksAhead + States>(&mut self, search: &mut Search<P>) -> bool {
        if !self.reach_their_ends(search) {
            return false;
        }
        self.draft.clear();
        for thread in (0..search.path.order.thread_count()).map(ThreadId::at) {
            if self.draft.has_room() && search.path.program.is_enabled(thread) {
                search.path.program.lookahead(thread, &mut self.ahead);
                self.draft.add(thread, &self.ahead);
            }
        }
        if self.length == Length::Short {
            self.draft.shorten(Length::Short);
        }
        !self.draft.is_empty() && !self.draft.is_entangled()
    }

    /// Whether all operations of the enabled threads are certain. Begins with the one of which that was not so the
    /// last time.
    fn reach_their_ends<P: Excursions + LooksAhead + States>(&mut self, search: &mut Search<P>) -> bool {
        let threads = search.path.order.thread_count();
        for thread in (self.uncertain..threads).chain(0..self.uncertain).map(ThreadId::at) {
            if search.path.program.is_enabled(thread) {
                search.path.program.lookahead(thread, &mut self.ahead);
                if !self.ahead.reaches_end {
                    self.uncertain = thread.index();
                    return false;
                }
            }
        }
        true
    }

    /// Drafts a section of what the threads do alone, longer and longer until it is known whether that is worth it.
    fn run_alone<P: Excursions + LooksAhead + States>(&mut self, search: &mut Search<P>) -> bool {
        for limit in SOLO_RUNS {
            let reach = self.solo.fill(&mut search.path.program, &mut self.draft, limit);
            self.account -= COST * self.draft.len() as i64;
            self.draft.shorten(self.length);
            if self.draft.is_empty() || self.draft.is_entangled() {
                return false;
            }
            let is_last = reach == Reach::End && self.draft.is_whole();
            if self.length == Length::ToTheEnd && reach > Reach::Limit && !is_last {
                return false;
            }
            if reach > Reach::Limit {
                break;
            }
        }
        true
    }
}
