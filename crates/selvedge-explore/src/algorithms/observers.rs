//! Optimal-DPOR with observers [AronisJLS2018, section 5].
//!
//! Guarantee: every class of [`Equivalence::Observers`] is explored exactly once, and no
//! execution is sleep-set blocked.
//!
//! Two operations that replace the value of a location without looking at it, *floating* writes, are ordered only if somebody
//! observes the later one. So the order of an execution is known when it has ended (`ObservedOrder`), and its races are
//! looked for then:
//!
//! - A race that needs no observer is reversed as in Optimal-DPOR. If the earlier event looks at what the later one replaces, it
//!   is performed again after it: then it is its observer.
//! - A race of two floating writes, the later of which is observed, is reversed by performing the earlier one as the last
//!   before an observer (`swap`).
//!
//! A sleeping decision that floats is not woken by another floating write. What would be explored instead of it is something new
//! only if it gets observed, and then the other write comes before it: the sequence that leads there must contain
//! its observer.
//!
//! | paper | here |
//! |---|---|
//! | `E`, `E'` | the path, the path before `reversal.at` |
//! | `v` | `Elements` |
//! | `v ∉ redundant(E', done)` | `is_redundant` |
//! | `insert_[E'](v, wut(E'))` | [`insert`](crate::frames::wakeup_tree::WakeupTrees::insert) |
//!
//! DIVERGENCES: only [some locations](Observations::floats) float: an operation that waits for a
//! condition, or whose accesses vary, may do something else after a reversal than to observe; and one that replaces two values may come
//! after another write for one of them and before it for the other, which moving it (`swap`) cannot bring about. Writes to other locations, and all
//! other operations, are ordered as in happens-before. What is explored is kept by sleep sets, as in Optimal-DPOR, not by the
//! explored sequences themselves. Where no location floats the equivalence is happens-before, and Optimal-DPOR explores it.

mod elements;
mod observed_order;
mod swap;

use super::optimal;
use crate::algorithm::About;
use crate::frames::wakeup_search::{Node, WakeupSearch};
use crate::path::preview::{Foresight, Previews};
use crate::search::REVERSAL_INTERVAL;
use crate::{Equivalence, Excursions, Later, Observations, Promise, Reversal, Search};
use elements::Elements;
use observed_order::{ObservedOrder, looks};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{AccessKind, Blocking, EventId, ThreadId};
use std::ops::ControlFlow;
use swap::{Others, swap};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "observers",
    "Optimal-DPOR with observers: each observer class once, never more than traces",
    Promise::EveryClassOnce(Equivalence::Observers),
)
.with_checkpoints();

/// Explores with wakeup trees and observers.
pub fn run<P: Excursions + Observations>(search: &mut Search<P>) {
    if !search.path.program.has_floating_locations() {
        return optimal::run(search);
    }
    let mut observers = Observers::default();
    match search.resumed() {
        Some(checkpoint) => checkpoint.restore(search, |search, e, state| {
            e.into_iter().for_each(|e| observers.enter(search, e));
            observers.frame.restore(state);
        }),
        None => observers.frame.nodes.push(Node::default()),
    }
    while !search.stopped() {
        if search.checkpoint_is_due() {
            search.save(observers.frame.checkpoint(search));
        }
        match observers.frame.next(search) {
            Some((decision, branches)) => {
                let e = search.step(decision);
                observers.enter(search, e);
                observers.frame.nodes.push(Node { branches, ..Node::default() });
                search.poll(|_| observers.frame.levels());
            }
            None => {
                if observers.frame.node().explored == 0 {
                    observers.end(search);
                }
                if search.path.is_empty() {
                    break;
                }
                observers.back(search);
            }
        }
    }
    if search.checkpoint_is_due() {
        search.save(observers.frame.checkpoint(search));
    }
    search.path.order.dependency_checks += observers.frame.trees.dependency_checks;
    observers.observed.add_counters(&mut search.path.order);
}

/// A floating write that was performed though it was asleep: it must be observed.
#[derive(Clone, Copy, Debug)]
struct AwaitsObserver {
    event: EventId,
    /// The position of the state in which it fell asleep.
    since: u32,
}

#[derive(Default)]
struct Observers {
    frame: WakeupSearch,
    /// In the order of the path.
    awaiting: Vec<AwaitsObserver>,
    observed: ObservedOrder,
    elements: Elements,
    scratch: Reversal,
    needed: Vec<bool>,
}

impl Observers {
    /// Follows an event: what is independent of it stays asleep, and what only floats with it.
    fn enter<P: Excursions + Observations>(&mut self, search: &mut Search<P>, e: EventId) {
        self.observed.push(&search.path, e);
        let (order, accesses) = (&mut search.path.order, self.observed.accesses_alone(e));
        let event = *order.event(e);
        let asleep = self.frame.sleep.present().iter().filter(|sleeper| sleeper.holds(event.decision));
        self.awaiting.extend(asleep.map(|sleeper| AwaitsObserver { event: e, since: sleeper.since }));
        self.frame.sleep.enter_where(|sleeper, theirs| {
            order.dependency_checks += 1;
            sleeper.thread != event.thread()
                && !(event.mask.may_conflict(sleeper.mask) && conflicting(accesses, theirs))
        });
    }

    /// Goes back over the last event.
    fn back<P: Excursions + Observations>(&mut self, search: &mut Search<P>) {
        let e = EventId::at(search.path.len() - 1);
        let event = search.path.order.event(e);
        self.frame.sleep.leave_as(event.decision, event.mask, self.observed.accesses_alone(e));
        self.awaiting.truncate(self.awaiting.partition_point(|sleeper| sleeper.event < e));
        self.frame.back(search);
        self.observed.pop();
    }

    /// Notes the end of an execution and reverses all its races.
    fn end<P: Excursions + Observations>(&mut self, search: &mut Search<P>) {
        if !search.at_depth_limit() && search.path.next_enabled(None).is_some() {
            search.end_sleep_set_blocked();
            return;
        }
        search.end();
        self.observed.complete(&search.path);
        self.observed.swap(&mut search.path);
        let mut previews = Previews::default();
        for e in search.path.order.events() {
            if e.index() % REVERSAL_INTERVAL == REVERSAL_INTERVAL - 1 && search.gives_up() {
                break;
            }
            if self.reverse_race_by_race(search, &mut previews, e).is_break() {
                self.reverse_races(search, Later::Event(e));
            }
        }
        let blocked: Vec<ThreadId> = search.running_threads().collect();
        for thread in blocked {
            if search.gives_up() {
                break;
            }
            self.reverse_races(search, Later::Next(thread));
        }
        self.observed.swap(&mut search.path);
    }

    /// Reverses the races of an event as far as each has just one reversal that is known; breaks if it takes a search.
    fn reverse_race_by_race<P: Excursions + Observations>(
        &mut self,
        search: &mut Search<P>,
        previews: &mut Previews,
        later: EventId,
    ) -> ControlFlow<()> {
        let is_plain = search.path.is_plain(later);
        for race in search.path.order.race_numbers(later) {
            let e = search.path.order.race(race);
            if !is_plain {
                match previews.foresee(&mut search.path, race, later, &mut self.scratch) {
                    Foresight::Search => return ControlFlow::Break(()),
                    Foresight::Nothing => continue,
                    Foresight::Reversal => {
                        self.elements.set(&search.path.program, &self.scratch, &self.observed);
                        self.insert(e);
                    }
                }
                continue;
            }
            if self.observed.is_race_of_floating_writes(e, later) {
                self.swap_before_observers(search, e, later);
                continue;
            }
            search.path.reverse(e, later, &mut self.scratch);
            self.elements.set_events(&self.scratch.sequence, &search.path.order, &self.observed);
            self.elements.push(later, &search.path.order, &self.observed);
            if self.observes_if_repeated(search, e, later) {
                self.elements.push(e, &search.path.order, &self.observed);
            }
            self.elements.observe(&search.path.program);
            self.insert(e);
        }
        ControlFlow::Continue(())
    }

    /// Whether the earlier event of a race can be performed again after the later one, which it then observes.
    fn observes_if_repeated<P: Excursions + Observations>(
        &self,
        search: &Search<P>,
        e: EventId,
        later: EventId,
    ) -> bool {
        let program = &search.path.program;
        let floats = |location| {
            let kind = |a: &&selvedge_trace::Access| a.location == location && a.kind == AccessKind::Post;
            self.observed.accesses_alone(later).iter().any(|a| kind(&a)) && program.floats(location)
        };
        search.path.order.event(e).blocking == Blocking::Never
            && search.path.is_plain(e)
            && self.observed.accesses_alone(e).iter().any(|a| looks(a.kind) && floats(a.location))
    }

    /// Reverses a race of two floating writes, once for each observer of the later one.
    fn swap_before_observers<P: Excursions + Observations>(
        &mut self,
        search: &mut Search<P>,
        e: EventId,
        later: EventId,
    ) {
        for observer in self.observed.observers(e, later) {
            for others in [Others::Open, Others::Before] {
                let swapped = swap(&search.path, &self.observed, e, later, observer, others);
                let Some(sequence) = swapped else { continue };
                self.elements.set_events(&sequence, &search.path.order, &self.observed);
                self.elements.observe(&search.path.program);
                self.insert(e);
            }
        }
    }

    fn reverse_races<P: Excursions + Observations>(&mut self, search: &mut Search<P>, later: Later) {
        let mut scratch = std::mem::take(&mut self.scratch);
        search.path.reversals(later, &mut scratch, &mut |path, reversal| {
            self.elements.set(&path.program, reversal, &self.observed);
            self.insert(reversal.at);
        });
        self.scratch = scratch;
    }

    /// Inserts the sequence into the wakeup tree of the state before an event, if it leads to something new.
    fn insert(&mut self, at: EventId) {
        if self.is_redundant(at) {
            return;
        }
        self.needed.clear();
        self.needed.resize(self.elements.len(), true);
        let WakeupSearch { nodes, trees, .. } = &mut self.frame;
        trees.insert(&mut nodes[at.index()].branches, &self.elements, &mut self.needed);
    }

    /// Whether some sleeping decision may come first in what follows the sequence, or what was asleep and performed all the
    /// same may not be observed.
    fn is_redundant(&self, at: EventId) -> bool {
        let sleep = &self.frame.sleep;
        let is_observed = |sleeper: &AwaitsObserver| {
            self.observed.floats(sleeper.event).any(|location| {
                let next = self.observed.next_access(sleeper.event, at, location);
                self.observed.is_overwritten(location, sleeper.since, sleeper.event)
                    && next.or_else(|| self.elements.first_access(location)).is_some_and(looks)
            })
        };
        if !self.awaiting.iter().take_while(|sleeper| sleeper.event < at).all(is_observed) {
            return true;
        }
        sleep.at(at.index()).iter().any(|sleeper| {
            let overwritten = |location| self.observed.is_overwritten(location, sleeper.since, at);
            !self.elements.wakes(sleeper, sleep.accesses(sleeper), overwritten)
        })
    }
}
