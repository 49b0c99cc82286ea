//! Functions by name: allocation and blocks of memory.

use super::Row;
use crate::builtin::Builtin;

/// Name, signature in the types of LLVM, meaning.
pub(super) const ROWS: &[Row] = &[
    ("malloc", "ptr (i64)", Builtin::Malloc),
    ("_Znwm", "ptr (i64)", Builtin::Malloc),
    ("_Znam", "ptr (i64)", Builtin::Malloc),
    ("_ZnwmRKSt9nothrow_t", "ptr (i64, ptr)", Builtin::Malloc),
    ("_ZnamRKSt9nothrow_t", "ptr (i64, ptr)", Builtin::Malloc),
    ("valloc", "ptr (i64)", Builtin::Malloc),
    ("calloc", "ptr (i64, i64)", Builtin::Calloc),
    ("realloc", "ptr (ptr, i64)", Builtin::Realloc),
    ("free", "void (ptr)", Builtin::Free),
    ("cfree", "void (ptr)", Builtin::Free),
    ("_ZdlPv", "void (ptr)", Builtin::Free),
    ("_ZdaPv", "void (ptr)", Builtin::Free),
    ("_ZdlPvm", "void (ptr, i64)", Builtin::Free),
    ("_ZdaPvm", "void (ptr, i64)", Builtin::Free),
    ("_ZdlPvSt11align_val_t", "void (ptr, i64)", Builtin::Free),
    ("_ZdlPvmSt11align_val_t", "void (ptr, i64, i64)", Builtin::Free),
    ("_ZdaPvSt11align_val_t", "void (ptr, i64)", Builtin::Free),
    ("_ZdaPvmSt11align_val_t", "void (ptr, i64, i64)", Builtin::Free),
    ("aligned_alloc", "ptr (i64, i64)", Builtin::AlignedAlloc),
    ("memalign", "ptr (i64, i64)", Builtin::AlignedAlloc),
    ("_ZnwmSt11align_val_t", "ptr (i64, i64)", Builtin::NewAligned),
    ("_ZnamSt11align_val_t", "ptr (i64, i64)", Builtin::NewAligned),
    ("posix_memalign", "i32 (ptr, i64, i64)", Builtin::PosixMemalign),
    ("memcpy", "ptr (ptr, ptr, i64)", Builtin::Memcpy),
    ("memmove", "ptr (ptr, ptr, i64)", Builtin::Memcpy),
    ("__memcpy_chk", "ptr (ptr, ptr, i64, i64)", Builtin::Memcpy),
    ("__memmove_chk", "ptr (ptr, ptr, i64, i64)", Builtin::Memcpy),
    ("memset", "ptr (ptr, i32, i64)", Builtin::Memset),
    ("__memset_chk", "ptr (ptr, i32, i64, i64)", Builtin::Memset),
    ("bzero", "void (ptr, i64)", Builtin::Bzero),
    ("__atomic_load", "void (i64, ptr, ptr, i32)", Builtin::AtomicLoad),
    ("__atomic_store", "void (i64, ptr, ptr, i32)", Builtin::AtomicStore),
    ("__atomic_exchange", "void (i64, ptr, ptr, ptr, i32)", Builtin::AtomicExchange),
    ("__atomic_compare_exchange", "i1 (i64, ptr, ptr, ptr, i32, i32)", Builtin::AtomicCompareExchange),
];
