//! Excursions: what an operation would do at another place of the path.
//!
//! The program is led there and comes back, by [suppressing](Excursions::suppress) the events that are not wanted where it can, and
//! else by going back and repeating the others.

use super::Path;
use crate::{Excursions, Mark, Readiness};
use selvedge_trace::{Decision, EventId, Footprint, HappensBefore};
use std::ops::Range;

impl<P: Excursions> Path<P> {
    /// What `decision` would do after the events before `at` followed by `sequence`, and whether it could.
    /// Goes there and comes back.
    pub fn peek(&mut self, at: EventId, sequence: &[EventId], decision: Decision) -> Peek {
        let mut footprint = std::mem::take(&mut self.peeked);
        footprint.clear();
        let (order, mut elsewhere) = self.elsewhere();
        elsewhere.look(order, at, sequence, |program| {
            let choices = match program.pending(decision, &mut footprint) {
                Readiness::Enabled => program.choices(decision.thread),
                Readiness::Disabled => 0,
            };
            Peek { footprint, choices }
        })
    }

    /// Whether events can be left out without leaving others and repeating them.
    pub fn can_suppress(&self) -> bool {
        !self.leaves_conflicts_open && self.program.can_suppress()
    }

    /// The order, and the program to be led to other places of the path.
    pub fn elsewhere(&mut self) -> (&HappensBefore, Elsewhere<'_, P>) {
        let can_suppress = self.can_suppress();
        let Path { program, marks, footprint, is_kept, left_out, .. } = self;
        (&self.order, Elsewhere { program, marks, footprint, is_kept, left_out, can_suppress })
    }

    /// Gives back what [`peek`](Path::peek) returned, so that its room can be used again.
    pub fn forget(&mut self, peek: Peek) {
        self.peeked = peek.footprint;
    }
}

/// A program that can be led to other places of its path.
pub struct Elsewhere<'p, P> {
    program: &'p mut P,
    marks: &'p [Mark],
    footprint: &'p mut Footprint,
    is_kept: &'p mut Vec<bool>,
    left_out: &'p mut Vec<Range<Mark>>,
    can_suppress: bool,
}

impl<P: Excursions> Elsewhere<'_, P> {
    /// What `look` sees after the events before `at` followed by `sequence`. Goes there and comes back.
    pub fn look<T>(
        &mut self,
        order: &HappensBefore,
        at: EventId,
        sequence: &[EventId],
        look: impl FnOnce(&mut P) -> T,
    ) -> T {
        let Some(&mark) = self.marks.get(at.index()) else { return look(self.program) };
        if self.suppress(order, at, sequence) {
            let seen = look(self.program);
            self.program.restore();
            return seen;
        }
        self.program.leave(mark);
        for &e in sequence {
            self.program.repeat(order.event(e).decision, self.footprint);
        }
        let seen = look(self.program);
        if !self.program.restore() {
            self.program.rollback(mark);
            for e in at.index()..order.len() {
                self.program.repeat(order.event(EventId::at(e)).decision, self.footprint);
            }
        }
        seen
    }

    /// Takes back all events from `at` on that are not in the sequence, if the program can: they may be taken back from the
    /// end of the path as well, because none of those that stay happens after one of them or conflicts with it.
    fn suppress(&mut self, order: &HappensBefore, at: EventId, sequence: &[EventId]) -> bool {
        if !self.can_suppress {
            return false;
        }
        let end = self.program.mark();
        self.is_kept.clear();
        self.is_kept.resize(order.len(), false);
        sequence.iter().for_each(|e| self.is_kept[e.index()] = true);
        self.left_out.clear();
        for e in (at.index()..order.len()).filter(|&e| !self.is_kept[e]) {
            let after = self.marks.get(e + 1).copied().unwrap_or(end);
            self.left_out.push(self.marks[e]..after);
        }
        self.program.suppress(self.left_out)
    }
}

/// What an operation would do at another place of the path.
pub struct Peek {
    /// What it would access, or what it looked at before it found that it must wait.
    pub footprint: Footprint,
    /// The number of its alternatives there; 0 when it would have to wait.
    pub choices: u32,
}
