//! The history of the closure: what its threads did, which decisions lead to the present state, and where the fibers are.
//!
//! The present state is that of the model memory, to which the explorer goes back and forth. The fibers are where the
//! latest performed operation left them. When they fall behind, the closure is run again along the decisions *ahead*; as
//! long as the next of these is for the thread that runs, it goes on without suspending.

use super::operation::{Operation, SpinRead};
use super::script::{Entry, Script, Standing};
use super::stutter::Done;
use crate::spin;
use selvedge_trace::{Decision, Footprint, ThreadId};

/// What threads did and where they are.
#[derive(Default)]
pub struct History {
    /// What each thread did.
    pub scripts: Vec<Script>,
    /// The decisions that lead to the present state.
    pub decisions: Vec<Decision>,
    /// The length of the memory's log before each of them.
    pub marks: Vec<usize>,
    /// What each thread has read since it last yielded.
    pub reads: Vec<Vec<SpinRead>>,
    /// For each thread: its latest yields with what it had read before each.
    pub rounds: Vec<spin::Rounds>,
    /// Whether what a thread does is compared with its script.
    pub compare: Compare,
    /// Set when a comparison failed.
    pub divergence: Option<Box<Divergence>>,
    /// Empty scripts of earlier searches.
    unused: Vec<Script>,
    /// The decisions that lead to where the fibers are.
    live: Vec<Decision>,
    /// How many decisions the two have in common.
    common: usize,
    /// The decisions to be taken again, and how many have been.
    ahead: Vec<Decision>,
    retaken: usize,
    excursion: Excursion,
    /// Whether the thread that runs may go on by itself if it is next.
    pub follows: bool,
    /// What the fibers did.
    pub done: Done,
}

/// Where the program was before it went back for a moment.
#[derive(Debug, Default)]
struct Excursion {
    is_away: bool,
    positions: Vec<usize>,
}

/// Whether what a thread does is compared with its script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compare {
    /// It is new.
    #[default]
    New,
    /// It has been done before.
    Known,
}

/// Two histories that should be one.
#[derive(Debug)]
pub struct Divergence {
    /// The operations that were the same, as (thread, operation).
    pub common: Vec<(ThreadId, Operation)>,
    /// Who did something else.
    pub thread: ThreadId,
    /// Where it stood before.
    pub before: Option<Standing>,
    /// Where it stands now.
    pub now: Standing,
}

impl History {
    /// Forgets everything, threads included.
    pub fn clear(&mut self) {
        self.forget();
        self.begin();
        self.unused.append(&mut self.scripts);
    }

    /// Forgets everything that was done.
    pub fn forget(&mut self) {
        self.scripts.iter_mut().for_each(|script| script.entries.clear());
        self.decisions.clear();
        self.marks.clear();
        self.divergence = None;
    }

    /// The fibers begin anew.
    pub fn begin(&mut self) {
        self.live.clear();
        self.done.clear();
        self.common = 0;
        self.follows = false;
        self.reads.iter_mut().for_each(Vec::clear);
        self.rounds.iter_mut().for_each(spin::Rounds::clear);
    }

    /// Makes room for a thread, which is at its beginning.
    pub fn start(&mut self, thread: ThreadId) {
        if self.scripts.len() <= thread.index() {
            let unused = &mut self.unused;
            self.scripts.resize_with(thread.index() + 1, || unused.pop().unwrap_or_default());
            let room = self.scripts.len().max(self.reads.len());
            self.reads.resize_with(room, Vec::new);
            self.rounds.resize_with(room, spin::Rounds::default);
        }
        self.scripts[thread.index()].position = 0;
    }

    /// Whether the fibers are where the present state is.
    #[inline]
    pub fn fibers_are_here(&self) -> bool {
        self.common == self.decisions.len() && self.live.len() == self.common
    }

    /// The decisions that lead to where the fibers are.
    pub fn live(&self) -> &[Decision] {
        &self.live
    }

    /// The number of operations that the fibers have performed.
    pub fn live_length(&self) -> usize {
        self.live.len()
    }

    /// From the beginning: the decisions are again those that lead to where the fibers are, to be taken again from there.
    pub fn go_to_fibers(&mut self) {
        self.decisions.clear();
        self.decisions.extend_from_slice(&self.live);
    }

    /// Goes back to the beginning in order to come here again.
    pub fn go_back(&mut self) {
        self.ahead.clear();
        self.ahead.append(&mut self.decisions);
        self.retaken = 0;
        self.marks.clear();
    }

    /// Goes back to the beginning in order to do again what the fibers did. Returns the decisions that were to be taken again instead.
    pub fn go_back_to_fibers(&mut self) -> Vec<Decision> {
        self.go_back();
        std::mem::replace(&mut self.ahead, self.live.clone())
    }

    /// Goes back to the beginning in order to take these decisions.
    pub fn go_back_for(&mut self, decisions: Vec<Decision>) {
        self.go_back();
        self.ahead = decisions;
    }

    /// The next decision to be taken again.
    #[inline]
    pub fn next_ahead(&self) -> Option<Decision> {
        self.ahead.get(self.retaken).copied()
    }

    /// That decision is taken.
    #[inline]
    pub fn retake(&mut self) {
        self.retaken += 1;
    }

    /// A decision was taken by a fiber, with this result.
    #[inline]
    pub fn take(&mut self, decision: Decision, footprint: &Footprint, result: u64) {
        self.done.add(decision.thread, footprint.accesses(), result);
        self.decisions.push(decision);
        self.live.push(decision);
        self.common = self.live.len();
        self.scripts[decision.thread.index()].position += 1;
    }

    /// A decision was taken again in the model alone.
    #[inline]
    pub fn repeat(&mut self, decision: Decision) {
        if !self.excursion.is_away {
            if self.common == self.decisions.len() && self.live.get(self.common) == Some(&decision) {
                self.common += 1;
            }
            self.decisions.push(decision);
        }
        self.scripts[decision.thread.index()].position += 1;
    }

    /// Goes back to an earlier state. Returns the length that the memory's log had there.
    #[inline]
    pub fn rollback(&mut self, length: usize) -> Option<usize> {
        let mark = *self.marks.get(length)?;
        for decision in &self.decisions[length..] {
            self.scripts[decision.thread.index()].position -= 1;
        }
        self.decisions.truncate(length);
        self.marks.truncate(length);
        self.common = self.common.min(length);
        Some(mark)
    }

    /// Goes back to an earlier state for a moment: decisions and marks stay what they are. Returns the length that the memory's log had there.
    #[inline]
    pub fn leave(&mut self, length: usize) -> Option<usize> {
        let Excursion { is_away, positions } = &mut self.excursion;
        *is_away = true;
        positions.clear();
        positions.extend(self.scripts.iter().map(|script| script.position));
        for decision in &self.decisions[length..] {
            self.scripts[decision.thread.index()].position -= 1;
        }
        self.marks.get(length).copied()
    }

    /// Comes back from there.
    #[inline]
    pub fn restore(&mut self) {
        let Excursion { is_away, positions } = &mut self.excursion;
        *is_away = false;
        self.scripts.iter_mut().zip(positions).for_each(|(script, &mut position)| script.position = position);
    }

    /// An operation is about to be performed when the memory's log has this length.
    #[inline]
    pub fn mark(&mut self, log: usize) {
        if !self.excursion.is_away {
            self.marks.push(log);
        }
    }

    /// The next operation of a thread, if it runs.
    #[inline]
    pub fn operation(&self, thread: ThreadId) -> Option<&Operation> {
        self.scripts.get(thread.index())?.operation()
    }

    /// A thread has come to where it stands: writes that to its script, or compares it with what is there.
    #[inline]
    pub fn settle(&mut self, thread: ThreadId, entry: Entry) {
        let Script { entries, position } = &mut self.scripts[thread.index()];
        match self.compare {
            Compare::New => {
                entries.truncate(*position);
                entries.push(entry);
            }
            Compare::Known => match entries.get_mut(*position) {
                Some(known) if known.matches(&entry) => *known = entry,
                _ => self.diverge(thread, entry.standing),
            },
        }
    }

    #[cold]
    fn diverge(&mut self, thread: ThreadId, now: Standing) {
        let script = &self.scripts[thread.index()];
        let before = script.entries.get(script.position).map(|known| known.standing);
        self.divergence = Some(Box::new(Divergence { common: self.told(), thread, before, now }));
    }

    /// What was done so far along the live decisions.
    fn told(&self) -> Vec<(ThreadId, Operation)> {
        let mut positions = vec![0; self.scripts.len()];
        let mut told = Vec::new();
        for decision in &self.live {
            let position = &mut positions[decision.thread.index()];
            if let Some(Entry { standing: Standing::At(operation), .. }) =
                self.scripts[decision.thread.index()].entries.get(*position)
            {
                told.push((decision.thread, *operation));
            }
            *position += 1;
        }
        told
    }
}
