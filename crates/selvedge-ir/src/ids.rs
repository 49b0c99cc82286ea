//! Typed indices into the tables of a program, so that a register is never taken for a block.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table that this index refers to.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The index of the given position.
            ///
            /// # Panics
            /// When a table has more than `u32::MAX` entries, which no front end produces.
            pub fn at(position: usize) -> Self {
                Self(u32::try_from(position).expect("a table of a program has at most u32::MAX entries"))
            }
        }
    )*};
}

ids! {
    /// A source file, in [`Program::files`](crate::Program::files).
    FileId;
    /// A shared memory object, in [`Program::objects`](crate::Program::objects).
    ObjectId;
    /// A mutex or array of mutexes, in [`Program::mutexes`](crate::Program::mutexes).
    MutexId;
    /// A condition variable or array of them, in [`Program::condvars`](crate::Program::condvars).
    CondvarId;
    /// A barrier, in [`Program::barriers`](crate::Program::barriers).
    BarrierId;
    /// A function, in [`Program::functions`](crate::Program::functions).
    FunctionId;
    /// A family of threads, in [`Program::families`](crate::Program::families).
    FamilyId;
    /// A block of the function at hand, in [`Function::blocks`](crate::Function::blocks).
    BlockId;
    /// A register of the function at hand, in [`Function::registers`](crate::Function::registers).
    RegisterId;
    /// A thread-local array of the function at hand, in [`Function::arrays`](crate::Function::arrays).
    ArrayId;
}
