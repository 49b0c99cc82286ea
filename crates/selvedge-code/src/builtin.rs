//! The meanings of functions without body: threads, locks, the C library, and the functions of verification competitions.
//!
//! Engines match on a meaning and never on a name. Meanings without a name in the [table](crate::functions) are steps of others: waiting for a
//! condition variable, for example, is to release the mutex and, later, to go on.

use crate::functions::{self, Kind};
use crate::inputs::Input;

/// What a function without body means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Builtin {
    // Memory
    Malloc,
    Calloc,
    Realloc,
    Free,
    AlignedAlloc,
    NewAligned,
    PosixMemalign,
    Memcpy,
    Memset,
    Bzero,
    Memcmp,
    Memchr,
    Strlen,
    Strnlen,
    Strcpy,
    Stpcpy,
    Strncpy,
    Strcat,
    Strncat,
    Strcmp,
    Strncmp,
    Strcasecmp,
    Strchr,
    Strrchr,
    Strstr,
    Strdup,
    Strndup,
    // Numbers
    Abs,
    Atoi,
    Strtol,
    IsClass,
    ToLower,
    ToUpper,
    Math1,
    Math1f,
    Math2,
    Math2f,
    Rounded,
    IsNan,
    IsInf,
    // Output
    Printf,
    Fprintf,
    Sprintf,
    Snprintf,
    Vprintf,
    Vfprintf,
    Vsprintf,
    Vsnprintf,
    Puts,
    Fputs,
    Putchar,
    Fwrite,
    Perror,
    VaStart,
    VaEnd,
    VaCopy,
    // Process
    Exit,
    Abort,
    Terminate,
    AssertFail,
    ErrorCall,
    Assume,
    AssumeOrAbort,
    ErrnoLocation,
    Nothing,
    Time,
    TimeOfDay,
    Environment,
    SignalHandler,
    AtExit,
    AtExitCpp,
    AtEndOfThread,
    QuickExit,
    // Nondet
    NondetBool,
    NondetSigned,
    /// An input from 0 to the greatest `int`.
    Random,
    NondetUnsigned,
    NondetFloat,
    NondetPointer,
    // Threads
    ThreadCreate,
    ThreadCreateC11,
    ThreadCreateCpp,
    ThreadJoin,
    ThreadJoinC11,
    ThreadJoinCpp,
    ThreadExit,
    ThreadSelf,
    ThreadEqual,
    ThreadDetach,
    ThreadDetachCpp,
    KeyCreate,
    KeyDelete,
    KeySet,
    KeyGet,
    // Locks
    MutexInit,
    MutexInitC11,
    MutexDestroy,
    MutexLock,
    MutexLockAll,
    MutexTryLock,
    MutexTryLockC11,
    MutexTimedLock,
    MutexTimedLockC11,
    MutexUnlock,
    MutexAttrInit,
    MutexAttrSetType,
    MutexAttrGetType,
    RwInit,
    RwDestroy,
    RwReadLock,
    RwWriteLock,
    RwTryReadLock,
    RwTryWriteLock,
    RwTimedReadLock,
    RwTimedWriteLock,
    RwUnlock,
    SpinInit,
    SpinDestroy,
    SpinLock,
    SpinTryLock,
    SpinUnlock,
    CondInit,
    CondDestroy,
    CondWait,
    CondWaitCpp,
    CondTimedWait,
    CondTimedWaitC11,
    CondWakeUp,
    CondTimedWakeUp,
    CondSignal,
    CondBroadcast,
    BarrierInit,
    BarrierDestroy,
    BarrierWait,
    BarrierPass,
    AtomicLoad,
    AtomicStore,
    AtomicExchange,
    AtomicCompareExchange,
    OnceBegin,
    OnceEnd,
    OnceAbort,
    GuardAcquire,
    GuardRelease,
    GuardAbort,
    SemInit,
    SemDestroy,
    SemWait,
    SemTryWait,
    SemTimedWait,
    SemPost,
    SemGetValue,
    FutexBegin,
    FutexEnd,
    AddressWait,
    AddressNotify,
    Syscall,
    Clock,
    AttributeInit,
    AttributeSetDetached,
    Strtod,
    // C++ exceptions
    AllocateException,
    FreeException,
    ReleaseException,
    InitialiseException,
    UncaughtExceptions,
    Throw,
    Rethrow,
    RethrowPointer,
    Resume,
    LandedObject,
    LandedSelector,
    BeginCatch,
    EndCatch,
    DestructorOf,
    ExceptionPointer,
    CurrentException,
    DynamicCast,
    // C++ streams
    StreamText,
    StreamString,
    StreamSized,
    StreamCharacter,
    StreamSigned,
    StreamUnsigned,
    StreamBool,
    StreamDouble,
    StreamPointer,
    StreamManipulator,
    StreamFlush,
    // Compiler
    AtomicBegin,
    AtomicEnd,
    StackSave,
}

impl Builtin {
    /// The meaning of a function, if it is known.
    pub fn from_name(name: &str) -> Option<Builtin> {
        functions::function(name).map(|function| function.builtin)
    }

    /// What it is about.
    pub fn kind(self) -> Kind {
        use Builtin::*;
        match self {
            Malloc
            | Calloc
            | Realloc
            | Free
            | AlignedAlloc
            | NewAligned
            | PosixMemalign
            | Memcpy
            | Memset
            | Bzero
            | AtomicLoad
            | AtomicStore
            | AtomicExchange
            | AtomicCompareExchange => Kind::Memory,
            Memcmp | Memchr | Strlen | Strnlen | Strcpy | Stpcpy | Strncpy | Strcat | Strncat | Strcmp
            | Strncmp | Strcasecmp | Strchr | Strrchr | Strstr | Strdup | Strndup | Atoi | Strtol
            | Strtod => Kind::Text,
            Abs | IsClass | ToLower | ToUpper | Math1 | Math1f | Math2 | Math2f | Rounded | IsNan | IsInf
            | Nothing => Kind::Pure,
            Printf | Fprintf | Sprintf | Snprintf | Vprintf | Vfprintf | Vsprintf | Vsnprintf | Puts
            | Fputs | Putchar | Fwrite | Perror | StreamText | StreamString | StreamSized
            | StreamCharacter | StreamSigned | StreamUnsigned | StreamBool | StreamDouble | StreamPointer
            | StreamManipulator | StreamFlush => Kind::Output,
            Exit | Abort | Terminate | AssertFail | ErrorCall | Assume | AssumeOrAbort | ErrnoLocation
            | Environment | SignalHandler | AtExit | AtExitCpp | AtEndOfThread | QuickExit => Kind::Process,
            Random | Time | TimeOfDay | Clock | NondetBool | NondetSigned | NondetUnsigned | NondetFloat
            | NondetPointer => Kind::Input,
            ThreadCreate | ThreadCreateC11 | ThreadCreateCpp | ThreadJoin | ThreadJoinC11 | ThreadJoinCpp
            | ThreadExit | ThreadSelf | ThreadEqual | ThreadDetach | ThreadDetachCpp | KeyCreate
            | KeyDelete | KeySet | KeyGet | AttributeInit | AttributeSetDetached | AtomicBegin
            | AtomicEnd => Kind::Thread,
            MutexInit | MutexInitC11 | MutexDestroy | MutexLock | MutexLockAll | MutexTryLock
            | MutexTryLockC11 | MutexTimedLock | MutexTimedLockC11 | MutexUnlock | MutexAttrInit
            | MutexAttrSetType | MutexAttrGetType | RwInit | RwDestroy | RwReadLock | RwWriteLock
            | RwTryReadLock | RwTryWriteLock | RwTimedReadLock | RwTimedWriteLock | RwUnlock | SpinInit
            | SpinDestroy | SpinLock | SpinTryLock | SpinUnlock | OnceBegin | OnceEnd | OnceAbort
            | GuardAcquire | GuardRelease | GuardAbort | SemInit | SemDestroy | SemWait | SemTryWait
            | SemTimedWait | SemPost | SemGetValue => Kind::Lock,
            CondInit | CondDestroy | CondWait | CondWaitCpp | CondTimedWait | CondTimedWaitC11
            | CondWakeUp | CondTimedWakeUp | CondSignal | CondBroadcast | BarrierInit | BarrierDestroy
            | BarrierWait | BarrierPass | FutexBegin | FutexEnd | AddressWait | AddressNotify | Syscall => {
                Kind::Wait
            }
            AllocateException | FreeException | ReleaseException | InitialiseException
            | UncaughtExceptions | Throw | Rethrow | RethrowPointer | Resume | LandedObject
            | LandedSelector | BeginCatch | EndCatch | DestructorOf | ExceptionPointer | CurrentException
            | DynamicCast => Kind::Exception,
            VaStart | VaEnd | VaCopy | StackSave => Kind::Compiler,
        }
    }

    /// The meaning of an input.
    pub(crate) fn of_input(input: Input) -> Builtin {
        match input {
            Input::Bool => Builtin::NondetBool,
            Input::Signed => Builtin::NondetSigned,
            Input::Unsigned => Builtin::NondetUnsigned,
            Input::Float => Builtin::NondetFloat,
            Input::Pointer => Builtin::NondetPointer,
        }
    }

    /// Whether it returns a value that is not decided yet.
    pub fn returns_input(self) -> bool {
        matches!(
            self,
            Builtin::NondetSigned
                | Builtin::NondetUnsigned
                | Builtin::Random
                | Builtin::NondetFloat
                | Builtin::NondetPointer
                | Builtin::Time
        )
    }

    /// Whether the call never returns.
    pub fn never_returns(self) -> bool {
        matches!(
            self,
            Builtin::Exit
                | Builtin::QuickExit
                | Builtin::Abort
                | Builtin::Terminate
                | Builtin::AssertFail
                | Builtin::ErrorCall
                | Builtin::ThreadExit
                | Builtin::Throw
                | Builtin::Rethrow
                | Builtin::RethrowPointer
                | Builtin::Resume
        )
    }

    /// Whether it does nothing and accesses nothing.
    pub fn is_nothing(self) -> bool {
        self == Builtin::Nothing
    }

    /// Whether it does nothing but print, and its result is how much it printed.
    pub fn prints(self) -> bool {
        matches!(
            self,
            Builtin::Printf
                | Builtin::Fprintf
                | Builtin::Puts
                | Builtin::Fputs
                | Builtin::Putchar
                | Builtin::Perror
        )
    }
}
