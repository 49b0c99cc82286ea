//! From a module to code.

mod analysis;
mod arithmetic;
mod assumptions;
mod blocks;
mod calls;
mod constants;
mod exceptions;
mod function;
mod instructions;
mod intrinsics;
mod liveness;
mod memory;
mod operands;
mod places;
mod promotion;
mod sections;
mod wrappers;

use crate::builtin::Builtin;
use crate::code::{Callee, Code, FunctionCode, NO_SLOT, Op, Place, Variable};
use crate::landmarks::FUNCTION_STEP;
use crate::memory::DataModel;
use crate::options::{Addresses, Options};
use constants::Constants;
use selvedge_llvm::Module;
use selvedge_llvm::module::{Definition, Function, SymbolId};
use std::collections::HashMap;

/// Why a module cannot be lowered at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// There is nothing to begin with.
    #[error("the program has no function `main`")]
    NoMain,
    /// A program in C++ for pointers of 32 bits.
    #[error("C++ is supported with pointers of 64 bits only; remove -m32")]
    NarrowCpp,
}

/// The address of the function at a place among all.
fn address_of(place: usize, model: DataModel) -> u64 {
    model.first_function() + place as u64 * FUNCTION_STEP
}

/// Lowers a module.
///
/// # Errors
/// When there is no `main`, or for C++ with pointers of 32 bits. What is not supported inside is lowered to a trap.
pub fn lower(module: &Module, options: &Options) -> Result<Code, LowerError> {
    let model = if module.types.narrow { DataModel::Ilp32 } else { DataModel::Lp64 };
    let is_cpp = |function: &Function| module.name(function.symbol).starts_with("_Z");
    if model == DataModel::Ilp32 && module.functions.iter().any(is_cpp) {
        return Err(LowerError::NarrowCpp);
    }
    let wrappers = wrappers::wrappers(module);
    let mut lowering = Lowering {
        module,
        options,
        code: Code {
            model,
            stops_at_comparisons: options.addresses == Addresses::Ordered,
            ..Code::default()
        },
        constants: Constants::default(),
        bodies: HashMap::new(),
        places: HashMap::new(),
        files: HashMap::new(),
        awaits: Vec::new(),
    };
    lowering.lay_out();
    lowering.functions();
    for (place, wrapper) in &wrappers {
        let number = lowering.code.functions.len() as u32;
        lowering.code.function_addresses.insert(address_of(*place, model), Callee::Function(number));
        lowering.function(wrapper, None);
    }
    let main = module.find("main").and_then(|symbol| lowering.bodies.get(&symbol).copied());
    lowering.code.main = Some(main.ok_or(LowerError::NoMain)?);
    lowering.code.ops.push(Op::Return { value: NO_SLOT, words: 0 });
    lowering.code.places.push(Place::default());
    lowering.code.origins.push(None);
    lowering.mark_awaits();
    lowering.code.tries_mutexes = lowering.tries_mutexes();
    lowering.code.destroys = lowering.destroys();
    let mut code = lowering.code;
    code.handle_bytes = handle_bytes(module);
    shorten_jumps(&mut code);
    places::note_callers(&mut code);
    code.sections = sections::sections(&code.ops, &code.calls);
    assumptions::mark(&mut code, options);
    code.may_wait = (0..code.ops.len()).map(|pc| may_wait(&code, pc)).collect();
    Ok(code)
}

/// The bytes of a handle of a thread: a program that declares the functions itself may have made it an `int`.
fn handle_bytes(module: &Module) -> u64 {
    let find = |name: &str| module.functions.iter().find(|function| module.name(function.symbol) == name);
    let taken = ["pthread_join", "pthread_detach", "pthread_equal"].into_iter().find_map(find);
    let handle = match taken.and_then(|function| function.parameters.first()) {
        Some(parameter) => Some(parameter.ty),
        None => find("pthread_self").map(|function| function.result),
    };
    handle.map_or(module.types.pointer_bytes(), |ty| module.types.size(ty).clamp(1, 8))
}

/// Puts the branch to which a jump leads, as at the end of a loop's round, in the place of the jump.
fn shorten_jumps(code: &mut Code) {
    for pc in 0..code.ops.len() {
        if let Op::Jump { to } = code.ops[pc]
            && let branch @ (Op::Branch { .. } | Op::CompareBranch { .. } | Op::CompareWordsBranch { .. }) =
                code.ops[to as usize]
        {
            code.ops[pc] = branch;
            code.places[pc] = code.places[to as usize];
            code.origins[pc] = code.origins[to as usize];
        }
    }
}

/// Whether an instruction may have to wait; of those that call something that is not known yet.
fn may_wait(code: &Code, pc: usize) -> bool {
    match code.ops[pc] {
        Op::Load { .. } | Op::CompareExchange { .. } | Op::Modify { .. } => code.awaits[pc],
        Op::AtomicBegin => code.sections[pc].may_wait,
        Op::LoopHead { .. } | Op::Builtin { .. } | Op::CallIndirect { .. } => true,
        _ => false,
    }
}

/// A module being lowered.
struct Lowering<'m> {
    module: &'m Module,
    options: &'m Options,
    code: Code,
    constants: Constants,
    /// The functions that have bodies, by their names.
    bodies: HashMap<SymbolId, u32>,
    places: HashMap<u32, Place>,
    files: HashMap<String, u32>,
    /// The places of instructions that wait.
    awaits: Vec<u32>,
}

impl<'m> Lowering<'m> {
    /// Numbers the functions that have bodies, gives every function an address, and fills the global variables.
    fn lay_out(&mut self) {
        for (place, function) in self.module.functions.iter().enumerate() {
            let address = address_of(place, self.code.model);
            let name = self.module.name(function.symbol);
            let callee = if function.blocks.is_empty() {
                self.external(name)
            } else {
                let number = self.bodies.len() as u32;
                self.bodies.insert(function.symbol, number);
                Callee::Function(number)
            };
            self.constants.addresses.insert(function.symbol, address);
            self.code.function_addresses.insert(address, callee);
        }
        self.lay_out_globals();
    }

    /// What stands behind a function without body.
    fn external(&mut self, name: &str) -> Callee {
        match crate::builtin::Builtin::from_name(name) {
            Some(builtin) => Callee::Builtin(builtin),
            None => {
                self.code.unknown.push(name.to_owned());
                Callee::Unknown(self.code.unknown.len() as u32 - 1)
            }
        }
    }

    fn mark_awaits(&mut self) {
        self.code.awaits = vec![false; self.code.ops.len()];
        for &pc in &self.awaits {
            let waits = matches!(
                self.code.ops[pc as usize],
                Op::Load { .. } | Op::CompareExchange { .. } | Op::Modify { .. }
            );
            self.code.awaits[pc as usize] = waits;
        }
    }

    fn functions(&mut self) {
        for (place, function) in self.module.functions.iter().enumerate() {
            if function.blocks.is_empty() {
                continue;
            }
            self.function(function, Some(place as u32));
        }
    }

    /// Lowers a function of the module, by its place there, or one of our own.
    fn function(&mut self, function: &'m Function, place: Option<u32>) {
        let entry = self.code.ops.len() as u32;
        let lowered = function::lower(self, function, place);
        let end = self.code.ops.len() as u32;
        self.code.functions.push(FunctionCode { entry, end, ..lowered });
    }

    /// Whether there may be inputs that are not decided yet. Then a thread may stand before every instruction that uses
    /// one, and all slots are saved.
    fn has_open_inputs(&self) -> bool {
        // The time of day is written to memory.
        let is_input = |builtin: Builtin| builtin.returns_input() || builtin == Builtin::TimeOfDay;
        let mut callees = self.code.function_addresses.values();
        callees.any(|callee| matches!(callee, Callee::Builtin(builtin) if is_input(*builtin)))
    }

    /// Whether there is a function that tells whether a mutex is held.
    fn tries_mutexes(&self) -> bool {
        let mut callees = self.code.function_addresses.values();
        callees.any(|callee| {
            matches!(
                callee,
                Callee::Builtin(
                    Builtin::MutexTryLock
                        | Builtin::MutexTryLockC11
                        | Builtin::MutexTimedLock
                        | Builtin::MutexTimedLockC11
                )
            )
        })
    }

    /// Whether there is a function that destroys something other than a mutex or a barrier.
    fn destroys(&self) -> bool {
        let mut callees = self.code.function_addresses.values();
        callees.any(|callee| {
            matches!(
                callee,
                Callee::Builtin(
                    Builtin::SpinDestroy | Builtin::RwDestroy | Builtin::SemDestroy | Builtin::CondDestroy
                )
            )
        })
    }

    /// The name of a function in the source.
    fn function_name(&self, symbol: SymbolId, debug: Option<u32>) -> String {
        let name = debug.and_then(|node| self.module.metadata.name_of(node));
        name.unwrap_or(self.module.name(symbol)).to_owned()
    }

    fn variable(&self, node: u32) -> Variable {
        let name = self.module.metadata.name_of(node).unwrap_or("").to_owned();
        Variable { name, ty: self.module.metadata.type_of(node) }
    }

    /// The function or variable that a name stands for, through all aliases.
    fn resolve(&self, symbol: SymbolId) -> SymbolId {
        let mut at = symbol;
        for _ in 0..20 {
            match self.module.definition(at) {
                Some(Definition::Alias(target)) => match constants::symbol_of(&target.value) {
                    Some(next) => at = next,
                    None => return at,
                },
                _ => return at,
            }
        }
        at
    }
}
