//! The atomic integers and booleans.

use super::kinds::{self, Arithmetic, encode_exchange, encode_fetch, encode_none, encode_ordering};
use crate::cell::tracker;
use crate::runtime::{Object, Operation, perform, with};
use std::cell::Cell;
use std::fmt;
use std::panic::RefUnwindSafe;
use std::sync::atomic::Ordering;

/// Panics like std on orderings that make no sense for a load.
#[track_caller]
#[inline]
pub(super) fn check_load(ordering: Ordering) {
    match ordering {
        Ordering::Release => panic!("there is no such thing as a release load"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release load"),
        _ => {}
    }
}

/// Panics like std on orderings that make no sense for a store.
#[track_caller]
#[inline]
pub(super) fn check_store(ordering: Ordering) {
    match ordering {
        Ordering::Acquire => panic!("there is no such thing as an acquire store"),
        Ordering::AcqRel => panic!("there is no such thing as an acquire-release store"),
        _ => {}
    }
}

/// The ordering of a failed exchange that has just one ordering.
pub(super) fn without_release(ordering: Ordering) -> Ordering {
    match ordering {
        Ordering::Release => Ordering::Relaxed,
        Ordering::AcqRel => Ordering::Acquire,
        other => other,
    }
}

/// An example for the documentation: an atomic `x` whose value is `first`.
macro_rules! example {
    ($atomic:ident, $first:literal, $code:expr) => {
        concat!(
            "```\nuse selvedge::sync::atomic::{",
            stringify!($atomic),
            ", Ordering::SeqCst};\nselvedge::check(|| {\n    let first = ",
            $first,
            ";\n    let x = ",
            stringify!($atomic),
            "::new(first);\n    ",
            $code,
            "\n    # let _ = SeqCst;\n});\n```"
        )
    };
}

/// The parts that all atomic types share; `$value` to words by `$to` and back by `$from`.
macro_rules! common {
    ($atomic:ident, $value:ty, $bits:expr, $to:expr, $from:expr, $show:expr, $example:literal) => {
        #[doc = concat!("An atomic `", stringify!($value), "`, like [`std::sync::atomic::", stringify!($atomic), "`].")]
        ///
        /// ```
        #[doc = concat!("use selvedge::sync::atomic::{", stringify!($atomic), ", Ordering};")]
        /// selvedge::check(|| {
        #[doc = concat!("    let x = ", stringify!($atomic), "::new(", $example, ");")]
        #[doc = concat!("    assert_eq!(x.load(Ordering::SeqCst), ", $example, ");")]
        /// });
        /// ```
        pub struct $atomic {
            object: Object,
            /// What `get_mut` lends out; it goes to the model with the next operation.
            lent: Cell<Option<$value>>,
        }

        #[allow(unsafe_code, reason = "the cell is written only through an exclusive reference")]
        // SAFETY: `lent` is written by `get_mut`, which has exclusive access, and by operations, which run on the
        // one thread of the operating system that runs the execution: on any other they panic before.
        unsafe impl Sync for $atomic {}
        impl RefUnwindSafe for $atomic {}

        impl $atomic {
            /// A new atomic. Unlike std's this is no `const fn`: statics go into [`statics!`](macro@crate::statics).
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.load(SeqCst), first);")]
            #[track_caller]
            #[inline]
            pub fn new(value: $value) -> Self {
                let object = Object::new(stringify!($atomic), ($to)(value), |word| ($show)(($from)(word)));
                // Outside of a check there is no model to keep the value.
                $atomic { object, lent: Cell::new((object.epoch == 0).then_some(value)) }
            }

            #[track_caller]
            #[inline]
            fn operation(&self, kind: &'static crate::runtime::Kind) -> Operation {
                if let Some(value) = self.lent.get()
                    && self.object.epoch != 0
                {
                    self.take_back(value);
                }
                self.object.operation(kind)
            }

            /// What was lent out by `get_mut` becomes the value in the model.
            #[track_caller]
            #[cold]
            fn take_back(&self, value: $value) {
                let operation = self.object.operation(&kinds::STORE);
                perform(Operation { a: ($to)(value), also: encode_none(), ..operation });
                self.lent.set(None);
            }

            /// Reads the value.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.load(SeqCst), first);")]
            ///
            /// # Panics
            /// With an ordering that makes no sense for a load, like std.
            #[track_caller]
            #[inline]
            pub fn load(&self, ordering: Ordering) -> $value {
                check_load(ordering);
                let operation = self.operation(&kinds::LOAD);
                ($from)(perform(Operation { also: encode_ordering(ordering), ..operation }))
            }

            /// Writes the value.
            ///
            #[doc = example!($atomic, $example, "x.store(first, SeqCst);")]
            ///
            /// # Panics
            /// With an ordering that makes no sense for a store, like std.
            #[track_caller]
            #[inline]
            pub fn store(&self, value: $value, ordering: Ordering) {
                check_store(ordering);
                let operation = self.operation(&kinds::STORE);
                perform(Operation { a: ($to)(value), also: encode_ordering(ordering), ..operation });
            }

            /// Writes the value and returns the one before.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.swap(first, SeqCst), first);")]
            #[track_caller]
            #[inline]
            pub fn swap(&self, value: $value, ordering: Ordering) -> $value {
                let operation = self.operation(&kinds::SWAP);
                ($from)(perform(Operation { a: ($to)(value), also: encode_ordering(ordering), ..operation }))
            }

            /// Writes the value if the present one is `current`.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.compare_exchange(first, first, SeqCst, SeqCst), Ok(first));")]
            ///
            /// # Errors
            /// With the value found, when it is another.
            #[track_caller]
            #[inline]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                check_load(failure);
                let operation = self.operation(&kinds::COMPARE_EXCHANGE);
                let also = encode_exchange(success, failure);
                let found = perform(Operation { a: ($to)(current), b: ($to)(new), also, ..operation });
                if found == ($to)(current) { Ok(($from)(found)) } else { Err(($from)(found)) }
            }

            /// The same, but it may fail though the present value is `current`, if
            /// [`Checker::spurious_failures`](crate::Checker::spurious_failures) says so.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.compare_exchange_weak(first, first, SeqCst, SeqCst), Ok(first));")]
            ///
            /// # Errors
            /// With the value found.
            #[track_caller]
            #[inline]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                check_load(failure);
                let operation = self.operation(&kinds::COMPARE_EXCHANGE_WEAK);
                let also = encode_exchange(success, failure);
                match perform(Operation { a: ($to)(current), b: ($to)(new), also, ..operation }) {
                    kinds::SPURIOUS => Err(current),
                    found if found == ($to)(current) => Ok(($from)(found)),
                    found => Err(($from)(found)),
                }
            }

            /// Changes the value by a function, trying again when somebody else was faster.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.fetch_update(SeqCst, SeqCst, Some), Ok(first));")]
            ///
            /// # Errors
            /// With the value, when the function returns nothing.
            #[track_caller]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut previous = self.load(fetch_order);
                while let Some(next) = update(previous) {
                    match self.compare_exchange_weak(previous, next, set_order, fetch_order) {
                        found @ Ok(_) => return found,
                        Err(found) => previous = found,
                    }
                }
                Err(previous)
            }

            /// The same under its new name.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.try_update(SeqCst, SeqCst, |_| None), Err(first));")]
            ///
            /// # Errors
            /// With the value, when the function returns nothing.
            #[track_caller]
            pub fn try_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                self.fetch_update(set_order, fetch_order, update)
            }

            /// Changes the value by a function that always knows a new one; returns the value before.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.update(SeqCst, SeqCst, |same| same), first);")]
            #[track_caller]
            pub fn update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut update: impl FnMut($value) -> $value,
            ) -> $value {
                match self.fetch_update(set_order, fetch_order, |value| Some(update(value))) {
                    Ok(before) | Err(before) => before,
                }
            }

            /// Writes the value if the present one is `current`, and returns what it was.
            ///
            #[doc = example!($atomic, $example, "#[allow(deprecated)] let before = x.compare_and_swap(first, first, SeqCst);\n    assert_eq!(before, first);")]
            #[track_caller]
            #[deprecated(note = "as in std: use `compare_exchange`")]
            pub fn compare_and_swap(&self, current: $value, new: $value, ordering: Ordering) -> $value {
                match self.compare_exchange(current, new, ordering, without_release(ordering)) {
                    Ok(before) | Err(before) => before,
                }
            }

            /// The value, to be changed without an operation.
            ///
            #[doc = example!($atomic, $example, "let mut x = x;\n    assert_eq!(*x.get_mut(), first);")]
            pub fn get_mut(&mut self) -> &mut $value {
                let value = self.peek();
                self.lent.get_mut().insert(value)
            }

            /// The value, to be changed in a closure without an operation, as loom has it.
            ///
            #[doc = example!($atomic, $example, "let mut x = x;\n    assert_eq!(x.with_mut(|value| *value), first);")]
            pub fn with_mut<R>(&mut self, f: impl FnOnce(&mut $value) -> R) -> R {
                f(self.get_mut())
            }

            /// Reads the value without synchronisation, as loom has it: a write of another thread that nothing orders before
            /// is a data race. A write that comes later in every sequentially consistent execution and that only relaxed
            /// accesses order after this is not noticed.
            ///
            #[doc = example!($atomic, $example, "// SAFETY: no other thread has it.\n    assert_eq!(unsafe { x.unsync_load() }, first);")]
            ///
            /// # Safety
            /// No other thread writes at the same time.
            #[track_caller]
            #[allow(unsafe_code, reason = "as loom's; nothing unsafe happens here")]
            pub unsafe fn unsync_load(&self) -> $value {
                tracker::expect_unsynchronised_load();
                let operation = self.operation(&kinds::UNSYNC_LOAD);
                let word = perform(Operation { also: encode_none(), ..operation });
                tracker::check_unsynchronised_load(self.object);
                ($from)(word)
            }

            /// The value, at the end of the atomic's life.
            ///
            #[doc = example!($atomic, $example, "assert_eq!(x.into_inner(), first);")]
            pub fn into_inner(self) -> $value {
                self.peek()
            }

            /// The value, without an operation, as shuttle has it: what other threads do at the same time is not explored. For prints.
            ///
            #[doc = example!($atomic, $example, "// SAFETY: it is only shown.\n    assert_eq!(unsafe { x.raw_load() }, first);")]
            ///
            /// # Safety
            /// Nothing that matters depends on the value.
            #[allow(unsafe_code, reason = "as shuttle's; nothing unsafe happens here")]
            pub unsafe fn raw_load(&self) -> $value {
                self.peek()
            }

            fn peek(&self) -> $value {
                let word = || with(|x| self.object.is_present(x).then(|| x.memory.get(self.object.location)));
                self.lent.get().unwrap_or_else(|| ($from)(word().unwrap_or(0)))
            }
        }

        impl Default for $atomic {
            #[track_caller]
            fn default() -> Self {
                Self::new(<$value>::default())
            }
        }

        impl From<$value> for $atomic {
            #[track_caller]
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl fmt::Debug for $atomic {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
                match crate::runtime::showing(self.object) {
                    crate::runtime::Showing::ByOperation => self.load(Ordering::Relaxed).fmt(f),
                    crate::runtime::Showing::Content(word) => ($from)(word).fmt(f),
                    crate::runtime::Showing::Outside => f.write_str("<outside of a check>"),
                }
            }
        }

        impl crate::name::Named for $atomic {
            fn object(&self) -> Object {
                self.object
            }
        }
    };
}

macro_rules! fetch {
    ($atomic:ident, $example:literal, $value:ty, $to:expr, $from:expr, $bits:expr; $($name:ident $kind:ident $arithmetic:ident $words:literal;)*) => {
        $(
            #[doc = $words]
            ///
            #[doc = example!($atomic, $example, concat!("assert_eq!(x.", stringify!($name), "(first, SeqCst), first);"))]
            #[track_caller]
            #[inline]
            pub fn $name(&self, value: $value, ordering: Ordering) -> $value {
                let operation = self.operation(&kinds::$kind);
                let also = encode_fetch(ordering, Arithmetic::$arithmetic, $bits);
                ($from)(perform(Operation { a: ($to)(value), also, ..operation }))
            }
        )*
    };
}

macro_rules! integer {
    ($atomic:ident, $value:ident, $unsigned:ident, $max:ident, $min:ident) => {
        common!(
            $atomic,
            $value,
            $value::BITS,
            |value: $value| value as $unsigned as u64,
            |word: u64| word as $unsigned as $value,
            |value: $value| value.to_string(),
            "7"
        );

        impl $atomic {
            fetch! {
                $atomic, "7", $value, |value: $value| value as $unsigned as u64, |word: u64| word as $unsigned as $value, $value::BITS;
                fetch_add FETCH_ADD Add "Adds, wrapping around, and returns the value before.";
                fetch_sub FETCH_SUB Sub "Subtracts, wrapping around, and returns the value before.";
                fetch_and FETCH_AND And "Bitwise and; returns the value before.";
                fetch_nand FETCH_NAND Nand "Bitwise nand; returns the value before.";
                fetch_or FETCH_OR Or "Bitwise or; returns the value before.";
                fetch_xor FETCH_XOR Xor "Bitwise exclusive or; returns the value before.";
                fetch_max FETCH_MAX $max "The greater value; returns the value before.";
                fetch_min FETCH_MIN $min "The lesser value; returns the value before.";
            }
        }
    };
}

integer!(AtomicU8, u8, u8, Max, Min);
integer!(AtomicU16, u16, u16, Max, Min);
integer!(AtomicU32, u32, u32, Max, Min);
integer!(AtomicU64, u64, u64, Max, Min);
integer!(AtomicUsize, usize, usize, Max, Min);
integer!(AtomicI8, i8, u8, MaxSigned, MinSigned);
integer!(AtomicI16, i16, u16, MaxSigned, MinSigned);
integer!(AtomicI32, i32, u32, MaxSigned, MinSigned);
integer!(AtomicI64, i64, u64, MaxSigned, MinSigned);
integer!(AtomicIsize, isize, usize, MaxSigned, MinSigned);

common!(
    AtomicBool,
    bool,
    1,
    |value: bool| u64::from(value),
    |word: u64| word != 0,
    |value: bool| value.to_string(),
    "true"
);

impl AtomicBool {
    fetch! {
        AtomicBool, "true", bool, |value: bool| u64::from(value), |word: u64| word != 0, 1;
        fetch_and FETCH_AND And "Logical and; returns the value before.";
        fetch_nand FETCH_NAND Nand "Logical nand; returns the value before.";
        fetch_or FETCH_OR Or "Logical or; returns the value before.";
        fetch_xor FETCH_XOR Xor "Logical exclusive or; returns the value before.";
    }

    /// Logical not; returns the value before.
    ///
    #[doc = example!(AtomicBool, "true", "assert_eq!(x.fetch_not(SeqCst), first);\n    assert_eq!(x.load(SeqCst), !first);")]
    #[track_caller]
    #[inline]
    pub fn fetch_not(&self, ordering: Ordering) -> bool {
        self.fetch_xor(true, ordering)
    }
}
