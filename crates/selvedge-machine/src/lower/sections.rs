//! What is known in advance about atomic sections.

use crate::builtin::Builtin;
use crate::code::{CONSTANT, Call, Callee, Op, Section};

/// For each instruction, what is known about the atomic section that it begins: whether it has no branches and all its
/// addresses are constants, whether it may have to wait, and whether it may decide something.
pub fn sections(ops: &[Op], calls: &[Call]) -> Vec<Section> {
    let begins = |pc: usize| matches!(ops[pc], Op::AtomicBegin);
    (0..ops.len())
        .map(|pc| if begins(pc) { section(&ops[pc + 1..], calls) } else { Section::default() })
        .collect()
}

fn section(ops: &[Op], calls: &[Call]) -> Section {
    let mut section = Section { is_fixed: true, ..Section::default() };
    for op in ops {
        match op {
            Op::AtomicEnd => return section,
            Op::Load { address, .. } | Op::Store { address, .. } if *address >= CONSTANT => {}
            Op::Move { .. }
            | Op::Binary { .. }
            | Op::AddImmediate { .. }
            | Op::Compare { .. }
            | Op::Truncate { .. }
            | Op::SignExtend { .. }
            | Op::Element { .. }
            | Op::Alloca { .. } => {}
            Op::CompareWords { .. } => section.may_compare = true,
            Op::CompareWordsBranch { .. } => (section.is_fixed, section.may_compare) = (false, true),
            Op::Call { .. } | Op::CallIndirect { .. } => {
                section = Section { is_fixed: false, may_wait: true, may_decide: true, ..section };
            }
            Op::Builtin { call } => {
                let may_decide = section.may_decide || may_decide(calls[*call as usize].callee);
                section = Section { is_fixed: false, may_wait: true, may_decide, ..section };
            }
            _ => section.is_fixed = false,
        }
    }
    section
}

/// Whether a call may decide something.
fn may_decide(callee: Callee) -> bool {
    !matches!(
        callee,
        Callee::Builtin(Builtin::Assume | Builtin::AssumeOrAbort | Builtin::ErrorCall | Builtin::AssertFail)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::AccessMode;

    #[test]
    fn a_section_with_a_branch_or_a_computed_address_varies() {
        let load = |address| Op::Load { dst: 0, address, bits: 32, access: AccessMode::Plain };
        let is_fixed = |op: Op| sections(&[Op::AtomicBegin, op, Op::AtomicEnd], &[])[0].is_fixed;
        assert!(is_fixed(load(CONSTANT)));
        assert!(!is_fixed(load(3)));
        assert!(!is_fixed(Op::Jump { to: 2 }));
    }
}
