//! Previews: what the later operation of a race would do without the earlier one, remembered.
//!
//! The footprint of an operation that [varies](selvedge_trace::Variation::Varying) must be looked up at the other
//! place, which means going there. But as long as nothing that comes later on the path touches what the operation would
//! access there, the answer stays the same, and its races can be treated like those of a plain operation. Only
//! where that fails, or where the operation waits for a condition, the search of [`crate::reversal`] is needed. What that finds is
//! remembered in the same way: the ways to leave out events stay what they are as long as nothing that comes later on the path, and stays,
//! touches what the operation would access there.

use crate::event_set::EventSet;
use crate::path::Peek;
use crate::{Path, Program, Reversal};
use selvedge_trace::footprint::conflicting;
use selvedge_trace::{Access, Blocking, Decision, EventId, LocationMask};
use smallvec::SmallVec;

/// The previews of the races on the path, by the numbers of the races.
#[derive(Debug, Default)]
pub struct Previews {
    entries: Vec<Option<Preview>>,
    /// What the searches for events found, by the numbers of the events' first races.
    searches: Vec<Option<Vec<Way>>>,
}

/// A way to leave out events before an operation.
#[derive(Clone, Debug)]
struct Way {
    /// Those up to the operation, it included, that are left out; later ones are if they happen after one of these.
    left_out: SmallVec<[EventId; 8]>,
    /// What the operation would access, as a quick test.
    mask: LocationMask,
    /// What it would access.
    accesses: SmallVec<[Access; 2]>,
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
    /// It has no reversal.
    Nothing,
    /// It takes a search to know.
    Search,
}

impl Previews {
    /// Forgets the races from the given number on.
    pub fn truncate(&mut self, races: usize) {
        self.entries.truncate(races);
        self.searches.truncate(races);
    }

    /// Calls `visit` with every reversal of a race of `later`, which takes a search, unless the latest one still tells.
    pub fn search<P: Program>(
        &mut self,
        path: &mut Path<P>,
        later: EventId,
        reversal: &mut Reversal,
        visit: &mut dyn FnMut(&mut Path<P>, &Reversal),
    ) {
        let number = path.order.race_numbers(later).start;
        if number >= self.searches.len() {
            self.searches.resize(number + 1, None);
        }
        if let Some(ways) = &self.searches[number]
            && ways.iter().all(|way| way.still_holds(path, later))
        {
            for way in ways {
                way.visit(path, later, reversal, visit);
            }
            return;
        }
        let mut ways = (path.order.event(later).blocking != Blocking::Guard).then(Vec::new);
        path.search_event_reversals(later, reversal, visit, &mut |path, left_out, there| {
            let way = Way::new(later, left_out, there);
            match &mut ways {
                Some(known) if there.choices == 1 && way.still_holds(path, later) => known.push(way),
                _ => ways = None,
            }
        });
        self.searches[number] = ways;
    }

    /// What is known of the race with the given number, whose later event is not plain.
    pub fn foresee<P: Program>(
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

impl Way {
    fn new(later: EventId, left_out: &EventSet, there: &Peek) -> Way {
        Way {
            left_out: (0..=later.0).map(EventId).filter(|&e| left_out.contains(e)).collect(),
            mask: there.footprint.mask(),
            accesses: SmallVec::from_slice(there.footprint.accesses()),
        }
    }

    /// Whether an event after the operation is left out.
    fn leaves_out<P: Program>(&self, path: &Path<P>, after: EventId) -> bool {
        self.left_out.iter().any(|&e| path.order.happens_before(e, after))
    }

    /// Whether the operation would do the same after what comes later on the path now and is not left out.
    fn still_holds<P: Program>(&self, path: &mut Path<P>, later: EventId) -> bool {
        path.order
            .events_after(later)
            .all(|e| !path.order.depends(e, self.mask, &self.accesses) || self.leaves_out(path, e))
    }

    /// Calls `visit` with the reversal, unless leaving out the first event was for nothing.
    fn visit<P: Program>(
        &self,
        path: &mut Path<P>,
        later: EventId,
        reversal: &mut Reversal,
        visit: &mut dyn FnMut(&mut Path<P>, &Reversal),
    ) {
        let at = self.left_out[0];
        if !path.order.depends(at, self.mask, &self.accesses) {
            return;
        }
        reversal.at = at;
        reversal.sequence.clear();
        for e in path.order.events_after(at) {
            let is_left_out = match e <= later {
                true => self.left_out.contains(&e),
                false => self.leaves_out(path, e),
            };
            if !is_left_out {
                reversal.sequence.push(e);
            }
        }
        let decision = Decision { choice: 0, ..path.order.event(later).decision };
        reversal.set_last(decision, self.mask, &self.accesses);
        visit(path, reversal);
    }
}

/// Looks at what `later` would do without `e`, after the other events up to itself.
fn look<P: Program>(path: &mut Path<P>, e: EventId, later: EventId, scratch: &mut Reversal) -> Preview {
    let event = *path.order.event(later);
    if event.blocking == Blocking::Guard {
        return Preview::Unclear;
    }
    let decision = Decision { choice: 0, ..event.decision };
    path.keep_not_after(e, scratch);
    let first_after = scratch.sequence.partition_point(|&f| f < later);
    match path.can_leave_out() {
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
    let preview = preview_of(path, e, later, scratch, &there);
    path.forget(there);
    preview
}

/// What `later` would do without `e`, according to what was seen there.
fn preview_of<P: Program>(
    path: &mut Path<P>,
    e: EventId,
    later: EventId,
    scratch: &Reversal,
    there: &Peek,
) -> Preview {
    if there.choices != 1 {
        return Preview::Unclear;
    }
    let (mask, accesses) = (there.footprint.mask(), there.footprint.accesses());
    let kept = (0..e.0).map(EventId).chain(scratch.sequence.iter().copied());
    if kept.into_iter().any(|f| is_passed_by(path, f, later) && path.order.depends(f, mask, accesses)) {
        return Preview::Unclear;
    }
    match path.order.depends(e, mask, accesses) {
        true => Preview::Accesses(mask, SmallVec::from_slice(accesses)),
        false => Preview::Pointless,
    }
}

/// Whether an event before `later` is neither ordered before the thread of `later` nor conflicts with it.
fn is_passed_by<P: Program>(path: &mut Path<P>, f: EventId, later: EventId) -> bool {
    let order = &path.order;
    let previous = order.previous(later);
    let is_ordered = previous.is_some_and(|own| f <= own && order.happens_before(f, own));
    !is_ordered && !conflicting(order.accesses(f), order.accesses(later))
}
