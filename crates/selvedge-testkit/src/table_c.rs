//! C programs that are tables: compiled once, then varied in their LLVM IR, so that thousands of programs cost no compiler.
//!
//! Each thread goes through its row of a constant table and does what the numbers there say. Constants are not visible to the search, so a
//! program is just the accesses that its table asks for. The final state is an error if a second table says so.

use crate::bounded::price;
use crate::random::Random;
use selvedge_explore::{BoundKind, Program, ThreadStatus};
use selvedge_llvm::clang;
use selvedge_machine::{Machine, Options, lower};
use selvedge_trace::{Decision, Footprint, ThreadId};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The numbers in each row of the table.
pub const ROW: usize = 3;
/// The number of threads besides `main`.
pub const THREADS: usize = 3;

const SOURCE: &str = r#"
#include <pthread.h>
extern void reach_error(void);
extern void abort(void);
extern void exit(int);
extern void _exit(int);
extern void __VERIFIER_assume(int);
extern void assume_abort_if_not(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
const unsigned char ops[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
const unsigned char bad[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
int x, y, guard;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void require(int condition) { if (!condition) abort(); }
static void __VERIFIER_atomic_take(void) { require(x == 1); x = 0; }

static void perform(unsigned char op) {
    switch (op) {
    case 1: x = 1; break;
    case 2: y = 1; break;
    case 3: x = 2; break;
    case 4: x++; break;
    case 5: y = x; break;
    case 6: if (y) x = 3; break;
    case 7: pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); break;
    case 8: if (x == 2) reach_error(); break;
    case 9: if (x == 1 && y == 1) reach_error(); break;
    case 10: __VERIFIER_assume(x == 1); break;
    case 11: __VERIFIER_assume(y != 0); break;
    case 12: assume_abort_if_not(x == 2); break;
    case 13: if (!(x > 0)) abort(); break;
    case 14: __VERIFIER_assume(x == y); break;
    case 15: { int r = x; y = r; __VERIFIER_assume(r == 1); } break;
    case 16: __VERIFIER_atomic_begin(); guard = x == 2; __VERIFIER_atomic_end(); __VERIFIER_assume(guard); break;
    case 17: while (!y); break;
    case 18: pthread_mutex_lock(&m); __VERIFIER_assume(x == 2); pthread_mutex_unlock(&m); break;
    case 19: __VERIFIER_atomic_begin(); __VERIFIER_assume(x == 1 && y == 1); x = 0; __VERIFIER_atomic_end(); break;
    case 20: __VERIFIER_assume(__sync_bool_compare_and_swap(&x, 1, 2)); break;
    case 22: require(x == 1); break;
    case 23: { int c; __VERIFIER_atomic_begin(); c = x == 2; __VERIFIER_atomic_end(); require(c); } break;
    case 24: { int c; __VERIFIER_atomic_begin(); c = x == 1 && y == 1; __VERIFIER_atomic_end(); __VERIFIER_assume(c); } break;
    case 25: if (y != 1) _exit(0); break;
    case 26: { int r; __VERIFIER_atomic_begin(); r = x; y = 1; __VERIFIER_atomic_end(); __VERIFIER_assume(r == 1); } break;
    case 27: __VERIFIER_atomic_take(); break;
    case 28: { int r; pthread_mutex_lock(&m); r = x; pthread_mutex_unlock(&m); require(r == 1); } break;
    case 29: { int r = x; int s = y; if (r != s) abort(); } break;
    case 30: __VERIFIER_atomic_begin(); y = 2; __VERIFIER_assume(x == 1); __VERIFIER_atomic_end(); break;
    case 31: if (x != 1) pthread_exit(0); break;
    case 32: __VERIFIER_atomic_begin(); if (x == 1) { __VERIFIER_assume(y == 1); x = 2; } __VERIFIER_atomic_end(); break;
    case 33: if (y == 0) exit(0); break;
    case 34: { int r = x; __VERIFIER_assume(r > 0); __VERIFIER_assume(r < 3); } break;
    case 35: { int c; __VERIFIER_atomic_begin(); if (x == 2) reach_error(); c = y; __VERIFIER_atomic_end(); require(c); } break;
    case 21: { int r = x; if (r) __VERIFIER_assume(r == 2); else y = 2; } break;
    }
}

void *first(void *unused) { for (int i = 0; i < 3; i++) perform(ops[i]); return 0; }
void *second(void *unused) { for (int i = 3; i < 6; i++) perform(ops[i]); return 0; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    for (int i = 6; i < 9; i++) perform(ops[i]);
    pthread_join(a, 0);
    pthread_join(b, 0);
    if (bad[(x & 3) * 4 + (y & 3)]) reach_error();
    return 0;
}
"#;

/// What the threads of a program may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// Reads, writes, locks and errors.
    Plain,
    /// Assumptions about shared memory as well.
    Assumptions,
}

/// The program, compiled once.
pub struct Template {
    text: String,
}

impl Template {
    /// Compiles the program; it needs a folder for its source.
    ///
    /// # Errors
    /// In words, why clang does not accept it.
    pub fn compile(folder: &Path) -> Result<Template, String> {
        let source = folder.join("table.c");
        std::fs::write(&source, SOURCE).map_err(|error| error.to_string())?;
        let text = clang::compile(&source, None, &[]).map_err(|error| error.to_string())?;
        Ok(Template { text })
    }

    /// A program as LLVM IR, and its tables for people.
    pub fn vary(&self, random: &mut Random, vocabulary: Vocabulary) -> (String, String) {
        let mut ops = [0u8; ROW * THREADS];
        for (place, op) in ops.iter_mut().enumerate() {
            // The main thread does little, so that brute force comes to its end.
            let is_idle = place >= 2 * ROW && random.below(3) > 0;
            *op = match vocabulary {
                _ if is_idle => 0,
                Vocabulary::Plain => random.below(10) as u8,
                Vocabulary::Assumptions if random.below(3) == 0 => 10 + random.below(26) as u8,
                Vocabulary::Assumptions => random.below(10) as u8,
            };
        }
        let mut bad = [0u8; 16];
        (0..random.below(3)).for_each(|_| bad[random.below(16)] = 1);
        let varied = with_table(&with_table(&self.text, "ops", &ops), "bad", &bad);
        (varied, format!("ops {ops:?}, bad {bad:?}"))
    }
}

/// A module with other bytes in a constant table.
fn with_table(text: &str, name: &str, bytes: &[u8]) -> String {
    let begin = format!("@{name} =");
    let line = |line: &str| match (line.starts_with(&begin), line.find("c\""), line.rfind('"')) {
        (true, Some(from), Some(to)) => {
            let escaped: String = bytes.iter().map(|byte| format!("\\{byte:02X}")).collect();
            format!("{}{escaped}{}\n", &line[..from + 2], &line[to..])
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A module as a machine.
///
/// # Errors
/// In words, why it cannot be read.
pub fn machine(text: &str, options: Options) -> Result<Machine, String> {
    let module = Arc::new(selvedge_llvm::read(text).map_err(|error| error.to_string())?);
    let code = lower::lower(&module, &options).map_err(|error| error.to_string())?;
    Ok(Machine::new(module, Arc::new(code), options))
}

/// What all interleavings of a program show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Truth<F: Ord> {
    /// The failures.
    pub failures: BTreeSet<F>,
    /// The least cost of an execution that fails.
    pub least: Option<u32>,
    /// The number of executions.
    pub executions: usize,
}

/// Tries every interleaving; nothing if there are more than the limit.
pub fn brute_force<P: Program>(program: &mut P, kind: BoundKind, limit: usize) -> Option<Truth<P::Failure>>
where
    P::Failure: Ord,
{
    program.restart();
    let mut truth = Truth { failures: BTreeSet::new(), least: None, executions: 0 };
    go_on(program, kind, limit, None, 0, &mut truth).then_some(truth)
}

/// Whether threads wait for ever, and no thread has stopped for another reason.
fn waits_for_ever<P: Program>(program: &P) -> bool {
    let statuses = (0..program.thread_count()).map(|thread| program.status(ThreadId::at(thread)));
    let statuses: Vec<ThreadStatus> = statuses.collect();
    statuses.contains(&ThreadStatus::Running)
        && statuses.iter().all(|status| matches!(status, ThreadStatus::Running | ThreadStatus::Ended))
        && program.counts_as_deadlock()
}

fn go_on<P: Program>(
    program: &mut P,
    kind: BoundKind,
    limit: usize,
    last: Option<ThreadId>,
    cost: u32,
    truth: &mut Truth<P::Failure>,
) -> bool
where
    P::Failure: Ord,
{
    if !program.failures().is_empty() {
        truth.failures.extend(program.failures().iter().cloned());
        truth.least = Some(truth.least.map_or(cost, |least| least.min(cost)));
    }
    let threads = program.thread_count();
    let enabled: Vec<ThreadId> = (0..threads).map(ThreadId::at).filter(|&t| program.is_enabled(t)).collect();
    if enabled.is_empty() {
        truth.executions += 1;
        if waits_for_ever(program) {
            truth.failures.insert(program.deadlock());
        }
        return truth.executions < limit;
    }
    for &thread in &enabled {
        let cost = cost + price(kind, threads, last, thread, &enabled);
        for choice in 0..program.choices(thread) {
            let mark = program.mark();
            program.step(Decision { thread, choice }, &mut Footprint::default());
            let goes_on = go_on(program, kind, limit, Some(thread), cost, truth);
            program.rollback(mark);
            if !goes_on {
                return false;
            }
        }
    }
    true
}
