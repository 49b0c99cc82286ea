//! Proofs of programs that may run forever, and schedules under which they are safe.
//!
//! [`Prover`] holds a program as a transition system with a solver. [`complete`] unwinds it under all schedules into an
//! abstract reachability [`tree`], labels its nodes by interpolants of error paths ([`refine`], [`interpolate`]), closes it by
//! coverings, and so proves it or finds a counterexample: IMPACT for concurrent programs [WachterKO2013, section III]. [`iterate`] builds
//! trees for *some* schedules, which are safe, free of deadlock and [fair](fairness): the incomplete verification results of
//! iterative model checking [Metzler2020, chapter 4].
//!
//! This crate prints nothing and runs no program; counterexamples are schedules that the caller replays.
//!
//! # With the dissertation in hand
//!
//! | [Metzler2020, chapters 4 and 5] | here |
//! |---|---|
//! | algorithm 2, the verifier | [`Schedules::iteration`](iterate::Schedules::iteration), called again and again by `selvedge prove` |
//! | algorithm 2, the execution environment | not here: `selvedge-enforce` holds the interpreter to a schedule |
//! | algorithm 3, Main | `selvedge prove`; it looks for schedules and for a proof in turns |
//! | Iteration, lines 17 to 32 | [`Schedules::iteration`](iterate::Schedules::iteration) |
//! | Expand, Check_Enabledness, Close, Backtrack, lines 33 to 67 | [`iterate`]: `schedule_thread`, `check_enabledness`, `close`, `backtrack` |
//! | Remove_Error_Paths, lines 9 and 13 | [`iterate`]: `remove_error_path`, when the path is found: the tree never has one |
//! | algorithm 6, lines 3 to 5: covering that is independently fair | [`Tree::left_out`]: a covering that closes a cycle that is not fair on its own is refused |
//! | algorithm 6, lines 6 to 12: unrolling of cycles that are not | [`iterate`]: a node that is not covered goes on, and the thread that was left out comes first |
//! | algorithm 7, Refine, Expand_Thread, Skip | [`Tree::refine`], [`Tree::expand_thread`], [`Tree::skip`] |
//! | algorithm 7, Schedule_Thread | [`iterate`]: `order`, `schedule_thread` |
//! | definition 19, incomplete verification result | a [`Tree`]: at a node, the threads that are `expanded` are permitted |
//! | definition 20, safe | no thread that can fail is expanded ([`complete`]: `failures`) |
//! | definitions 21 and 22, realizable, free of deadlock | [`iterate`]: `check_enabledness`; `several` where only several threads together are always ready |
//! | definitions 23 and 28, admits fairness | not used: every tree that is handed out is fair |
//! | definitions 24 and 29, fair | [`fairness`] |
//! | definition 25, abstract reachability tree | [`tree`] |
//! | definition 26, the result that a tree induces | `selvedge-testkit`'s `scheduled` and `permitted.rs` run programs along it |
//! | definition 27, tree free of deadlock | checked again in `selvedge-certificate` (`waiting`) |
//! | definitions 34 to 38, sections, program schedule | [`schedule`] |
//! | definitions 39 and 40, executions of a program schedule | `selvedge-enforce` |
//!
//! Why Remove_Error_Paths and algorithm 6 are no passes over a finished tree: a tree that has error paths, or cycles that only a fair
//! environment leaves, would have to be repaired after each iteration, and what is taken out may be what others are covered by. Here a
//! thread that can fail is banned before it is expanded, and a covering is fair or is not made, so that there is nothing to
//! repair, and a finished tree is what is handed out, certified and run. Nothing is lost: a covering that algorithm 6 would take apart
//! is not made in the first place, and the nodes that it would copy are the nodes that are unwound instead.

pub mod certify;
pub mod complete;
pub mod context;
pub mod counterexample;
pub mod fairness;
pub mod forced_covering;
pub mod independence;
pub mod inputs;
pub mod interpolate;
pub mod iterate;
pub mod refine;
pub mod schedule;
pub mod symmetry;
pub mod tree;

pub use context::{Effort, Limits, Prover, Stop};
pub use counterexample::Counterexample;
pub use schedule::Naming;
pub use tree::{Edge, NodeId, Tree};
