//! Random blocks: instructions whose types fit, in atomic regions that begin and end as they must.

use super::Generator;
use crate::{
    ArrayId, BarrierId, BinaryOp, Block, BlockId, CondvarId, CondvarRef, Expr, FamilyId, Function,
    FunctionId, Instr, InstrKind, MutexId, MutexRef, ObjectId, Place, Program, RegisterId, RmwOp, Terminator,
    TerminatorKind, ThreadRef, Type, UnaryOp,
};

/// The function that may run at the end: it does not synchronise and calls only itself.
pub(super) const QUIET: FunctionId = FunctionId(1);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Region {
    Outside,
    Inside,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Shared,
    Local,
}

/// Random blocks for a function whose declarations are complete.
pub(super) fn blocks(g: &mut Generator, program: &Program, id: FunctionId) -> Vec<Block> {
    let mut entries = vec![Region::Outside];
    for _ in 0..g.below(4) {
        entries.push(g.pick(&[Region::Outside, Region::Inside]));
    }
    let mut coder = Coder { g, program, function: &program.functions[id.index()], id };
    entries.iter().map(|&entry| coder.block(&entries, entry)).collect()
}

struct Coder<'c> {
    g: &'c mut Generator,
    program: &'c Program,
    function: &'c Function,
    id: FunctionId,
}

/// A random id of a table, if it is not empty.
fn id_below(g: &mut Generator, length: usize) -> Option<u32> {
    (length > 0).then(|| g.below(length as u64) as u32)
}

impl Coder<'_> {
    fn block(&mut self, entries: &[Region], entry: Region) -> Block {
        let mut region = entry;
        let mut instrs = Vec::new();
        for _ in 0..self.g.below(6) {
            let kind = match (self.g.below(8), region) {
                (0, Region::Outside) => InstrKind::AtomicBegin,
                (0, Region::Inside) => InstrKind::AtomicEnd,
                _ => self.instr(region),
            };
            region = after(&kind, region);
            instrs.push(self.spanned(kind));
        }
        let targets: Vec<BlockId> =
            (0..entries.len()).filter(|&target| entries[target] == region).map(BlockId::at).collect();
        let returns = targets.is_empty() || (region == Region::Outside && self.g.below(3) == 0);
        if returns && region == Region::Inside {
            instrs.push(self.spanned(InstrKind::AtomicEnd));
        }
        let kind = match returns {
            true => TerminatorKind::Return(self.function.returns.map(|ty| self.expr(ty))),
            false => self.jump(&targets),
        };
        Block { instrs, terminator: Terminator { kind, span: self.g.span(self.program.files.len()) } }
    }

    fn spanned(&mut self, kind: InstrKind) -> Instr {
        Instr { kind, span: self.g.span(self.program.files.len()) }
    }

    fn jump(&mut self, targets: &[BlockId]) -> TerminatorKind {
        let (then, otherwise) = (self.g.pick(targets), self.g.pick(targets));
        match self.g.below(2) {
            0 => TerminatorKind::Goto(then),
            _ => TerminatorKind::Branch { condition: self.expr(Type::Bool), then, otherwise },
        }
    }

    fn instr(&mut self, region: Region) -> InstrKind {
        let kind = match self.g.below(12) {
            0..3 => Some(self.assign()),
            3 => Some(self.rmw()),
            4 => Some(self.compare_exchange()),
            5 => Some(InstrKind::Assert(self.expr(Type::Bool))),
            6 => Some(InstrKind::Assume(self.expr(Type::Bool))),
            7 if region == Region::Outside => Some(self.choose()),
            8 if region == Region::Outside => Some(self.call()),
            _ if self.id == QUIET => None,
            9 => Some(InstrKind::Await(self.expr(Type::Bool))),
            10 => self.locking(),
            _ if region == Region::Outside => self.waiting(),
            _ => None,
        };
        kind.unwrap_or_else(|| self.assign())
    }

    fn assign(&mut self) -> InstrKind {
        let (target, ty) = self.place();
        InstrKind::Assign { target, value: self.expr(ty) }
    }

    fn place(&mut self) -> (Place, Type) {
        let function = self.function;
        match (self.g.below(3), id_below(self.g, function.arrays.len())) {
            (0, _) => {
                let (object, ty) = self.object();
                (Place::Shared { object, index: self.expr(Type::Int) }, ty)
            }
            (1, Some(array)) => {
                let index = self.expr(Type::Int);
                (Place::Element { array: ArrayId(array), index }, function.arrays[array as usize].ty)
            }
            _ => {
                let register = self.g.below(function.registers.len() as u64) as u32;
                (Place::Register(RegisterId(register)), function.registers[register as usize].ty)
            }
        }
    }

    fn object(&mut self) -> (ObjectId, Type) {
        let object = self.g.below(self.program.objects.len() as u64) as usize;
        (ObjectId::at(object), self.program.objects[object].ty)
    }

    fn register(&mut self, ty: Type) -> RegisterId {
        let registers = &self.function.registers;
        let fitting: Vec<usize> = (0..registers.len()).filter(|&id| registers[id].ty == ty).collect();
        RegisterId::at(self.g.pick(&fitting))
    }

    fn result(&mut self, ty: Type) -> Option<RegisterId> {
        (self.g.below(2) == 0).then(|| self.register(ty))
    }

    fn rmw(&mut self) -> InstrKind {
        let (object, ty) = self.object();
        let op = match ty {
            Type::Int => self.g.pick(&[RmwOp::Add, RmwOp::Swap]),
            Type::Bool => RmwOp::Swap,
        };
        let (result, index, operand) = (self.result(ty), self.expr(Type::Int), self.expr(ty));
        InstrKind::Rmw { result, object, index, op, operand }
    }

    fn compare_exchange(&mut self) -> InstrKind {
        let (object, ty) = self.object();
        let (result, index) = (self.result(Type::Bool), self.expr(Type::Int));
        InstrKind::CompareExchange { result, object, index, expected: self.expr(ty), desired: self.expr(ty) }
    }

    fn choose(&mut self) -> InstrKind {
        let target = self.register(Type::Int);
        let mut bound = || self.expr_in(Type::Int, 3, Memory::Local);
        InstrKind::Choose { target, low: bound(), high: bound() }
    }

    fn call(&mut self) -> InstrKind {
        let program = self.program;
        let id = match self.id {
            QUIET => QUIET,
            _ => FunctionId(self.g.below(program.functions.len() as u64) as u32),
        };
        let callee = &program.functions[id.index()];
        let result = callee.returns.and_then(|ty| self.result(ty));
        let parameters = callee.registers[..callee.parameters].iter();
        let arguments = parameters.map(|parameter| self.expr(parameter.ty)).collect();
        InstrKind::Call { result, function: id, arguments }
    }

    /// An instruction on mutexes or condition variables that may stand in an atomic region.
    fn locking(&mut self) -> Option<InstrKind> {
        Some(match self.g.below(4) {
            0 => InstrKind::Lock(self.mutex()?),
            1 => InstrKind::Unlock(self.mutex()?),
            2 => InstrKind::TryLock { result: self.result(Type::Bool), mutex: self.mutex()? },
            _ => InstrKind::Broadcast(self.condvar()?),
        })
    }

    fn waiting(&mut self) -> Option<InstrKind> {
        Some(match self.g.below(5) {
            0 => InstrKind::Wait { condvar: self.condvar()?, mutex: self.mutex()? },
            1 => InstrKind::Signal(self.condvar()?),
            2 => InstrKind::BarrierWait(BarrierId(id_below(self.g, self.program.barriers.len())?)),
            3 => InstrKind::Spawn(self.thread()?),
            _ => InstrKind::Join(self.thread()?),
        })
    }

    fn mutex(&mut self) -> Option<MutexRef> {
        let mutex = MutexId(id_below(self.g, self.program.mutexes.len())?);
        Some(MutexRef { mutex, index: self.expr(Type::Int) })
    }

    fn condvar(&mut self) -> Option<CondvarRef> {
        let condvar = CondvarId(id_below(self.g, self.program.condvars.len())?);
        Some(CondvarRef { condvar, index: self.expr(Type::Int) })
    }

    fn thread(&mut self) -> Option<ThreadRef> {
        let family = FamilyId(id_below(self.g, self.program.families.len())?);
        Some(ThreadRef { family, index: self.expr(Type::Int) })
    }

    fn expr(&mut self, ty: Type) -> Expr {
        let depth = self.g.below(4);
        self.expr_in(ty, depth, Memory::Shared)
    }

    /// An expression of this type that nests at most this deep.
    fn expr_in(&mut self, ty: Type, depth: u64, memory: Memory) -> Expr {
        if depth == 0 {
            return self.leaf(ty);
        }
        if self.g.below(8) > 0 {
            return self.operation(ty, depth - 1, memory);
        }
        let mut part = |ty| Box::new(self.expr_in(ty, depth - 1, memory));
        let (condition, then, otherwise) = (part(Type::Bool), part(ty), part(ty));
        Expr::Select { condition, then, otherwise }
    }

    fn operation(&mut self, ty: Type, depth: u64, memory: Memory) -> Expr {
        match (self.g.below(4), memory) {
            (0, Memory::Shared) => {
                let (object, found) = self.object();
                let index = Box::new(self.expr_in(Type::Int, depth, memory));
                convert(Expr::Load { object, index }, found, ty)
            }
            (1, _) => match id_below(self.g, self.function.arrays.len()) {
                Some(array) => {
                    let index = Box::new(self.expr_in(Type::Int, depth, memory));
                    let found = self.function.arrays[array as usize].ty;
                    convert(Expr::Element { array: ArrayId(array), index }, found, ty)
                }
                None => self.leaf(ty),
            },
            (2, _) => self.unary(ty, depth, memory),
            _ => self.binary(ty, depth, memory),
        }
    }

    fn unary(&mut self, ty: Type, depth: u64, memory: Memory) -> Expr {
        let (op, from) = match ty {
            Type::Int => self.g.pick(&[
                (UnaryOp::Neg, Type::Int),
                (UnaryOp::BitNot, Type::Int),
                (UnaryOp::ToInt, Type::Bool),
            ]),
            Type::Bool => self.g.pick(&[(UnaryOp::Not, Type::Bool), (UnaryOp::ToBool, Type::Int)]),
        };
        Expr::Unary { op, operand: Box::new(self.expr_in(from, depth, memory)) }
    }

    fn binary(&mut self, ty: Type, depth: u64, memory: Memory) -> Expr {
        use BinaryOp::*;
        let (ops, from): (&[BinaryOp], Type) = match (ty, self.g.below(3)) {
            (Type::Int, _) => (&[Add, Sub, Mul, Div, Rem, BitAnd, BitOr, BitXor, Shl, Shr], Type::Int),
            (Type::Bool, 0) => (&[And, Or], Type::Bool),
            (Type::Bool, 1) => (&[Lt, Le, Gt, Ge], Type::Int),
            (Type::Bool, _) => (&[Eq, Ne], self.g.ty()),
        };
        let left = Box::new(self.expr_in(from, depth, memory));
        Expr::Binary { op: self.g.pick(ops), left, right: Box::new(self.expr_in(from, depth, memory)) }
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        match (self.g.below(4), ty) {
            (0, _) => Expr::Register(self.register(ty)),
            (1, Type::Int) => Expr::SelfIndex,
            (_, Type::Int) => Expr::Int(self.g.integer()),
            (_, Type::Bool) => Expr::Bool(self.g.below(2) == 0),
        }
    }
}

fn after(kind: &InstrKind, region: Region) -> Region {
    match kind {
        InstrKind::AtomicBegin => Region::Inside,
        InstrKind::AtomicEnd => Region::Outside,
        _ => region,
    }
}

fn convert(expr: Expr, from: Type, to: Type) -> Expr {
    let op = match (from, to) {
        (Type::Int, Type::Bool) => UnaryOp::ToBool,
        (Type::Bool, Type::Int) => UnaryOp::ToInt,
        _ => return expr,
    };
    Expr::Unary { op, operand: Box::new(expr) }
}
