//! Loops, and which registers are in use while a thread stands somewhere.

use super::liveness::{self, Purpose, Registers};
use super::promotion::Promotions;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{BinaryOperator, BlockId, Instruction, LocalId, Operand, Operation};
use selvedge_llvm::module::Function;

/// What is known about a function.
#[derive(Debug)]
pub struct Analysis {
    /// Registers that are in use while the thread stands somewhere.
    pub kept: Registers,
    /// For each block that is the head of a loop in which a thread may stand, and that may go round without any change: what
    /// is in use there.
    pub heads: Vec<Option<Head>>,
    /// The edges that lead back to the head of a loop.
    pub back_edges: Vec<(BlockId, BlockId)>,
    /// The instructions, by block and place, that are the only ones of a loop before which a thread may stand, and
    /// that only read when they do not end it.
    pub awaits: Vec<(usize, usize)>,
}

/// What is in use at the head of a loop and may change from round to round.
#[derive(Clone, Debug)]
pub struct Head {
    /// The registers that decide what rounds do.
    pub steering: Registers,
    /// Those that matter only when the loop has ended: a round does the same whatever they hold.
    pub counting: Registers,
    /// The last block of the loop.
    pub last: BlockId,
}

/// Whether a thread may stand before an instruction.
pub fn is_stop(instruction: &Instruction, promotions: &Promotions) -> bool {
    let is_memory = |operand: &Operand| match operand {
        Operand::Local(local) => !promotions.promoted[local.0 as usize],
        _ => true,
    };
    match &instruction.operation {
        Operation::Load { pointer, .. } | Operation::Store { pointer, .. } => is_memory(&pointer.operand),
        Operation::CompareExchange { .. }
        | Operation::ReadModifyWrite { .. }
        | Operation::Call(_)
        | Operation::Invoke(..)
        | Operation::Resume(_)
        | Operation::VaArg(..)
        | Operation::Return(_) => true,
        _ => false,
    }
}

/// The blocks that end with an edge back to a block on the way to them.
fn back_edges(function: &Function) -> Vec<(BlockId, BlockId)> {
    let mut edges = Vec::new();
    // 0 unseen, 1 on the way, 2 done.
    let mut state = vec![0u8; function.blocks.len()];
    let mut stack = vec![(BlockId(0), 0)];
    state[0] = 1;
    while let Some((block, next)) = stack.pop() {
        let successors =
            function.blocks[block.0 as usize].instructions.last().map(|i| i.operation.successors());
        let successors = successors.unwrap_or_default();
        match successors.get(next) {
            None => state[block.0 as usize] = 2,
            Some(&to) => {
                stack.push((block, next + 1));
                match state[to.0 as usize] {
                    0 => {
                        state[to.0 as usize] = 1;
                        stack.push((to, 0));
                    }
                    1 => edges.push((block, to)),
                    _ => {}
                }
            }
        }
    }
    edges
}

/// The blocks of the loop with a head: those from which its back edges can be reached without the head.
fn loop_body(function: &Function, head: BlockId, edges: &[(BlockId, BlockId)]) -> Vec<bool> {
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for (b, block) in function.blocks.iter().enumerate() {
        for to in block.instructions.last().map(|i| i.operation.successors()).unwrap_or_default() {
            predecessors[to.0 as usize].push(b);
        }
    }
    let mut body = vec![false; function.blocks.len()];
    body[head.0 as usize] = true;
    let mut todo: Vec<usize> = edges.iter().filter(|e| e.1 == head).map(|e| e.0.0 as usize).collect();
    while let Some(block) = todo.pop() {
        if !std::mem::replace(&mut body[block], true) {
            todo.extend(&predecessors[block]);
        }
    }
    body
}

/// The instructions of some blocks before which a thread may stand.
fn stops(function: &Function, promotions: &Promotions, body: &[bool]) -> Vec<(usize, usize)> {
    let mut stops = Vec::new();
    for (b, block) in function.blocks.iter().enumerate().filter(|(b, _)| body[*b]) {
        for (i, instruction) in block.instructions.iter().enumerate() {
            if is_stop(instruction, promotions) && !promotions.skipped[b][i] {
                stops.push((b, i));
            }
        }
    }
    stops
}

/// Analyses a function.
pub fn analyse(function: &Function, promotions: &Promotions, results: Purpose) -> Analysis {
    let back_edges = back_edges(function);
    let mut heads = vec![None; function.blocks.len()];
    let mut awaits = Vec::new();
    let everywhere = vec![true; function.blocks.len()];
    let needed = liveness::at_blocks(function, promotions, results, &everywhere);
    for &(_, head) in &back_edges {
        let body = loop_body(function, head, &back_edges);
        let stops = stops(function, promotions, &body);
        let needed = &needed[head.0 as usize];
        if !stops.is_empty() && heads[head.0 as usize].is_none() {
            let mut steers = liveness::at_blocks(function, promotions, Purpose::Steering, &body);
            let steering = steers.swap_remove(head.0 as usize);
            if !counts(function, promotions, &body, head, &back_edges, &steering) {
                let changing = changing(function, promotions, &body);
                let counting = needed.without(&steering).common(&changing);
                let last = BlockId(body.iter().rposition(|is_inside| *is_inside).unwrap_or_default() as u32);
                heads[head.0 as usize] = Some(Head { counting, steering: steering.common(&changing), last });
            }
        }
        let is_inner = |&(_, other): &(BlockId, BlockId)| other != head && body[other.0 as usize];
        if let [(b, i)] = stops[..]
            // In a loop inside this one it may come several times in a round.
            && !back_edges.iter().filter(|edge| is_inner(edge)).any(|edge| loop_body(function, edge.1, &back_edges)[b])
            && !makes_progress(function, promotions, &body, head, needed)
            && matches!(
                function.blocks[b].instructions[i].operation,
                Operation::Load { .. }
                    | Operation::CompareExchange { .. }
                    | Operation::ReadModifyWrite { .. }
            )
        {
            awaits.push((b, i));
        }
    }
    let mut kept = Registers::new(function.locals);
    let live_at = liveness::at_blocks(function, promotions, Purpose::Anything, &everywhere);
    for (b, block) in function.blocks.iter().enumerate() {
        let mut live = liveness::at_end(function, promotions, Purpose::Anything, &live_at, b);
        for (i, instruction) in block.instructions.iter().enumerate().rev() {
            if matches!(instruction.operation, Operation::Phi(..)) {
                break;
            }
            liveness::step_back(
                &mut live,
                instruction,
                promotions,
                Purpose::Anything,
                promotions.skipped[b][i],
            );
            if is_stop(instruction, promotions) {
                kept.add_all(&live);
            }
        }
        if heads[b].is_some() {
            kept.add_all(&live);
        }
    }
    Analysis { kept, heads, back_edges, awaits }
}

/// Whether a round of a loop computes something that is in use when the next one begins: then it counts or walks along
/// something, and does not only wait. What is set to what was read, or to a constant, may be the same in every round.
fn makes_progress(
    function: &Function,
    promotions: &Promotions,
    body: &[bool],
    head: BlockId,
    live: &Registers,
) -> bool {
    let instructions = || {
        let blocks = function.blocks.iter().enumerate().filter(|(b, _)| body[*b]);
        blocks.flat_map(|(_, block)| &block.instructions)
    };
    let in_head: Vec<LocalId> = phis(function, head).collect();
    let mut computed = Registers::new(function.locals);
    for instruction in instructions() {
        if let (Some(result), Operation::Binary(..) | Operation::Element { .. }) =
            (instruction.result, &instruction.operation)
        {
            computed.insert(result);
        }
    }
    let is_computed =
        |operand: &Operand| matches!(operand, Operand::Local(local) if computed.contains(*local));
    instructions().any(|instruction| match &instruction.operation {
        Operation::Phi(_, incoming) => {
            let is_unused = |result| in_head.contains(&result) && !live.contains(result);
            let is_used = !instruction.result.is_some_and(is_unused);
            is_used && incoming.iter().any(|(operand, _)| is_computed(operand))
        }
        Operation::Store { value, pointer, .. } if is_promoted(&pointer.operand, promotions) => {
            is_computed(&value.operand)
                && matches!(pointer.operand, Operand::Local(variable) if live.contains(variable))
        }
        _ => false,
    })
}

/// The registers that a loop sets and the variables that it stores to: all else is in every round what it was before.
fn changing(function: &Function, promotions: &Promotions, body: &[bool]) -> Registers {
    let mut changing = Registers::new(function.locals);
    for (_, block) in function.blocks.iter().enumerate().filter(|(b, _)| body[*b]) {
        for instruction in &block.instructions {
            if let Some(result) = instruction.result {
                changing.insert(promotions.representative[result.0 as usize]);
            }
            if let Operation::Store { pointer, .. } = &instruction.operation
                && let Operand::Local(variable) = pointer.operand
            {
                changing.insert(promotions.representative[variable.0 as usize]);
            }
        }
    }
    changing
}

/// What the phis of a block set.
fn phis(function: &Function, block: BlockId) -> impl Iterator<Item = LocalId> {
    let instructions = function.blocks[block.0 as usize].instructions.iter();
    instructions.filter(|i| matches!(i.operation, Operation::Phi(..))).filter_map(|i| i.result)
}

/// Whether every round of a loop adds a constant to the same register or variable, which decides what rounds do: then no two rounds in a row
/// begin alike.
fn counts(
    function: &Function,
    promotions: &Promotions,
    body: &[bool],
    head: BlockId,
    back_edges: &[(BlockId, BlockId)],
    steering: &Registers,
) -> bool {
    let mut last_blocks = back_edges.iter().filter(|edge| edge.1 == head).map(|edge| edge.0);
    let (Some(last), None) = (last_blocks.next(), last_blocks.next()) else { return false };
    let blocks = || function.blocks.iter().enumerate().filter(|(b, _)| body[*b]).map(|(_, block)| block);
    // The register to which a constant other than 0 is added to get another one.
    let increased = |sum: &Operand| {
        let Operand::Local(sum) = sum else { return None };
        let is_sum = |instruction: &&Instruction| instruction.result == Some(*sum);
        match &blocks().flat_map(|block| &block.instructions).find(is_sum)?.operation {
            Operation::Binary(BinaryOperator::Add | BinaryOperator::Sub, _, a, b) => {
                match (&a.operand, &b.operand) {
                    (Operand::Local(register), Operand::Constant(Constant::Int(amount))) if *amount != 0 => {
                        Some(*register)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    };
    let counting_phi = function.blocks[head.0 as usize].instructions.iter().any(|instruction| {
        let Operation::Phi(_, incoming) = &instruction.operation else { return false };
        let next = incoming.iter().find(|(_, from)| *from == last);
        let is_increased =
            |sum: &Operand| instruction.result.is_some() && increased(sum) == instruction.result;
        next.is_some_and(|(sum, _)| is_increased(sum))
            && instruction.result.is_some_and(|result| steering.contains(result))
    });
    // A variable: loaded, increased and stored in the last block, and stored nowhere else in the loop.
    let block = &function.blocks[last.0 as usize].instructions;
    let stores_to = |variable: &Operand| {
        let instructions = blocks().flat_map(|block| &block.instructions);
        instructions
            .filter(
                |i| matches!(&i.operation, Operation::Store { pointer, .. } if pointer.operand == *variable),
            )
            .count()
    };
    let counting_variable = || {
        block.iter().any(|instruction| {
            let Operation::Store { value, pointer, .. } = &instruction.operation else { return false };
            let Some(loaded) = increased(&value.operand) else { return false };
            let is_load = |i: &Instruction| {
                i.result == Some(loaded)
                    && matches!(&i.operation, Operation::Load { pointer: from, .. } if from.operand == pointer.operand)
            };
            is_promoted(&pointer.operand, promotions)
                && matches!(pointer.operand, Operand::Local(variable) if steering.contains(variable))
                && block.iter().any(is_load)
                && stores_to(&pointer.operand) == 1
        })
    };
    counting_phi || counting_variable()
}

/// Whether an address is that of a variable that became a register.
pub fn is_promoted(pointer: &Operand, promotions: &Promotions) -> bool {
    matches!(pointer, Operand::Local(local) if promotions.promoted[local.0 as usize])
}
