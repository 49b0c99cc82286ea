//! Litmus programs on the hardware at hand: what a schedule leaves unordered is sequentially consistent, and what it orders needs no more than relaxed accesses.

mod sketch;

use selvedge_build::Options;
use selvedge_schedule::prefix::{Conflicts, Prefix};
use sketch::{Ran, Sketch};
use std::process::Command;
use std::time::{Duration, Instant};

/// Store buffering, round after round: in how many of them both threads miss the store of the other.
const STORE_BUFFERING: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n#define R memory_order_relaxed\n\
     static atomic_int at[2]; static int rounds; static int started;\n\
     static struct { _Alignas(128) atomic_int x; _Alignas(128) atomic_int y; } cells[1000]; static atomic_int seen[2][1000];\n\
     static void meet(int self) { int n = atomic_fetch_add(&at[self], 1) + 1; while (atomic_load(&at[1 - self]) < n) {} }\n\
     static void *first(void *a) { for (int r = 0; r < rounds; r++) { meet(0); for (int i = 0; i < 1000; i++) {\n\
     atomic_store_explicit(&cells[i].x, 1, R); // A\nint v = atomic_load_explicit(&cells[i].y, R); // B\n\
     seen[0][i] = v; } meet(0); meet(0); } return a; }\n\
     static void *second(void *a) { for (int r = 0; r < rounds; r++) { meet(1); for (int i = 0; i < 1000; i++) {\n\
     atomic_store_explicit(&cells[i].y, 1, R); // C\nint v = atomic_load_explicit(&cells[i].x, R); // D\n\
     seen[1][i] = v; } meet(1); for (int i = 0; i < 1000; i++) { if (!seen[0][i] && !seen[1][i]) started++; cells[i].x = cells[i].y = 0; } meet(1); } return a; }\n\
     int main(int n, char **v) { rounds = atoi(v[1]); pthread_t t, u; pthread_create(&t, 0, first, 0); pthread_create(&u, 0, second, 0);\n\
     pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", started); return 0; }\n";

/// How often both threads miss the store of the other.
fn missed(sketch: &Sketch, prefix: &Prefix, rounds: u32) -> u32 {
    let mut command = Command::new(sketch.build(prefix, &Options::default()));
    command.arg(rounds.to_string());
    Ran::of(command).good().trim().parse().expect("it is a number")
}

#[test]
fn accesses_that_are_left_unordered_are_sequentially_consistent() {
    let sketch = Sketch::c(STORE_BUFFERING);
    let mut prefix = sketch.prefix(&[]);
    for (mark, kind) in [("A", "store"), ("B", "load"), ("C", "store"), ("D", "load")] {
        sketch.instruction(mark, kind, &mut prefix);
    }
    // The accesses as they are: the hardware does reorder them, or this test would say nothing.
    let started = Instant::now();
    let is_seen = || missed(&sketch, &prefix, 50) > 0;
    while !is_seen() {
        assert!(
            started.elapsed() < Duration::from_secs(60),
            "this hardware never reorders a store and a load"
        );
    }
    prefix.instructions.iter_mut().for_each(|instruction| instruction.conflicts = Conflicts::Unordered);
    assert_eq!(missed(&sketch, &prefix, 300), 0);
}

#[test]
fn a_message_that_the_schedule_orders_arrives_whole_with_plain_accesses() {
    let sketch = Sketch::c(
        "#include <pthread.h>\n#include <stdio.h>\nstatic long data[4], flag; static long wrong;\n\
         static void *send(void *a) { for (int i = 1; i <= 3000; i++) {\nflag = -i; // A\ndata[0] = data[1] = data[2] = data[3] = i;\nflag = i; // B\n} return a; }\n\
         static void *receive(void *a) { for (int i = 1; i <= 3000; i++) {\nlong f = flag; // C\n\
         wrong += f != i || data[0] != i || data[1] != i || data[2] != i || data[3] != i;\nflag = 0; // D\n} return a; }\n\
         int main(void) { pthread_t t, u; pthread_create(&t, 0, send, 0); pthread_create(&u, 0, receive, 0);\n\
         pthread_join(t, 0); pthread_join(u, 0); printf(\"%ld\\n\", wrong); return 0; }\n",
    );
    let round = [(1, "A", "store", 0), (1, "B", "store", 0), (2, "C", "load", 0), (2, "D", "store", 0)];
    let ran = sketch.run(&sketch.prefix(&round.repeat(3000)), &Options::default());
    assert_eq!(ran.good(), "0\n");
}
