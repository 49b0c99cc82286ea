//! Blocks, and the edges between them with what phis and loops do there.

use super::function::{FunctionLowering, Jump, Target};
use crate::code::{LoopHead, NO_SLOT, Op, Pc, Slot, Trap};
use selvedge_llvm::Site;
use selvedge_llvm::instruction::{BlockId, DebugLocation, LocalId, Operation};

impl FunctionLowering<'_, '_> {
    /// Lowers all blocks.
    pub fn code(&mut self) {
        self.place = self.lowering.place_of_function(self.function.debug);
        if self.is_atomic {
            self.emit(Op::AtomicBegin);
        }
        let mut first_ordinal = 0;
        for b in 0..self.function.blocks.len() {
            self.block_pcs[b] = self.pc();
            self.site = None;
            self.head(b);
            self.block(b, first_ordinal);
            first_ordinal += self.function.blocks[b].instructions.len() as u32;
        }
        self.site = None;
        self.ends_of_loops();
        self.edges();
    }

    /// Notes where the instructions come from that are emitted next. The compiler does not say it of all: the others belong to the place before.
    fn locate(&mut self, location: Option<DebugLocation>) {
        let place = self.lowering.place(location);
        if place.line > 0 {
            self.place = place;
        }
    }

    fn ends_of_loops(&mut self) {
        for (b, head) in self.analysis.heads.iter().enumerate() {
            let Some(head) = head else { continue };
            let end = self.block_pcs.get(head.last.0 as usize + 1).copied().unwrap_or(self.pc());
            if let Op::LoopHead { head } = self.lowering.code.ops[self.block_pcs[b] as usize] {
                self.lowering.code.loops[head as usize].end = end;
            }
        }
    }

    fn head(&mut self, b: usize) {
        let Some(head) = &self.analysis.heads[b] else { return };
        let words = |local: LocalId| {
            let (first, words) = (self.slots[local.0 as usize], self.words[local.0 as usize].len() as Slot);
            first..first + words
        };
        let steering: Vec<Slot> = head.steering.iter().flat_map(words).collect();
        let counting: Vec<Slot> = head.counting.iter().flat_map(words).collect();
        if let Some(first) = self.function.blocks[b].instructions.first() {
            self.locate(first.location);
        }
        let head = self.lowering.code.loops.len() as u32;
        self.lowering.code.loops.push(LoopHead { steering, counting, end: 0 });
        self.emit(Op::LoopHead { head });
    }

    /// Lowers a block whose first instruction has that position over all instructions of the function.
    fn block(&mut self, b: usize, first_ordinal: u32) {
        let block = &self.function.blocks[b];
        let mut i = 0;
        while i < block.instructions.len() {
            let instruction = &block.instructions[i];
            self.locate(instruction.location);
            let ordinal = first_ordinal + i as u32;
            self.site = self.module_place.map(|function| Site { function, ordinal });
            let is_phi = matches!(instruction.operation, Operation::Phi(..) | Operation::Declare { .. });
            if !is_phi && !self.promotions.skipped[b][i] {
                if let Some(next) = block.instructions.get(i + 1)
                    && self.fuse(b, instruction, next)
                {
                    return;
                }
                if let Err(what) = self.instruction(BlockId(b as u32), instruction) {
                    self.trap(Trap::Unsupported(what));
                }
                if self.analysis.awaits.contains(&(b, i)) {
                    let last = self.pc() - 1;
                    self.lowering.awaits.push(last);
                }
            }
            i += 1;
        }
        // A block ends with something that leaves it; what the reader did not know may not.
        if !block.instructions.last().is_some_and(|last| last.operation.ends_block()) {
            self.trap(Trap::Unsupported("an instruction that ends a block".to_owned()));
        }
    }

    pub fn trap(&mut self, trap: Trap) {
        let number = self.lowering.code.traps.len() as u32;
        self.lowering.code.traps.push(trap);
        self.emit(Op::Trap { trap: number });
    }

    pub fn jump(&mut self, at: Pc, target: Target, from: BlockId, to: BlockId) {
        self.jumps.push(Jump { at, target, from, to });
    }

    /// Whether a block comes right after another one and nothing happens in between.
    pub fn follows(&self, from: BlockId, to: BlockId) -> bool {
        let first = self.function.blocks[to.0 as usize].instructions.first();
        let has_phi = first.is_some_and(|first| matches!(first.operation, Operation::Phi(..)));
        let is_head = self.counters[to.0 as usize] != NO_SLOT || self.analysis.heads[to.0 as usize].is_some();
        to.0 == from.0 + 1 && !is_head && !has_phi
    }

    /// Fills in the targets of all jumps, with code on the edges that need it.
    fn edges(&mut self) {
        let mut stubs: std::collections::HashMap<(BlockId, BlockId), Pc> = std::collections::HashMap::new();
        for jump in std::mem::take(&mut self.jumps) {
            let edge = (jump.from, jump.to);
            let to = match stubs.get(&edge) {
                Some(&stub) => stub,
                None => {
                    let start = self.pc();
                    self.edge(jump.from, jump.to);
                    let to = match self.pc() == start {
                        true => self.block_pcs[jump.to.0 as usize],
                        false => {
                            self.emit(Op::Jump { to: self.block_pcs[jump.to.0 as usize] });
                            start
                        }
                    };
                    stubs.insert(edge, to);
                    to
                }
            };
            self.set_target(jump.at, &jump.target, to);
        }
    }

    fn set_target(&mut self, at: Pc, target: &Target, pc: Pc) {
        let code = &mut self.lowering.code;
        match (&mut code.ops[at as usize], target) {
            (Op::Jump { to }, _) => *to = pc,
            (
                Op::Branch { then, .. }
                | Op::CompareBranch { then, .. }
                | Op::CompareWordsBranch { then, .. },
                Target::First,
            ) => *then = pc,
            (
                Op::Branch { otherwise, .. }
                | Op::CompareBranch { otherwise, .. }
                | Op::CompareWordsBranch { otherwise, .. },
                _,
            ) => *otherwise = pc,
            (Op::Switch { table, .. }, Target::Case(value)) => {
                code.switches[*table as usize].0.insert(*value, pc);
            }
            (Op::Switch { table, .. }, _) => code.switches[*table as usize].1 = pc,
            _ => {}
        }
    }

    /// What happens between two blocks: phis receive their values, rounds of loops are counted.
    fn edge(&mut self, from: BlockId, to: BlockId) {
        let counter = self.counters[to.0 as usize];
        let goes_round = self.analysis.back_edges.contains(&(from, to));
        if self.analysis.heads[to.0 as usize].is_some() && !goes_round {
            self.emit(Op::LoopBegin { head: self.block_pcs[to.0 as usize] });
        }
        if counter != NO_SLOT {
            match goes_round {
                true => self.emit(Op::LoopRound { counter }),
                false => self.emit(Op::LoopEnter { counter }),
            };
        }
        let mut moves = Vec::new();
        for instruction in &self.function.blocks[to.0 as usize].instructions {
            let (Operation::Phi(ty, incoming), Some(result)) = (&instruction.operation, instruction.result)
            else {
                break;
            };
            let Some((operand, _)) = incoming.iter().find(|i| i.1 == from) else { continue };
            self.locate(instruction.location);
            match self.operand_slot(*ty, operand) {
                Ok(src) => {
                    let dst = self.slot_of(result);
                    let words = self.words[result.0 as usize].len() as Slot;
                    moves.extend((0..words).map(|w| (dst + w, src + w)));
                }
                Err(what) => self.trap(Trap::Unsupported(what)),
            }
        }
        self.moves(&moves);
    }

    /// Moves that happen all at once.
    fn moves(&mut self, moves: &[(Slot, Slot)]) {
        let written = |slot: Slot, upto: usize| moves[..upto].iter().any(|m| m.0 == slot);
        let is_safe = moves.iter().enumerate().all(|(i, m)| !written(m.1, i));
        if is_safe {
            for &(dst, src) in moves.iter().filter(|m| m.0 != m.1) {
                self.emit(Op::Move { dst, src });
            }
            return;
        }
        let room = self.temporary(moves.len());
        for (i, &(_, src)) in moves.iter().enumerate() {
            self.emit(Op::Move { dst: room + i as Slot, src });
        }
        for (i, &(dst, _)) in moves.iter().enumerate() {
            self.emit(Op::Move { dst, src: room + i as Slot });
        }
    }
}
