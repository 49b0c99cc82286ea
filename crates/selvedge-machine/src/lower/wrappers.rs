//! Wrappers: functions around those builtins that take several steps, for calls through pointers, and around destructors, which are called at the end of
//! the program.
//!
//! A direct call of `pthread_cond_wait` is lowered to two instructions, one to begin to wait and one to go on. Whoever calls it
//! through a pointer enters a function that holds just such a call.

use crate::builtin::Builtin;
use selvedge_llvm::Module;
use selvedge_llvm::constant::{Constant, TypedConstant};
use selvedge_llvm::instruction::{Argument, Call, Instruction, LocalId, Operand, Operation, Value};
use selvedge_llvm::module::{Block, Function, Parameter, SymbolId};

/// Whether a builtin is lowered to several instructions, all of which are in the place of the call.
pub fn takes_several_steps(builtin: Builtin) -> bool {
    matches!(
        builtin,
        Builtin::CondWait
            | Builtin::CondWaitCpp
            | Builtin::CondTimedWait
            | Builtin::CondTimedWaitC11
            | Builtin::BarrierWait
            | Builtin::OnceBegin
    )
}

/// The wrappers that a module needs, each with the place of the function that it is around.
pub fn wrappers(module: &Module) -> Vec<(usize, Function)> {
    let is_wrapped = |builtin| takes_several_steps(builtin) || builtin == Builtin::CondDestroy;
    let is_wrapped = |f: &Function| Builtin::from_name(module.name(f.symbol)).is_some_and(is_wrapped);
    let functions = module.functions.iter().enumerate();
    let wanted =
        functions.filter(|(_, f)| f.blocks.is_empty() && is_wrapped(f) && is_addressed(module, f.symbol));
    wanted.map(|(place, function)| (place, wrapper(module, function))).collect()
}

fn wrapper(module: &Module, function: &Function) -> Function {
    let register = |i: usize| LocalId(i as u32);
    let count = function.parameters.len();
    let parameters = function.parameters.iter().enumerate();
    let parameters: Vec<Parameter> =
        parameters.map(|(i, p)| Parameter { local: register(i), ..*p }).collect();
    let arguments = parameters
        .iter()
        .map(|p| Argument { value: Value { ty: p.ty, operand: Operand::Local(p.local) }, copied: None });
    let call = Call {
        result: function.result,
        callee: Operand::Constant(Constant::Symbol(function.symbol)),
        arguments: arguments.collect(),
        assembler: None,
    };
    let has_result = module.types.words(function.result).is_some_and(|words| !words.is_empty());
    let result = has_result.then(|| register(count));
    let returned = result.map(|local| Value { ty: function.result, operand: Operand::Local(local) });
    let instruction = |result, operation| Instruction { result, operation, location: None, lines: [0; 2] };
    let instructions =
        vec![instruction(result, Operation::Call(call)), instruction(None, Operation::Return(returned))];
    let blocks = vec![Block { instructions }];
    Function { parameters, varargs: false, blocks, locals: count + 1, ..function.clone() }
}

/// Whether something but a call names a function.
fn is_addressed(module: &Module, symbol: SymbolId) -> bool {
    let in_operand = |operand: &Operand| match operand {
        Operand::Constant(constant) => names(constant, symbol),
        _ => false,
    };
    let in_operation = |operation: &Operation| match operation {
        Operation::Call(call) | Operation::Invoke(call, ..) => {
            call.arguments.iter().any(|argument| in_operand(&argument.value.operand))
        }
        operation => {
            let mut found = false;
            operation.operands(&mut |operand| found |= in_operand(operand));
            found
        }
    };
    let mut instructions = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.instructions);
    let mut initial = module.globals.iter().filter_map(|global| global.initial.as_ref());
    initial.any(|constant| names(&constant.value, symbol))
        || instructions.any(|instruction| in_operation(&instruction.operation))
}

fn names(constant: &Constant, symbol: SymbolId) -> bool {
    let part = |part: &TypedConstant| names(&part.value, symbol);
    match constant {
        Constant::Symbol(named) => *named == symbol,
        Constant::Parts(parts) => parts.iter().any(part),
        Constant::Cast(_, inner) => part(inner),
        Constant::Element { base, .. } => part(base),
        Constant::Binary(_, a, b) | Constant::Compare(_, a, b) => part(a) || part(b),
        _ => false,
    }
}
