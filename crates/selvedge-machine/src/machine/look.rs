//! Looking at the next operation of a thread without performing it.
//!
//! An atomic section may take several nondeterministic decisions, and each may depend on those before: the ways it can go are
//! numbered in lexicographic order, and these numbers are the choices that the search knows.

use super::{Begun, Machine, cells};
use crate::builtin::Builtin;
use crate::code::{CONSTANT, Op};
use crate::options::Addresses;
use crate::run::{Awaited, Decisions, Extent, Outcome};
use crate::state::Status;
use selvedge_explore::Readiness;
use selvedge_trace::{AccessKind, Blocking, Decision, Footprint, LocationId, ThreadId};

/// The most ways of one section.
const MOST_WAYS: usize = 1024;

/// What looking at an operation shows.
pub struct Look {
    /// Whether it can be performed.
    pub readiness: Readiness,
    /// In how many ways.
    pub alternatives: u32,
}

/// One way that an atomic section can go.
struct Way {
    decisions: Decisions,
    outcome: Outcome,
    footprint: Footprint,
}

impl Way {
    /// Whether the section finds an assumption false before it has looked at anything of others. Then
    /// going this way has no effect, and without it nothing is missed.
    fn is_pointless(&self) -> bool {
        self.outcome == Outcome::Dropped
            && self.footprint.accesses().iter().all(|access| access.kind == AccessKind::Observe)
    }
}

impl Machine {
    /// Whether a thread is at a section that may go several ways.
    fn may_go_several_ways(&self, thread: usize) -> bool {
        let pc = self.state.threads[thread].control.pc as usize;
        matches!(self.code.ops[pc], Op::AtomicBegin)
            && (self.code.sections[pc].may_decide
                || self.code.sections[pc].may_compare && self.options.addresses == Addresses::Ordered
                || !self.state.symbols().is_empty())
    }

    /// The ways that the next section of a thread can go. If it has to wait on some ways and not on others, only the others
    /// count; so all ways have seen what one of them might wait for.
    fn ways(&mut self, thread: usize) -> Vec<Way> {
        let mut ways = Vec::new();
        let mut decisions = Decisions::default();
        loop {
            let mut footprint = Footprint::default();
            let outcome = self.look_once(thread, &mut decisions, &mut footprint);
            let goes_on = {
                let mut next = decisions.clone();
                decisions.script = decisions.taken.iter().map(|taken| taken.0).collect();
                ways.push(Way { decisions: decisions.clone(), outcome, footprint });
                let goes_on = next.advance();
                decisions = next;
                goes_on
            };
            if !goes_on {
                break;
            }
            if ways.len() == MOST_WAYS {
                let decisions = Decisions { too_many: true, ..Decisions::default() };
                let mut footprint = Footprint::default();
                let outcome = self.look_once(thread, &mut decisions.clone(), &mut footprint);
                return vec![Way { decisions, outcome, footprint }];
            }
        }
        let first_pointless = ways.iter().position(Way::is_pointless);
        if let Some(first) = first_pointless.filter(|_| ways.iter().all(Way::is_pointless)) {
            return vec![ways.swap_remove(first)];
        }
        ways.retain(|way| !way.is_pointless());
        let (mut blocked, mut open): (Vec<Way>, Vec<Way>) =
            ways.into_iter().partition(|way| way.outcome == Outcome::Blocked);
        if open.is_empty() {
            blocked.truncate(1);
            return blocked;
        }
        let waiting = |way: &&Way| way.footprint.blocking != Blocking::Never;
        let seen: Vec<LocationId> = blocked
            .iter()
            .chain(&open)
            .filter(waiting)
            .flat_map(|way| way.footprint.accesses().iter().map(|access| access.location))
            .collect();
        for location in seen {
            open.iter_mut().for_each(|way| way.footprint.record(location, AccessKind::Read));
        }
        open
    }

    /// The decisions that a choice stands for. The footprint receives what is seen to find them.
    pub(super) fn decisions(&mut self, decision: Decision, footprint: &mut Footprint) -> Decisions {
        let thread = decision.thread.index();
        if !self.may_go_several_ways(thread) {
            return Decisions::beginning_with(decision.choice);
        }
        let ways = self.ways(thread);
        let chosen = &ways[(decision.choice as usize).min(ways.len() - 1)];
        chosen.footprint.accesses().iter().filter(|access| access.kind == AccessKind::Read).for_each(
            |seen| {
                footprint.record(seen.location, AccessKind::Read);
            },
        );
        Decisions { taken: Vec::new(), ..chosen.decisions.clone() }
    }

    fn look_once(&mut self, thread: usize, decisions: &mut Decisions, footprint: &mut Footprint) -> Outcome {
        let mark = self.state.mark();
        self.save(thread);
        self.record_start(thread, footprint);
        let (outcome, begun) = self.run(thread, Extent::Look, decisions, footprint, Begun::Visible);
        if begun == Begun::Visible && outcome.gives_up() {
            self.make_read_only(footprint);
        }
        self.unlook(mark);
        outcome
    }

    fn unlook(&mut self, mark: selvedge_explore::Mark) {
        self.spawned.clear();
        self.locations.told.clear();
        self.fault = None;
        self.cut = None;
        self.state.rollback(mark);
    }

    pub(super) fn look(&mut self, decision: Decision, footprint: &mut Footprint) -> Look {
        let thread = decision.thread.index();
        footprint.clear();
        if !self.is_running(thread) {
            return Look { readiness: Readiness::Disabled, alternatives: 0 };
        }
        let (outcome, alternatives) = if self.may_go_several_ways(thread) {
            let mut ways = self.ways(thread);
            let count = ways.len();
            let way = ways.swap_remove((decision.choice as usize).min(count - 1));
            *footprint = way.footprint;
            (way.outcome, count as u32)
        } else {
            let mut decisions = Decisions::beginning_with(decision.choice);
            let outcome = self.look_once(thread, &mut decisions, footprint);
            (outcome, decisions.taken.first().map_or(1, |taken| taken.1))
        };
        let readiness = match outcome {
            Outcome::Blocked => Readiness::Disabled,
            _ => Readiness::Enabled,
        };
        Look { readiness, alternatives }
    }

    /// Looks at the next operation of a thread to tell people about it: what it accesses, and calls `tell` with the
    /// machine in the state after it.
    pub fn survey<T>(
        &mut self,
        decision: Decision,
        footprint: &mut Footprint,
        tell: impl FnOnce(&Machine, &Footprint) -> T,
    ) -> T {
        let thread = decision.thread.index();
        let mut decisions = self.decisions(decision, footprint);
        footprint.clear();
        let mark = self.state.mark();
        self.save(thread);
        self.run(thread, Extent::Look, &mut decisions, footprint, Begun::Visible);
        let told = tell(self, footprint);
        self.unlook(mark);
        told
    }

    /// Whether the commonest operations that wait can be performed, if that is seen at once.
    pub(super) fn certainly(&self, builtin: Builtin, thread: usize, call: u32) -> Option<Readiness> {
        let first = self.code.calls[call as usize].arguments.first()?.slot;
        let control = self.state.threads[thread].control;
        let at = if first >= CONSTANT { first - CONSTANT } else { control.base + first };
        let word = self.state.threads[thread].slots[at as usize];
        match builtin {
            Builtin::ThreadJoin => {
                let target = self.state.memory.landmarks.thread_of(word)?;
                let status = self.state.threads.get(target)?.control.status;
                let is_plain = target != thread && !self.state.is_claimed(target);
                match status {
                    Status::Ended if is_plain && self.all_others_ended(thread) => Some(Readiness::Enabled),
                    Status::Running | Status::Fresh if is_plain => Some(Readiness::Disabled),
                    _ => None,
                }
            }
            Builtin::MutexLock => {
                let id = self.state.memory.access(word, 4).ok()?;
                let object = self.state.memory.object(id);
                let owner = self.state.memory.load(object.start + (word - object.base) as usize, 4);
                (owner == 0).then_some(Readiness::Enabled)
            }
            _ => None,
        }
    }

    fn all_others_ended(&self, thread: usize) -> bool {
        let mut others = self.state.threads.iter().enumerate().filter(|(other, _)| *other != thread);
        others.all(|(_, other)| matches!(other.control.status, Status::Ended | Status::NotStarted))
    }

    /// Whether a thread can go on that waits for the ends of others.
    pub(super) fn can_join(&mut self, thread: ThreadId, builtin: Builtin, call: u32) -> bool {
        let known = &self.awaited[thread.index()];
        let arrival = self.state.threads[thread.index()].control.arrival;
        let is_claimed = |awaited: &(usize, u32)| self.state.is_claimed(awaited.0);
        let are_claimed = self.state.cell(cells::CLAIMS) > 0 && known.certain.iter().any(is_claimed);
        if known.arrival == arrival && !are_claimed {
            if known.certain.get(known.last).is_some_and(|awaited| !self.has_ended(awaited.0)) {
                return false;
            }
            if let Some(last) = known.certain.iter().rposition(|awaited| !self.has_ended(awaited.0)) {
                self.awaited[thread.index()].last = last;
                return false;
            }
        }
        if let Some(readiness) = self.certainly(builtin, thread.index(), call) {
            return readiness == Readiness::Enabled;
        }
        let mut known = std::mem::take(&mut self.awaited[thread.index()]);
        known.certain.clear();
        self.looked_awaited = Awaited { arrival, missing: None, has_result: false, ..known };
        let readiness = self.try_it(thread).readiness;
        std::mem::swap(&mut self.awaited[thread.index()], &mut self.looked_awaited);
        readiness == Readiness::Enabled
    }

    /// The instruction with which a thread waits for an end that is missing, if that is not the one at which it stands.
    pub(super) fn missing_end(&self, thread: ThreadId) -> Option<u32> {
        let known = &self.awaited[thread.index()];
        if known.arrival != self.state.threads[thread.index()].control.arrival {
            return None;
        }
        let certain = known.certain.iter().find(|certain| !self.has_ended(certain.0));
        certain.map(|certain| certain.1).or(known.missing)
    }

    fn has_ended(&self, thread: usize) -> bool {
        self.state.threads[thread].control.status == Status::Ended
    }

    pub(super) fn try_it(&mut self, thread: ThreadId) -> Look {
        let mut footprint = std::mem::take(&mut self.scratch);
        let look = self.look(Decision { thread, choice: 0 }, &mut footprint);
        self.scratch = footprint;
        look
    }
}
