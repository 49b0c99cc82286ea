/* Publishing that an event is over, and waiting for it.
 *
 * The publisher takes a store and a load of its own line. That the load may be performed first is the business of those who sleep: they say so
 * in `sleepers`, let the kernel put a barrier into every running thread of the process (membarrier), and look once more. Where the kernel has no such
 * barrier every line counts one sleeper for ever, so that publishers always take the long way.
 *
 * Sleepers look at the lower half of a 64-bit counter. A thread that misses exactly 2^32 changes between its look and its sleep wakes up when the
 * watchdog does. */

enum { SPINS = 1000 };

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static u32 *lower_half(_Atomic u64 *word) {
    u32 *halves = (u32 *)word;
    return halves + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static COLD void wake(struct line *line) {
    int saved = errno;
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load(&line->sleepers) > !has_barrier) {
        syscall(SYS_futex, lower_half(&line->events), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
        syscall(SYS_futex, lower_half(&line->decisions), FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, NULL, NULL, 0);
    }
    errno = saved;
}

static inline void publish(_Atomic u64 *word, u64 value) {
    struct line *line = &lines[self.number];
    atomic_store_explicit(word, value, memory_order_release);
    atomic_signal_fence(memory_order_seq_cst);
    if (UNLIKELY(atomic_load_explicit(&line->sleepers, memory_order_relaxed))) wake(line);
}

static u32 may_spin(void) {
    return processors > 1 && atomic_load_explicit(&running, memory_order_relaxed) <= processors;
}

static COLD void sleep_until(struct line *line, _Atomic u64 *word, u64 least, u32 thread) {
    atomic_fetch_sub(&running, 1);
    atomic_fetch_add(&line->sleepers, 1);
    atomic_thread_fence(memory_order_seq_cst);
    if (has_barrier) syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    for (;;) {
        u64 seen = atomic_load_explicit(word, memory_order_acquire);
        if (seen >= least) break;
        struct timespec limit = {stall_seconds ? stall_seconds : 3600, 0};
        long result = syscall(SYS_futex, lower_half(word), FUTEX_WAIT | FUTEX_PRIVATE_FLAG, (u32)seen, &limit, NULL, 0);
        if (result < 0 && errno == ETIMEDOUT && stall_seconds && atomic_load(word) < least) tell_stall(thread);
    }
    atomic_fetch_sub(&line->sleepers, 1);
    atomic_fetch_add(&running, 1);
}

/* Waits until a counter of a thread is large enough; what it is then. */
static COLD u64 await(u32 thread, _Atomic u64 *word, u64 least) {
    int saved = errno;
    u64 seen = atomic_load_explicit(word, memory_order_acquire);
    for (u32 i = 0; seen < least && i < SPINS && ((i & 63) || may_spin()); i++) {
        relax();
        seen = atomic_load_explicit(word, memory_order_acquire);
    }
    if (seen < least) sleep_until(&lines[thread], word, least, thread);
    errno = saved;
    return atomic_load_explicit(word, memory_order_acquire);
}
