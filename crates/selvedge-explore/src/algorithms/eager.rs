//! Eager partial-order reduction, EPOR and EPOR-SH [MetzlerSBHS2016, figure 3], repaired.
//!
//! The paper leaves open how to choose the length of sections; `eager-adaptive` begins a section only where it reaches
//! to the ends of all threads, and is Source-DPOR before that.
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. Some executions may end asleep, but none
//! does within a section.
//!
//! | paper | here |
//! |---|---|
//! | `section(u)` | [`Section`], made at a state by `Eager::begin_section` |
//! | trace constraint systems, schedules | the executions that [`ConstraintSystem`](crate::constraint_system::ConstraintSystem) enumerates |
//! | race detection between sections | `Eager::reverse_races_between_sections` |
//! | backtrack sets, sleep sets | as in [`super::source`] |
//!
//! DIVERGENCES, because the published algorithm loses traces (30 921 of 31 780 for branching(9)):
//!
//! 1. A section begins only where no thread sleeps; elsewhere operations are explored one by one, as Source-DPOR
//!    does, until something has woken all sleepers. (A section of the awake threads only would be complete too,
//!    but most of its traces may wake nobody and end asleep.)
//! 2. Schedules are the lexicographic normal forms of the traces of the section, explored in the order of threads, so
//!    that a thread put to sleep after its branch has returned has been explored first in all traces that can begin
//!    with it. Prefixes that cannot be completed, the unsatisfiable systems, are never begun; see [`crate::constraint_system`].
//! 3. Operations that wait, choose, or whose accesses vary end a section and are explored one by one.
//! 4. A thread that a race between sections asks for is explored at a state within a section even if no schedule of
//!    the section begins with it there: operations after the section may make that something new.
//!
//! *Why nothing is lost.* Consider a state at which a section begins, or within one, and an execution `w` from there
//! of which no sleeping thread is a weak initial. Let `p` be explored at that state and `w1` be the part of `w` before the
//! first operation `q` dependent on `p`, `p` chosen such that `w1` is longest. If `p` and `q` belong to the same section, the
//! operations of `w` that belong to it have a normal form, which the constraint systems give: its first thread `r` is tried at
//! this state or asleep, and is a weak initial of `w`. Otherwise their race is one between sections, or with an
//! operation explored alone, and is reversed as in Source-DPOR: an initial of `w1.q` is put into the backtrack
//! set. Both contradict the choice of `p`.

use crate::draft::{Certainty, Draft, Length};
use crate::lookahead::Lookahead;
use crate::section::Section;
use crate::section_search::{self, Found, Plan};
use crate::solo::{Reach, Solo};
use crate::{Program, Search};
use selvedge_trace::ThreadId;

/// What it costs to look at an operation in advance, in states passed by.
const COST: i64 = 32;

/// What a race within a section saves that need not be reversed, in states passed by.
const GAIN: i64 = 32;

/// How many operations of each thread are performed alone: first few, to find out cheaply that there is no section.
const SOLO_RUNS: [usize; 3] = [4, 16, 64];

/// Explores section by section.
pub fn run<P: Program>(search: &mut Search<P>, length: Length) {
    section_search::run(search, Eager { length, ..Eager::default() });
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

impl<P: Program> Plan<P> for Eager {
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
    fn look_ahead_to_the_end<P: Program>(&mut self, search: &mut Search<P>) -> bool {
        if !self.reach_their_ends(search) {
            return false;
        }
        self.draft.clear();
        for thread in (0..search.path.order.thread_count()).map(ThreadId::at) {
            if self.draft.has_room() && search.path.program.is_enabled(thread) {
                search.path.program.lookahead(thread, &mut self.ahead);
                self.draft.add(thread, &self.ahead, |_| Certainty::Always);
            }
        }
        if self.length == Length::Short {
            self.draft.shorten(Length::Short);
        }
        !self.draft.is_empty() && !self.draft.is_entangled()
    }

    /// Whether all operations of the enabled threads are certain. Begins with the one of which that was not so the
    /// last time.
    fn reach_their_ends<P: Program>(&mut self, search: &mut Search<P>) -> bool {
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
    fn run_alone<P: Program>(&mut self, search: &mut Search<P>) -> bool {
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
