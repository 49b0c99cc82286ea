//! The programs with shuttle, which has no cells: it does not find data races.

super::programs!();

mod tool {
    pub use ::shuttle::{future, sync, thread};

    pub mod cell {
        /// A cell without detection of data races.
        pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

        impl<T> UnsafeCell<T> {
            pub fn new(content: T) -> Self {
                UnsafeCell(std::cell::UnsafeCell::new(content))
            }

            pub fn with<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
                look(self.0.get())
            }

            pub fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
                change(self.0.get())
            }
        }
    }
}

/// Reads an atomic that only the present thread writes.
fn own(count: &tool::sync::atomic::AtomicUsize) -> usize {
    // SAFETY: only the present thread writes it.
    unsafe { count.raw_load() }
}
