//! The compact form in which modules run: flat instructions over words of 64 bits.
//!
//! A frame has a slot for every register of its function, and for every variable whose address nobody takes. The slots
//! that are in use while a thread stands at a visible operation come first: only they are saved for the way back.

use crate::builtin::Builtin;
use crate::memory::DataModel;
use selvedge_code::functions;
use selvedge_code::intrinsics::Intrinsic;
use selvedge_llvm::Site;
use selvedge_llvm::instruction::{BinaryOperator, CastOperator, FloatPredicate, Predicate, RmwOperator};
use std::collections::HashMap;

/// A slot of a frame, or, from [`CONSTANT`] on, a constant.
pub type Slot = u32;

/// The first number that stands for a constant.
pub const CONSTANT: Slot = 1 << 31;

/// No slot.
pub const NO_SLOT: Slot = u32::MAX;

/// A place in the code.
pub type Pc = u32;

/// An instruction.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Op {
    /// Copies a word.
    Move { dst: Slot, src: Slot },
    /// Integer arithmetic on numbers of so many bits.
    Binary { op: BinaryOperator, bits: u8, dst: Slot, a: Slot, b: Slot },
    /// The same where signed overflow is a failure.
    Checked { op: BinaryOperator, bits: u8, dst: Slot, a: Slot, b: Slot },
    /// Arithmetic on two words.
    Wide { op: BinaryOperator, dst: Slot, a: Slot, b: Slot },
    /// The sum of a word and a constant.
    AddImmediate { dst: Slot, a: Slot, amount: i64 },
    /// An address: base plus index, taken as a signed number of so many bits, times scale.
    Element { dst: Slot, base: Slot, index: Slot, scale: u32, bits: u8 },
    /// Floating-point arithmetic.
    FloatBinary { op: BinaryOperator, single: bool, dst: Slot, a: Slot, b: Slot },
    /// Turns a sign.
    FloatNegate { single: bool, dst: Slot, a: Slot },
    /// Compares integers.
    Compare { predicate: Predicate, bits: u8, dst: Slot, a: Slot, b: Slot },
    /// Compares words, which may be addresses.
    CompareWords { predicate: Predicate, bits: u8, dst: Slot, a: Slot, b: Slot },
    /// Compares numbers of two words.
    CompareWide { predicate: Predicate, dst: Slot, a: Slot, b: Slot },
    /// Compares floating-point numbers.
    CompareFloat { predicate: FloatPredicate, single: bool, dst: Slot, a: Slot, b: Slot },
    /// The lowest bits.
    Truncate { dst: Slot, a: Slot, bits: u8 },
    /// Copies the sign bit upward, up to so many bits.
    SignExtend { dst: Slot, a: Slot, from: u8, to: u8 },
    /// Conversions from and to floating point.
    Convert { op: CastOperator, single: bool, dst: Slot, a: Slot, bits: u8 },
    /// One of two values of so many words.
    Select { dst: Slot, condition: Slot, a: Slot, b: Slot, words: u16 },
    /// Goes on elsewhere.
    Jump { to: Pc },
    /// Goes on at one of two places.
    Branch { condition: Slot, then: Pc, otherwise: Pc },
    /// Compares and goes on at one of two places.
    CompareBranch { predicate: Predicate, bits: u8, a: Slot, b: Slot, then: Pc, otherwise: Pc },
    /// Compares words of the size of pointers, which may be addresses, and goes on at one of two places.
    CompareWordsBranch { predicate: Predicate, bits: u8, a: Slot, b: Slot, then: Pc, otherwise: Pc },
    /// Goes on at the place that belongs to a value.
    Switch { value: Slot, table: u32 },
    /// Reads memory.
    Load { dst: Slot, address: Slot, bits: u8, access: AccessMode },
    /// Writes memory.
    Store { src: Slot, address: Slot, bits: u8, access: AccessMode },
    /// Reads a value of several words.
    LoadWords { dst: Slot, address: Slot, shape: u32, access: AccessMode },
    /// Writes a value of several words.
    StoreWords { src: Slot, address: Slot, shape: u32, access: AccessMode },
    /// Compares and exchanges; the old value and whether it worked.
    CompareExchange { dst: Slot, address: Slot, expected: Slot, new: Slot, bits: u8, access: Exchange },
    /// The same with two words.
    CompareExchangeWide { dst: Slot, address: Slot, expected: Slot, new: Slot, access: Exchange },
    /// Reads, modifies and writes.
    Modify { op: RmwOperator, dst: Slot, address: Slot, value: Slot, bits: u8, access: AccessMode },
    /// The same with two words.
    ModifyWide { op: RmwOperator, dst: Slot, address: Slot, value: Slot, access: AccessMode },
    /// What the compiler has intrinsics for.
    Intrinsic { which: Intrinsic, bits: u8, dst: Slot, a: Slot, b: Slot, c: Slot },
    /// Room in the frame for so many times a size, at a multiple of a power of two.
    Alloca { dst: Slot, count: Slot, size: u32, variable: u32, alignment: u8 },
    /// Takes rooms back that were made since the given one.
    RestoreStack { mark: Slot },
    /// The address of this thread's copy of a variable.
    ThreadLocal { dst: Slot, variable: u32 },
    /// A word of which some bits have no value in particular: `undef` and `poison`.
    Undefined { dst: Slot, known: Slot, bits: Slot },
    /// Calls a function of the module.
    Call { call: u32 },
    /// Calls a function by its address.
    CallIndirect { call: u32 },
    /// Calls what the machine does itself.
    Builtin { call: u32 },
    /// Leaves the function with a value of so many words.
    Return { value: Slot, words: u16 },
    /// The beginning of an atomic section.
    AtomicBegin,
    /// The end of an atomic section.
    AtomicEnd,
    /// The head of a loop, where spinning is noticed.
    LoopHead { head: u32 },
    /// The way into a loop from outside, before its head.
    LoopBegin { head: Pc },
    /// The beginning of a loop whose rounds are counted.
    LoopEnter { counter: Slot },
    /// A round of a loop, of which there may be only so many.
    LoopRound { counter: Slot },
    /// Orders accesses, for those who look for data races.
    Fence { access: AccessMode },
    /// Something that must not be reached.
    Trap { trap: u32 },
}

impl Op {
    /// The instruction on numbers of any size that does the same as one on words.
    pub fn generic(self) -> Op {
        match self {
            Op::CompareWords { predicate, bits, dst, a, b } => Op::Compare { predicate, bits, dst, a, b },
            Op::CompareWordsBranch { predicate, bits, a, b, then, otherwise } => {
                Op::CompareBranch { predicate, bits, a, b, then, otherwise }
            }
            op => op,
        }
    }
}

/// How an access to memory is ordered with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// Not at all: two of them at the same time are a data race.
    Plain,
    /// Atomic without order.
    Relaxed,
    /// Atomic, sees what came before a release.
    Acquire,
    /// Atomic, shows what came before.
    Release,
    /// Atomic, both.
    AcquireRelease,
}

impl AccessMode {
    /// Whether the access is atomic.
    pub fn is_atomic(self) -> bool {
        self != AccessMode::Plain
    }

    /// Whether it sees what came before a release.
    pub fn acquires(self) -> bool {
        matches!(self, AccessMode::Acquire | AccessMode::AcquireRelease)
    }

    /// Whether it shows what came before.
    pub fn releases(self) -> bool {
        matches!(self, AccessMode::Release | AccessMode::AcquireRelease)
    }
}

/// How a compare-exchange is ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// If it exchanges.
    pub success: AccessMode,
    /// If it does not, and only reads.
    pub failure: AccessMode,
}

/// What must not be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trap {
    /// The compiler says that it cannot be reached.
    Unreachable,
    /// The compiler has found a signed overflow.
    Overflow,
    /// The machine cannot do it.
    Unsupported(String),
}

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    /// What is called.
    pub callee: Callee,
    /// The arguments, and how many words each has.
    pub arguments: Box<[Argument]>,
    /// Where the result goes.
    pub result: Slot,
    /// The bits of the result, 0 for nothing.
    pub result_bits: u8,
    /// How many of the arguments have parameters of their own; the others are for `va_arg`.
    pub fixed: u16,
    /// The name of what is called, if the machine does it.
    pub name: Box<str>,
    /// The instruction of the call, if it is in the user's source; else [`NOWHERE`].
    pub from: Pc,
}

/// Stands for no instruction.
pub const NOWHERE: Pc = Pc::MAX;

impl Call {
    /// Whether it only writes to the output, and nobody asks how much.
    pub fn is_only_output(&self) -> bool {
        matches!(self.callee, Callee::Builtin(Builtin::Printf | Builtin::Fprintf)) && self.result == NO_SLOT
    }

    /// Whether it may allocate memory of the heap.
    pub fn allocates(&self) -> bool {
        matches!(
            self.callee,
            Callee::Builtin(
                Builtin::Malloc
                    | Builtin::Calloc
                    | Builtin::Realloc
                    | Builtin::AlignedAlloc
                    | Builtin::NewAligned
                    | Builtin::PosixMemalign
                    | Builtin::Strdup
                    | Builtin::Strndup
            )
        )
    }

    /// Which argument of `printf` and its like is the format.
    pub fn format_argument(&self) -> usize {
        match self.callee {
            Callee::Builtin(builtin) => functions::format_argument(builtin, &self.name),
            _ => 0,
        }
    }
}

/// An argument of a call.
#[derive(Clone, Copy, Debug)]
pub struct Argument {
    /// The first word.
    pub slot: Slot,
    /// The number of words.
    pub words: u16,
    /// The bits of the first word.
    pub bits: u8,
    /// The size of what the callee gets a copy of, if not 0.
    pub copied: u32,
}

/// What is called.
#[derive(Clone, Copy, Debug)]
pub enum Callee {
    /// A function of the module.
    Function(u32),
    /// The function at an address.
    Address(Slot),
    /// Something that the machine does.
    Builtin(Builtin),
    /// A function of which nothing is known, by its name.
    Unknown(u32),
}

/// A function of the module, lowered.
#[derive(Clone, Debug)]
pub struct FunctionCode {
    /// Its name in the source.
    pub name: String,
    /// Where it begins.
    pub entry: Pc,
    /// Where it ends.
    pub end: Pc,
    /// The slots of a frame.
    pub frame: u32,
    /// How many of them, from the first, are in use at visible operations.
    pub saved: u32,
    /// The slots of the parameters: the first and how many words each.
    pub parameters: Vec<(Slot, u16)>,
    /// Whether it takes further arguments.
    pub varargs: bool,
    /// Whether it compares addresses only to find out whether ranges overlap.
    pub tests_overlap: bool,
}

/// The words of a value in memory: where each is and how many bits.
pub type Shape = Box<[(u64, u8)]>;

/// A variable in the source.
#[derive(Clone, Debug, Default)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// The metadata node of its type.
    pub ty: Option<u32>,
}

/// A global variable, as it lies in memory.
#[derive(Clone, Debug)]
pub struct GlobalVariable {
    /// Its name and type.
    pub variable: Variable,
    /// Its bytes at the beginning.
    pub bytes: Vec<u8>,
    /// Where it lies; for one that each thread has, nowhere.
    pub address: u64,
    /// What its address is a multiple of on every machine.
    pub alignment: u32,
    /// Whether it never changes.
    pub is_constant: bool,
    /// Whether each thread has its own.
    pub is_thread_local: bool,
    /// Whether it is defined elsewhere, so that nobody knows what it holds.
    pub is_external: bool,
}

/// A place in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: u32,
    /// The line, from 1; 0 when it is not known.
    pub line: u32,
    /// The column, from 1; 0 when it is not known.
    pub column: u32,
}

/// The instruction of the LLVM IR that an instruction belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Which.
    pub site: Site,
    /// Whether it is the first of those that belong to it: then the instruction of the LLVM IR is executed once more.
    pub step: OriginStep,
}

/// Which of the instructions that belong to one of the LLVM IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OriginStep {
    /// The first.
    First,
    /// A later one.
    Later,
}

/// Where the rounds of a loop begin.
#[derive(Clone, Debug, Default)]
pub struct LoopHead {
    /// The slots that decide what rounds do.
    pub steering: Vec<Slot>,
    /// Those that matter only when the loop has ended.
    pub counting: Vec<Slot>,
    /// Where its last block ends.
    pub end: Pc,
}

/// Where an exception lands that leaves some instructions.
#[derive(Clone, Debug)]
pub struct LandingPad {
    /// The first of the instructions.
    pub from: Pc,
    /// The place after the last one.
    pub to: Pc,
    /// Where it goes on.
    pub landing: Pc,
    /// What it lands for, the first that fits.
    pub clauses: Vec<Clause>,
    /// Whether it lands here in any case.
    pub is_cleanup: bool,
}

/// For which exceptions there is a landing pad: the addresses of their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// Those of a type, or all if it is 0.
    Catch(u64),
    /// Those of none of the types.
    Filter(Vec<u64>),
}

/// What a read, or an atomic section, waits for instead of stopping its thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Assumes {
    /// What would happen otherwise.
    pub kind: AssumptionKind,
    /// Where.
    pub reach: AssumptionReach,
}

/// What happens to a thread that finds a condition false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AssumptionKind {
    /// Nothing special.
    #[default]
    None,
    /// It ends the program, in a way that is no failure.
    EndOfProgram,
    /// It stops at a false assumption.
    Assumption,
}

/// Where a read or a section may find a condition false.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AssumptionReach {
    /// In the section.
    #[default]
    Within,
    /// After the read or the section, too, which writes nothing.
    After,
}

/// What is known about an atomic section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// Whether it always accesses the same.
    pub is_fixed: bool,
    /// Whether it may have to wait.
    pub may_wait: bool,
    /// Whether it may take a nondeterministic decision.
    pub may_decide: bool,
    /// Whether it may compare addresses.
    pub may_compare: bool,
}

/// A lowered module.
#[derive(Clone, Debug, Default)]
pub struct Code {
    /// The instructions of all functions.
    pub ops: Vec<Op>,
    /// Where each comes from.
    pub places: Vec<Place>,
    /// The instruction of the LLVM IR that each belongs to; nothing at edges and heads of loops, and in functions that the module lacks.
    pub origins: Vec<Option<Origin>>,
    /// The constants.
    pub constants: Vec<u64>,
    /// The calls.
    pub calls: Vec<Call>,
    /// The functions.
    pub functions: Vec<FunctionCode>,
    /// How wide addresses are.
    pub model: DataModel,
    /// Whether threads may stand at comparisons, which then are operations of their own.
    pub stops_at_comparisons: bool,
    /// The functions by their addresses.
    pub function_addresses: HashMap<u64, Callee>,
    /// The tables of `switch`: values with their places, and the place for all others.
    pub switches: Vec<(HashMap<u64, Pc>, Pc)>,
    /// The shapes of values of several words.
    pub shapes: Vec<Shape>,
    /// The variables that have rooms in frames.
    pub variables: Vec<Variable>,
    /// The global variables.
    pub globals: Vec<GlobalVariable>,
    /// What must not be reached.
    pub traps: Vec<Trap>,
    /// The loops.
    pub loops: Vec<LoopHead>,
    /// Where exceptions land, in the order of the instructions.
    pub landing_pads: Vec<LandingPad>,
    /// The names of unknown functions.
    pub unknown: Vec<String>,
    /// Whether the compiler has frozen values, so that branches may depend on uninitialised ones without being the program's.
    pub freezes: bool,
    /// Whether somebody may try to take a mutex, and so tell whether it is held.
    pub tries_mutexes: bool,
    /// Whether the program destroys spinlocks, reader-writer locks, semaphores or condition variables.
    pub destroys: bool,
    /// Whether somebody may look at what `pthread_barrier_wait` returns.
    pub looks_at_arrivals: bool,
    /// The bytes of a handle of a thread, as the program declares it.
    pub handle_bytes: u64,
    /// The files.
    pub files: Vec<String>,
    /// For each file whether it belongs to a library: headers of the system, and source of our own.
    pub library_files: Vec<bool>,
    /// For each instruction whether it is the only visible one of a loop: a round of it without effect is no
    /// round, the thread waits.
    pub awaits: Vec<bool>,
    /// For each instruction, what the read or atomic section that it begins waits for instead of stopping its thread.
    pub assumes: Vec<Assumes>,
    /// Whether the end of the program calls functions that it has noted for that.
    pub has_exit_functions: bool,
    /// For each instruction whether it may have to wait.
    pub may_wait: Vec<bool>,
    /// For each instruction, what is known about the atomic section that it begins.
    pub sections: Vec<Section>,
    /// The function that runs first.
    pub main: Option<u32>,
    /// Functions that run before it.
    pub constructors: Vec<u32>,
}

impl Code {
    /// The function that a place in the code belongs to.
    pub fn function_at(&self, pc: Pc) -> Option<&FunctionCode> {
        self.functions.iter().find(|f| f.entry <= pc && pc < f.end)
    }

    /// Where an exception lands that leaves an instruction, inner ones first: one of ours may be within one of the program.
    pub fn landing_pads(&self, pc: Pc) -> impl Iterator<Item = &LandingPad> {
        let place = self.landing_pads.partition_point(|pad| pad.to <= pc);
        self.landing_pads[place..].iter().take(2).filter(move |pad| pad.from <= pc)
    }

    /// The slots of the largest frame.
    pub fn largest_frame(&self) -> u32 {
        self.functions.iter().map(|f| f.frame).max().unwrap_or(0)
    }

    /// The place in the source that a place in the code comes from.
    pub fn place(&self, pc: Pc) -> Place {
        self.places.get(pc as usize).copied().unwrap_or_default()
    }

    /// Whether a place is known and in the user's own source.
    pub fn is_users(&self, place: Place) -> bool {
        place.line > 0 && self.library_files.get(place.file as usize) == Some(&false)
    }

    /// The place in the user's source that an instruction belongs to: its own, or within a library that of the innermost call by the
    /// user's code, `called_from`. If there is none, its own in the library.
    pub fn users_place(&self, pc: Pc, called_from: Pc) -> Place {
        let own = self.place(pc);
        match self.is_users(own) {
            true => own,
            false => Some(self.place(called_from)).filter(|caller| self.is_users(*caller)).unwrap_or(own),
        }
    }
}
