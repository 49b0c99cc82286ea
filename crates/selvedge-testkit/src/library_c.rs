//! A small program for every function that engines know without its body: a legal call, and calls with null pointers.

use selvedge_code::{Builtin, Function};

/// What a program asks of the result of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// An error if it is 0.
    NotZero,
    /// An error if it is not 0.
    Zero,
}

/// How the function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Called {
    /// With arguments that it may have.
    Legally,
    /// With a null pointer as the argument at a place.
    WithNull(usize),
    /// With the last argument left out.
    TooShort,
}

/// What all programs have before `main`.
const DECLARATIONS: &str = "#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>
extern void reach_error(void);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
_Alignas(16) char memory[256];
void *pointer;
long wide;
int number;
pthread_t handle;
pthread_key_t key;
pthread_attr_t attribute;
pthread_mutexattr_t kind;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_spinlock_t spin;
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_barrier_t barrier;
pthread_once_t once = PTHREAD_ONCE_INIT;
sem_t sem;
struct timespec instant;
static void *run(void *argument) { return argument; }
static void nothing(void) {}
";

/// The program that calls a function; nothing where C has no such call.
pub fn program(function: &Function, called: Called, asked: Asked) -> Option<String> {
    if function.name.starts_with("llvm.") {
        return compilers(function.builtin, asked);
    }
    let Call { before, mut arguments, after } = call(function);
    match called {
        Called::Legally => {}
        Called::WithNull(place) => {
            *arguments.get_mut(place).filter(|_| is_pointer(function, place))? = "0".to_owned();
        }
        Called::TooShort => {
            arguments.pop()?;
        }
    }
    let result = in_c(function.signature.result());
    let types: Vec<&str> = function.signature.parameters().map(in_c).take(arguments.len()).collect();
    let types = match (types.is_empty(), function.signature.is_variadic()) {
        (true, _) => "void".to_owned(),
        (false, true) => format!("{}, ...", types.join(", ")),
        (false, false) => types.join(", "),
    };
    let call = format!("tested({})", arguments.join(", "));
    let called = match (result, asked) {
        ("void", Asked::Nothing) => format!("{call};"),
        ("void", _) => return None,
        (_, Asked::Nothing) => format!("(void)({call});"),
        (_, Asked::NotZero) => format!("if (!({call})) reach_error();"),
        (_, Asked::Zero) => format!("if ({call}) reach_error();"),
    };
    Some(format!(
        "{DECLARATIONS}extern {result} tested({types}) __asm__(\"{}\");\nint main(void) {{\n    {before}\n    {called}\n    {after}\n    return 0;\n}}\n",
        function.name
    ))
}

/// Programs for what the compiler calls.
fn compilers(builtin: Builtin, asked: Asked) -> Option<String> {
    let body = match (builtin, asked) {
        (Builtin::StackSave, Asked::Nothing) => {
            "int main(void) { int n = 3; char a[n]; a[0] = 1; return a[0] - 1; }"
        }
        (_, Asked::Nothing) => {
            "#include <stdarg.h>\nstatic int first(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); va_end(a); va_end(b); return n; }\nint main(void) { return first(0, 1); }"
        }
        _ => return None,
    };
    Some(format!("{body}\n"))
}

/// A call of a function, and what comes before and after it.
struct Call {
    before: &'static str,
    arguments: Vec<String>,
    after: &'static str,
}

fn is_pointer(function: &Function, place: usize) -> bool {
    function.signature.parameters().nth(place) == Some("ptr")
}

fn in_c(ty: &str) -> &'static str {
    match ty {
        "void" => "void",
        "i1" => "_Bool",
        "i8" => "char",
        "i16" => "short",
        "i32" => "int",
        "i64" => "long",
        "float" => "float",
        "double" => "double",
        _ => "void *",
    }
}

fn call(function: &Function) -> Call {
    let (before, given, after) = given(function.builtin);
    let mut arguments: Vec<String> = given.iter().map(|&argument| argument.to_owned()).collect();
    let types: Vec<&str> = function.signature.parameters().collect();
    // Functions with `__` at the beginning, and those with a clock, have further arguments.
    if types.len() != arguments.len() || given.is_empty() {
        arguments = types.iter().enumerate().map(|(i, ty)| usual(ty, i, &given)).collect();
    }
    Call { before, arguments, after }
}

/// An argument of a type: the given one that is next if it is a pointer as well.
fn usual(ty: &str, place: usize, given: &[&str]) -> String {
    let pointers: Vec<&&str> = given.iter().filter(|argument| argument.starts_with(['&', '"'])).collect();
    let argument = match (ty, pointers.as_slice()) {
        ("ptr", [.., last]) if place > 0 => last,
        ("ptr", [first, ..]) => first,
        ("ptr", []) => "memory",
        ("i64", _) => "8",
        ("i8", _) => "'x'",
        ("float" | "double", _) => "1.5",
        _ => "1",
    };
    argument.to_owned()
}

/// What comes before a call, its arguments if they are not the usual ones of their types, and what comes after it.
fn given(builtin: Builtin) -> (&'static str, Vec<&'static str>, &'static str) {
    use Builtin::*;
    let call = |arguments: &[&'static str]| ("", arguments.to_vec(), "");
    let after = |before, arguments: &[&'static str]| (before, arguments.to_vec(), "");
    match builtin {
        Free => call(&["malloc(8)"]),
        Realloc => call(&["malloc(8)", "16"]),
        AlignedAlloc => call(&["16", "32"]),
        NewAligned => call(&["32", "16"]),
        PosixMemalign => call(&["&pointer", "16", "32"]),
        Memcpy => call(&["memory + 8", "memory", "8"]),
        Memset => call(&["memory", "0", "8"]),
        Strcpy => call(&["memory", "\"ab\""]),
        Printf | Puts | Fputs | Fprintf => call(&["\"x\""]),
        AssertFail => call(&["\"x\"", "\"x\"", "1", "\"x\""]),
        AtExit => call(&["nothing"]),
        AtomicBegin => ("", vec![], "__VERIFIER_atomic_end();"),
        AtomicEnd => after("__VERIFIER_atomic_begin();", &[]),
        ThreadCreate => call(&["&handle", "0", "run", "0"]),
        ThreadCreateC11 => call(&["&handle", "run", "0"]),
        ThreadJoin | ThreadJoinC11 => after("pthread_create(&handle, 0, run, 0);", &["handle", "0"]),
        ThreadDetach => after("pthread_create(&handle, 0, run, 0);", &["handle"]),
        ThreadEqual => call(&["pthread_self()", "pthread_self()"]),
        ThreadExit => call(&["0"]),
        KeyCreate => call(&["&key", "0"]),
        KeyDelete => after("pthread_key_create(&key, 0);", &["key"]),
        KeySet => after("pthread_key_create(&key, 0);", &["key", "memory"]),
        KeyGet => after("pthread_key_create(&key, 0);", &["key"]),
        AttributeInit => call(&["&attribute"]),
        AttributeSetDetached => after("pthread_attr_init(&attribute);", &["&attribute", "0"]),
        MutexInit => call(&["&mutex", "0"]),
        MutexInitC11 => call(&["&mutex", "0"]),
        MutexDestroy | MutexLock | MutexLockAll | MutexTryLock | MutexTryLockC11 => call(&["&mutex"]),
        MutexTimedLock | MutexTimedLockC11 => call(&["&mutex", "&instant"]),
        MutexUnlock => after("pthread_mutex_lock(&mutex);", &["&mutex"]),
        MutexAttrInit => call(&["&kind"]),
        MutexAttrSetType => after("pthread_mutexattr_init(&kind);", &["&kind", "1"]),
        MutexAttrGetType => after("pthread_mutexattr_init(&kind);", &["&kind", "&number"]),
        RwInit => call(&["&rwlock", "0"]),
        RwDestroy | RwReadLock | RwWriteLock | RwTryReadLock | RwTryWriteLock => call(&["&rwlock"]),
        RwTimedReadLock | RwTimedWriteLock => call(&["&rwlock", "&instant"]),
        RwUnlock => after("pthread_rwlock_rdlock(&rwlock);", &["&rwlock"]),
        SpinInit => call(&["&spin", "0"]),
        SpinDestroy | SpinLock | SpinTryLock => after("pthread_spin_init(&spin, 0);", &["&spin"]),
        SpinUnlock => after("pthread_spin_init(&spin, 0); pthread_spin_lock(&spin);", &["&spin"]),
        CondInit => call(&["&cond", "0"]),
        CondWait => after("pthread_mutex_lock(&mutex);", &["&cond", "&mutex"]),
        CondTimedWait | CondTimedWaitC11 => {
            after("pthread_mutex_lock(&mutex);", &["&cond", "&mutex", "&instant"])
        }
        CondSignal | CondBroadcast => call(&["&cond"]),
        BarrierInit => call(&["&barrier", "0", "1"]),
        BarrierDestroy | BarrierWait => after("pthread_barrier_init(&barrier, 0, 1);", &["&barrier"]),
        OnceBegin => call(&["&once", "nothing"]),
        GuardAcquire | GuardRelease | GuardAbort => call(&["&wide"]),
        SemInit => call(&["&sem", "0", "1"]),
        SemDestroy | SemWait | SemTryWait | SemPost => after("sem_init(&sem, 0, 1);", &["&sem"]),
        SemTimedWait => after("sem_init(&sem, 0, 1);", &["&sem", "&instant"]),
        SemGetValue => after("sem_init(&sem, 0, 1);", &["&sem", "&number"]),
        _ => call(&[]),
    }
}
