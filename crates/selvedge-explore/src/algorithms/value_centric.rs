//! Value-centric DPOR, VC-DPOR [ChatterjeePT2019, algorithms 1 to 7, remarks 1 to 4 and section 6].
//!
//! The idea: do not ask in which order conflicting operations were performed but which values were read. A node of the search is
//! a set of events `X`, closed under what comes before in each thread, an order of which nothing is known but what is
//! necessary, and for each read the set of *good writes*, one of which it is to observe; they have all left the same value. A
//! node grows by everything that is inevitable, then by one operation that reads, in every way in which it can observe
//! something, each of which is another node. A *witness* of a node, an execution in which every read observes a good
//! write, is what is really run; where a node cannot grow, it is one execution that stands for many.
//!
//! Guarantee: every local state of every thread, every failure and every deadlock. No two complete executions are equivalent
//! under value-happens-before, so there are never more than Mazurkiewicz traces. Contents of memory that is not read again are
//! not preserved. Some executions end early because all that could follow was explored before; most of them are foreseen and not
//! begun.
//!
//! | paper | here |
//! |---|---|
//! | annotated partial order `(X1, X2, P, val, S, GoodW)` | [`annotated`]: the events of the root thread are `X1` |
//! | `Closure`, `Rule1` to `Rule3` | [`closure`] |
//! | `Realize`, lemma 4.1 | [`realize`] |
//! | `VC-DPOR(P, C)`, `WExtend` | `enter`, `write_extend` in [`explore`] |
//! | `ExtendRoot`, `ExtendLeaf`, which differ in the side only | `extend_thread` in [`explore`], `explore/extending.rs` |
//! | `Extend` | `extend` in [`explore`] |
//! | candidate writes `M_t^C(r)`, value, side | [`extension::Candidates`], [`extension::Group`] |
//! | causally-happens-before map `C` | `chb` in [`explore`] |
//! | – | [`prospects`]: what may still become of operations in `C` |
//! | guarding read `Guard_t(w)` | none: see divergence 2 |
//! | root thread `p1` | [`root`] |
//! | the recursion of remark 3 | a stack of nodes, each with one list of extensions; what a node has used it leaves for the next ([`pool`]) |
//!
//! # Why nothing is lost
//!
//! Let `t` be any execution to its end. We follow it down the search, keeping that (1) `X` holds the first events of each
//! thread in `t`, with their values; (2) in `t` every read of `X` observes one of its good writes, and the order of the node
//! holds; (3) for each operation that `chb` knows, something that it observes in `t` is not among the events
//! considered. At a node let `e` be the first event of `t` that is not in `X`. All before it is in `X`, so `e` is the next
//! operation of its thread and observes only events of `X`; it reads or has a choice, as everything else would be in `X`. So
//! among the threads, as the node takes them, there is a first one whose next operation observes in `t` only events of
//! `X`. By (3) that is a new extension, by (2) its order has a linearization, and for the node that comes of it (1) and (2)
//! hold by construction. (3) holds because the operations of the threads before, now considered, observe something
//! outside of `X`. At the end all of `t` is in `X`: each thread has been in all its states.
//!
//! # Why nothing is explored twice
//!
//! Take two complete executions and the last node that they share. If they went on with one operation in two ways, it has
//! another choice or value, another side if it is of the root thread, or it observes a write that was considered in one of
//! them and in the other not. If they went on with operations of two threads, the one that comes first in the node observes
//! in the first execution only events of `X`, and in the other something else. A write outside of `X` comes, in its
//! thread or in what that has waited for, after an operation outside of `X` that reads or chooses, which then is a cause
//! of the operation in one execution and not in the other. So values, sides, or causes differ.
//!
//! # Time
//!
//! Every node has a witness, so it is part of a class, and a class has at most as many nodes as it has prefixes: a polynomial in its
//! length, for a fixed number of threads. With one leaf thread a closed order has a witness and the work at a node is
//! polynomial. With more, see divergence 1: a witness is found at once by a rule of thumb, or searched for by ordering pairs of
//! conflicting leaf events, which may take long in theory; whether there is a witness is NP-hard if the number of threads
//! is not fixed. `docs/algorithms.md` has measurements.
//!
//! # DIVERGENCES
//!
//! 1. The paper's `Extend` puts a new event of a leaf thread in every order with the conflicting events of leaf threads,
//!    each a node of its own, and section 6 relaxes that for writes that no read may observe. Here such events stay
//!    unordered as long as the reads do not need an order. The two relaxations are special cases. The closure rules are put such
//!    that they hold for any order; where they do not show the way to a witness, one is searched for, and only the witness
//!    depends on the orders tried. Nodes are then further apart than classes of value-happens-before: float-read(N) takes
//!    as many executions as there are values.
//! 2. The map `C` remembers for a read the last read of each thread, and takes a write to be considered if its guarding read
//!    is. That loses executions when a thread goes on without reading: after a `join`, a write appears whose guarding read is
//!    an old one. (`join(q); x = 1` in one thread, a read of `y` in `q`, a read of `x` in the root: the root never observes 1.)
//!    Here `C` remembers how many events of each thread there were.
//! 3. Read-modify-write operations, which the paper leaves out, are single events that read and write. Lemma 4.1 holds
//!    for them: its proof, in [`realize`], looks at one read and the other events that write its location, and never uses that
//!    the read does not write. That two of them do not observe the same write follows from rule 2: each must be before the other.
//!    So a write that such an event has to observe is no candidate for another one.
//! 4. A mutex is a location that is free or taken, and taking it is a read-modify-write that must find it free. That merges more
//!    than the disjoint sets of good writes of remark 4: the thread that released it last does not matter.
//! 5. An event may access several locations. Each that it reads has good writes of its own, and for causes each counts as a
//!    read. What is accessed may depend on what was read (`cas`, `a[x]`), and a choice may be open: then the operation
//!    is tried in a witness for what is decided so far, and each time it turns out to read another location, or to have
//!    alternatives, the extension is split. An operation that waits under what it observes is not performed.
//! 6. Spawn, join, wake-ups and barriers are orderings between the events that post and those that observe, as in section 6. What
//!    an operation observes in this way must be the same in every state.
//! 7. A thread that waits for a condition on memory at the end of an execution reads what it waits for, after everything else. So
//!    deadlocks are preserved; the paper has no such operations. All other reasons to wait follow from the events.
//! 8. The initial values are written by an event of no thread before all others, which counts as one of a leaf.
//! 9. Where the program does not tell values, no two writes leave the same. Posts are orderings only: nothing may read where
//!    something is posted. Programs whose posts change what others read, as those to semaphores do, tell them as writes.
//! 10. An event that can be put into the witness of its node needs neither closure nor linearization.
//! 11. The paper's search goes on with every thread at every node, and finds out at the end of an execution that an operation in
//!     `C` has observed nothing new. Here the search goes on only where all of them may still do so: see [`prospects`].

pub mod annotated;
pub mod closure;
pub mod explore;
pub mod extension;
pub mod next;
pub mod partial_order;
pub mod pool;
pub mod prospects;
pub mod realize;
pub mod root;

pub use explore::run_with;
pub use next::Numbers;
pub use root::default_root;

use crate::algorithm::About;
use crate::{Equivalence, Observations, Promise, Search};

/// What is known of the algorithm before it runs.
pub const ABOUT: About = About::new(
    "value-centric",
    "VC-DPOR: one execution for each way in which reads observe values",
    Promise::EveryClassOnce(Equivalence::ValueHappensBefore),
)
.by_observations();

/// Explores one execution for each way in which reads observe values.
pub fn run<P: Observations>(search: &mut Search<P>) {
    run_with(search, Numbers::Matter);
}
