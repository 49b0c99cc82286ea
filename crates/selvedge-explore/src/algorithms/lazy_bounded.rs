//! Lazy bounded partial-order reduction, Lazy-BPOR [Sachinoglou2018, algorithms 10 to 12], made exact.
//!
//! Guarantee: a maximal trace is explored, exactly once, if one of its linear extensions is within the bound; and no others
//! are, unless [`LeastCost`] could not tell in time.
//!
//! | slides | here |
//! |---|---|
//! | `min{B_v([S.t])} <= c` | [`LeastCost::ask`] |
//! | blocks, `AddBlock`, Hamiltonian paths of the graph | linear extensions, built thread by thread |
//! | `backtrack`, `Sleep` | [`Sets`] |
//!
//! Before that is asked, quick bounds mostly decide: the path itself and a [`Witness`] show what its trace costs at most, and some preemptions
//! are certain: where another thread's event comes between two of a thread, the next operation of which may only be pending.
//!
//! DIVERGENCES: the slides estimate the least number of preemptions, from both sides; we compute it. They do not say what the
//! cost of an unfinished execution is: ours never exceeds that of what it may become, see [`crate::bounds::least_cost`]. Races of
//! a step that is given up are reversed before it is, and when nothing at a state is within the bound, everything awake
//! there is tried. Where a bound on delays lets this do badly, [schedules](crate::bounds::few_delays) are tried instead.
//!
//! *Why nothing is lost*, without conservative branches. Let `w` lead from a state `E` to the end of an execution whose trace
//! is within the bound, and let no weak initial of `w` be explored at `E` or asleep there. Let `p` be explored, and `w = w1.q.w2` where
//! `q` is the first event dependent on `p`. Take a linear extension `u` of `E.w` that is within the bound, restrict it to the
//! events of `E.w1`, and add `p` at its end. That is a linear extension of `E.p.w1`, and it costs no more than `u`:
//! the thread of `p` is left after its last event in `E`, and continued later, in `u` as well. So `E.p.w1` is within the
//! bound, and so are all its prefixes. By induction the search below `E.p` tries `q` after `E.p.w1` (or finds that it would
//! have to wait), and then the race between `p` and `q` is reversed, be the step itself within the bound or not: an initial of
//! `w1.q` is in the backtrack set of `E`.

use crate::algorithm::About;
use crate::bounds::bound::{Bound, BoundKind};
use crate::bounds::few_delays::{self, Counted, Patience, Tried};
use crate::bounds::least_cost::{Answer, LeastCost, Pending, Question, Waiting, is_left_before};
use crate::bounds::witness::Witness;
use crate::frames::backtrack::{self, Sets};
use crate::seam::lookahead::is_certain;
use crate::search::Level;
use crate::{BoundPromise, End, Excursions, Program, Promise, Reversal, Search, ThreadStatus};
use selvedge_trace::{Decision, EventId, Footprint, ThreadId};

use super::source::SourceSets;

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "lazy-bounded",
    "bounded: each trace with an execution within the bound, once",
    Promise::EveryTraceOnce,
)
.within_bound(BoundPromise::Exact);

/// Explores the traces within a bound.
pub fn run<P: Excursions>(search: &mut Search<P>) {
    run_with(search, Patience::default());
}

/// Explores the traces within a bound; those within delays by schedules, where a search by traces does badly and there are not too many.
pub fn run_with<P: Excursions>(search: &mut Search<P>, patience: Patience) {
    let bound = search.bound();
    let mut lazy = LazyBounded::new(search.path.order.thread_count(), bound);
    if bound.kind == BoundKind::Delays {
        lazy.counted = Some(Counted::new());
    }
    if lazy.explore(search, Some(patience)) == Explored::Everything {
        return;
    }
    // The search by traces did badly: it begins again only if there are too many schedules.
    let steps = (search.statistics.longest as usize).max(search.path.len());
    while !search.path.is_empty() {
        lazy.back(search);
    }
    let mut counted = lazy.counted.take().unwrap_or_default();
    if few_delays::run(search, steps, patience, &mut counted) == Tried::Few {
        let mut lazy = LazyBounded::new(search.path.order.thread_count(), bound);
        lazy.counted = Some(counted);
        lazy.is_last_resort = true;
        lazy.explore(search, None);
    }
}

/// How a search by traces ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Explored {
    /// With everything within the bound, or because it was stopped.
    Everything,
    /// It does badly.
    GivenUp,
}

/// Traces that are remembered as counted. A search that has found as many does not do badly.
const MOST_COUNTED: usize = 1 << 20;

/// A state on the path.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    is_new: bool,
    /// The number of threads explored from here, those given up at once not among them.
    explored: usize,
    /// What the path costs up to here.
    cost: u32,
    /// Preemptions that all linear extensions have.
    forced: u32,
}

/// Threads that will be preempted before their next operation, whatever comes: one word for each 64.
#[derive(Clone, Debug, Default)]
struct ForcedPreemptions(Vec<u64>);

impl ForcedPreemptions {
    fn contains(&self, thread: usize) -> bool {
        self.0.get(thread / 64).is_some_and(|word| word & 1 << (thread % 64) != 0)
    }

    fn set(&mut self, thread: usize) {
        if self.0.len() <= thread / 64 {
            self.0.resize(thread / 64 + 1, 0);
        }
        self.0[thread / 64] |= 1 << (thread % 64);
    }

    fn clear(&mut self, thread: usize) {
        if let Some(word) = self.0.get_mut(thread / 64) {
            *word &= !(1 << (thread % 64));
        }
    }

    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
}

struct LazyBounded<F> {
    bound: Bound,
    sets: Sets,
    rule: SourceSets,
    nodes: Vec<Node>,
    /// For each state on the path.
    forced_threads: Vec<ForcedPreemptions>,
    footprint: Footprint,
    /// What went wrong on the path; it counts when the execution turns out to be within the bound.
    failures: Vec<(EventId, F)>,
    least: LeastCost,
    /// A cheap linear extension, where the path is none.
    witness: Witness,
    scratch: Reversal,
    /// The traces that were counted, as long as they matter to another search.
    counted: Option<Counted>,
    /// Whether there is nothing to do instead if the search does badly.
    is_last_resort: bool,
}

impl<F: Clone> LazyBounded<F> {
    fn new(threads: usize, bound: Bound) -> Self {
        LazyBounded {
            bound,
            sets: Sets::new(threads),
            rule: SourceSets::default(),
            nodes: vec![Node { is_new: true, ..Node::default() }],
            forced_threads: vec![ForcedPreemptions::default()],
            footprint: Footprint::default(),
            failures: Vec::new(),
            least: LeastCost::default(),
            witness: Witness::default(),
            scratch: Reversal::default(),
            counted: None,
            is_last_resort: false,
        }
    }

    fn node(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("there is a node for the present state")
    }

    /// Explores what is within the bound, if that asks for no more than some patience.
    fn explore<P: Excursions<Failure = F>>(
        &mut self,
        search: &mut Search<P>,
        patience: Option<Patience>,
    ) -> Explored {
        while !search.stopped() {
            match self.next(search) {
                Some(decision) => self.step(search, decision),
                None if search.path.is_empty() => break,
                None => self.back(search),
            }
            if self.counted.is_some() && patience.is_some_and(|patience| patience.is_hopeless(search)) {
                return Explored::GivenUp;
            }
            search.poll(|search| self.levels(search.path.len()));
        }
        Explored::Everything
    }

    /// What to try next at the present state.
    fn next<P: Excursions<Failure = F>>(&mut self, search: &mut Search<P>) -> Option<Decision> {
        let Node { is_new, explored, .. } = *self.node();
        self.node().is_new = false;
        if search.at_depth_limit() {
            if is_new {
                self.end(search, End::Cut);
            }
            return None;
        }
        if explored > 0
            && let Some(decision) = backtrack::next_decision(&mut search.path, &self.sets)
        {
            return Some(decision);
        }
        if explored > 0 {
            return None;
        }
        let Some(decision) = self.first_awake(search) else {
            if search.path.next_enabled(None).is_none() {
                self.end(search, End::Complete);
            } else if is_new {
                search.end_sleep_set_blocked();
            }
            backtrack::reverse_races_at_end(search, &mut self.rule, &mut self.sets, &mut self.scratch);
            return None;
        };
        self.sets.add(EventId::at(search.path.len()), decision.thread);
        Some(decision)
    }

    /// The thread that is tried first: that of the event before, if possible.
    fn first_awake<P: Excursions>(&mut self, search: &mut Search<P>) -> Option<Decision> {
        let path = &mut search.path;
        if let Some(thread) = path.last_thread()
            && path.program.is_enabled(thread)
            && let Some(decision) = self.sets.sleep.first_awake(thread, path.program.choices(thread))
        {
            return Some(decision);
        }
        self.sets.sleep.next_awake(path, None)
    }

    /// Takes a step, and takes it back if it leads out of the bound.
    fn step<P: Excursions<Failure = F>>(&mut self, search: &mut Search<P>, decision: Decision) {
        let mut node = self.node_after(search, decision.thread);
        let e = search.step_quietly(decision);
        self.failures.extend(search.path.program.failures().iter().map(|failure| (e, failure.clone())));
        self.sets.sleep.enter(e, &mut search.path.order);
        self.sets.extend(&search.path);
        backtrack::reverse_races(&mut search.path, &mut self.rule, &mut self.sets, e, &mut self.scratch);
        let forced = self.bound.kind == BoundKind::Preemptions && is_left_before(&search.path.order, e);
        node.forced += u32::from(forced);
        self.nodes.push(node);
        self.note_forced(search, e);
        if !self.is_within(search, e) {
            search.end_over_bound();
            self.back(search);
            return;
        }
        let parent = self.nodes.len() - 2;
        self.nodes[parent].explored += 1;
    }

    /// Finds the threads that an event dooms: it happens after their last event, and their next operation, which they
    /// are sure to perform, will happen after it.
    fn note_forced<P: Excursions>(&mut self, search: &mut Search<P>, e: EventId) {
        let mut forced_threads = self.forced_threads.last().cloned().unwrap_or_default();
        let own = search.path.order.event(e).thread().index();
        forced_threads.clear(own);
        let threads = search.path.order.thread_count();
        let matters = self.node().forced as usize + threads > self.bound.limit as usize;
        if self.bound.kind == BoundKind::Preemptions && matters {
            for thread in 0..threads {
                if thread != own
                    && !forced_threads.contains(thread)
                    && self.will_be_preempted(search, ThreadId::at(thread), e)
                {
                    forced_threads.set(thread);
                }
            }
        }
        self.forced_threads.push(forced_threads);
    }

    fn will_be_preempted<P: Excursions>(
        &mut self,
        search: &mut Search<P>,
        thread: ThreadId,
        e: EventId,
    ) -> bool {
        let path = &mut search.path;
        let follows = path.order.latest_of(thread).is_some_and(|last| path.order.happens_before(last, e));
        if !follows || path.program.status(thread) != ThreadStatus::Running {
            return false;
        }
        path.program.pending(Decision { thread, choice: 0 }, &mut self.footprint);
        // A step that fails only reads in the end.
        let writes =
            |location| path.order.accesses(e).iter().any(|a| a.location == location && a.kind.is_write());
        is_certain(&self.footprint)
            && !self.footprint.observes()
            && self.footprint.accesses().iter().any(|access| writes(access.location))
    }

    /// The state after a step of a thread.
    fn node_after<P: Excursions>(&mut self, search: &mut Search<P>, thread: ThreadId) -> Node {
        let Node { cost, forced, .. } = *self.node();
        let before = search.path.last_thread();
        let price = self.bound.kind.price_now(&mut search.path.program, before, thread);
        Node { is_new: true, explored: 0, cost: cost.saturating_add(price), forced }
    }

    /// Whether the trace is within the bound, as a prefix; its last event is new.
    fn is_within<P: Excursions>(&mut self, search: &mut Search<P>, e: EventId) -> bool {
        let Bound { limit, kind } = self.bound;
        let Node { cost, forced, .. } = *self.node();
        if forced + self.forced_threads.last().map_or(0, ForcedPreemptions::count) > limit {
            return false;
        }
        if cost <= limit {
            return true;
        }
        if kind == BoundKind::Preemptions {
            let path_cost = self.nodes[self.nodes.len() - 2].cost;
            let (order, mut elsewhere) = search.path.elsewhere();
            let thread = order.event(e).thread();
            let had_to_wait = |sequence: &[EventId]| {
                elsewhere.look(order, EventId(0), sequence, |program| !program.is_enabled(thread))
            };
            if self.witness.extend(order, e, path_cost, had_to_wait) <= limit {
                return true;
            }
        }
        match self.ask(search, Pending::Unknown) {
            Answer::Over => false,
            Answer::Unknown => true,
            Answer::Within => {
                if kind == BoundKind::Preemptions {
                    self.witness.replace(self.least.sequence(), self.least.cost());
                }
                true
            }
        }
    }

    fn ask<P: Excursions>(&mut self, search: &mut Search<P>, pending: Pending) -> Answer {
        let (order, mut elsewhere) = search.path.elsewhere();
        let mut could_go_on = |sequence: &[EventId], thread| {
            elsewhere.look(order, EventId(0), sequence, |program| program.is_enabled(thread))
        };
        let question = Question { order, pending, could_go_on: &mut could_go_on };
        let answer = self.least.ask(question, self.bound);
        search.statistics.bound_unknown += u64::from(answer == Answer::Unknown);
        answer
    }

    fn back<P: Excursions>(&mut self, search: &mut Search<P>) {
        self.nodes.pop();
        self.forced_threads.pop();
        let last = EventId::at(search.path.len() - 1);
        self.sets.sleep.leave(last, &search.path.order);
        search.path.pop();
        self.least.forget(search.path.len());
        self.witness.shrink(search.path.len());
        self.sets.shrink(&search.path);
        self.failures.retain(|&(e, _)| e < last);
    }

    /// Notes the end of an execution, if it is within the bound.
    fn end<P: Excursions<Failure = F>>(&mut self, search: &mut Search<P>, end: End) {
        let mut answer = Answer::Unknown;
        if self.node().cost > self.bound.limit {
            let operations = waiting_operations(search);
            let pending = if end == End::Cut { Pending::Unknown } else { Pending::Waiting(&operations) };
            answer = self.ask(search, pending);
        }
        if answer == Answer::Over {
            search.end_over_bound();
            return;
        }
        if !self.is_new_trace(search) {
            return;
        }
        // Where no other is known, the path itself is shown.
        let sequence = match answer {
            Answer::Within => self.least.sequence().to_vec(),
            _ => search.path.order.events().collect(),
        };
        for (e, failure) in &self.failures {
            let events = sequence.iter().take_while(|&f| f != e).chain([e]);
            let schedule = events.map(|&f| search.path.order.event(f).decision).collect();
            search.note_failure(failure.clone(), schedule);
        }
        search.end_with(|path| sequence.iter().map(|&f| path.order.event(f).decision).collect());
    }

    /// Whether the trace on the path was not counted before, by another search.
    fn is_new_trace<P: Program>(&mut self, search: &Search<P>) -> bool {
        let Some(counted) = &mut self.counted else { return true };
        let trace = few_delays::fingerprint(&search.path.order);
        if self.is_last_resort {
            return !counted.contains(&trace);
        }
        counted.insert(trace);
        if counted.len() > MOST_COUNTED {
            self.counted = None;
        }
        true
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = Level> {
        self.nodes[..length].iter().map(|node| Level::after(node.explored))
    }
}

/// What the threads that have not ended wait for.
fn waiting_operations<P: Excursions>(search: &mut Search<P>) -> Vec<Option<Waiting>> {
    let mut operations = vec![None; search.path.order.thread_count()];
    for thread in search.running_threads().collect::<Vec<ThreadId>>() {
        let mut footprint = Footprint::default();
        search.path.program.pending(Decision { thread, choice: 0 }, &mut footprint);
        operations[thread.index()] = Some(Waiting {
            blocking: footprint.blocking,
            variation: footprint.variation,
            accesses: footprint.accesses().to_vec(),
        });
    }
    operations
}
