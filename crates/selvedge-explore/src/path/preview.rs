//! Previews: what the later operation of a race would do without the earlier one, remembered.
//!
//! The footprint of an operation that [varies](selvedge_trace::Variation::Varying) must be looked up at the other
//! place, which means going there. But as long as nothing that comes later on the path touches what the operation would
//! access there, the answer stays the same, and its races can be treated like those of a plain operation. Only
//! where that fails, or where the operation waits for a condition, the search of [`crate::path::reversal`] is needed.

use crate::{Excursions, Path, Reversal};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Access, AccessKind, Blocking, Decision, EventId, LocationMask};
use smallvec::SmallVec;

/// The previews of the races on the path, by the numbers of the races.
#[derive(Debug, Default)]
pub struct Previews {
    entries: Vec<Option<Preview>>,
}

#[derive(Clone, Debug)]
enum Preview {
    /// The operation would access this.
    Accesses(LocationMask, SmallVec<[Access; 2]>),
    /// The operation would not depend on the earlier event: performing it first reverses nothing.
    Pointless,
    /// It takes a search to know.
    Unclear,
}

/// What is known of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foresight {
    /// Its only reversal, filled in.
    Reversal,
    /// The race has no reversal.
    Nothing,
    /// It takes a search to know.
    Search,
}

impl Previews {
    /// Forgets the races from the given number on.
    pub fn truncate(&mut self, races: usize) {
        self.entries.truncate(races);
    }

    /// What the later operation of a race would access, if that is known.
    pub fn accesses(&self, race: usize) -> Option<(LocationMask, &[Access])> {
        match self.entries.get(race) {
            Some(Some(Preview::Accesses(mask, accesses))) => Some((*mask, accesses)),
            _ => None,
        }
    }

    /// What is known of the race with the given number, whose later event is not plain.
    pub fn foresee<P: Excursions>(
        &mut self,
        path: &mut Path<P>,
        race: usize,
        later: EventId,
        reversal: &mut Reversal,
    ) -> Foresight {
        let e = path.order.race(race);
        if race >= self.entries.len() {
            self.entries.resize(race + 1, None);
        }
        let preview = self.entries[race].get_or_insert_with(|| look(path, e, later, reversal));
        let Preview::Accesses(mask, accesses) = preview else {
            return match preview {
                Preview::Unclear => Foresight::Search,
                _ => Foresight::Nothing,
            };
        };
        path.keep_not_after(e, reversal);
        let first_after = reversal.sequence.partition_point(|&f| f < later);
        if reversal.sequence[first_after..].iter().any(|&f| path.order.depends(f, *mask, accesses)) {
            return Foresight::Search;
        }
        let decision = Decision { choice: 0, ..path.order.event(later).decision };
        reversal.set_last(decision, *mask, accesses);
        Foresight::Reversal
    }
}

/// Looks at what `later` would do without `e`, after the other events up to itself.
fn look<P: Excursions>(path: &mut Path<P>, e: EventId, later: EventId, scratch: &mut Reversal) -> Preview {
    let event = *path.order.event(later);
    if event.blocking == Blocking::Guard {
        return Preview::Unclear;
    }
    let decision = Decision { choice: 0, ..event.decision };
    if let Some(accesses) = exchange(path, e, later) {
        let mut mask = LocationMask::default();
        accesses.iter().for_each(|&access| mask.add(access));
        path.keep_not_after(e, scratch);
        let first_after = scratch.sequence.partition_point(|&f| f < later);
        let kept = &scratch.sequence[..first_after];
        debug_assert_eq!(accesses[..], accesses_there(path, e, kept, decision)[..], "an exchange foreseen");
        return preview_of(path, e, later, kept, mask, &accesses);
    }
    path.keep_not_after(e, scratch);
    let first_after = scratch.sequence.partition_point(|&f| f < later);
    match path.can_suppress() {
        // What comes after both and is independent of both can stay, if the operation does not conflict with it there.
        true => {
            scratch.sequence.retain(|&f| f < later || f > later && !path.order.happens_before(later, f));
        }
        false => scratch.sequence.truncate(first_after),
    }
    let mut there = path.peek(e, &scratch.sequence, decision);
    let (mask, accesses) = (there.footprint.mask(), there.footprint.accesses());
    if scratch.sequence[first_after..].iter().any(|&f| path.order.depends(f, mask, accesses)) {
        scratch.sequence.truncate(first_after);
        path.forget(there);
        there = path.peek(e, &scratch.sequence, decision);
    }
    scratch.sequence.truncate(first_after);
    let preview = match there.choices {
        1 => {
            preview_of(path, e, later, &scratch.sequence, there.footprint.mask(), there.footprint.accesses())
        }
        _ => Preview::Unclear,
    };
    path.forget(there);
    preview
}

/// What `later` would access if it is a compare-exchange of the number that `e` accessed. It would find what `e` found: anything else that
/// writes there conflicts with `e`, so it is not kept if it comes after it.
fn exchange<P: Excursions>(path: &Path<P>, e: EventId, later: EventId) -> Option<SmallVec<[Access; 2]>> {
    let (found, exchange) = (path.order.finding(e)?, path.order.finding(later)?);
    let kind = if found.number == exchange.expected? { AccessKind::Write } else { AccessKind::Read };
    if found.place != exchange.place || path.leaves_conflicts_open {
        return None;
    }
    // Posts belong to what the thread did next.
    let mut accesses: SmallVec<[Access; 2]> = SmallVec::from_slice(path.order.accesses(later));
    accesses.retain(|access| access.kind != AccessKind::Post);
    let mut numbers = accesses.iter_mut().filter(|access| access.kind != AccessKind::Observe);
    let (number, None) = (numbers.next()?, numbers.next()) else { return None };
    number.kind = kind;
    Some(accesses)
}

/// What an operation is seen to access by going there.
fn accesses_there<P: Excursions>(
    path: &mut Path<P>,
    e: EventId,
    kept: &[EventId],
    decision: Decision,
) -> Vec<Access> {
    let there = path.peek(e, kept, decision);
    let accesses = there.footprint.accesses().to_vec();
    path.forget(there);
    accesses
}

/// What `later` would do without `e`, given what it would access there.
fn preview_of<P: Excursions>(
    path: &mut Path<P>,
    e: EventId,
    later: EventId,
    kept_after: &[EventId],
    mask: LocationMask,
    accesses: &[Access],
) -> Preview {
    let mut kept = (0..e.0).map(EventId).chain(kept_after.iter().copied());
    if kept.any(|f| path.order.depends(f, mask, accesses) && is_passed_by(path, f, later)) {
        return Preview::Unclear;
    }
    match path.order.depends(e, mask, accesses) {
        true => Preview::Accesses(mask, SmallVec::from_slice(accesses)),
        false => Preview::Pointless,
    }
}

/// Whether an event before `later` is neither ordered before the thread of `later` nor conflicts with it.
fn is_passed_by<P: Excursions>(path: &mut Path<P>, f: EventId, later: EventId) -> bool {
    let order = &path.order;
    let previous = order.previous(later);
    let is_ordered = previous.is_some_and(|own| f <= own && order.happens_before(f, own));
    !is_ordered && !conflicting(order.accesses(f), order.accesses(later))
}
