//! Functions by name: what the compiler calls.

use super::Row;
use crate::builtin::Builtin;

/// Name, signature in the types of LLVM, meaning.
pub(super) const ROWS: &[Row] = &[
    ("llvm.va_start", "void (ptr)", Builtin::VaStart),
    ("llvm.va_start.p0", "void (ptr)", Builtin::VaStart),
    ("llvm.va_end", "void (ptr)", Builtin::VaEnd),
    ("llvm.va_end.p0", "void (ptr)", Builtin::VaEnd),
    ("llvm.va_copy", "void (ptr, ptr)", Builtin::VaCopy),
    ("llvm.va_copy.p0", "void (ptr, ptr)", Builtin::VaCopy),
    ("llvm.stacksave", "ptr ()", Builtin::StackSave),
    ("llvm.stacksave.p0", "ptr ()", Builtin::StackSave),
];
