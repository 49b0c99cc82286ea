//! Control-flow graphs under construction.
//!
//! There is always a current block, to which instructions are added. Code behind a `break` or `return` goes to a
//! block that nothing leads to; [`Graph::into_blocks`] drops it.

use selvedge_ir::{Block, BlockId, Expr, Instr, InstrKind, Place, Span, Terminator, TerminatorKind};

/// A function's blocks so far.
#[derive(Debug)]
pub struct Graph {
    blocks: Vec<Draft>,
    current: BlockId,
    /// Where blocks that never got a terminator came from.
    span: Span,
}

#[derive(Debug, Default)]
struct Draft {
    instrs: Vec<Instr>,
    terminator: Option<Terminator>,
}

/// A place between two instructions.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    block: BlockId,
    instr: usize,
    /// How many blocks there were.
    blocks: usize,
}

impl Graph {
    /// A graph with an empty first block, which is the current one.
    pub fn new(span: Span) -> Self {
        Graph { blocks: vec![Draft::default()], current: BlockId(0), span }
    }

    /// A new empty block.
    pub fn new_block(&mut self) -> BlockId {
        self.blocks.push(Draft::default());
        BlockId::at(self.blocks.len() - 1)
    }

    /// Goes on in the given block.
    pub fn enter(&mut self, block: BlockId) {
        self.current = block;
    }

    /// Adds an instruction.
    pub fn push(&mut self, instr: Instr) {
        self.blocks[self.current.index()].instrs.push(instr);
    }

    /// Ends the current block and goes on in a new one that nothing leads to.
    pub fn terminate(&mut self, kind: TerminatorKind, span: Span) {
        self.blocks[self.current.index()].terminator = Some(Terminator { kind, span });
        self.current = self.new_block();
    }

    /// Ends the current block with a jump to `target` and goes on there.
    pub fn continue_in(&mut self, target: BlockId, span: Span) {
        self.terminate(TerminatorKind::Goto(target), span);
        self.enter(target);
    }

    /// The end of the current block.
    pub fn position(&self) -> Position {
        let instr = self.blocks[self.current.index()].instrs.len();
        Position { block: self.current, instr, blocks: self.blocks.len() }
    }

    /// Inserts an instruction at an earlier position.
    pub fn insert(&mut self, position: Position, instr: Instr) {
        self.blocks[position.block.index()].instrs.insert(position.instr, instr);
    }

    /// How many visible transitions have been added since then.
    pub fn visible_since(&self, position: Position) -> usize {
        let first = &self.blocks[position.block.index()];
        let later = &self.blocks[position.blocks..];
        let instrs =
            first.instrs[position.instr..].iter().chain(later.iter().flat_map(|draft| &draft.instrs));
        let drafts = std::iter::once(first).chain(later);
        let branches = drafts.filter(|draft| draft.terminator.as_ref().is_some_and(branches_on_shared));
        instrs.filter(|instr| is_visible(&instr.kind)).count() + branches.count()
    }

    /// The blocks that can be reached, in the order in which they were made.
    pub fn into_blocks(self) -> Vec<Block> {
        let span = self.span;
        let finish = |draft: Draft| Block {
            instrs: draft.instrs,
            terminator: draft.terminator.unwrap_or(Terminator { kind: TerminatorKind::Return(None), span }),
        };
        let blocks: Vec<Block> = self.blocks.into_iter().map(finish).collect();
        let reached = reachable(&blocks);
        let mut new_ids = vec![BlockId(0); blocks.len()];
        let kept_ids = new_ids.iter_mut().zip(&reached).filter(|(_, reached)| **reached);
        for (position, (new_id, _)) in kept_ids.enumerate() {
            *new_id = BlockId::at(position);
        }
        let kept = blocks.into_iter().zip(reached).filter(|(_, reached)| *reached).map(|(block, _)| block);
        kept.map(|block| renumber(block, &new_ids)).collect()
    }
}

fn reachable(blocks: &[Block]) -> Vec<bool> {
    let mut reached = vec![false; blocks.len()];
    let mut open = vec![BlockId(0)];
    while let Some(block) = open.pop() {
        if std::mem::replace(&mut reached[block.index()], true) {
            continue;
        }
        match blocks[block.index()].terminator.kind {
            TerminatorKind::Goto(next) => open.push(next),
            TerminatorKind::Branch { then, otherwise, .. } => open.extend([then, otherwise]),
            TerminatorKind::Return(_) => {}
        }
    }
    reached
}

fn renumber(mut block: Block, new_ids: &[BlockId]) -> Block {
    let renew = |id: &mut BlockId| *id = new_ids[id.index()];
    match &mut block.terminator.kind {
        TerminatorKind::Goto(next) => renew(next),
        TerminatorKind::Branch { then, otherwise, .. } => {
            renew(then);
            renew(otherwise);
        }
        TerminatorKind::Return(_) => {}
    }
    block
}

fn branches_on_shared(terminator: &Terminator) -> bool {
    matches!(&terminator.kind, TerminatorKind::Branch { condition, .. } if condition.reads_shared())
}

fn is_visible(kind: &InstrKind) -> bool {
    match kind {
        InstrKind::Assign { target, value } => value.reads_shared() || place_is_shared(target),
        InstrKind::Assert(condition) | InstrKind::Assume(condition) => condition.reads_shared(),
        InstrKind::Call { arguments, .. } => arguments.iter().any(Expr::reads_shared),
        _ => true,
    }
}

fn place_is_shared(place: &Place) -> bool {
    match place {
        Place::Register(_) => false,
        Place::Element { index, .. } => index.reads_shared(),
        Place::Shared { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_that_nothing_leads_to_are_dropped() {
        let span = Span::new(0, 0);
        let mut graph = Graph::new(span);
        let dead = graph.new_block();
        let end = graph.new_block();
        graph.terminate(TerminatorKind::Goto(end), span);
        graph.enter(dead);
        graph.continue_in(end, span);
        graph.terminate(TerminatorKind::Return(None), span);
        let blocks = graph.into_blocks();
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[0].terminator.kind, TerminatorKind::Goto(BlockId(1)));
    }
}
