//! One function: slots for its registers, then code for its blocks.

use super::Lowering;
use super::analysis::{self, Analysis};
use super::liveness::{self, Purpose};
use super::promotion::Promotions;
use crate::code::{FunctionCode, NO_SLOT, Op, Origin, OriginStep, Pc, Place, Slot};
use crate::options::{Addresses, Promotion};
use selvedge_llvm::Site;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{BlockId, LocalId, Operand, Operation, Value};
use selvedge_llvm::module::Function;
use selvedge_llvm::types::{Type, TypeId, Word};

/// A function being lowered.
pub struct FunctionLowering<'l, 'm> {
    pub lowering: &'l mut Lowering<'m>,
    pub function: &'m Function,
    pub promotions: Promotions,
    pub analysis: Analysis,
    /// The type of each register.
    pub types: Vec<Option<TypeId>>,
    /// The words of each register.
    pub words: Vec<Vec<Word>>,
    /// The first slot of each register.
    pub slots: Vec<Slot>,
    /// The variable that each room in the frame is for.
    pub variables: Vec<u32>,
    /// The number of slots so far.
    pub frame: Slot,
    /// How many of them are saved.
    pub saved: Slot,
    pub block_pcs: Vec<Pc>,
    /// Jumps to fill in: where, which of its targets, and from which block to which.
    pub jumps: Vec<Jump>,
    pub place: Place,
    /// The instruction being lowered, if it is one of the module.
    pub site: Option<Site>,
    /// The place of the function in the module.
    pub module_place: Option<u32>,
    /// The slots that count the rounds of loops, by their heads.
    pub counters: Vec<Slot>,
    pub is_atomic: bool,
    /// The name of what the present call is about.
    pub callee_name: String,
    /// Whether something may use the result of the call that is being lowered.
    pub uses_result: bool,
}

/// A jump whose target is not known yet.
pub struct Jump {
    pub at: Pc,
    pub target: Target,
    pub from: BlockId,
    pub to: BlockId,
}

/// Which target of an instruction.
pub enum Target {
    First,
    Second,
    Case(u64),
    Default,
}

/// What cannot be lowered, in words.
pub type Lowered<T> = Result<T, String>;

/// Parts of the names of functions of the C++ libraries that compare addresses only to find out whether ranges overlap.
const OVERLAP_TESTS: [&str; 2] = ["_M_disjunct", "__is_pointer_in_range"];

/// The variables of a function that become registers.
fn promotions(lowering: &Lowering, function: &Function) -> Promotions {
    let module = lowering.module;
    let is_harmless = |callee: &Operand| match callee {
        Operand::Constant(Constant::Symbol(symbol)) => module.name(*symbol).starts_with("llvm.lifetime."),
        _ => false,
    };
    match lowering.options.promotion {
        Promotion::Registers => {
            let all = Promotions::find(function, &module.types, &is_harmless);
            let unwritten = liveness::at_entry(function, &all);
            all.without(function, &unwritten)
        }
        Promotion::Memory => Promotions::none(function),
    }
}

/// Lowers a function; the caller fills in where its code is.
pub fn lower<'m>(
    lowering: &mut Lowering<'m>,
    function: &'m Function,
    module_place: Option<u32>,
) -> FunctionCode {
    let module = lowering.module;
    let promotions = promotions(lowering, function);
    let results = Purpose::Results { overflow: lowering.options.checks.overflow };
    let is_atomic = module.name(function.symbol).starts_with("__VERIFIER_atomic_");
    let mut analysis = analysis::analyse(function, &promotions, results);
    if is_atomic {
        // A thread may stand at its beginning, before any instruction.
        function.parameters.iter().for_each(|parameter| analysis.kept.insert(parameter.local));
    }
    let mut lowered = FunctionLowering {
        function,
        promotions,
        analysis,
        types: vec![None; function.locals],
        words: vec![Vec::new(); function.locals],
        slots: vec![NO_SLOT; function.locals],
        variables: vec![0; function.locals],
        frame: 0,
        saved: 0,
        block_pcs: vec![0; function.blocks.len()],
        jumps: Vec::new(),
        place: Place::default(),
        site: None,
        module_place,
        counters: vec![NO_SLOT; function.blocks.len()],
        callee_name: String::new(),
        uses_result: true,
        is_atomic,
        lowering,
    };
    lowered.find_types();
    lowered.saved = lowered.assign_slots();
    lowered.name_variables();
    lowered.code();
    let orders = lowered.lowering.options.addresses == Addresses::Ordered;
    let keeps_all = lowered.lowering.has_open_inputs() || orders;
    let tests_overlap = OVERLAP_TESTS.iter().any(|part| module.name(function.symbol).contains(part));
    let name = lowered.lowering.function_name(function.symbol, function.debug);
    let parameters = function.parameters.iter().map(|p| {
        let local = p.local.0 as usize;
        (lowered.slots[local], lowered.words[local].len() as u16)
    });
    FunctionCode {
        name,
        entry: 0,
        end: 0,
        parameters: parameters.collect(),
        frame: lowered.frame,
        saved: if keeps_all { lowered.frame } else { lowered.saved },
        varargs: function.varargs,
        tests_overlap,
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    fn find_types(&mut self) {
        let function = self.function;
        for parameter in &function.parameters {
            self.types[parameter.local.0 as usize] = Some(parameter.ty);
            let words = self.lowering.module.types.words(parameter.ty);
            self.words[parameter.local.0 as usize] = words.unwrap_or_default();
        }
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            if let Some(result) = instruction.result {
                let (ty, words) = self.result_words(&instruction.operation);
                self.types[result.0 as usize] = ty;
                self.words[result.0 as usize] = words;
            }
        }
        for instruction in function.blocks.iter().flat_map(|b| &b.instructions) {
            if let (Some(result), Operation::Alloca { ty, .. }) = (instruction.result, &instruction.operation)
                && self.promotions.promoted[result.0 as usize]
            {
                self.types[result.0 as usize] = Some(*ty);
                let words = self.lowering.module.types.words(*ty);
                self.words[result.0 as usize] = words.unwrap_or_default();
            }
        }
    }

    fn result_words(&mut self, operation: &Operation) -> (Option<TypeId>, Vec<Word>) {
        let types = &self.lowering.module.types;
        let bit = Word { offset: 0, bits: 1, float: None };
        let pointer = Word { offset: 0, bits: u32::from(self.pointer_bits()), float: None };
        let of = |ty: TypeId| (Some(ty), types.words(ty).unwrap_or_default());
        match operation {
            Operation::Binary(_, _, a, _)
            | Operation::Negate(a)
            | Operation::Freeze(a)
            | Operation::Select(_, a, _)
            | Operation::InsertValue(a, ..)
            | Operation::InsertElement(a, ..)
            | Operation::ReadModifyWrite { value: a, .. } => of(a.ty),
            Operation::Cast(_, _, ty)
            | Operation::Phi(ty, _)
            | Operation::Load { ty, .. }
            | Operation::VaArg(_, ty) => of(*ty),
            Operation::Compare(_, a, _) | Operation::CompareFloat(_, a, _) => match types.get(a.ty) {
                Type::Vector(count, _) => (None, vec![bit; *count as usize]),
                _ => (None, vec![bit]),
            },
            Operation::Alloca { .. } | Operation::Element { .. } => (None, vec![pointer]),
            Operation::Call(call) | Operation::Invoke(call, ..) => of(call.result),
            Operation::CompareExchange { new, .. } => {
                let mut words = types.words(new.ty).unwrap_or_default();
                words.push(bit);
                (None, words)
            }
            Operation::ExtractValue(from, path) => match self.part(from, path) {
                Some((_, count, ty)) => match ty {
                    Some(ty) => of(ty),
                    None => (None, vec![pointer; count]),
                },
                None => (None, Vec::new()),
            },
            Operation::ExtractElement(from, _) => match types.get(from.ty) {
                Type::Vector(_, element) => of(*element),
                _ => (None, Vec::new()),
            },
            Operation::Shuffle(a, _, mask) => match (types.get(a.ty), types.get(mask.ty)) {
                (Type::Vector(_, element), Type::Vector(count, _)) => {
                    let element = types.words(*element).unwrap_or_default();
                    (None, (0..*count).flat_map(|_| element.clone()).collect())
                }
                _ => (None, Vec::new()),
            },
            Operation::LandingPad { .. } => (None, vec![pointer, pointer]),
            _ => (None, Vec::new()),
        }
    }

    /// The words of a part: the first, how many, and the type if there is one.
    pub fn part(&self, from: &Value, path: &[u32]) -> Option<(usize, usize, Option<TypeId>)> {
        let types = &self.lowering.module.types;
        // The result of a compare-exchange and of an overflow intrinsic is a value and a bit.
        let mut ty = from.ty;
        let mut first = 0;
        for &index in path {
            let parts: Vec<TypeId> = match types.get(ty) {
                Type::Struct { fields, .. } => fields.clone(),
                Type::Array(count, element) => vec![*element; *count as usize],
                _ => return None,
            };
            for part in parts.get(..index as usize)? {
                first += types.words(*part)?.len();
            }
            ty = *parts.get(index as usize)?;
        }
        Some((first, types.words(ty)?.len(), Some(ty)))
    }

    /// Gives slots to registers, first to those that are kept; how many words these are.
    fn assign_slots(&mut self) -> u32 {
        let locals = (0..self.function.locals as u32).map(LocalId);
        let order: Vec<LocalId> = {
            let analysis = &self.analysis;
            let kept = locals.clone().filter(|l| analysis.kept.contains(*l));
            kept.chain(locals.clone().filter(|l| !analysis.kept.contains(*l))).collect()
        };
        let mut saved = 0;
        for local in order {
            if self.promotions.representative[local.0 as usize] != local {
                continue;
            }
            self.slots[local.0 as usize] = self.frame;
            self.frame += self.words[local.0 as usize].len() as u32;
            if self.analysis.kept.contains(local) {
                saved = self.frame;
            }
        }
        for local in locals {
            let representative = self.promotions.representative[local.0 as usize];
            self.slots[local.0 as usize] = self.slots[representative.0 as usize];
        }
        if self.lowering.options.unroll.is_some() {
            saved = self.frame;
            for &(_, head) in &self.analysis.back_edges {
                if self.counters[head.0 as usize] == NO_SLOT {
                    self.counters[head.0 as usize] = saved;
                    saved += 1;
                }
            }
            self.frame = saved;
        }
        saved
    }

    fn name_variables(&mut self) {
        for instruction in self.function.blocks.iter().flat_map(|b| &b.instructions) {
            if let Operation::Declare { address: Operand::Local(local), variable } = &instruction.operation {
                let variable = self.lowering.variable(*variable);
                self.variables[local.0 as usize] = self.lowering.code.variables.len() as u32 + 1;
                self.lowering.code.variables.push(variable);
            }
        }
    }

    pub fn emit(&mut self, op: Op) -> Pc {
        self.lowering.code.ops.push(op);
        self.lowering.code.places.push(self.place);
        self.lowering.code.origins.push(self.origin());
        self.lowering.code.ops.len() as u32 - 1
    }

    /// The instruction that what is emitted next belongs to.
    fn origin(&self) -> Option<Origin> {
        let site = self.site?;
        let before = self.lowering.code.origins.last().copied().flatten();
        let is_later = before.is_some_and(|before| before.site == site);
        Some(Origin { site, step: if is_later { OriginStep::Later } else { OriginStep::First } })
    }

    pub fn pc(&self) -> Pc {
        self.lowering.code.ops.len() as u32
    }

    /// A slot for something that is needed only at once.
    pub fn temporary(&mut self, words: usize) -> Slot {
        self.frame += words as u32;
        self.frame - words as u32
    }

    /// Slots that keep their values while the thread stands before the next instruction.
    pub fn kept_temporary(&mut self, words: usize) -> Slot {
        let slot = self.temporary(words);
        self.saved = self.frame;
        slot
    }

    pub fn slot_of(&self, local: LocalId) -> Slot {
        self.slots[local.0 as usize]
    }

    /// The words of a type.
    pub fn shape(&self, ty: TypeId) -> Lowered<Vec<Word>> {
        self.lowering.module.types.words(ty).ok_or_else(|| "long double".to_owned())
    }

    /// The bits of a type that is one word.
    pub fn bits(&self, ty: TypeId) -> Lowered<u8> {
        match self.shape(ty)?.as_slice() {
            [word] => Ok(word.bits as u8),
            _ => Err("a value of several words here".to_owned()),
        }
    }
}
