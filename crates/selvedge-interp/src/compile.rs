//! From the IR to the compact form.
//!
//! Every thread gets its own copy of its function, in which its index is a constant: `x[(self + 1) % N]` becomes a
//! fixed cell. Functions that are called are compiled once. Code of `finally` has no transitions but its first
//! and its choices, since it runs alone.

mod expression;
pub(crate) mod floating_cells;
mod function;
mod instruction;
mod synchronisation;
mod transition;

use crate::code::{Code, Role, ThreadCode};
use crate::layout::Layout;
use function::{FunctionCompiler, Scope};
use selvedge_ir::{Function, FunctionId, InstrKind, Program, Start};

/// Compiles a well-formed program.
pub fn compile(program: &Program) -> Code {
    let mut names = program.thread_names();
    if program.finally.is_some() {
        names.push("finally".to_owned());
    }
    let mut code = Code {
        ops: Vec::new(),
        spans: Vec::new(),
        visible: Vec::new(),
        functions: Vec::new(),
        threads: Vec::new(),
        arrays: Vec::new(),
        calls: Vec::new(),
        temporaries: 0,
        families: families(program),
        layout: Layout::new(program, names, &barrier_users(program)),
        floating_cells: Vec::new(),
        memory_chooses_mutexes: false,
        ends_are_observed: program.finally.is_some() || has_join(program),
    };
    for function in &program.functions {
        let compiled = FunctionCompiler::new(function, Scope::Callee, &mut code).compile();
        code.functions.push(compiled);
    }
    for family in &program.families {
        let role = match family.start {
            Start::AtOnce => Role::AtOnce,
            Start::WhenSpawned => Role::Spawned,
        };
        for index in 0..i64::from(family.count) {
            add_thread(program, family.function, index, role, &mut code);
        }
    }
    if let Some(finally) = program.finally {
        add_thread(program, finally, 0, Role::Finally, &mut code);
    }
    code.floating_cells = floating_cells::floating_cells(&code);
    code
}

fn add_thread(program: &Program, function: FunctionId, index: i64, role: Role, code: &mut Code) {
    let scope = match role {
        Role::Finally => Scope::Finally,
        Role::AtOnce | Role::Spawned => Scope::Thread { index },
    };
    let function = &program.functions[function.index()];
    let compiled = FunctionCompiler::new(function, scope, code).compile();
    code.threads.push(ThreadCode { function: code.functions.len() as u32, index, role });
    code.functions.push(compiled);
}

fn families(program: &Program) -> Vec<(u32, u32, String)> {
    let mut first = 0;
    let mut families = Vec::new();
    for family in &program.families {
        families.push((first, family.count, family.name.clone()));
        first += family.count;
    }
    families
}

fn instrs(function: &Function) -> impl Iterator<Item = &InstrKind> {
    function.blocks.iter().flat_map(|block| &block.instrs).map(|instr| &instr.kind)
}

fn has_join(program: &Program) -> bool {
    program.functions.iter().flat_map(instrs).any(|instr| matches!(instr, InstrKind::Join(_)))
}

/// The functions that a function may call, directly or not, and itself.
fn reachable_functions(program: &Program, from: FunctionId) -> Vec<FunctionId> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&function) = reached.get(next) {
        next += 1;
        for instr in instrs(&program.functions[function.index()]) {
            if let InstrKind::Call { function, .. } = instr
                && !reached.contains(function)
            {
                reached.push(*function);
            }
        }
    }
    reached
}

/// How many threads use each barrier.
fn barrier_users(program: &Program) -> Vec<usize> {
    let mut users = vec![0; program.barriers.len()];
    for family in &program.families {
        let functions = reachable_functions(program, family.function);
        for (barrier, users) in users.iter_mut().enumerate() {
            let uses = |instr: &InstrKind| matches!(instr, InstrKind::BarrierWait(b) if b.index() == barrier);
            if functions.iter().any(|f| instrs(&program.functions[f.index()]).any(uses)) {
                *users += family.count as usize;
            }
        }
    }
    users
}
