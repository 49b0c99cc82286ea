//! Optimal-DPOR with wakeup trees [AbdullaAJS2017, algorithm 2].
//!
//! Guarantee: every Mazurkiewicz trace is explored exactly once, and no execution ends asleep.
//!
//! | paper | here |
//! |---|---|
//! | `E`, `E'` | the path, the path before `reversal.at` |
//! | `v = notdep(e, E).proc(e')` | `reversal` |
//! | `sleep(E') ∩ WI_[E'](v) = ∅` | `redundancy` |
//! | `wut(E')`, `insert_[E'](v, wut(E'))` | `nodes[..].branches`, [`insert`](crate::wakeup_tree::WakeupTrees::insert) |
//!
//! DIVERGENCES: operations may block and their accesses may vary, see [`crate::reversal`]; a decision is a
//! thread with a choice, and a thread picked freely is explored with all its choices. The branch added to a wakeup
//! tree is shorter, see [`crate::wakeup_tree`]. A race is not looked at again, as long as its events stay on the path,
//! when the part of the path up to its later event alone shows that its reversal is covered: it begins with
//! a sleeping decision, or a branch of the tree consists of elements of that part.

use crate::preview::{Foresight, Previews};
use crate::search::REVERSAL_INTERVAL;
use crate::sleep_set::SleepSets;
use crate::wakeup_search::{Node, WakeupSearch};
use crate::wakeup_tree::Reversed;
use crate::{Checkpoint, Later, Program, Reversal, Search, spare};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{EventId, HappensBefore, ThreadId};
use std::cell::RefCell;
use std::ops::ControlFlow;

/// Explores with wakeup trees.
pub fn run<P: Program>(search: &mut Search<P>, checkpoint: Option<&Checkpoint>) {
    let mut optimal = spare::take(&SPARE).unwrap_or_default();
    match checkpoint {
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
                if search.path.is_empty() {
                    break;
                }
                optimal.back(search);
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
    /// It repeats something.
    Redundant,
    /// It repeats something, and will as long as the events of the race stay on the path.
    Settled,
}

#[derive(Default)]
struct Optimal {
    frame: WakeupSearch,
    /// For each race on the path, by its number in the order: nothing new will come of it.
    settled: Vec<bool>,
    previews: Previews,
    scratch: Reversal,
    asleep: Vec<u32>,
    needed: Vec<bool>,
}

impl Optimal {
    /// Leaves its room for the next search.
    fn set_aside(mut self) {
        if self.frame.clear() <= spare::LARGE {
            self.settled.clear();
            self.previews.truncate(0);
            spare::keep(&SPARE, self);
        }
    }

    /// Goes back over the last event.
    fn back<P: Program>(&mut self, search: &mut Search<P>) {
        let order = &search.path.order;
        self.frame.sleep.leave(EventId::at(order.len() - 1), order);
        self.frame.back(search);
        self.settled.truncate(search.path.order.race_count());
        self.previews.truncate(search.path.order.race_count());
    }

    /// Notes the end of an execution and reverses all its races.
    fn end<P: Program>(&mut self, search: &mut Search<P>) {
        if !search.at_depth_limit() && search.path.next_enabled(None).is_some() {
            search.end_asleep();
            return;
        }
        search.end();
        self.settled.resize(search.path.order.race_count(), false);
        for e in search.path.order.events() {
            if e.index() % REVERSAL_INTERVAL == REVERSAL_INTERVAL - 1 && search.gives_up() {
                break;
            }
            if self.reverse_race_by_race(search, e).is_break() {
                self.reverse_races(search, Later::Event(e));
            }
        }
        let blocked: Vec<ThreadId> = search.running_threads().collect();
        for thread in blocked {
            self.reverse_races(search, Later::Next(thread));
        }
    }

    /// Reverses the races of an event as far as each has just one reversal that is known; breaks if it takes a
    /// search.
    fn reverse_race_by_race<P: Program>(
        &mut self,
        search: &mut Search<P>,
        later: EventId,
    ) -> ControlFlow<()> {
        let is_plain = search.path.is_plain(later);
        for race in search.path.order.race_numbers(later) {
            if is_plain {
                if self.settled[race] {
                    continue;
                }
                search.path.reverse(search.path.order.race(race), later, &mut self.scratch);
            } else {
                match self.previews.foresee(&mut search.path, race, later, &mut self.scratch) {
                    Foresight::Search => return ControlFlow::Break(()),
                    Foresight::Nothing => continue,
                    Foresight::Reversal if self.settled[race] => continue,
                    Foresight::Reversal => {}
                }
            }
            self.insert(&mut search.path.order, race, later);
        }
        ControlFlow::Continue(())
    }

    /// Inserts the reversal of a race into the wakeup tree of its state, if it leads to something new.
    fn insert(&mut self, order: &mut HappensBefore, race: usize, later: EventId) {
        match redundancy(&self.scratch, later, &self.frame.sleep, order, &mut self.asleep, &mut self.needed) {
            Redundancy::New => {
                let WakeupSearch { nodes, trees, .. } = &mut self.frame;
                let branches = &mut nodes[self.scratch.at.index()].branches;
                let sequence = Reversed { reversal: &self.scratch, order };
                let decided = trees.insert(branches, &sequence, &mut self.needed);
                self.settled[race] = decided.all_of_sequence && decided.latest < later.0;
            }
            Redundancy::Redundant => {}
            Redundancy::Settled => self.settled[race] = true,
        }
    }

    fn reverse_races<P: Program>(&mut self, search: &mut Search<P>, later: Later) {
        let Optimal { frame: WakeupSearch { nodes, sleep, trees }, scratch, asleep, needed, .. } = self;
        search.path.reversals(later, scratch, &mut |path, reversal| {
            let at = reversal.at;
            if let Redundancy::New = redundancy(reversal, at, sleep, &mut path.order, asleep, needed) {
                let sequence = Reversed { reversal, order: &path.order };
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
                return if e < later { Redundancy::Settled } else { Redundancy::Redundant };
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
    match asleep.iter().all(wakes_up) {
        true => Redundancy::New,
        false => Redundancy::Redundant,
    }
}
