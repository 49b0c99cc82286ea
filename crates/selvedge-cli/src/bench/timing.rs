//! The time that a search takes.

use selvedge_explore::{Algorithm, Exploration, Limits, Silent, explore};
use selvedge_interp::{Failure, Interpreter};
use selvedge_ir::Program;
use std::time::{Duration, Instant};

/// A search that is over sooner than this is repeated for as long: the first time it finds cold caches, and the clock is coarse.
const SHORT: Duration = Duration::from_millis(10);

/// The result of a search of the program as it is written, whose executions are those that papers count, and the least time that it took.
pub fn timed(program: &Program, algorithm: Algorithm, limits: Limits) -> (Exploration<Failure>, Duration) {
    let search = || {
        let started = Instant::now();
        let (exploration, _) = explore(Interpreter::new(program), algorithm, limits, &mut Silent);
        (exploration, started.elapsed())
    };
    let (exploration, mut least) = search();
    let mut all = least;
    while all < SHORT {
        let elapsed = search().1;
        least = least.min(elapsed);
        all += elapsed.max(Duration::from_micros(1));
    }
    (exploration, least)
}
