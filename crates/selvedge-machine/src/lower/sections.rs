//! What is known in advance about atomic sections.

use crate::code::{CONSTANT, Op, Section};

/// For each instruction, what is known about the atomic section that it begins: whether it has no branches and all its
/// addresses are constants, and whether it may have to wait.
pub fn sections(ops: &[Op]) -> Vec<Section> {
    (0..ops.len())
        .map(|pc| if let Op::AtomicBegin = ops[pc] { section(&ops[pc + 1..]) } else { Section::default() })
        .collect()
}

fn section(ops: &[Op]) -> Section {
    let mut section = Section { is_fixed: true, may_wait: false };
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
            Op::Call { .. } | Op::CallIndirect { .. } | Op::Builtin { .. } => {
                section = Section { is_fixed: false, may_wait: true };
            }
            _ => section.is_fixed = false,
        }
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::AccessMode;

    #[test]
    fn a_section_with_a_branch_or_a_computed_address_varies() {
        let load = |address| Op::Load { dst: 0, address, bits: 32, access: AccessMode::Plain };
        let is_fixed = |op: Op| sections(&[Op::AtomicBegin, op, Op::AtomicEnd])[0].is_fixed;
        assert!(is_fixed(load(CONSTANT)));
        assert!(!is_fixed(load(3)));
        assert!(!is_fixed(Op::Jump { to: 2 }));
    }
}
