//! Which registers are in use where.
//!
//! A register is in use if its value may be read before it is set again. For some purposes that is too much: a counter that is read only to be
//! increased is of no use to anybody. So what is computed only for registers that are not in use can be left out
//! (such registers are called *faint*).

use super::analysis::is_promoted;
use super::promotion::Promotions;
use selvedge_llvm::instruction::{
    BinaryOperator, BlockId, CastOperator, Instruction, LocalId, Operand, Operation, Wrap,
};
use selvedge_llvm::module::Function;

/// A set of registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers(Vec<u64>);

impl Registers {
    /// The empty set, for so many registers.
    pub fn new(count: usize) -> Registers {
        Registers(vec![0; count.div_ceil(64)])
    }

    /// Adds a register.
    pub fn insert(&mut self, local: LocalId) {
        self.0[local.0 as usize / 64] |= 1 << (local.0 % 64);
    }

    fn remove(&mut self, local: LocalId) {
        self.0[local.0 as usize / 64] &= !(1 << (local.0 % 64));
    }

    /// Adds all registers of another set, and says whether some were new.
    pub fn add_all(&mut self, other: &Registers) -> bool {
        let mut grew = false;
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            grew |= *theirs & !*mine != 0;
            *mine |= theirs;
        }
        grew
    }

    /// The registers of the set that are not in another one.
    pub fn without(&self, other: &Registers) -> Registers {
        Registers(self.0.iter().zip(&other.0).map(|(mine, theirs)| mine & !theirs).collect())
    }

    /// The registers that are in both sets.
    pub fn common(&self, other: &Registers) -> Registers {
        Registers(self.0.iter().zip(&other.0).map(|(mine, theirs)| mine & theirs).collect())
    }

    /// Whether a register is in the set.
    pub fn contains(&self, local: LocalId) -> bool {
        self.0[local.0 as usize / 64] & (1 << (local.0 % 64)) != 0
    }

    /// The registers of the set.
    pub fn iter(&self) -> impl Iterator<Item = LocalId> {
        let bits = |(word, bits): (usize, &u64)| {
            let bits = *bits;
            (0..64).filter(move |bit| bits & (1 << bit) != 0).map(move |bit| LocalId(word as u32 * 64 + bit))
        };
        self.0.iter().enumerate().flat_map(bits)
    }
}

/// What registers are used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// For anything.
    Anything,
    /// For what can be noticed in the end: signed overflow, too, if it is looked for.
    Results {
        /// Whether it is.
        overflow: bool,
    },
    /// For the way that the thread takes and what it does to memory.
    Steering,
}

impl Purpose {
    /// Whether an instruction does nothing but compute its result, so that it is of no use if the result is of none.
    fn is_mere_computation(self, operation: &Operation, promotions: &Promotions) -> bool {
        match operation {
            _ if self == Purpose::Anything => false,
            Operation::Binary(operator, wrap, ..) => !self.may_fail(*operator, *wrap),
            Operation::Cast(operator, ..) => !matches!(operator, CastOperator::FpToUi | CastOperator::FpToSi),
            Operation::Load { pointer, .. } => is_promoted(&pointer.operand, promotions),
            Operation::Negate(_)
            | Operation::Compare(..)
            | Operation::CompareFloat(..)
            | Operation::Select(..)
            | Operation::Element { .. }
            | Operation::ExtractValue(..)
            | Operation::InsertValue(..)
            | Operation::Freeze(_) => true,
            _ => false,
        }
    }

    fn may_fail(self, operator: BinaryOperator, wrap: Wrap) -> bool {
        use BinaryOperator::{AShr, LShr, SDiv, SRem, Shl, UDiv, URem};
        matches!(operator, UDiv | SDiv | URem | SRem | Shl | LShr | AShr)
            || wrap.no_signed && self == Purpose::Results { overflow: true }
    }
}

/// The variables that may be read before they are written: making them gives them no value.
pub fn at_entry(function: &Function, promotions: &Promotions) -> Registers {
    let everywhere = vec![true; function.blocks.len()];
    let live_at = at_blocks(function, promotions, Purpose::Anything, &everywhere);
    let mut live = at_end(function, promotions, Purpose::Anything, &live_at, 0);
    let instructions = function.blocks.first().map_or(&[][..], |block| &block.instructions);
    for (i, instruction) in instructions.iter().enumerate().rev() {
        if !matches!(instruction.operation, Operation::Alloca { .. }) {
            step_back(&mut live, instruction, promotions, Purpose::Anything, promotions.skipped[0][i]);
        }
    }
    live
}

/// The registers in use at the beginning of each of some blocks, after its phis, as if nothing came after these blocks.
pub fn at_blocks(
    function: &Function,
    promotions: &Promotions,
    purpose: Purpose,
    within: &[bool],
) -> Vec<Registers> {
    let mut live_at = vec![Registers::new(function.locals); function.blocks.len()];
    loop {
        let mut changed = false;
        for b in (0..function.blocks.len()).rev().filter(|b| within[*b]) {
            let mut live = at_end(function, promotions, purpose, &live_at, b);
            for (i, instruction) in function.blocks[b].instructions.iter().enumerate().rev() {
                if matches!(instruction.operation, Operation::Phi(..)) {
                    break;
                }
                step_back(&mut live, instruction, promotions, purpose, promotions.skipped[b][i]);
            }
            changed |= live_at[b].add_all(&live);
        }
        if !changed {
            return live_at;
        }
    }
}

/// The registers in use at the end of a block.
pub fn at_end(
    function: &Function,
    promotions: &Promotions,
    purpose: Purpose,
    live_at: &[Registers],
    b: usize,
) -> Registers {
    let mut live = Registers::new(function.locals);
    let Some(last) = function.blocks[b].instructions.last() else { return live };
    for to in last.operation.successors() {
        let mut there = live_at[to.0 as usize].clone();
        let phis = || function.blocks[to.0 as usize].instructions.iter().map_while(as_phi);
        for (result, incoming) in phis() {
            let is_needed = result.is_none_or(|result| live_at[to.0 as usize].contains(result));
            for (operand, _) in incoming.iter().filter(|(_, from)| from.0 as usize == b) {
                if let (Operand::Local(local), true) = (operand, is_needed || purpose == Purpose::Anything) {
                    live.insert(promotions.representative[local.0 as usize]);
                }
            }
        }
        phis().filter_map(|phi| phi.0).for_each(|result| there.remove(result));
        live.add_all(&there);
    }
    live
}

/// From the registers in use after an instruction to those in use before it.
pub fn step_back(
    live: &mut Registers,
    instruction: &Instruction,
    promotions: &Promotions,
    purpose: Purpose,
    skipped: bool,
) {
    if skipped {
        return;
    }
    let representative = |local: LocalId| promotions.representative[local.0 as usize];
    let mut is_needed = !purpose.is_mere_computation(&instruction.operation, promotions);
    if let Some(result) = instruction.result {
        is_needed |= live.contains(representative(result));
        live.remove(representative(result));
    }
    match &instruction.operation {
        Operation::Store { value, pointer, .. } if is_promoted(&pointer.operand, promotions) => {
            is_needed = purpose == Purpose::Anything;
            if let Operand::Local(variable) = pointer.operand {
                is_needed |= live.contains(variable);
                live.remove(variable);
            }
            if let (Operand::Local(stored), true) = (&value.operand, is_needed) {
                live.insert(representative(*stored));
            }
        }
        // What a phi reads is read at the end of the block before.
        Operation::Phi(..) => {}
        operation if is_needed => operation.operands(&mut |operand| {
            if let Operand::Local(used) = operand {
                live.insert(representative(*used));
            }
        }),
        _ => {}
    }
}

/// What a phi may become, and where from.
type Incoming = [(Operand, BlockId)];

/// The result of a phi, and what it may become.
fn as_phi(instruction: &Instruction) -> Option<(Option<LocalId>, &Incoming)> {
    match &instruction.operation {
        Operation::Phi(_, incoming) => Some((instruction.result, incoming)),
        _ => None,
    }
}
