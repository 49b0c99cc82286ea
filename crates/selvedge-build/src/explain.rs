//! What a binary does not control: the parts of a program that the verifier has not seen, or that no hook reaches.

use selvedge_llvm::Module;
use selvedge_llvm::constant::Constant;
use selvedge_llvm::instruction::{Argument, Call, Operand, Operation};
use selvedge_llvm::module::Definition;
use std::collections::BTreeSet;
use std::fmt;

/// Something that a binary does not control.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uncontrolled {
    /// A function without source that the verifier does not know.
    Library(String),
    /// Assembler in a function.
    Assembly(String),
    /// A function that lets signal handlers run.
    Signals(String),
    /// A function without source that is given a function of the program: it may call it from a thread of its own.
    Foreign(String),
    /// A function that makes processes.
    Processes(String),
    /// A function that makes memory which other processes see.
    SharedMemory(String),
}

impl fmt::Display for Uncontrolled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Uncontrolled::Library(name) => write!(f, "`{name}`: a function without source"),
            Uncontrolled::Assembly(name) => write!(f, "`{name}`: contains assembler"),
            Uncontrolled::Signals(name) => write!(f, "`{name}`: signal handlers run at any time"),
            Uncontrolled::Foreign(name) => {
                write!(f, "`{name}`: may call functions of the program from threads of its own")
            }
            Uncontrolled::Processes(name) => write!(f, "`{name}`: the new process runs without schedule"),
            Uncontrolled::SharedMemory(name) => write!(f, "`{name}`: memory that other processes may change"),
        }
    }
}

const SIGNALS: [&str; 6] = ["signal", "sigaction", "sigsetjmp", "timer_create", "setitimer", "alarm"];
const PROCESSES: [&str; 6] = ["fork", "vfork", "clone", "posix_spawn", "posix_spawnp", "daemon"];
const SHARED: [&str; 5] =
    ["shm_open", "shmat", "shmget", "pthread_mutexattr_setpshared", "pthread_condattr_setpshared"];
/// Functions that call back in the thread that calls them, or make threads that are known.
const CALL_BACK: [&str; 14] = [
    "pthread_create",
    "thrd_create",
    "pthread_once",
    "call_once",
    "pthread_key_create",
    "tss_create",
    "atexit",
    "at_quick_exit",
    "__cxa_atexit",
    "__cxa_thread_atexit",
    "qsort",
    "bsearch",
    "signal",
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE",
];

/// All that is not controlled in binaries of a module; `is_known` says which functions without source the verifier knows.
pub fn uncontrolled(module: &Module, is_known: impl Fn(&str) -> bool) -> BTreeSet<Uncontrolled> {
    let mut found = BTreeSet::new();
    for function in &module.functions {
        let own = module.name(function.symbol);
        let operations = function.blocks.iter().flat_map(|block| &block.instructions).map(|i| &i.operation);
        for operation in operations {
            if let Operation::Call(call) | Operation::Invoke(call, ..) = operation {
                look_at(module, own, call, &is_known, &mut found);
            }
        }
    }
    found
}

fn look_at(
    module: &Module,
    own: &str,
    call: &Call,
    is_known: &impl Fn(&str) -> bool,
    found: &mut BTreeSet<Uncontrolled>,
) {
    if call.assembler.as_ref().is_some_and(|text| !text.is_empty()) {
        found.insert(Uncontrolled::Assembly(own.to_owned()));
    }
    let Operand::Constant(Constant::Symbol(symbol)) = call.callee else { return };
    let name = module.name(symbol);
    if module.function(name).is_some_and(|function| !function.blocks.is_empty()) {
        return;
    }
    let own_kind = match name {
        name if SIGNALS.contains(&name) => Some(Uncontrolled::Signals(name.to_owned())),
        name if PROCESSES.contains(&name) => Some(Uncontrolled::Processes(name.to_owned())),
        name if SHARED.contains(&name) => Some(Uncontrolled::SharedMemory(name.to_owned())),
        _ => None,
    };
    if let Some(kind) = own_kind {
        found.insert(kind);
        return;
    }
    if name.starts_with("llvm.") || selvedge_rt::PROVIDED.contains(&name) {
        return;
    }
    let is_function = |argument: &Argument| match &argument.value.operand {
        Operand::Constant(Constant::Symbol(symbol)) => {
            matches!(module.definition(*symbol), Some(Definition::Function(_)))
        }
        _ => false,
    };
    if !CALL_BACK.contains(&name) && call.arguments.iter().any(is_function) {
        found.insert(Uncontrolled::Foreign(name.to_owned()));
    } else if !is_known(name) {
        found.insert(Uncontrolled::Library(name.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_hook_reaches_is_listed_once() {
        let text = "define void @f() {\n  call void asm sideeffect \"nop\", \"\"()\n  call void @unknown(i32 1)\n  call void @unknown(i32 2)\n  \
                    call void @later(ptr @g)\n  call i32 @fork()\n  call i32 @sigaction(i32 2)\n  call void @g()\n  call i32 @puts(ptr null)\n  \
                    call i32 @shm_open()\n  ret void\n}\n\
                    define void @g() {\n  ret void\n}\ndeclare void @unknown(i32)\ndeclare void @later(ptr)\ndeclare i32 @fork()\n\
                    declare i32 @sigaction(i32)\ndeclare i32 @puts(ptr)\ndeclare i32 @shm_open()\n";
        let module = selvedge_llvm::read(text).expect("it is well formed");
        let found: Vec<Uncontrolled> = uncontrolled(&module, |name| name == "puts").into_iter().collect();
        let name = str::to_owned;
        assert_eq!(
            found,
            [
                Uncontrolled::Library(name("unknown")),
                Uncontrolled::Assembly(name("f")),
                Uncontrolled::Signals(name("sigaction")),
                Uncontrolled::Foreign(name("later")),
                Uncontrolled::Processes(name("fork")),
                Uncontrolled::SharedMemory(name("shm_open")),
            ]
        );
    }
}
