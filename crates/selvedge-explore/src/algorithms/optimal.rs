//! Optimal-DPOR with wakeup trees [AbdullaAJS2017, algorithm 2].
//!
//! Guarantee: every Mazurkiewicz trace is explored exactly once, and no execution is sleep-set blocked.
//!
//! | paper | here |
//! |---|---|
//! | `E`, `E'` | the path, the path before `reversal.at` |
//! | `v = notdep(e, E).proc(e')` | `reversal` |
//! | `sleep(E') ∩ WI_[E'](v) = ∅` | `redundancy` |
//! | `wut(E')`, `insert_[E'](v, wut(E'))` | `nodes[..].branches`, [`insert`](crate::frames::wakeup_tree::WakeupTrees::insert) |
//!
//! DIVERGENCES: operations may block and their accesses may vary, see [`crate::path::reversal`]; a decision is a
//! thread with a choice, and a thread picked freely is explored with all its choices. The branch added to a wakeup
//! tree is shorter, see [`crate::frames::wakeup_tree`]. A race whose reversal is covered is not looked at again as long as the
//! reason stays (`Covered`).

use crate::admissible::Below;
use crate::algorithm::About;
use crate::frames::sleep_set::SleepSets;
use crate::frames::wakeup_search::{Node, WakeupSearch};
use crate::frames::wakeup_tree::Reversed;
use crate::path::preview::{Foresight, Previews};
use crate::search::REVERSAL_INTERVAL;
use crate::{Excursions, Later, Promise, Reversal, Search, spare};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{EventId, HappensBefore, ThreadId};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "optimal",
    "Optimal-DPOR with wakeup trees: each trace once and nothing else",
    Promise::Optimal,
)
.with_checkpoints()
.with_prefixes();

/// Explores with wakeup trees.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    let mut optimal = spare::take(&SPARE).unwrap_or_default();
    match search.resumed() {
        Some(checkpoint) => checkpoint.restore(search, |_, e, state| {
            if e.is_some() {
                optimal.frame.sleep.enter_where(|_, _| false);
            }
            optimal.frame.restore(state);
        }),
        None => optimal.frame.nodes.push(Node::default()),
    }
    while !search.stopped() {
        if search.checkpoint_is_due() {
            search.save(optimal.frame.checkpoint(search));
        }
        match optimal.frame.next(search) {
            Some((decision, branches)) => {
                let e = search.step(decision);
                optimal.frame.sleep.enter(e, &mut search.path.order);
                optimal.frame.nodes.push(Node { branches, ..Node::default() });
                search.poll(|_| optimal.frame.levels());
            }
            None => {
                if optimal.frame.node().explored == 0 {
                    optimal.end(search);
                }
                let below = search.complete_state();
                if search.path.is_empty() {
                    break;
                }
                optimal.back(search, below);
            }
        }
    }
    if search.checkpoint_is_due() {
        search.save(optimal.frame.checkpoint(search));
    }
    search.path.order.dependency_checks += optimal.frame.trees.dependency_checks;
    optimal.set_aside();
}

thread_local! {
    static SPARE: RefCell<Option<Optimal>> = const { RefCell::new(None) };
}

/// Whether exploring a reversal would repeat something.
enum Redundancy {
    /// It leads to something new.
    New,
    /// It repeats something, for the reason given.
    Redundant(Covered),
}

/// Why the reversal of a race leads to nothing new, as far as that can outlast the present execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Covered {
    /// It may lead to something new, or that it does not must be found out again.
    Unknown,
    /// The path up to the later event alone shows it: the reversal begins with a sleeping decision, or a branch of
    /// the tree consists of elements of that part.
    ForGood,
    /// The sleeping decision with this number at the state before the earlier event is independent of all that
    /// the reversal consisted of so far.
    Asleep(u32),
}

#[derive(Default)]
struct Optimal {
    frame: WakeupSearch,
    /// What is known of each race on the path, by its number in the order.
    covered: Vec<Covered>,
    /// How long the beginning of the path is that the last complete execution had too.
    common: usize,
    /// The events of that execution whose races may have more reversals, in their order.
    unsettled: Vec<EventId>,
    previews: Previews,
    scratch: Reversal,
    asleep: Vec<u32>,
    needed: Vec<bool>,
}

impl Optimal {
    /// Leaves its room for the next search.
    fn set_aside(mut self) {
        if self.frame.clear() <= spare::LARGE {
            self.covered.clear();
            self.common = 0;
            self.unsettled.clear();
            self.previews.truncate(0);
            spare::keep(&SPARE, self);
        }
    }

    /// Goes back over the last event.
    fn back<P: Excursions>(&mut self, search: &mut Search<P>, below: Below) {
        let order = &search.path.order;
        self.frame.sleep.leave_knowing_below(EventId::at(order.len() - 1), order, below);
        self.frame.back(search);
        self.common = self.common.min(search.path.len());
        self.covered.truncate(search.path.order.race_count());
        self.previews.truncate(search.path.order.race_count());
    }

    /// Notes the end of an execution and reverses all its races.
    fn end<P: Excursions>(&mut self, search: &mut Search<P>) {
        let may_be_asleep = !search.at_depth_limit() && !self.frame.sleep.present().is_empty();
        if may_be_asleep && search.path.next_enabled(None).is_some() {
            search.end_sleep_set_blocked();
            return;
        }
        search.end();
        self.covered.resize(search.path.order.race_count(), Covered::Unknown);
        let mut events = std::mem::take(&mut self.unsettled);
        events.truncate(events.partition_point(|e| e.index() < self.common));
        let races = |e: &EventId| !search.path.order.race_numbers(*e).is_empty();
        events.extend((self.common..search.path.len()).map(EventId::at).filter(races));
        let mut unsettled = 0;
        for i in 0..events.len() {
            if i % REVERSAL_INTERVAL == REVERSAL_INTERVAL - 1 && search.gives_up() {
                break;
            }
            let e = events[i];
            let is_settled = match self.reverse_race_by_race(search, e) {
                ControlFlow::Continue(is_settled) => is_settled,
                ControlFlow::Break(()) => {
                    self.covered[search.path.order.race_numbers(e)].fill(Covered::Unknown);
                    self.reverse_races(search, Later::Event(e));
                    false
                }
            };
            if !is_settled {
                events[unsettled] = e;
                unsettled += 1;
            }
        }
        events.truncate(unsettled);
        self.unsettled = events;
        self.common = search.path.len();
        let blocked: Vec<ThreadId> = search.running_threads().collect();
        for thread in blocked {
            if search.gives_up() {
                break;
            }
            self.reverse_races(search, Later::Next(thread));
        }
    }

    /// Reverses the races of an event as far as each has just one reversal that is known; breaks if it takes a
    /// search. Says whether there will be no more, whatever comes after the event.
    fn reverse_race_by_race<P: Excursions>(
        &mut self,
        search: &mut Search<P>,
        later: EventId,
    ) -> ControlFlow<(), bool> {
        let is_plain = search.path.is_plain(later);
        let mut is_settled = is_plain;
        for race in search.path.order.race_numbers(later) {
            if self.is_covered(&mut search.path.order, race, is_plain) {
                is_settled &= self.covered[race] == Covered::ForGood;
                continue;
            }
            if is_plain {
                search.path.reverse(search.path.order.race(race), later, &mut self.scratch);
            } else {
                match self.previews.foresee(&mut search.path, race, later, &mut self.scratch) {
                    Foresight::Search => return ControlFlow::Break(()),
                    Foresight::Nothing => continue,
                    Foresight::Reversal => {}
                }
            }
            self.insert(&mut search.path.order, race, later);
            is_settled &= self.covered[race] == Covered::ForGood;
        }
        ControlFlow::Continue(is_settled)
    }

    /// Whether the reversal of a race is still covered, for the reason known from the last complete execution: only what
    /// this one does not have in common with that can make a difference.
    fn is_covered(&self, order: &mut HappensBefore, race: usize, is_plain: bool) -> bool {
        let e = order.race(race);
        let asleep = match self.covered[race] {
            Covered::Unknown => return false,
            Covered::ForGood => None,
            Covered::Asleep(number) => Some(&self.frame.sleep.at(e.index())[number as usize]),
        };
        // The operation must do there what it would have done then.
        let preview = if is_plain { None } else { self.previews.accesses(race) };
        if asleep.is_none() && preview.is_none() {
            return true;
        }
        (self.common..order.len()).map(EventId::at).all(|f| {
            let wakes_up = asleep.is_some_and(|sleeper| {
                order.event(f).thread() == sleeper.thread
                    || order.depends(f, sleeper.mask, self.frame.sleep.accesses(sleeper))
            });
            let changes = preview.is_some_and(|(mask, accesses)| order.depends(f, mask, accesses));
            !(wakes_up || changes) || order.happens_before(e, f)
        })
    }

    /// Inserts the reversal of a race into the wakeup tree of its state, if it leads to something new.
    fn insert(&mut self, order: &mut HappensBefore, race: usize, later: EventId) {
        match redundancy(&self.scratch, later, &self.frame.sleep, order, &mut self.asleep, &mut self.needed) {
            Redundancy::New => {
                let WakeupSearch { nodes, trees, .. } = &mut self.frame;
                let branches = &mut nodes[self.scratch.at.index()].branches;
                let sequence = Reversed { reversal: &self.scratch, order, end: later };
                let decided = trees.insert(branches, &sequence, &mut self.needed);
                self.covered[race] = match decided.all_of_sequence && decided.latest < later.0 {
                    true => Covered::ForGood,
                    false => Covered::Unknown,
                };
            }
            Redundancy::Redundant(covered) => self.covered[race] = covered,
        }
    }

    fn reverse_races<P: Excursions>(&mut self, search: &mut Search<P>, later: Later) {
        let Optimal { frame: WakeupSearch { nodes, sleep, trees }, scratch, asleep, needed, .. } = self;
        search.path.reversals(later, scratch, &mut |path, reversal| {
            let at = reversal.at;
            if let Redundancy::New = redundancy(reversal, at, sleep, &mut path.order, asleep, needed) {
                let end = EventId::at(path.order.len());
                let sequence = Reversed { reversal, order: &path.order, end };
                trees.insert(&mut nodes[at.index()].branches, &sequence, needed);
            }
        });
    }
}

/// Whether a sleeping decision is a weak initial of the reversal: `sleep(E') ∩ WI_[E'](v) ≠ ∅`. Sleepers are
/// followed along the sequence until something dependent wakes them; `needed` receives what does.
fn redundancy(
    reversal: &Reversal,
    later: EventId,
    sleep: &SleepSets,
    order: &mut HappensBefore,
    asleep: &mut Vec<u32>,
    needed: &mut Vec<bool>,
) -> Redundancy {
    let sleepers = sleep.at(reversal.at.index());
    asleep.clear();
    asleep.extend(0..sleepers.len() as u32);
    needed.clear();
    needed.resize(reversal.sequence.len() + 1, false);
    for (position, &e) in reversal.sequence.iter().enumerate() {
        if asleep.is_empty() {
            return Redundancy::New;
        }
        let decision = order.event(e).decision;
        let mut i = 0;
        while i < asleep.len() {
            let sleeper = &sleepers[asleep[i] as usize];
            if sleeper.holds(decision) {
                return Redundancy::Redundant(if e < later { Covered::ForGood } else { Covered::Unknown });
            }
            match sleeper.thread == decision.thread || order.depends(e, sleeper.mask, sleep.accesses(sleeper))
            {
                true => {
                    needed[position] = true;
                    asleep.swap_remove(i);
                }
                false => i += 1,
            }
        }
    }
    order.dependency_checks += asleep.len() as u64;
    let wakes_up = |&i: &u32| {
        let sleeper = &sleepers[i as usize];
        !sleeper.holds(reversal.decision)
            && (sleeper.thread == reversal.decision.thread
                || sleeper.mask.may_conflict(reversal.mask)
                    && conflicting(sleep.accesses(sleeper), &reversal.accesses))
    };
    match asleep.iter().find(|i| !wakes_up(i)) {
        None => Redundancy::New,
        Some(&sleeper) => Redundancy::Redundant(Covered::Asleep(sleeper)),
    }
}
