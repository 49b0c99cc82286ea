//! Cells: what the machine remembers besides memory, each a word that is logged.

/// How many threads were made and not waited for.
pub const UNJOINED: usize = 0;
/// Whether the process has ended.
pub const EXITED: usize = 1;
/// The number of keys of threads' own values.
pub const KEYS: usize = 2;
/// Whether `main` has begun.
pub const STARTED: usize = 3;
/// How many threads were joined or detached.
pub const CLAIMS: usize = 4;
/// The functions to call on values of keys when a thread ends.
pub const DESTRUCTORS: usize = 5;
/// The most keys.
pub const MAX_KEYS: usize = 16;
/// How many functions are to be called when the program ends.
pub const AT_EXIT: usize = DESTRUCTORS + MAX_KEYS;
/// The first of these functions, each with its argument.
pub const EXIT_FUNCTIONS: usize = AT_EXIT + 1;
/// The most functions to call when the program ends; the standard asks for 32.
pub const MAX_EXIT_FUNCTIONS: usize = 64;
/// The first cell of the threads.
const THREADS: usize = EXIT_FUNCTIONS + 2 * MAX_EXIT_FUNCTIONS;

/// What a thread waits for: the address of a condition variable or barrier.
pub const WAITING: usize = 0;
/// The mutex to take after that.
pub const WAIT_MUTEX: usize = 1;
/// Whether somebody has waited for its end, or nobody will.
pub const CLAIMED: usize = 2;
/// What it returned.
pub const RESULT: usize = 3;
/// How many threads it has made.
pub const CREATED: usize = 4;
/// The address of its `errno`.
pub const ERRNO: usize = 5;
/// Whether it is calling destructors.
pub const ENDING: usize = 6;
/// The function it runs, plus 1.
pub const BODY: usize = 7;
/// The exception that has landed last.
pub const EXCEPTION: usize = 8;
/// For which clause.
pub const SELECTOR: usize = 9;
/// The exception that was caught last and is not done with.
pub const CAUGHT: usize = 10;
/// How far its clock has gone.
pub const CLOCK: usize = 11;
/// The object of C++ that it runs, to be deleted at its end.
pub const STATE: usize = 12;
/// The bits of what it returned that come from memory that nobody wrote.
pub const RESULT_UNWRITTEN: usize = 13;
/// How many exceptions it has thrown that no handler has begun with.
pub const UNCAUGHT: usize = 14;
/// The function that C++ wants called at its end, of those that are left the last to be noted.
pub const AT_END: usize = 15;
/// The location, plus 1, of the round of a barrier at which it waits, if arrivals commute.
pub const PASSES: usize = 16;
/// How many must have arrived there for it to go on.
pub const ARRIVALS: usize = 17;
/// The first of its values of keys.
pub const VALUES: usize = 18;
/// The number of cells of a thread.
const PER_THREAD: usize = VALUES + MAX_KEYS;

/// A cell of a thread.
#[inline]
pub fn of(thread: usize, cell: usize) -> usize {
    THREADS + thread * PER_THREAD + cell
}

/// Where the address of a thread's copy of a variable is kept, with so many threads.
pub fn thread_local(threads: usize, thread: usize, variable: u32) -> usize {
    of(threads, 0) + variable as usize * threads + thread
}

/// The number of cells for so many threads and variables.
pub fn count(threads: usize, variables: usize) -> usize {
    of(threads, 0) + variables * threads
}

/// Of all cells, with so many threads, those with the addresses of threads' copies of variables.
pub fn of_variables(cells: &[u64], threads: usize) -> &[u64] {
    &cells[of(threads, 0)..]
}
