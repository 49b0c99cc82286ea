//! The loom tests of well-known kinds of crates, re-created: the same source for each tool, shared with the tests of `selvedge-loom`.

pub mod loom;
pub mod selvedge;
pub mod shuttle;

/// A kind of crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// A slab with a free list.
    Slab,
    /// A place for a waker.
    Waker,
    /// An event with listeners.
    Event,
    /// A bounded queue with several producers and consumers.
    Queue,
    /// A semaphore with an intrusive list of waiters.
    List,
    /// A ring buffer.
    Ring,
}

impl Published {
    /// The name in the tables.
    pub fn name(self) -> &'static str {
        match self {
            Published::Slab => "slab with a free list",
            Published::Waker => "place for a waker, two threads wake",
            Published::Event => "event with two listeners",
            Published::Queue => "bounded queue, 2 producers, 2 consumers",
            Published::List => "semaphore with an intrusive list",
            Published::Ring => "ring buffer, 4 messages",
        }
    }
}

/// The programs with the names of one tool: the module that uses this has `tool` and `own`.
macro_rules! programs {
    () => {
        use crate::published::Published;

        #[path = "../../../../crates/selvedge-loom/tests/published/event.rs"]
        mod event;
        #[path = "../../../../crates/selvedge-loom/tests/published/intrusive_list.rs"]
        mod intrusive_list;
        #[path = "../../../../crates/selvedge-loom/tests/published/mpmc_queue.rs"]
        mod mpmc_queue;
        #[path = "../../../../crates/selvedge-loom/tests/published/ring_buffer.rs"]
        mod ring_buffer;
        #[path = "../../../../crates/selvedge-loom/tests/published/slab.rs"]
        mod slab;
        #[path = "../../../../crates/selvedge-loom/tests/published/waker.rs"]
        mod waker;

        /// Runs the correct version once.
        pub fn correct(which: Published) {
            match which {
                Published::Slab => slab::correct(),
                Published::Waker => waker::correct(),
                Published::Event => event::correct(),
                Published::Queue => mpmc_queue::correct(),
                Published::List => intrusive_list::correct(),
                Published::Ring => ring_buffer::correct(),
            }
        }

        /// Runs the broken version once.
        pub fn broken(which: Published) {
            match which {
                Published::Slab => slab::broken(),
                Published::Waker => waker::broken(),
                Published::Event => event::broken(),
                Published::Queue => mpmc_queue::broken(),
                Published::List => intrusive_list::broken(),
                Published::Ring => ring_buffer::broken(),
            }
        }
    };
}

use programs;
