/* Progress: publishing that an event is over, and waiting for it.
 *
 * The publisher takes a store and a load of its own line. That the load may be performed first is the business of those who sleep: they say so
 * in `sleepers`, then let the kernel put a barrier into every running thread of the process (membarrier), and then look once more. Either the publisher's
 * load comes after that barrier and sees them, or its store came before it and they see that. Where the kernel has no such barrier every line counts
 * one sleeper for ever, so that publishers take the long way, which begins with a fence. */

static u32 has_barrier;
static _Atomic u32 running = 1; /* threads that want a processor, as far as is known */
static u32 processors;          /* usable ones; 0: not asked yet */
static u32 quota_is_known;
static _Atomic u32 epoch, epoch_sleepers;

enum { SPIN_NANOSECONDS = 50000 };

static u64 now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (u64)t.tv_sec * 1000000000u + (u64)t.tv_nsec;
}

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* A call of the kernel. Not by `syscall`: looking up a function of a library for the first time takes a microsecond. */
static long call_kernel(long number, long a, long b, long c, long d, long e, long f) {
#if defined(__x86_64__) && !defined(__ILP32__)
    register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    if (result >= -4095 && result < 0) {
        errno = (int)-result;
        return -1;
    }
    return result;
#else
    return syscall(number, a, b, c, d, e, f);
#endif
}

static long futex(_Atomic u32 *word, int operation, u32 value, const struct timespec *limit, u32 bits) {
    return call_kernel(SYS_futex, (long)word, operation | FUTEX_PRIVATE_FLAG, (long)value, (long)limit, 0, (long)bits);
}

static void barrier_of_sleepers(void) {
    atomic_thread_fence(memory_order_seq_cst);
    if (has_barrier) call_kernel(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0);
}

/* Tells those who wait for the whole prefix to look again. */
static void bump_epoch(void) {
    atomic_fetch_add(&epoch, 1);
    if (atomic_load(&epoch_sleepers)) futex(&epoch, FUTEX_WAKE, INT32_MAX, NULL, 0);
}

/* The long way of a publisher: somebody sleeps, or this was the last event of the thread. */
COLD void selvedge_wake(struct line *line, u32 number) {
    int saved = errno;
    atomic_thread_fence(memory_order_seq_cst);
    u32 own = (has_barrier ? 0 : 1);
    u32 thread = (u32)(line - lines);
    u32 is_last = thread < head->threads && number == thread_rows[thread].events;
    if (is_last) bump_epoch();
    if (atomic_load(&line->sleepers) > own + is_last)
        futex(&line->progress, FUTEX_WAKE_BITSET, INT32_MAX, NULL, 1u << (number % 32));
    errno = saved;
}

static void publish(struct line *line, u32 number) {
    atomic_store_explicit(&line->progress, number, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (UNLIKELY(atomic_load_explicit(&line->sleepers, memory_order_relaxed))) selvedge_wake(line, number);
}

/* The processors that this process may use, by its affinity. */
static u32 usable_processors(void) {
    if (!processors) {
        cpu_set_t set;
        processors = sched_getaffinity(0, sizeof set, &set) == 0 ? (u32)CPU_COUNT(&set) : 1;
    }
    return processors;
}

/* The quota of the control group: asked for by the first thread that sleeps, since reading a file is not for those in a hurry. */
static void learn_quota(void) {
    if (quota_is_known) return;
    quota_is_known = 1;
    char text[64];
    int file = open("/sys/fs/cgroup/cpu.max", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    long length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return;
    text[length] = 0;
    char *rest;
    long quota = strtol(text, &rest, 10), period = strtol(rest, NULL, 10);
    if (rest == text || quota <= 0 || period <= 0) return; /* "max" */
    u32 whole = (u32)(quota / period);
    if (whole < usable_processors()) processors = whole ? whole : 1;
}

static u32 may_spin(void) {
    return usable_processors() > 1 && atomic_load_explicit(&running, memory_order_relaxed) <= usable_processors();
}

static u32 is_over(struct line *line, u32 number) {
    return atomic_load_explicit(&line->progress, memory_order_acquire) >= number
        || atomic_load_explicit(&mode, memory_order_relaxed) != SCHEDULED;
}

static u32 spin_for(struct line *line, u32 number) {
    if (!may_spin()) return 0;
    for (u64 end = now() + SPIN_NANOSECONDS; now() < end && may_spin();)
        for (int i = 0; i < 32; i++) {
            if (is_over(line, number)) return 1;
            relax();
        }
    return 0;
}

static COLD void tell_stall(const struct wait_row *wait);

/* One sleep, of at most the time after which the watchdog barks. */
static void sleep_once(_Atomic u32 *word, u32 value, u32 bits, const struct wait_row *wait) {
    struct timespec limit;
    clock_gettime(CLOCK_MONOTONIC, &limit);
    limit.tv_sec += stall_seconds ? stall_seconds : 3600;
    long result = futex(word, FUTEX_WAIT_BITSET, value, &limit, bits);
    if (result < 0 && errno == ETIMEDOUT && stall_seconds) tell_stall(wait);
}

static void sleep_for(struct line *line, const struct wait_row *wait) {
    learn_quota();
    atomic_fetch_sub(&running, 1);
    atomic_fetch_add(&line->sleepers, 1);
    barrier_of_sleepers();
    for (;;) {
        u32 seen = atomic_load_explicit(&line->progress, memory_order_acquire);
        if (is_over(line, wait->number)) break;
        sleep_once(&line->progress, seen, 1u << (wait->number % 32), wait);
    }
    atomic_fetch_sub(&line->sleepers, 1);
    atomic_fetch_add(&running, 1);
}

/* Waits until a thread has published a number, and notes what was seen. */
static COLD void await(const struct wait_row *wait) {
    struct line *line = &lines[wait->thread];
    u32 seen = atomic_load_explicit(&line->progress, memory_order_acquire);
    if (seen < wait->number) {
        int saved = errno;
        u64 start = extras & COUNTS ? now() : 0;
        if (selvedge_line) atomic_store_explicit(&selvedge_line->waits_for, (u32)(wait - wait_rows) + 1, memory_order_relaxed);
        u32 spun = spin_for(line, wait->number);
        if (!spun) sleep_for(line, wait);
        if (selvedge_line) atomic_store_explicit(&selvedge_line->waits_for, 0, memory_order_relaxed);
        if (extras & COUNTS) count_wait(wait, now() - start, !spun);
        seen = atomic_load_explicit(&line->progress, memory_order_acquire);
        errno = saved;
    }
    if (self.seen && atomic_load_explicit(&mode, memory_order_relaxed) == SCHEDULED) self.seen[wait->thread] = seen;
}

static u32 whole_prefix_is_over(void) {
    if (atomic_load_explicit(&all_done, memory_order_acquire)) return 1;
    for (u32 i = 0; i < head->threads; i++)
        if (atomic_load_explicit(&lines[i].progress, memory_order_acquire) < thread_rows[i].events) return 0;
    atomic_store_explicit(&all_done, 1, memory_order_release);
    return 1;
}

static u32 may_go_on(void) {
    return whole_prefix_is_over() || (selvedge_line && atomic_load(&selvedge_line->released))
        || atomic_load(&mode) != SCHEDULED;
}

/* Waits until the whole prefix is over: this thread has done what it has to do in it. */
static COLD void await_all(void) {
    int saved = errno;
    u64 start = extras & COUNTS ? now() : 0;
    if (!may_go_on()) {
        atomic_fetch_sub(&running, 1);
        atomic_fetch_add(&epoch_sleepers, 1);
        if (selvedge_line) atomic_store_explicit(&selvedge_line->waits_for, NONE, memory_order_relaxed);
        for (;;) {
            u32 seen = atomic_load(&epoch);
            if (may_go_on()) break;
            sleep_once(&epoch, seen, FUTEX_BITSET_MATCH_ANY, NULL);
        }
        if (selvedge_line) atomic_store_explicit(&selvedge_line->waits_for, 0, memory_order_relaxed);
        atomic_fetch_sub(&epoch_sleepers, 1);
        atomic_fetch_add(&running, 1);
        if (extras & COUNTS) count_wait(NULL, now() - start, 1);
    }
    errno = saved;
}

/* Somebody joins a thread by an event of the prefix. That it could says that the thread has ended there, so it has no event left. */
static void release(u32 thread) {
    atomic_store(&lines[thread].released, 1);
    bump_epoch();
}

/* Lets all waits pass: each line changes, so that nobody falls asleep on it afterwards. */
static void leave_schedule(u32 new_mode) {
    atomic_store(&mode, new_mode);
    for (u32 i = 0; i < head->threads; i++) {
        atomic_store(&lines[i].progress, NONE);
        futex(&lines[i].progress, FUTEX_WAKE, INT32_MAX, NULL, 0);
    }
    bump_epoch();
}
