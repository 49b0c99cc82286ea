/* A program schedule in the process: what threads publish, and what each thread knows of itself. The table comes before this file, as constants.
 *
 * Everything is zero at first, and zero means "pass". */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))
#define TLS __thread __attribute__((tls_model("initial-exec")))

typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;

/* Decisions that the thread that decides may be ahead of the last one that follows. */
enum { RING = 4096 };
/* What a thread publishes: a single writer but for `sleepers`. */
struct line {
    _Atomic u64 events;    /* how many it has behind it */
    _Atomic u64 decisions; /* how many of its own are in its ring */
    _Atomic u32 sleepers;  /* how many sleep until this line changes */
    char rest[128 - 20];
} __attribute__((aligned(128)));

/* Where a thread is on the path, and what it knows of the others. */
struct self {
    const struct event *next, *end; /* its events of the chunk */
    u64 events, decided, room;
    i64 base[THREADS];  /* the events of each thread before the chunk */
    u64 seen[THREADS];  /* what it last saw of them */
    u64 read[THREADS];  /* how many decisions of theirs it has followed */
    u32 chunk, number, created, active, at, is_main;
};

static struct line lines[THREADS];
static u32 rings[THREADS][RING];
static struct reading {
    _Atomic u64 of[THREADS];
} __attribute__((aligned(128))) readings[THREADS]; /* `read`, for those who decide */
static TLS struct self self;

static u32 stall_seconds = STALL;
static u32 has_barrier, processors;
static _Atomic u32 running = 1;
static u64 most_recorded;

static COLD void diverge(u32 site);
static COLD void tell_stall(u32 thread);
static void record(u32 site);
