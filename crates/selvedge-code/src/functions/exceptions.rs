//! Functions by name: exceptions of C++, and the types they are caught by.

use super::Row;
use crate::builtin::Builtin;

/// Name, signature in the types of LLVM, meaning.
pub(super) const ROWS: &[Row] = &[
    ("__gxx_personality_v0", "i32 (...)", Builtin::Nothing),
    ("__cxa_allocate_exception", "ptr (i64)", Builtin::AllocateException),
    ("__cxa_free_exception", "void (ptr)", Builtin::FreeException),
    ("__cxa_throw", "void (ptr, ptr, ptr)", Builtin::Throw),
    ("__cxa_rethrow", "void ()", Builtin::Rethrow),
    ("__cxa_begin_catch", "ptr (ptr)", Builtin::BeginCatch),
    ("__cxa_end_catch", "void ()", Builtin::EndCatch),
    ("__cxa_get_exception_ptr", "ptr (ptr)", Builtin::ExceptionPointer),
    ("__cxa_init_primary_exception", "ptr (ptr, ptr, ptr)", Builtin::InitialiseException),
    ("_ZSt19uncaught_exceptionsv", "i32 ()", Builtin::UncaughtExceptions),
    ("_ZSt18uncaught_exceptionv", "i1 ()", Builtin::UncaughtExceptions),
    ("selvedge_caught_exception", "ptr ()", Builtin::CurrentException),
    ("selvedge_throw_from_pointer", "void (ptr)", Builtin::RethrowPointer),
    ("__dynamic_cast", "ptr (ptr, ptr, ptr, i64)", Builtin::DynamicCast),
];
