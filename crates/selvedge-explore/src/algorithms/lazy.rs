//! Lazy partial-order reduction, LazyPOR [Metzler2014, listing 3.1 with sections 4.1 to 4.4], repaired.
//!
//! The idea: execute first, plan afterwards. At a state the threads are run; from what they did follow the trace
//! constraint systems of all ways in which the same operations could have been ordered, each of them is executed, and so on
//! from where it ends. Nothing has to be known of the program in advance.
//!
//! Guarantee: every Mazurkiewicz trace is explored to its end exactly once. Some executions may be sleep-set blocked. With
//! stored states: an execution to every state in which some execution ends, and every failure.
//!
//! | paper | here |
//! |---|---|
//! | `execute(u1, c)`, first part | [`Solo::fill`]: every thread runs, up to the next branching transition that matters |
//! | `variations(u2)`, `solve` | [`ConstraintSystem`](crate::sections::constraint_system::ConstraintSystem) |
//! | `explore(u1, u2)` | [`section_search::run`] |
//! | `split-at-dependency` | races between sections, reversed at the state before the earlier event |
//! | program successor relation | a thread's operations keep their order in every constraint system |
//! | stored states | [`KnownStates`] |
//!
//! DIVERGENCES:
//!
//! 1. The published algorithm runs to a deadlock and diverges when another order disables what was executed (section
//!    4.2). As it suggests, ours goes no further than to the next branching transition: an operation that others in the
//!    section may influence, and after which the thread might do something else.
//! 2. Unsatisfiable systems are not generated, so there are no maximal satisfiable prefixes to solve and no empty
//!    solutions to omit (section 4.3).
//! 3. What is dependent on earlier sections is not explored again in all combinations: Source-DPOR's backtrack and sleep
//!    sets between sections keep every trace from being explored twice. That is also why it ends: every branch makes
//!    the path longer or puts a thread to sleep.
//! 4. The thesis gives a state up when it is known. But what was executed after it the first time may be dependent on what
//!    led to it now. So each stored state remembers what each thread accessed after it, and where that conflicts with an event
//!    of the present path all threads are explored before that event. Without that, random programs at once show final
//!    states that are lost.
//!
//! Completeness is that of [`super::eager`]: its argument asks of a section only that executions made of nothing but
//! its operations perform them all with the same dependences.

use crate::algorithm::About;
use crate::sections::draft::{Draft, Length};
use crate::sections::section::Section;
use crate::sections::section_search::{self, Found, Plan};
use crate::sections::solo::Solo;
use crate::states::known_states::KnownStates;
use crate::{Excursions, LooksAhead, Promise, Search, States};

/// Operations of each thread that are executed before planning.
const EXECUTED: usize = 64;

/// What is known of the algorithm before it runs.
pub const ABOUT: About =
    About::new("lazy", "LazyPOR: each trace once, by reordering what was executed", Promise::EveryTraceOnce);

/// Explores each trace.
pub fn run<P: Excursions + LooksAhead + States>(search: &mut Search<P>) {
    section_search::run(search, Lazy::default(), None);
}

/// LazyPOR that explores no state twice.
pub mod stateful {
    use super::*;

    /// What is known of the algorithm before it runs.
    pub const ABOUT: About = About::new(
        "lazy-stateful",
        "LazyPOR with stored states: every final state, not every trace",
        Promise::EveryFinalState,
    );

    /// Explores section by section, and nothing after a state that is known.
    pub fn run<P: Excursions + LooksAhead + States>(search: &mut Search<P>) {
        let known = search.path.program.may_skip_known_states().then(KnownStates::default);
        section_search::run(search, Lazy::default(), known);
    }
}

/// Finds sections by running the threads.
#[derive(Default)]
struct Lazy {
    draft: Draft,
    solo: Solo,
}

impl<P: Excursions + LooksAhead + States> Plan<P> for Lazy {
    fn find(&mut self, search: &mut Search<P>, section: &mut Section) -> Found {
        self.solo.fill(&mut search.path.program, &mut self.draft, EXECUTED);
        self.draft.shorten(Length::Full);
        if self.draft.is_empty() {
            return Found::Nothing;
        }
        search.path.order.dependency_checks += section.make(&mut self.draft);
        Found::Section
    }
}
