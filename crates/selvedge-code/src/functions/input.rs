//! Functions by name: times and random numbers; what is named after a type is in [`crate::inputs`].

use super::Row;
use crate::builtin::Builtin;

/// Name, signature in the types of LLVM, meaning.
pub(super) const ROWS: &[Row] = &[
    ("srand", "void (i32)", Builtin::Nothing),
    ("srandom", "void (i32)", Builtin::Nothing),
    ("getpid", "i32 ()", Builtin::Random),
    ("clock_gettime", "i32 (i32, ptr)", Builtin::TimeOfDay),
    ("gettimeofday", "i32 (ptr, ptr)", Builtin::TimeOfDay),
    ("time", "i64 (ptr)", Builtin::Time),
    ("clock", "i64 ()", Builtin::NondetSigned),
    ("rand", "i32 ()", Builtin::Random),
    ("rand_r", "i32 (ptr)", Builtin::Random),
    ("random", "i64 ()", Builtin::Random),
    ("lrand48", "i64 ()", Builtin::Random),
    ("_ZNSt6chrono3_V212steady_clock3nowEv", "i64 ()", Builtin::Clock),
    ("_ZNSt6chrono3_V212system_clock3nowEv", "i64 ()", Builtin::Clock),
];
