/* Condition variables, barriers, things that happen once: whom a signal wakes, and in which order threads arrive, is for the schedule to say. So these are
 * queues of our own. The C library's functions never see the objects of a program that is built so. */

struct waiter {
    struct waiter *next;
    const void *at;
    u32 thread;
    _Atomic u32 woken;
};

enum { QUEUES = 64 };
static struct queue {
    _Atomic u32 lock; /* 0 free, 1 held, 2 held and waited for */
    struct waiter *first, **last;
} queues[QUEUES];

static struct queue *queue_of(const void *at) { return &queues[((uintptr_t)at >> 4) * 0x9e3779b9u >> 16 & (QUEUES - 1)]; }

static void lock_queue(struct queue *queue) {
    u32 free = 0;
    if (!atomic_compare_exchange_strong(&queue->lock, &free, 1))
        while (atomic_exchange(&queue->lock, 2) != 0) futex(&queue->lock, FUTEX_WAIT, 2, NULL, 0);
}

static void unlock_queue(struct queue *queue) {
    if (atomic_exchange(&queue->lock, 0) == 2) futex(&queue->lock, FUTEX_WAKE, 1, NULL, 0);
}

static void enqueue(struct queue *queue, struct waiter *waiter, const void *at) {
    *waiter = (struct waiter){NULL, at, self.number, 0};
    if (!queue->first) queue->last = &queue->first;
    *queue->last = waiter;
    queue->last = &waiter->next;
}

static void remove_waiter(struct queue *queue, struct waiter **at) {
    if (queue->last == &(*at)->next) queue->last = at;
    *at = (*at)->next;
}

/* Takes a thread out of its queue that was not woken; whether it was in it. */
static u32 leave_queue(struct waiter *waiter) {
    struct queue *queue = queue_of(waiter->at);
    u32 found = 0;
    lock_queue(queue);
    for (struct waiter **at = &queue->first; *at; at = &(*at)->next)
        if (*at == waiter) {
            remove_waiter(queue, at);
            found = 1;
            break;
        }
    unlock_queue(queue);
    return found;
}

static void wake(struct waiter *waiter) {
    _Atomic u32 *woken = &waiter->woken;
    atomic_store_explicit(woken, 1, memory_order_release);
    futex(woken, FUTEX_WAKE, 1, NULL, 0);
}

/* Wakes at most so many, the longest waiting first; in an event of the prefix the one that its outcome names, threads in the order of their numbers. */
static u32 wake_some(const void *at, u32 most, u32 choice) {
    struct queue *queue = queue_of(at);
    u32 count = 0;
    lock_queue(queue);
    while (count < most) {
        struct waiter **chosen = NULL;
        for (struct waiter **p = &queue->first; *p; p = &(*p)->next) {
            if ((*p)->at != at) continue;
            u32 before = 0;
            for (struct waiter *other = queue->first; other; other = other->next)
                before += other->at == at && other->thread < (*p)->thread;
            if (choice == NONE || before == choice) {
                chosen = p;
                break;
            }
        }
        if (!chosen) break;
        struct waiter *waiter = *chosen;
        remove_waiter(queue, chosen);
        wake(waiter);
        count++;
    }
    unlock_queue(queue);
    return count;
}

/* Sleeps until woken, or until a time; whether woken. */
static u32 sleep_in_queue(struct waiter *waiter, clockid_t clock, const struct timespec *limit) {
    u32 operation = FUTEX_WAIT_BITSET | (clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0);
    atomic_fetch_sub(&running, 1);
    u32 woken;
    while (!(woken = atomic_load_explicit(&waiter->woken, memory_order_acquire)))
        if (futex(&waiter->woken, operation, 0, limit, FUTEX_BITSET_MATCH_ANY) < 0 && errno == ETIMEDOUT) {
            woken = !leave_queue(waiter);
            break;
        }
    atomic_fetch_add(&running, 1);
    return woken;
}

static void sleep_until(clockid_t clock, const struct timespec *limit) {
    while (clock_nanosleep(clock, TIMER_ABSTIME, limit, NULL) == EINTR) {}
}

/* Waits for a condition variable, with a time limit or without. In the prefix it is the schedule that says whether the time is over when the thread goes on. */
static int wait_for(const void *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *limit) {
    int saved = errno;
    struct waiter waiter;
    struct queue *queue = queue_of(condition);
    lock_queue(queue);
    enqueue(queue, &waiter, condition);
    unlock_queue(queue);
    int error = pthread_mutex_unlock(mutex);
    if (error) {
        leave_queue(&waiter);
        return error;
    }
    u32 woken, is_late = 0;
    if (has_next_part()) {
        const struct event_row *event = next_part();
        woken = atomic_load_explicit(&waiter.woken, memory_order_acquire) || !leave_queue(&waiter);
        if (!woken && !limit) {
            /* Other schedulers than ours may wake without a signal; in a verified execution that does not happen. */
            woken = sleep_in_queue(&waiter, clock, NULL);
        }
        is_late = limit && (!woken || event->choice == 1);
        if (is_late) sleep_until(clock, limit);
        while (has_next_part()) next_part();
    } else {
        selvedge_finish();
        woken = sleep_in_queue(&waiter, clock, limit);
        is_late = !woken;
        await_rest();
    }
    error = pthread_mutex_lock(mutex);
    errno = saved;
    return error ? error : is_late ? ETIMEDOUT : 0;
}

/* The clock of a condition variable lies in its first word. */
static clockid_t clock_of(const void *condition) { return (clockid_t) * (const u32 *)condition; }

int selvedge_pthread_cond_init(pthread_cond_t *condition, const pthread_condattr_t *attributes) {
    clockid_t clock = CLOCK_REALTIME;
    if (attributes) pthread_condattr_getclock(attributes, &clock);
    memset(condition, 0, sizeof *condition);
    *(u32 *)condition = (u32)clock;
    return 0;
}

int selvedge_pthread_cond_destroy(pthread_cond_t *condition) {
    (void)condition;
    return 0;
}

int selvedge_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex) { return wait_for(condition, mutex, CLOCK_REALTIME, NULL); }

int selvedge_pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *limit) {
    return wait_for(condition, mutex, clock_of(condition), limit);
}

int selvedge_pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *limit) {
    return wait_for(condition, mutex, clock, limit);
}

static int signal_some(const void *condition, u32 most) {
    int saved = errno;
    u32 choice = is_event() && most == 1 ? self.current->choice : (u32)NONE;
    wake_some(condition, most, choice);
    errno = saved;
    return 0;
}

int selvedge_pthread_cond_signal(pthread_cond_t *condition) { return signal_some(condition, 1); }
int selvedge_pthread_cond_broadcast(pthread_cond_t *condition) { return signal_some(condition, NONE); }

int selvedge_cnd_init(cnd_t *condition) {
    memset(condition, 0, sizeof *condition);
    return thrd_success;
}
void selvedge_cnd_destroy(cnd_t *condition) { (void)condition; }
int selvedge_cnd_signal(cnd_t *condition) { return signal_some(condition, 1), thrd_success; }
int selvedge_cnd_broadcast(cnd_t *condition) { return signal_some(condition, NONE), thrd_success; }
int selvedge_cnd_wait(cnd_t *condition, mtx_t *mutex) {
    return wait_for(condition, (pthread_mutex_t *)mutex, CLOCK_REALTIME, NULL) ? thrd_error : thrd_success;
}
int selvedge_cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *limit) {
    int error = wait_for(condition, (pthread_mutex_t *)mutex, CLOCK_REALTIME, limit);
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

/* std::condition_variable of libstdc++: a pthread_cond_t, and a lock that is a pointer to a mutex. */
void selvedge_cpp_cond_init(void *condition) { memset(condition, 0, sizeof(pthread_cond_t)); }
void selvedge_cpp_cond_destroy(void *condition) { (void)condition; }
void selvedge_cpp_cond_wait(void *condition, void **lock) { wait_for(condition, *lock, CLOCK_REALTIME, NULL); }
void selvedge_cpp_notify_one(void *condition) { signal_some(condition, 1); }
void selvedge_cpp_notify_all(void *condition) { signal_some(condition, NONE); }

/* Barriers. */
struct barrier {
    u32 width, arrived;
};

int selvedge_pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes, unsigned width) {
    (void)attributes;
    if (width == 0) return EINVAL;
    memset(barrier, 0, sizeof *barrier);
    *(struct barrier *)barrier = (struct barrier){width, 0};
    return 0;
}

int selvedge_pthread_barrier_destroy(pthread_barrier_t *barrier) {
    (void)barrier;
    return 0;
}

int selvedge_pthread_barrier_wait(pthread_barrier_t *object) {
    int saved = errno;
    struct barrier *barrier = (struct barrier *)object;
    struct queue *queue = queue_of(object);
    struct waiter waiter;
    lock_queue(queue);
    u32 is_last = ++barrier->arrived == barrier->width;
    if (is_last) barrier->arrived = 0;
    else enqueue(queue, &waiter, object);
    unlock_queue(queue);
    if (is_last) wake_some(object, NONE, NONE);
    u32 in_prefix = has_next_part();
    if (in_prefix) next_part();
    else selvedge_finish();
    if (!is_last) sleep_in_queue(&waiter, CLOCK_REALTIME, NULL);
    if (!in_prefix) await_rest();
    errno = saved;
    return is_last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

/* Things that happen once: 0 not yet, 1 being done, 2 done. */
static void once(u32 *control, void (*function)(void)) {
    _Atomic u32 *state = (_Atomic u32 *)control;
    for (;;) {
        u32 seen = 0;
        if (atomic_load_explicit(state, memory_order_acquire) == 2) return;
        if (atomic_compare_exchange_strong(state, &seen, 1)) break;
        if (seen == 1) futex(state, FUTEX_WAIT, 1, NULL, 0);
    }
    const struct event_row *own = self.current;
    function();
    while (own && self.next != self.end && self.next->part > 0 && self.next->instruction == own->instruction
           && self.next->time == own->time && atomic_load(&mode) == SCHEDULED) {
        /* Events of the function may have come between. */
        selvedge_finish();
        self.current = self.next;
        selvedge_pending = perform(self.next);
    }
    atomic_store(state, 2);
    futex(state, FUTEX_WAKE, INT32_MAX, NULL, 0);
}

int selvedge_pthread_once(pthread_once_t *control, void (*function)(void)) {
    int saved = errno;
    once((u32 *)control, function);
    errno = saved;
    return 0;
}

void selvedge_call_once(once_flag *control, void (*function)(void)) { selvedge_pthread_once((pthread_once_t *)control, function); }

/* What the parts of the C++ library call that are compiled with a program: waiting at an address, and taking several mutexes at once. */
void selvedge_wait(const void *address, unsigned long expected, unsigned long size) {
    int saved = errno;
    struct queue *queue = queue_of(address);
    struct waiter waiter;
    lock_queue(queue);
    u64 value = size == 1 ? *(volatile uint8_t *)address : size == 2 ? *(volatile uint16_t *)address : size == 4 ? *(volatile u32 *)address : *(volatile u64 *)address;
    atomic_thread_fence(memory_order_seq_cst);
    u32 waits = value == expected;
    if (waits) enqueue(queue, &waiter, address);
    unlock_queue(queue);
    u32 in_prefix = has_next_part();
    if (in_prefix) next_part();
    else selvedge_finish();
    if (waits) sleep_in_queue(&waiter, CLOCK_REALTIME, NULL);
    if (!in_prefix) await_rest();
    errno = saved;
}

void selvedge_notify(const void *address, unsigned long size, int all) {
    (void)size;
    signal_some(address, all ? NONE : 1);
}

void selvedge_lock_all(pthread_mutex_t *first, ...) {
    pthread_mutex_t *mutexes[8] = {first};
    u32 count = 1;
    va_list arguments;
    va_start(arguments, first);
    while (count < 8 && (mutexes[count] = va_arg(arguments, pthread_mutex_t *))) count++;
    va_end(arguments);
    for (u32 start = 0;;) {
        pthread_mutex_lock(mutexes[start]);
        u32 taken = 1;
        while (taken < count && pthread_mutex_trylock(mutexes[(start + taken) % count]) == 0) taken++;
        if (taken == count) return;
        u32 missing = (start + taken) % count;
        while (taken--) pthread_mutex_unlock(mutexes[(start + taken) % count]);
        start = missing;
    }
}
