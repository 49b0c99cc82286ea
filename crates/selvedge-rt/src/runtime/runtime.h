/* What all parts of the run time share: the table that a schedule is, the state of a thread, the hooks' side of both.
 *
 * Everything is zero at first, and zero means "pass": constructors and resolvers that run before the run time begins are not held up. The parts are
 * compiled as one file, in the order in which `lib.rs` lists them. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))
#define TLS __thread __attribute__((tls_model("initial-exec")))

typedef uint32_t u32;
typedef uint64_t u64;

enum { NONE = 0xffffffffu };

/* The table: words, laid out by `table.rs` of `selvedge-build`. */
struct head {
    u32 magic, instructions, threads, events, waits, rest, on_divergence, stall;
    u32 program[8], schedule[2];
    u32 first_thread, first_times, first_event, first_wait; /* positions in the table */
};
enum { MAGIC = 0x31545653 };

struct thread_row {
    u32 creator, which, first_event, events, first_times, times;
};
struct times_row {
    u32 instruction, times, first; /* executions up to the last event of the thread, the execution that is its first event or 0 */
};
struct event_row {
    u32 instruction, part, time, choice, first_wait, waits;
    u32 next;   /* so many executions of the instruction later the thread looks again */
    u32 number; /* what the thread publishes afterwards, 0 if nobody asks */
};
struct wait_row {
    u32 thread, number, event; /* the thread has to have published that number; which event that is */
};

/* What a thread publishes, in lines of the cache of its own: a single writer but for `sleepers`. */
struct line {
    _Atomic u32 progress; /* the number of its last event that is over; ~0 when no event of it is waited for any more */
    _Atomic u32 sleepers; /* how many sleep until this line changes, and one more if its publisher has something else to do */
    _Atomic u32 released; /* somebody joins the thread by an event: none of its own is left */
    _Atomic u32 waits_for; /* for the watchdog: the wait it is in, plus one */
    _Atomic u32 stands_at; /* the instruction of its last event, plus one */
    _Atomic u64 handle;
    char rest[128 - 32];
} __attribute__((aligned(128)));

/* What the new thread needs to know of itself. */
struct start {
    void *(*function)(void *);
    void *argument;
    u32 number;
    u32 is_c11;
};

/* Emitted with the program. */
extern const u32 selvedge_table[];
extern const char selvedge_names[];
extern struct line selvedge_lines[];
extern struct start selvedge_starts[];
extern u32 selvedge_seen[];
extern TLS u32 selvedge_left[];

/* What hooks look at. */
TLS u32 selvedge_active;       /* 0: everything passes */
TLS u32 selvedge_pending;      /* the number to publish when the call at hand is over */
TLS struct line *selvedge_line; /* where */

/* The state of a thread that only the run time looks at. */
struct self {
    const struct event_row *next, *end, *current;
    u32 *seen;   /* what it last saw of each thread's progress */
    u32 number;  /* of the thread, or NONE */
    u32 created; /* how many threads it has made */
    u32 inside;  /* in the run time: a hook in a signal handler then passes */
    u32 holds_baton, rounds, ends;
    u64 random;
    u64 *log, *log_end;
    u32 is_creating;
};
static TLS struct self self;

static const struct head *head;
static const struct thread_row *thread_rows;
static const struct times_row *times_rows;
static const struct event_row *event_rows;
static const struct wait_row *wait_rows;
static struct line *lines;
static u32 *seen_rows;
static struct start *starts;

/* What was asked for besides: bits, so that the path of an event tests one word. */
enum { RECORDS = 1, COUNTS = 2, DELAYS = 4 };
static u32 extras;

/* How the run is controlled now. */
enum { SCHEDULED, SERIALISED, FREE_RUN };
static _Atomic u32 mode;
static _Atomic u32 all_done;

enum { STOP, SERIALISE, FREE };
static u32 on_divergence;
static u32 stall_seconds;

static void publish(struct line *line, u32 number);
static void await(const struct wait_row *wait);
static void await_all(void);
static void record(u32 kind, u32 a, u32 b);
static void record_free(void);
static void record_waits(const struct event_row *event);
static void delay(void);
static u32 in_baton(u32 instruction);
static void drop_baton(void);
static void diverge(u32 instruction, const char *what);
static void count_wait(const struct wait_row *wait, u64 nanoseconds, u32 slept);
static void count_event(const struct event_row *event);
u32 selvedge_event(u32 instruction);
void selvedge_finish(void);
