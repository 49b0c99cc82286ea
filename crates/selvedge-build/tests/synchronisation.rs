//! The run time's own condition variables, barriers and threads do what those of the C library do, whatever the prefix.

mod sketch;

use selvedge_build::Options;
use sketch::{Ran, Sketch};
use std::process::Command;

/// Runs a program under a prefix of one event, so that it has the run time and is free after that; with and without delays.
fn runs_freely(sketch: &Sketch, event: sketch::Event, expected: &str) {
    let binary = sketch.build(&sketch.prefix(&[event]), &Options::default());
    for delays in ["0", "7"] {
        let mut command = Command::new(&binary);
        command.env("SELVEDGE_DELAYS", delays);
        assert_eq!(Ran::of(command).good(), expected);
    }
}

#[test]
fn a_queue_with_condition_variables_loses_nothing() {
    let sketch = Sketch::c(
        "#include <pthread.h>\n#include <stdio.h>\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty;\nstatic int count, started; static long sum;\n\
         static void *produce(void *a) {\n for (int i = 1; i <= 3000; i++) { pthread_mutex_lock(&m); while (count == 4) pthread_cond_wait(&empty, &m);\n \
         count++; pthread_cond_signal(&full); pthread_mutex_unlock(&m); } return a; }\n\
         static void *consume(void *a) {\n for (int i = 1; i <= 3000; i++) { pthread_mutex_lock(&m); while (!count) pthread_cond_wait(&full, &m);\n \
         count--; sum += i; pthread_cond_broadcast(&empty); pthread_mutex_unlock(&m); } return a; }\n\
         int main(void) { pthread_t t[4]; pthread_cond_init(&empty, 0);\nstarted = 1; // A\n\
         for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, i % 2 ? produce : consume, 0);\n\
         for (int i = 0; i < 4; i++) pthread_join(t[i], 0);\n printf(\"%d %ld\\n\", count, sum); return 0; }\n",
    );
    runs_freely(&sketch, (0, "A", "store", 0), "0 9003000\n");
}

#[test]
fn barriers_once_and_time_limits_work() {
    let sketch = Sketch::c(
        "#include <pthread.h>\n#include <stdio.h>\n#include <errno.h>\n#include <time.h>\n#include <stdatomic.h>\nstatic pthread_barrier_t b;\n\
         static pthread_once_t o = PTHREAD_ONCE_INIT; static int started; static atomic_int serial, once, rounds;\n\
         static void init(void) { once++; }\n\
         static void *work(void *a) { for (int i = 0; i < 500; i++) { pthread_once(&o, init); rounds++;\n \
         if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) serial++; if (rounds < 3 * (i + 1)) return (void *)1; } return a; }\n\
         int main(void) { pthread_t t[3]; void *r[3]; pthread_barrier_init(&b, 0, 3);\nstarted = 1; // A\n\
         for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, work, 0);\n for (int i = 0; i < 3; i++) pthread_join(t[i], &r[i]);\n \
         pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; struct timespec t0, t1;\n \
         clock_gettime(CLOCK_REALTIME, &t0); t1 = t0; t1.tv_nsec += 20000000; if (t1.tv_nsec >= 1000000000) t1.tv_sec++, t1.tv_nsec -= 1000000000;\n \
         pthread_mutex_lock(&m); int late = pthread_cond_timedwait(&c, &m, &t1); clock_gettime(CLOCK_REALTIME, &t0);\n \
         int waited = t0.tv_sec > t1.tv_sec || t0.tv_nsec >= t1.tv_nsec;\n \
         printf(\"%d %d %d %d %d\\n\", once, serial, r[0] || r[1] || r[2], late == ETIMEDOUT, waited); return 0; }\n",
    );
    runs_freely(&sketch, (0, "A", "store", 0), "1 500 0 1 1\n");
}

#[test]
fn threads_of_c11_return_their_results() {
    let sketch = Sketch::c(
        "#include <threads.h>\n#include <stdio.h>\nstatic mtx_t m; static cnd_t c; static int turn, started;\n\
         static int work(void *a) { int self = *(int *)a; mtx_lock(&m); while (turn != self) cnd_wait(&c, &m); turn++; cnd_broadcast(&c);\n \
         mtx_unlock(&m); return 10 + self; }\n\
         int main(void) { thrd_t t[3]; int n[3] = {0, 1, 2}, r[3]; mtx_init(&m, mtx_plain); cnd_init(&c);\nstarted = 1; // A\n\
         for (int i = 2; i >= 0; i--) thrd_create(&t[i], work, &n[i]);\n for (int i = 0; i < 3; i++) thrd_join(t[i], &r[i]);\n \
         printf(\"%d %d %d %d\\n\", turn, r[0], r[1], r[2]); return 0; }\n",
    );
    runs_freely(&sketch, (0, "A", "store", 0), "3 10 11 12\n");
}

const CPP: &str = "#include <thread>\n#include <mutex>\n#include <condition_variable>\n#include <vector>\n#include <cstdio>\n\
     static std::mutex m; static std::condition_variable c; static int turn, started, first;\n\
     static void work(int self) {\nfirst = self; // B\n  std::unique_lock<std::mutex> lock(m); c.wait(lock, [&] { return turn == self; }); turn++; c.notify_all(); }\n\
     int main() {\nstarted = 1; // A\n  std::vector<std::thread> all; for (int i = 0; i < 4; i++) all.emplace_back(work, i);\n  \
     for (auto &t : all) t.join(); std::printf(\"%d %d\\n\", turn, first); }\n";

#[test]
fn threads_of_cpp_have_the_numbers_that_their_maker_gave_them() {
    let sketch = Sketch::of(CPP, "sketch.cpp", &["-std=c++17"]);
    for last in 1..=4 {
        let mut events = vec![(0, "A", "store", 0)];
        events.extend(
            (1..=4).filter(|&thread| thread != last).chain([last]).map(|thread| (thread, "B", "store", 0)),
        );
        let ran = sketch.run(&sketch.prefix(&events), &Options::default());
        assert_eq!(ran.good(), format!("4 {}\n", last - 1));
    }
}
