//! Which variables become registers, and which registers are only other names for them.
//!
//! A variable becomes a register when its address is used for nothing but whole loads and stores. The result of a load is
//! another name for it when nothing is stored between the load and the last use; what is computed just to be
//! stored is computed right there.

use super::liveness::Registers;
use selvedge_llvm::instruction::{LocalId, Operand, Operation};
use selvedge_llvm::module::Function;
use selvedge_llvm::types::{TypeId, Types};

/// What became of the registers of a function.
#[derive(Debug)]
pub struct Promotions {
    /// The variable that each register stands for: itself as a rule.
    pub representative: Vec<LocalId>,
    /// Whether a register is the address of a variable that became a register.
    pub promoted: Vec<bool>,
    /// The instructions that have nothing left to do, by block and place.
    pub skipped: Vec<Vec<bool>>,
    /// How often each register is used.
    pub uses: Vec<u32>,
}

fn local(operand: &Operand) -> Option<LocalId> {
    match operand {
        Operand::Local(local) => Some(*local),
        _ => None,
    }
}

/// The bits of a type that fits into one word.
pub fn word_bits(types: &Types, ty: TypeId) -> Option<u32> {
    match types.words(ty)?.as_slice() {
        [word] if !types.is_aggregate(ty) => Some(word.bits),
        _ => None,
    }
}

impl Promotions {
    /// No variable becomes a register.
    pub fn none(function: &Function) -> Promotions {
        Promotions {
            representative: (0..function.locals as u32).map(LocalId).collect(),
            promoted: vec![false; function.locals],
            skipped: function.blocks.iter().map(|b| vec![false; b.instructions.len()]).collect(),
            uses: count_uses(function),
        }
    }

    /// Finds the variables of a function that become registers.
    pub fn find(function: &Function, types: &Types, is_harmless: &dyn Fn(&Operand) -> bool) -> Promotions {
        let mut promotions = Promotions::none(function);
        promotions.find_variables(function, types, is_harmless);
        promotions.find_loads(function);
        promotions.find_stores(function);
        promotions
    }

    /// The same without some variables: those that may be read before they are written stay in memory, where that is
    /// noticed.
    pub fn without(self, function: &Function, variables: &Registers) -> Promotions {
        if !variables.iter().any(|variable| self.promoted[variable.0 as usize]) {
            return self;
        }
        let mut promotions = Promotions::none(function);
        promotions.promoted = self.promoted;
        variables.iter().for_each(|variable| promotions.promoted[variable.0 as usize] = false);
        promotions.find_loads(function);
        promotions.find_stores(function);
        promotions
    }

    fn find_variables(&mut self, function: &Function, types: &Types, is_harmless: &dyn Fn(&Operand) -> bool) {
        let mut bits: Vec<Option<u32>> = vec![None; function.locals];
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            if let (Some(result), Operation::Alloca { ty, count: None, .. }) =
                (instruction.result, &instruction.operation)
            {
                bits[result.0 as usize] = word_bits(types, *ty);
            }
        }
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            match &instruction.operation {
                Operation::Load { ty, pointer, .. } => {
                    if let Some(address) = local(&pointer.operand)
                        && bits[address.0 as usize] != word_bits(types, *ty)
                    {
                        bits[address.0 as usize] = None;
                    }
                }
                Operation::Store { value, pointer, .. } => {
                    if let Some(stored) = local(&value.operand) {
                        bits[stored.0 as usize] = None;
                    }
                    if let Some(address) = local(&pointer.operand)
                        && bits[address.0 as usize] != word_bits(types, value.ty)
                    {
                        bits[address.0 as usize] = None;
                    }
                }
                Operation::Call(call) if is_harmless(&call.callee) => {}
                operation => operation.operands(&mut |operand| {
                    if let Some(used) = local(operand) {
                        bits[used.0 as usize] = None;
                    }
                }),
            }
        }
        self.promoted = bits.iter().map(Option::is_some).collect();
    }

    /// Finds loads whose result is another name for the variable.
    fn find_loads(&mut self, function: &Function) {
        // The block of every use; none if there are several, or in a phi.
        const SEVERAL: usize = usize::MAX;
        let mut used_in = vec![None; function.locals];
        let mut last_use = vec![0; function.locals];
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instruction) in block.instructions.iter().enumerate() {
                let is_phi = matches!(instruction.operation, Operation::Phi(..));
                instruction.operation.operands(&mut |operand| {
                    if let Some(used) = local(operand) {
                        let place = &mut used_in[used.0 as usize];
                        *place = match *place {
                            None if !is_phi => Some(b),
                            Some(known) if known == b && !is_phi => Some(b),
                            _ => Some(SEVERAL),
                        };
                        last_use[used.0 as usize] = i;
                    }
                });
            }
        }
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, instruction) in block.instructions.iter().enumerate() {
                if let (Some(result), Operation::Load { pointer, .. }) =
                    (instruction.result, &instruction.operation)
                    && let Some(address) = local(&pointer.operand)
                    && self.promoted[address.0 as usize]
                    && used_in[result.0 as usize].is_none_or(|block| block == b)
                {
                    let last = last_use[result.0 as usize].max(i);
                    let is_stored = block.instructions[i..last].iter().any(|other| {
                        matches!(&other.operation, Operation::Store { pointer, .. } if local(&pointer.operand) == Some(address))
                    });
                    if !is_stored {
                        self.representative[result.0 as usize] = address;
                        self.skipped[b][i] = true;
                    }
                }
            }
        }
    }

    /// Finds results that are stored at once and used for nothing else.
    fn find_stores(&mut self, function: &Function) {
        for (b, block) in function.blocks.iter().enumerate() {
            for (i, pair) in block.instructions.windows(2).enumerate() {
                if let (Some(result), Operation::Store { value, pointer, .. }) =
                    (pair[0].result, &pair[1].operation)
                    && local(&value.operand) == Some(result)
                    && self.uses[result.0 as usize] == 1
                    && let Some(address) = local(&pointer.operand)
                    && self.promoted[address.0 as usize]
                    && self.representative[result.0 as usize] == result
                    && writes_last(&pair[0].operation)
                {
                    self.representative[result.0 as usize] = address;
                    self.skipped[b][i + 1] = true;
                }
            }
        }
    }
}

/// Whether an operation writes its result after it has read all its operands, in one word.
fn writes_last(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Binary(..)
            | Operation::Compare(..)
            | Operation::CompareFloat(..)
            | Operation::Cast(..)
            | Operation::Load { .. }
            | Operation::Call(_)
            | Operation::ReadModifyWrite { .. }
    )
}

fn count_uses(function: &Function) -> Vec<u32> {
    let mut uses = vec![0; function.locals];
    for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
        instruction.operation.operands(&mut |operand| {
            if let Some(used) = local(operand) {
                uses[used.0 as usize] += 1;
            }
        });
    }
    uses
}
