//! Functions by name: the end of the program, assumptions, the environment.

use super::Row;
use crate::builtin::Builtin;

/// Name, signature in the types of LLVM, meaning.
pub(super) const ROWS: &[Row] = &[
    ("__cxa_thread_atexit", "i32 (ptr, ptr, ptr)", Builtin::AtEndOfThread),
    ("exit", "void (i32)", Builtin::Exit),
    ("_exit", "void (i32)", Builtin::QuickExit),
    ("_Exit", "void (i32)", Builtin::QuickExit),
    ("quick_exit", "void (i32)", Builtin::QuickExit),
    ("abort", "void ()", Builtin::Abort),
    ("_ZSt9terminatev", "void ()", Builtin::Terminate),
    ("__cxa_pure_virtual", "void ()", Builtin::Terminate),
    ("_ZSt20__throw_system_errori", "void (i32)", Builtin::Terminate),
    ("_ZSt20__throw_length_errorPKc", "void (ptr)", Builtin::Terminate),
    ("_ZSt17__throw_bad_allocv", "void ()", Builtin::Terminate),
    ("_ZSt28__throw_bad_array_new_lengthv", "void ()", Builtin::Terminate),
    ("_ZSt25__throw_bad_function_callv", "void ()", Builtin::Terminate),
    ("__assert_fail", "void (ptr, ptr, i32, ptr)", Builtin::AssertFail),
    ("__assert_rtn", "void (ptr, ptr, i32, ptr)", Builtin::AssertFail),
    ("__assert", "void (ptr, ptr, i32)", Builtin::AssertFail),
    ("__VERIFIER_error", "void ()", Builtin::ErrorCall),
    ("reach_error", "void ()", Builtin::ErrorCall),
    ("__VERIFIER_assume", "void (i32)", Builtin::Assume),
    ("assume_abort_if_not", "void (i32)", Builtin::AssumeOrAbort),
    ("__errno_location", "ptr ()", Builtin::ErrnoLocation),
    ("__VERIFIER_loop_begin", "void ()", Builtin::Nothing),
    ("__VERIFIER_loop_bound", "void (i32)", Builtin::Nothing),
    ("__VERIFIER_spin_start", "void ()", Builtin::Nothing),
    ("__VERIFIER_spin_end", "void (i32)", Builtin::Nothing),
    ("__cxa_atexit", "i32 (ptr, ptr, ptr)", Builtin::AtExitCpp),
    ("atexit", "i32 (ptr)", Builtin::AtExit),
    ("_ZNSt8ios_base4InitC1Ev", "void (ptr)", Builtin::Nothing),
    ("_ZNSt8ios_base4InitD1Ev", "void (ptr)", Builtin::Nothing),
    ("signal", "ptr (i32, ptr)", Builtin::SignalHandler),
    ("getenv", "ptr (ptr)", Builtin::Environment),
];
