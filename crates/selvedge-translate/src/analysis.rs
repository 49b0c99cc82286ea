//! What is known of a function before it is translated: loops, variables that are registers in truth, what is still needed where.

use selvedge_llvm::instruction::{BlockId, LocalId, Operand, Operation};
use selvedge_llvm::module::{Definition, Function, Module};
use selvedge_llvm::types::Type;
use std::collections::BTreeSet;

/// A loop: its head, and all its blocks.
#[derive(Debug)]
pub struct Loop {
    /// Where it begins.
    pub head: BlockId,
    /// Its blocks, the head included.
    pub blocks: BTreeSet<BlockId>,
    /// Whether threads are started or awaited in it.
    pub handles_threads: bool,
}

/// What is known of a function.
#[derive(Debug)]
pub struct Analysis {
    /// The number of ways into each block.
    pub entries: Vec<usize>,
    /// The loops.
    pub loops: Vec<Loop>,
    /// Whether a register is the address of a variable that nobody takes.
    pub is_register: Vec<bool>,
    /// The registers, and the variables that are registers in truth, that are needed from the beginning of a block on.
    pub needed: Vec<BTreeSet<LocalId>>,
    /// Those needed at its end.
    pub needed_after: Vec<BTreeSet<LocalId>>,
    /// How often each register is used.
    pub uses: Vec<u32>,
}

impl Analysis {
    /// Looks at a function.
    pub fn new(module: &Module, function: &Function, handles_threads: &dyn Fn(usize) -> bool) -> Analysis {
        let is_register = registers(module, function);
        let (needed, needed_after) = needed(function, &is_register);
        let mut entries = vec![0; function.blocks.len()];
        entries[0] += 1;
        for block in 0..function.blocks.len() {
            successors(function, block).iter().for_each(|&to| entries[to] += 1);
        }
        let mut uses = vec![0; function.locals];
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            instruction.operation.operands(&mut |operand| {
                if let Operand::Local(used) = operand {
                    uses[used.0 as usize] += 1;
                }
            });
        }
        let loops = loops(module, function, handles_threads);
        Analysis { entries, loops, is_register, needed, needed_after, uses }
    }

    /// The loop with a head.
    pub fn with_head(&self, head: BlockId) -> Option<&Loop> {
        self.loops.iter().find(|candidate| candidate.head == head)
    }

    /// Whether a register is needed after an instruction of a block.
    pub fn is_needed_after(&self, function: &Function, block: BlockId, index: usize, local: LocalId) -> bool {
        let later = &function.blocks[block.0 as usize].instructions[index + 1..];
        let mut is_used = self.needed_after[block.0 as usize].contains(&local);
        for instruction in later {
            instruction.operation.operands(&mut |operand| is_used |= *operand == Operand::Local(local));
        }
        is_used
    }
}

fn successors(function: &Function, block: usize) -> Vec<usize> {
    let last = function.blocks[block].instructions.last();
    last.map_or(Vec::new(), |last| last.operation.successors().iter().map(|to| to.0 as usize).collect())
}

/// The variables whose address is used for nothing but to load and store all of them.
fn registers(module: &Module, function: &Function) -> Vec<bool> {
    let mut is_register = vec![false; function.locals];
    let instructions = || function.blocks.iter().flat_map(|b| &b.instructions);
    for instruction in instructions() {
        if let (Some(result), Operation::Alloca { ty, count: None, .. }) =
            (instruction.result, &instruction.operation)
        {
            is_register[result.0 as usize] = matches!(module.types.get(*ty), Type::Int(_) | Type::Pointer);
        }
    }
    let mut taken = |operand: &Operand| {
        if let Operand::Local(local) = operand {
            is_register[local.0 as usize] = false;
        }
    };
    for instruction in instructions() {
        match &instruction.operation {
            Operation::Load { .. } | Operation::Declare { .. } => {}
            Operation::Store { value, .. } => taken(&value.operand),
            Operation::Call(call) if is_remark(module, &call.callee) => {}
            operation => operation.operands(&mut taken),
        }
    }
    is_register
}

/// Whether a call means nothing to the program.
pub fn is_remark(module: &Module, callee: &Operand) -> bool {
    let Operand::Constant(selvedge_llvm::constant::Constant::Symbol(symbol)) = callee else { return false };
    let name = module.name(*symbol);
    name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.")
}

fn needed(function: &Function, is_register: &[bool]) -> (Vec<BTreeSet<LocalId>>, Vec<BTreeSet<LocalId>>) {
    let blocks = function.blocks.len();
    let (mut before, mut after) = (vec![BTreeSet::new(); blocks], vec![BTreeSet::new(); blocks]);
    loop {
        let mut changes = false;
        for block in (0..blocks).rev() {
            let mut live: BTreeSet<LocalId> = BTreeSet::new();
            for to in successors(function, block) {
                let results: BTreeSet<LocalId> = phis(function, to).map(|(result, _)| result).collect();
                live.extend(before[to].difference(&results));
                for (_, incoming) in phis(function, to) {
                    let own = incoming.iter().filter(|(_, from)| from.0 as usize == block);
                    live.extend(own.filter_map(|(operand, _)| match operand {
                        Operand::Local(local) => Some(*local),
                        _ => None,
                    }));
                }
            }
            changes |= after[block] != live;
            after[block] = live.clone();
            for instruction in function.blocks[block].instructions.iter().rev() {
                transfer(&instruction.operation, instruction.result, is_register, &mut live);
            }
            live.extend(phis(function, block).map(|(result, _)| result));
            changes |= before[block] != live;
            before[block] = live;
        }
        if !changes {
            return (before, after);
        }
    }
}

fn phis(function: &Function, block: usize) -> impl Iterator<Item = (LocalId, &Vec<(Operand, BlockId)>)> {
    function.blocks[block].instructions.iter().filter_map(|i| match (&i.operation, i.result) {
        (Operation::Phi(_, incoming), Some(result)) => Some((result, incoming)),
        _ => None,
    })
}

/// What is needed before an instruction, from what is needed after it.
fn transfer(
    operation: &Operation,
    result: Option<LocalId>,
    is_register: &[bool],
    live: &mut BTreeSet<LocalId>,
) {
    let variable = |operand: &Operand| match operand {
        Operand::Local(local) if is_register[local.0 as usize] => Some(*local),
        _ => None,
    };
    if let Some(result) = result
        && !is_register[result.0 as usize]
    {
        live.remove(&result);
    }
    match operation {
        Operation::Phi(..) => {}
        Operation::Store { value, pointer, .. } if variable(&pointer.operand).is_some() => {
            variable(&pointer.operand).into_iter().for_each(|v| {
                live.remove(&v);
            });
            if let Operand::Local(local) = value.operand {
                live.insert(local);
            }
        }
        operation => operation.operands(&mut |operand| {
            if let Operand::Local(local) = operand {
                live.insert(*local);
            }
        }),
    }
}

fn loops(module: &Module, function: &Function, handles_threads: &dyn Fn(usize) -> bool) -> Vec<Loop> {
    let count = function.blocks.len();
    let mut predecessors = vec![Vec::new(); count];
    for block in 0..count {
        successors(function, block).iter().for_each(|&to| predecessors[to].push(block));
    }
    let dominators = dominators(&predecessors);
    let mut found: Vec<Loop> = Vec::new();
    for (block, above) in dominators.iter().enumerate() {
        for head in successors(function, block).into_iter().filter(|head| above.contains(head)) {
            let mut blocks = BTreeSet::from([BlockId(head as u32)]);
            let mut todo = vec![block];
            while let Some(block) = todo.pop() {
                if blocks.insert(BlockId(block as u32)) {
                    todo.extend(&predecessors[block]);
                }
            }
            let head = BlockId(head as u32);
            match found.iter_mut().find(|known| known.head == head) {
                Some(known) => known.blocks.extend(blocks),
                None => found.push(Loop { head, blocks, handles_threads: false }),
            }
        }
    }
    for one in &mut found {
        let instructions = one.blocks.iter().flat_map(|b| &function.blocks[b.0 as usize].instructions);
        one.handles_threads = instructions.into_iter().any(|instruction| match &instruction.operation {
            Operation::Call(call) => match &call.callee {
                Operand::Constant(selvedge_llvm::constant::Constant::Symbol(symbol)) => {
                    matches!(module.definition(*symbol), Some(Definition::Function(f)) if handles_threads(*f))
                }
                _ => true,
            },
            _ => false,
        });
    }
    found
}

/// For each block those that every way to it goes through.
fn dominators(predecessors: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let count = predecessors.len();
    let mut dominators: Vec<BTreeSet<usize>> = vec![(0..count).collect(); count];
    dominators[0] = BTreeSet::from([0]);
    loop {
        let mut changes = false;
        for block in 1..count {
            let mut common = predecessors[block]
                .iter()
                .map(|&from| dominators[from].clone())
                .reduce(|a, b| a.intersection(&b).copied().collect())
                .unwrap_or_default();
            common.insert(block);
            changes |= common != dominators[block];
            dominators[block] = common;
        }
        if !changes {
            return dominators;
        }
    }
}
