//! Atomic regions: on every path of a function they begin and end in turn, and hold nothing that waits for
//! other threads half-way or splits a transition.

use super::{Fault, Report, Spot};
use crate::{BlockId, Function, InstrKind, TerminatorKind};

/// Whether a point of a function is in an atomic region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Region {
    Outside,
    Inside,
}

/// Follows all paths from the entry. Blocks that no path reaches never run and are not looked at.
pub(super) fn check<'p>(report: &mut Report<'p>, function: &'p Function) {
    let mut at_entry: Vec<Option<Region>> = vec![None; function.blocks.len()];
    let mut todo = Vec::new();
    if let Some(first) = at_entry.first_mut() {
        *first = Some(Region::Outside);
        todo.push((BlockId(0), Region::Outside));
    }
    while let Some((block, region)) = todo.pop() {
        let at_end = through(report, function, block, region);
        for target in successors(&function.blocks[block.index()].terminator.kind) {
            // A target out of range is reported elsewhere.
            let Some(known) = at_entry.get_mut(target.index()) else { continue };
            match *known {
                None => {
                    *known = Some(at_end);
                    todo.push((target, at_end));
                }
                Some(region) if region != at_end => {
                    let span = function.blocks[block.index()].terminator.span;
                    report
                        .add(Spot::in_function(function, block.index(), span), Fault::MixedRegion { target });
                }
                Some(_) => {}
            }
        }
    }
}

fn successors(terminator: &TerminatorKind) -> Vec<BlockId> {
    match terminator {
        TerminatorKind::Goto(target) => vec![*target],
        TerminatorKind::Branch { then, otherwise, .. } if then == otherwise => vec![*then],
        TerminatorKind::Branch { then, otherwise, .. } => vec![*then, *otherwise],
        TerminatorKind::Return(_) => Vec::new(),
    }
}

/// Follows a block from its entry to its end.
fn through<'p>(report: &mut Report<'p>, function: &'p Function, block: BlockId, entry: Region) -> Region {
    let code = &function.blocks[block.index()];
    let mut region = entry;
    for instr in &code.instrs {
        let fault = match (&instr.kind, region) {
            (InstrKind::AtomicBegin, Region::Inside) => Some(Fault::NotInARegion { instr: "atomic begin" }),
            (InstrKind::AtomicEnd, Region::Outside) => Some(Fault::NoRegion),
            (kind, Region::Inside) => forbidden(kind).map(|instr| Fault::NotInARegion { instr }),
            (_, Region::Outside) => None,
        };
        if let Some(fault) = fault {
            report.add(Spot::in_function(function, block.index(), instr.span), fault);
        }
        match instr.kind {
            InstrKind::AtomicBegin => region = Region::Inside,
            InstrKind::AtomicEnd => region = Region::Outside,
            _ => {}
        }
    }
    if region == Region::Inside && matches!(code.terminator.kind, TerminatorKind::Return(_)) {
        report.add(Spot::in_function(function, block.index(), code.terminator.span), Fault::OpenRegion);
    }
    region
}

/// The word for an instruction that no region may contain.
fn forbidden(kind: &InstrKind) -> Option<&'static str> {
    match kind {
        InstrKind::Choose { .. } => Some("choose"),
        InstrKind::Signal(_) => Some("signal"),
        InstrKind::Wait { .. } => Some("wait"),
        InstrKind::BarrierWait(_) => Some("arrive"),
        InstrKind::Spawn(_) => Some("spawn"),
        InstrKind::Join(_) => Some("join"),
        InstrKind::Call { .. } => Some("call"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::faults_in;
    use super::*;

    #[test]
    fn a_region_may_span_blocks_and_loops() {
        let body = "b0:\n  atomic begin\n  goto b1\nb1:\n  branch %b, b1, b2\nb2:\n  atomic end\n  return";
        assert_eq!(faults_in(body), []);
    }

    #[test]
    fn regions_do_not_nest() {
        let body = "b0:\n  atomic begin\n  atomic begin\n  atomic end\n  return";
        assert_eq!(faults_in(body), [Fault::NotInARegion { instr: "atomic begin" }]);
    }

    #[test]
    fn a_region_that_ends_has_begun() {
        assert_eq!(faults_in("b0:\n  atomic end\n  return"), [Fault::NoRegion]);
    }

    #[test]
    fn a_function_returns_outside_of_regions() {
        assert_eq!(faults_in("b0:\n  atomic begin\n  return"), [Fault::OpenRegion]);
    }

    #[test]
    fn all_paths_to_a_block_agree() {
        let body = "b0:\n  branch %b, b1, b2\nb1:\n  atomic begin\n  goto b2\nb2:\n  return";
        assert_eq!(faults_in(body), [Fault::MixedRegion { target: BlockId(2) }]);
    }

    #[test]
    fn a_loop_that_begins_a_region_each_time_is_found() {
        let body = "b0:\n  goto b1\nb1:\n  atomic begin\n  branch %b, b1, b2\nb2:\n  atomic end\n  return";
        assert_eq!(faults_in(body), [Fault::MixedRegion { target: BlockId(1) }]);
    }

    #[test]
    fn blocks_that_nothing_reaches_are_not_looked_at() {
        assert_eq!(faults_in("b0:\n  return\nb1:\n  atomic end\n  goto b0"), []);
    }

    #[test]
    fn nothing_in_a_region_waits_half_way_or_chooses() {
        for (line, instr) in [
            ("%i = choose 0 .. 2", "choose"),
            ("signal @c", "signal"),
            ("wait @c, @m", "wait"),
            ("arrive @r", "arrive"),
            ("spawn @w", "spawn"),
            ("join @w", "join"),
            ("call @g(1)", "call"),
        ] {
            let body = format!("b0:\n  atomic begin\n  {line}\n  atomic end\n  return");
            assert_eq!(faults_in(&body), [Fault::NotInARegion { instr }], "{line}");
        }
        for line in ["lock @m", "unlock @m", "broadcast @c", "await @p", "assert @p", "rmw add @x, 1"] {
            let body = format!("b0:\n  atomic begin\n  {line}\n  atomic end\n  return");
            assert_eq!(faults_in(&body), [], "{line}");
        }
    }
}
