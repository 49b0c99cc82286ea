//! Depth-first search driven by backtrack sets, the frame of DPOR and Source-DPOR.
//!
//! At each state one enabled thread is explored, and then those that the races of later events have put into
//! the backtrack set of that state. How a race extends the backtrack set is the [`Rule`] of the algorithm.

use crate::checkpoint::{SavedBranch, SavedState};
use crate::frames::sleep_set::SleepSets;
use crate::path::preview::{Foresight, Previews};
use crate::search::Level;
use crate::{Checkpoint, Excursions, Later, Path, Reversal, Search};
use selvedge_trace::{Decision, EventId, ThreadId};

/// How an algorithm extends backtrack sets.
pub trait Rule<P: Excursions> {
    /// Whether sleep sets are used.
    const SLEEP: Sleep;

    /// A race was found: chooses which threads must be explored at `reversal.at`.
    fn reverse(&mut self, path: &mut Path<P>, reversal: &Reversal, sets: &mut Sets);
}

/// Whether an algorithm uses sleep sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sleep {
    /// The algorithm uses sleep sets.
    On,
    /// It only remembers, at each state, what was explored there.
    Off,
}

/// What was added to a backtrack set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The thread that was wanted.
    Thread,
    /// All enabled threads, because that one was not enabled.
    All,
}

/// The backtrack and sleep sets of the states on the path.
pub struct Sets {
    /// The sleep sets.
    pub sleep: SleepSets,
    previews: Previews,
    backtrack: Vec<u64>,
    words: usize,
}

impl Sets {
    /// The sets of the empty path.
    pub fn new(threads: usize) -> Self {
        let words = threads.div_ceil(64).max(1);
        Sets { sleep: SleepSets::default(), previews: Previews::default(), backtrack: vec![0; words], words }
    }

    /// Follows an event; the sleep sets follow separately.
    pub fn extend<P: Excursions>(&mut self, path: &Path<P>) {
        self.grow(path.order.thread_count());
        self.backtrack.resize(self.backtrack.len() + self.words, 0);
    }

    /// Makes room for threads that appeared during the execution.
    fn grow(&mut self, threads: usize) {
        let words = threads.div_ceil(64);
        if words <= self.words {
            return;
        }
        let mut backtrack = Vec::with_capacity(self.backtrack.len() / self.words * words);
        for set in self.backtrack.chunks(self.words) {
            backtrack.extend_from_slice(set);
            backtrack.resize(backtrack.len() + words - self.words, 0);
        }
        self.backtrack = backtrack;
        self.words = words;
    }

    /// Follows the path one event back; the sleep sets follow separately.
    pub fn shrink<P: Excursions>(&mut self, path: &Path<P>) {
        self.backtrack.truncate(self.backtrack.len() - self.words);
        self.previews.truncate(path.order.race_count());
    }

    /// Adds a thread to the backtrack set of the state before an event.
    pub fn add(&mut self, at: EventId, thread: ThreadId) {
        self.backtrack[at.index() * self.words + thread.index() / 64] |= 1 << (thread.index() % 64);
    }

    /// Adds all threads to the backtrack set of the state before an event.
    pub fn add_all(&mut self, at: EventId) {
        self.backtrack[at.index() * self.words..][..self.words].fill(u64::MAX);
    }

    /// Adds a thread to the backtrack set of the state before an event or, if it was not among those enabled there, all
    /// of them.
    pub fn add_or_all(&mut self, at: EventId, thread: ThreadId, enabled: &[ThreadId]) -> Added {
        if enabled.contains(&thread) {
            self.add(at, thread);
            return Added::Thread;
        }
        enabled.iter().for_each(|&thread| self.add(at, thread));
        Added::All
    }

    /// Whether a thread is in the backtrack set of the state before an event.
    #[inline]
    pub fn contains(&self, at: EventId, thread: ThreadId) -> bool {
        self.backtrack[at.index() * self.words + thread.index() / 64] & 1 << (thread.index() % 64) != 0
    }

    /// Whether the backtrack set of the state before an event holds only threads of the given set, the first 64.
    pub fn are_within(&self, at: EventId, threads: u64) -> bool {
        self.words == 1 && self.backtrack[at.index()] & !threads == 0
    }

    /// The threads in the backtrack set of the state at a position.
    fn members(&self, position: usize) -> impl Iterator<Item = ThreadId> {
        let words = &self.backtrack[position * self.words..][..self.words];
        words.iter().enumerate().flat_map(|(i, &word)| Bits(word).map(move |bit| ThreadId::at(i * 64 + bit)))
    }

    /// Everything that is left to do.
    fn checkpoint<P: Excursions>(&self, search: &Search<P>, is_new: bool) -> Checkpoint {
        let branch = |thread| SavedBranch {
            decision: Decision { thread, choice: 0 },
            accesses: Vec::new(),
            children: Vec::new(),
        };
        let length = search.path.len();
        let state = |position| SavedState {
            explored: u32::from(position < length || !is_new),
            free: None,
            sleepers: self.sleep.saved(position),
            branches: self.members(position).map(branch).collect(),
        };
        Checkpoint::of(search, (0..=length).map(state).collect())
    }

    /// Makes the sets of the present state, at the given position, what they were.
    fn restore(&mut self, position: usize, state: &SavedState) {
        self.sleep.restore(&state.sleepers);
        for SavedBranch { decision: Decision { thread, .. }, .. } in &state.branches {
            self.grow(thread.index() + 1);
            self.add(EventId::at(position), *thread);
        }
    }

    /// Whether it takes a search to know the reversals of an event that is not plain. That may be so only when the
    /// execution has ended: what the operation would do elsewhere may depend on events that came after it here.
    fn needs_search<P: Excursions>(
        &mut self,
        path: &mut Path<P>,
        e: EventId,
        scratch: &mut Reversal,
    ) -> bool {
        !path.is_plain(e)
            && path
                .order
                .race_numbers(e)
                .any(|race| self.previews.foresee(path, race, e, scratch) == Foresight::Search)
    }

    fn levels(&self, length: usize) -> impl Iterator<Item = Level> {
        (0..length).map(|i| {
            let known = self.members(i).count();
            let awake = self.members(i).filter(|&t| self.sleep.at(i).iter().all(|s| s.thread != t));
            Level { explored: known - awake.count().max(1).min(known), known }
        })
    }
}

/// The positions of the bits that are set in a word.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        self.0 &= self.0.wrapping_sub(1);
        (bit < 64).then_some(bit)
    }
}

/// Explores with the given rule.
pub fn run<P: Excursions, R: Rule<P>>(search: &mut Search<P>, rule: &mut R) {
    let mut sets = Sets::new(search.path.order.thread_count());
    let mut scratch = Reversal::default();
    let mut is_new = true;
    if let Some(checkpoint) = search.resumed() {
        checkpoint.restore(search, |search, e, state| {
            if e.is_some() {
                sets.sleep.enter_where(|_, _| false);
                sets.extend(&search.path);
            }
            sets.restore(search.path.len(), state);
            is_new = state.explored == 0;
        });
    }
    while !search.stopped() {
        if search.checkpoint_is_due() {
            search.save(sets.checkpoint(search, is_new));
        }
        let next = match is_new {
            true => first_decision(search, rule, &mut sets, &mut scratch),
            false => next_decision(&mut search.path, &sets),
        };
        is_new = next.is_some();
        match next {
            Some(decision) => {
                let e = search.step(decision);
                match R::SLEEP {
                    Sleep::On => sets.sleep.enter(e, &mut search.path.order),
                    Sleep::Off => sets.sleep.enter_where(|_, _| false),
                }
                sets.extend(&search.path);
                reverse_races(&mut search.path, rule, &mut sets, e, &mut scratch);
                search.poll(|search| sets.levels(search.path.len()));
            }
            None => {
                let below = search.complete_state();
                if search.path.is_empty() {
                    break;
                }
                let last = EventId::at(search.path.len() - 1);
                sets.sleep.leave_knowing_below(last, &search.path.order, below);
                search.path.pop();
                sets.shrink(&search.path);
            }
        }
    }
    if search.checkpoint_is_due() {
        search.save(sets.checkpoint(search, is_new));
    }
}

/// Reverses the races of the event just performed.
pub fn reverse_races<P: Excursions, R: Rule<P>>(
    path: &mut Path<P>,
    rule: &mut R,
    sets: &mut Sets,
    e: EventId,
    scratch: &mut Reversal,
) {
    let races = path.order.race_numbers(e);
    if path.is_plain(e) || races.len() > 1 && sets.needs_search(path, e, scratch) {
        path.reversals(Later::Event(e), scratch, &mut |path, reversal| rule.reverse(path, reversal, sets));
        return;
    }
    for race in races {
        match sets.previews.foresee(path, race, e, scratch) {
            Foresight::Reversal => rule.reverse(path, scratch, sets),
            Foresight::Nothing => {}
            // It is the only race.
            Foresight::Search => path.reversals(Later::Event(e), scratch, &mut |path, reversal| {
                rule.reverse(path, reversal, sets)
            }),
        }
    }
}

/// What to explore first at a state just reached; `None` if the execution ends here.
fn first_decision<P: Excursions, R: Rule<P>>(
    search: &mut Search<P>,
    rule: &mut R,
    sets: &mut Sets,
    scratch: &mut Reversal,
) -> Option<Decision> {
    let guided = search.guided().filter(|&decision| !sets.sleep.contains(decision));
    let decision = guided.or_else(|| sets.sleep.next_awake(&mut search.path, None));
    if let Some(d) = decision
        && !search.at_depth_limit()
    {
        sets.add(EventId::at(search.path.len()), d.thread);
        return decision;
    }
    match decision.is_none() && search.path.next_enabled(None).is_some() {
        true => search.end_sleep_set_blocked(),
        false => search.end(),
    }
    reverse_races_at_end(search, rule, sets, scratch);
    None
}

/// Reverses, at the end of an execution, the races of operations that wait, and of those that vary with what came
/// after them.
pub fn reverse_races_at_end<P: Excursions, R: Rule<P>>(
    search: &mut Search<P>,
    rule: &mut R,
    sets: &mut Sets,
    scratch: &mut Reversal,
) {
    let events = search.path.order.events();
    let unclear = events.filter(|&e| sets.needs_search(&mut search.path, e, scratch)).map(Later::Event);
    let mut later: Vec<Later> = unclear.collect();
    later.extend(search.running_threads().map(Later::Next));
    for later in later {
        if search.gives_up() {
            return;
        }
        search.path.reversals(later, scratch, &mut |path, reversal| rule.reverse(path, reversal, sets));
    }
}

/// What to explore next at a state to which the search has come back.
pub fn next_decision<P: Excursions>(path: &mut Path<P>, sets: &Sets) -> Option<Decision> {
    let threads = path.order.thread_count();
    let mut members = sets.members(path.len()).take_while(|thread| thread.index() < threads);
    members.find_map(|thread| match path.program.is_enabled(thread) {
        true => sets.sleep.first_awake(thread, path.program.choices(thread)),
        false => None,
    })
}
