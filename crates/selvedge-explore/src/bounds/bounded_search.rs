//! Depth-first search driven by backtrack sets within a bound, the frame of the algorithms that count what the
//! execution at hand costs.
//!
//! A step is taken only if the execution stays within the bound. That breaks partial-order reduction: an equivalent
//! execution that is within the bound may begin differently. *Conservative branches* repair it [CoonsMusuvathiMcKinley2013, section 4]: a race
//! is reversed not only before its earlier event, but also at the beginning of the block of that event, where the switch to
//! the other thread costs no preemption. Races of threads that are left standing by the bound are reversed like those of
//! threads that wait.

use crate::bounds::bound::Bound;
use crate::frames::backtrack::{Added, Sets, Sleep};
use crate::path::reversal::Which;
use crate::search::Level;
use crate::{Excursions, Later, Path, Reversal, Search};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Access, AccessKind, Blocking, Decision, EventId, ThreadId, Variation};

/// How an algorithm treats races and explored threads.
pub trait BoundedRule<P: Excursions> {
    /// Which races of a later operation are reversed, and where.
    const RACES: Races;

    /// Whether sleep sets are used. They lose executions: what was explored before was explored at another cost.
    const SLEEP: Sleep = Sleep::Off;

    /// A race was found: chooses which threads must be explored at the state before `reversal.at`, where these threads
    /// were enabled.
    fn reverse(
        &mut self,
        path: &mut Path<P>,
        reversal: &Reversal,
        enabled: &[ThreadId],
        place: RacePlace,
        sets: &mut Sets,
    );
}

/// Which races of a later operation are reversed, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Races {
    /// Those with earlier events that nothing else orders before it, just before these.
    Plain,
    /// Those, at the beginnings of the blocks of these as well.
    AtBlocks,
    /// Those with the last dependent event of each thread, at the beginnings of their blocks as well.
    OfEveryThread,
}

/// Where a race is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RacePlace {
    /// Before its earlier event.
    Event,
    /// At the beginning of the block of its earlier event: a conservative branch.
    Block,
}

/// A state on the path.
#[derive(Clone, Debug, Default)]
struct Node {
    is_new: bool,
    explored: usize,
    /// What the path costs up to here.
    cost: u32,
    enabled: Vec<ThreadId>,
}

/// Explores within a bound.
pub fn run<P: Excursions, R: BoundedRule<P>>(search: &mut Search<P>, rule: &mut R) {
    let bound = search.bound();
    let sets = Sets::new(search.path.order.thread_count());
    let mut bounded = BoundedSearch { bound, sets, rule, nodes: Vec::new(), scratch: Reversal::default() };
    bounded.arrive(search, 0);
    while !search.stopped() {
        match bounded.next(search) {
            Some(decision) => bounded.step(search, decision),
            None if search.path.is_empty() => break,
            None => bounded.back(search),
        }
        search.poll(|search| bounded.levels(search.path.len()));
    }
}

struct BoundedSearch<'r, R> {
    bound: Bound,
    sets: Sets,
    rule: &'r mut R,
    nodes: Vec<Node>,
    scratch: Reversal,
}

impl<R> BoundedSearch<'_, R> {
    fn node(&mut self) -> &mut Node {
        self.nodes.last_mut().expect("there is a node for the present state")
    }

    fn arrive<P: Excursions>(&mut self, search: &mut Search<P>, cost: u32) {
        let threads = (0..search.path.order.thread_count()).map(ThreadId::at);
        let enabled = threads.filter(|&thread| search.path.program.is_enabled(thread)).collect();
        self.nodes.push(Node { is_new: true, explored: 0, cost, enabled });
    }

    fn next<P: Excursions>(&mut self, search: &mut Search<P>) -> Option<Decision>
    where
        R: BoundedRule<P>,
    {
        let is_new = std::mem::take(&mut self.node().is_new);
        if !is_new {
            return self.next_member(search);
        }
        let within = self.first_within(search);
        if let Some(decision) = within
            && !search.at_depth_limit()
        {
            self.sets.add(EventId::at(search.path.len()), decision.thread);
            return within;
        }
        if within.is_some() || self.node().enabled.is_empty() {
            search.end();
        } else if self.sets.sleep.next_awake(&mut search.path, None).is_none() {
            search.end_sleep_set_blocked();
        } else {
            search.end_over_bound();
        }
        self.reverse_races_at_end(search);
        None
    }

    /// What can be explored first: the thread of the event before, if possible.
    fn first_within<P: Excursions>(&mut self, search: &mut Search<P>) -> Option<Decision> {
        let last = search.path.last_thread();
        let mut candidates = self.node().enabled.clone();
        candidates.sort_by_key(|&thread| Some(thread) != last);
        candidates.into_iter().find_map(|thread| {
            let choices = search.path.program.choices(thread);
            let decision = self.sets.sleep.first_awake(thread, choices)?;
            self.is_within(search, thread).then_some(decision)
        })
    }

    fn is_within<P: Excursions>(&mut self, search: &mut Search<P>, thread: ThreadId) -> bool {
        self.cost_after(search, thread) <= self.bound.limit
    }

    fn cost_after<P: Excursions>(&mut self, search: &mut Search<P>, thread: ThreadId) -> u32 {
        let last = search.path.last_thread();
        let price = self.bound.kind.price_now(&mut search.path.program, last, thread);
        self.node().cost.saturating_add(price)
    }

    /// What can be explored next at a state to which the search has come back.
    fn next_member<P: Excursions>(&mut self, search: &mut Search<P>) -> Option<Decision> {
        let at = EventId::at(search.path.len());
        for thread in self.node().enabled.clone() {
            let choices = search.path.program.choices(thread);
            if self.sets.contains(at, thread)
                && let Some(decision) = self.sets.sleep.first_awake(thread, choices)
            {
                if self.is_within(search, thread) {
                    return Some(decision);
                }
                search.statistics.over_bound += 1;
            }
        }
        None
    }

    fn step<P: Excursions>(&mut self, search: &mut Search<P>, decision: Decision)
    where
        R: BoundedRule<P>,
    {
        let cost = self.cost_after(search, decision.thread);
        self.node().explored += 1;
        let e = search.step(decision);
        match R::SLEEP {
            Sleep::On => self.sets.sleep.enter(e, &mut search.path.order),
            Sleep::Off => self.sets.sleep.enter_where(|_, _| false),
        }
        self.sets.extend(&search.path);
        self.arrive(search, cost);
        self.reverse(search, Later::Event(e));
    }

    fn reverse_races_at_end<P: Excursions>(&mut self, search: &mut Search<P>)
    where
        R: BoundedRule<P>,
    {
        let varying = search.path.order.events().filter(|&e| !search.path.is_plain(e)).map(Later::Event);
        let waiting = search.running_threads().map(Later::Next);
        for later in varying.chain(waiting).collect::<Vec<_>>() {
            self.reverse(search, later);
        }
    }

    /// Reverses the races of an operation.
    fn reverse<P: Excursions>(&mut self, search: &mut Search<P>, later: Later)
    where
        R: BoundedRule<P>,
    {
        let BoundedSearch { sets, rule, nodes, scratch, .. } = self;
        let mut at_block = Reversal::default();
        let mut visit = |path: &mut Path<P>, reversal: &Reversal| {
            rule.reverse(path, reversal, &nodes[reversal.at.index()].enabled, RacePlace::Event, sets);
            if R::RACES == Races::AtBlocks {
                to_block(path, reversal, &mut at_block);
                rule.reverse(path, &at_block, &nodes[at_block.at.index()].enabled, RacePlace::Block, sets);
            }
        };
        search.path.reversals(later, scratch, &mut visit);
        let which = if is_intricate(&search.path) { Which::All } else { Which::Last };
        if R::RACES == Races::OfEveryThread || R::RACES == Races::AtBlocks && which == Which::All {
            search.path.reversals_with_every_thread(later, which, scratch, &mut |path, reversal| {
                let thread = reversal.decision.thread;
                if only_lets_go_on(path, reversal, later) {
                    return;
                }
                sets.add_or_all(reversal.at, thread, &nodes[reversal.at.index()].enabled);
                to_block(path, reversal, &mut at_block);
                let enabled = &nodes[at_block.at.index()].enabled;
                if sets.add_or_all(at_block.at, thread, enabled) == Added::All {
                    explore_all_before(path, at_block.at, nodes, sets);
                }
            });
        }
    }

    fn back<P: Excursions>(&mut self, search: &mut Search<P>) {
        self.nodes.pop();
        self.sets.sleep.leave(EventId::at(search.path.len() - 1), &search.path.order);
        search.path.pop();
        self.sets.shrink(&search.path);
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = Level> {
        self.nodes[..length].iter().map(|node| Level::after(node.explored))
    }
}

/// The reversal of the same race at the beginning of the block of its earlier event.
fn to_block<P: Excursions>(path: &Path<P>, reversal: &Reversal, at_block: &mut Reversal) {
    at_block.at = block_of(path, reversal.at);
    at_block.sequence.clone_from(&reversal.sequence);
    at_block.set_last(reversal.decision, reversal.mask, &reversal.accesses);
}

/// Whether the earlier event of a race does nothing but let the thread of the later one go on, which stood waiting since before the
/// block of that event, but for observing.
///
/// Such a pair is never reversed: the later operation has to wait. It could still matter to the cost of other orders, because leaving a
/// thread that waits is no preemption, so that the thread must be left *before* it is let go on. But a thread that only
/// observes affects no other, so within any bound it may put that off to its next other operation, and between the beginning
/// of the block and the later operation there is none.
fn only_lets_go_on<P: Excursions>(path: &Path<P>, reversal: &Reversal, later: Later) -> bool {
    let order = &path.order;
    let is_observed = |access: &Access| {
        access.kind == AccessKind::Observe || !conflicting(order.accesses(reversal.at), &[*access])
    };
    let end = match later {
        Later::Event(e) => e,
        Later::Next(_) => EventId::at(order.len()),
    };
    let only_observes =
        |e: EventId| order.accesses(e).iter().all(|access| access.kind == AccessKind::Observe);
    reversal.accesses.iter().all(is_observed)
        && (block_of(path, reversal.at).index()..end.index())
            .map(EventId::at)
            .filter(|&e| order.event(e).thread() == reversal.decision.thread)
            .all(only_observes)
}

/// Whether something on the path may have had to wait, or varies.
fn is_intricate<P: Excursions>(path: &Path<P>) -> bool {
    path.order.events().any(|e| {
        path.order.event(e).blocking != Blocking::Never
            || path.order.event(e).variation == Variation::Varying
            || path
                .order
                .accesses(e)
                .iter()
                .any(|a| !matches!(a.kind, AccessKind::Read | AccessKind::Write | AccessKind::Overwrite))
    })
}

/// Puts all enabled threads into the backtrack sets at the beginnings of all blocks up to `last`: another order of blocks may let
/// the thread go on that could not there.
fn explore_all_before<P: Excursions>(path: &Path<P>, last: EventId, nodes: &[Node], sets: &mut Sets) {
    let mut block = last;
    loop {
        nodes[block.index()].enabled.iter().for_each(|&thread| sets.add(block, thread));
        if block.index() == 0 {
            return;
        }
        block = block_of(path, EventId::at(block.index() - 1));
    }
}

/// The first event of the block of `e`: those of its thread right before it.
fn block_of<P: Excursions>(path: &Path<P>, e: EventId) -> EventId {
    let thread = path.order.event(e).thread();
    let mut first = e;
    while first.index() > 0 && path.order.event(EventId::at(first.index() - 1)).thread() == thread {
        first = EventId::at(first.index() - 1);
    }
    first
}
