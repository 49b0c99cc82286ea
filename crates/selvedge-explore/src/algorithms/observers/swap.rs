//! How an earlier floating write takes the place of a later one that is observed.

use super::observed_order::{ObservedOrder, looks};
use crate::{Excursions, Observations, Path};
use selvedge_trace::{AccessKind, EventId, ThreadId};

/// What becomes of other observers of the later write, if they can come before the earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    /// Other observers are not ordered with the earlier write.
    Open,
    /// They come before it, and observe what they did.
    Before,
}

/// The events to perform instead of what follows the events before `e`, such that `observer` observes `e` and not `later`: first
/// those that do not need `e`, `later` among them, then `e`, then those that need it, and the observer. What comes after the
/// observer, or after others that are left open or would now observe `e`, is left out. Nothing if the observer is
/// among these.
pub fn swap<P: Excursions + Observations>(
    path: &Path<P>,
    observed: &ObservedOrder,
    e: EventId,
    later: EventId,
    observer: EventId,
    others: Others,
) -> Option<Vec<EventId>> {
    let order = &path.order;
    let happens_before_any =
        |some: &[EventId], g: EventId| some.iter().any(|&f| f <= g && order.happens_before(f, g));
    // Events that need `e`: `direct` are those that do so by themselves.
    let mut direct: Vec<EventId> = Vec::new();
    let mut left_out_after = vec![observer];
    let (mut before, mut after) = (Vec::new(), vec![e]);
    for g in order.events_after(e) {
        let needs_by_itself = needs(path, e, g);
        if needs_by_itself {
            direct.push(g);
        }
        let needs = needs_by_itself || happens_before_any(&direct, g);
        if happens_before_any(&left_out_after, g) {
            if g == observer && happens_before_any(&left_out_after[1..], g) {
                return None;
            }
            continue;
        }
        if (needs || others == Others::Open) && observes_one_of(path, observed, e, later, g) {
            left_out_after.push(g);
        } else if needs {
            after.push(g);
        } else {
            before.push(g);
        }
    }
    before.append(&mut after);
    before.push(observer);
    Some(before)
}

/// Whether an event must come after `e`, even if `e` comes after other floating writes.
fn needs<P: Excursions + Observations>(path: &Path<P>, e: EventId, g: EventId) -> bool {
    let order = &path.order;
    let thread = |e: EventId| -> ThreadId { order.event(e).thread() };
    thread(e) == thread(g)
        || order.accesses(e).iter().any(|a| {
            let floats = a.kind == AccessKind::Post && path.program.floats(a.location);
            let conflicts =
                order.accesses(g).iter().any(|b| a.location == b.location && a.kind.conflicts_with(b.kind));
            !floats && conflicts
        })
}

/// Whether an event looks at a location where both `e` and `later`, which come before it, float.
fn observes_one_of<P: Excursions + Observations>(
    path: &Path<P>,
    observed: &ObservedOrder,
    e: EventId,
    later: EventId,
    g: EventId,
) -> bool {
    g > later
        && observed.accesses_alone(g).iter().any(|a| {
            let floats = |e| observed.kind_at(e, a.location) == Some(AccessKind::Post);
            looks(a.kind) && floats(e) && floats(later) && path.program.floats(a.location)
        })
}
