/* Threads: who they are, from their making to their end. The one that makes a thread says which of its own it is; the new one runs no hook before it knows. */

static pthread_key_t end_key;
static _Atomic u64 delay_seed;

/* The thread that this one makes as that one of its own. */
static u32 child_of(u32 creator, u32 which) {
    if (creator != NONE)
        for (u32 i = creator + 1; i < head->threads; i++)
            if (thread_rows[i].creator == creator && thread_rows[i].which == which) return i;
    return NONE;
}

/* Makes the present thread the one with a number. */
static void become(u32 number) {
    self.number = number;
    self.random = atomic_load(&delay_seed) * 2654435761u + number;
    look_at_everything();
    if (number != NONE) {
        const struct thread_row *row = &thread_rows[number];
        const struct times_row *times = times_rows + row->first_times;
        for (u32 i = 0; i < row->times; i++)
            selvedge_left[times[i].instruction] = times[i].first ? times[i].first : times[i].times + 1;
        self.next = event_rows + row->first_event;
        self.end = self.next + row->events;
        self.seen = seen_rows + (u64)number * head->threads;
        selvedge_line = &lines[number];
        use_segment(number);
        if (self.next == self.end) look_at_everything();
    }
    selvedge_active = 1;
}

/* The end of a thread. Destructors of thread-local variables run before; those of keys are asked for again and again, so that this comes last. */
static void end_of_thread(void *rounds) {
    if ((uintptr_t)rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, (void *)((uintptr_t)rounds + 1));
        return;
    }
    if (!self.ends) {
        self.ends = 1;
        selvedge_finish();
        if (self.next != self.end && atomic_load(&mode) == SCHEDULED) diverge(NONE, "ends");
        if (extras & RECORDS) record(R_END, 0, 0);
        drop_baton();
        atomic_fetch_sub(&running, 1);
    }
    selvedge_active = 0;
}

static void *begin_thread(void *argument) {
    struct start start = *(struct start *)argument;
    if (start.number == NONE) free(argument);
    pthread_setspecific(end_key, (void *)1);
    become(start.number);
    if (start.is_c11) return (void *)(intptr_t)((int (*)(void *))(void (*)(void))start.function)(start.argument);
    return start.function(start.argument);
}

#ifdef SELVEDGE_CPP
typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static create_function *library_create(void);
#define MAKE library_create()
#else
#define MAKE pthread_create
#endif

static int create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument, u32 is_c11) {
    if (!head) return MAKE(handle, attributes, function, argument);
    u32 number = child_of(self.number, self.created + 1);
    struct start *start = number == NONE ? malloc(sizeof *start) : &starts[number];
    if (!start) return EAGAIN;
    *start = (struct start){function, argument, number, is_c11};
    atomic_fetch_add(&running, 1);
    int result = MAKE(handle, attributes, begin_thread, start);
    if (result != 0) {
        atomic_fetch_sub(&running, 1);
        if (number == NONE) free(start);
        else if (atomic_load(&mode) == SCHEDULED) diverge(NONE, "cannot make a thread");
        return result;
    }
    self.created++;
    if (number != NONE) atomic_store(&lines[number].handle, (u64)*handle);
    return 0;
}

int selvedge_pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    return create(handle, attributes, function, argument, 0);
}

int selvedge_thrd_create(thrd_t *handle, thrd_start_t function, void *argument) {
    int result = create((pthread_t *)handle, NULL, (void *(*)(void *))(void (*)(void))function, argument, 1);
    return result == 0 ? thrd_success : result == ENOMEM || result == EAGAIN ? thrd_nomem : thrd_error;
}

/* A join by an event: the joined thread has no event left, so it need not wait for the others before it ends. */
static void before_join(pthread_t handle) {
    if (!selvedge_active || atomic_load(&mode) != SCHEDULED) return;
    for (u32 i = 0; i < head->threads; i++)
        if (atomic_load(&lines[i].handle) == (u64)handle && !atomic_load(&lines[i].released) && (self.current || self.next != self.end)) release(i);
}

int selvedge_pthread_join(pthread_t handle, void **result) {
    if (!head) return pthread_join(handle, result);
    before_join(handle);
    atomic_fetch_sub(&running, 1);
    int error = pthread_join(handle, result);
    atomic_fetch_add(&running, 1);
    return error;
}

int selvedge_thrd_join(thrd_t handle, int *result) {
    void *value = NULL;
    int error = selvedge_pthread_join((pthread_t)handle, &value);
    if (result) *result = (int)(intptr_t)value;
    return error == 0 ? thrd_success : thrd_error;
}

#ifdef SELVEDGE_CPP
/* std::thread: the library makes the thread, and calls a `pthread_create` that is ours. Other libraries call it, too: their threads are theirs. */
#include <dlfcn.h>

extern void selvedge_original_start(void *thread, void *state, void (*depend)(void)) __asm__(
    "_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE");
extern void selvedge_original_join(void *thread) __asm__("_ZNSt6thread4joinEv");

static create_function *library_create(void) {
    static create_function *found;
    if (!found) *(void **)&found = dlsym(RTLD_NEXT, "pthread_create");
    return found;
}

__attribute__((visibility("default"))) int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    if (!self.is_creating) return library_create()(handle, attributes, function, argument);
    self.is_creating = 0;
    return create(handle, attributes, function, argument, 0);
}

static void stop_creating(u32 *unused) {
    (void)unused;
    self.is_creating = 0;
}

void selvedge_cpp_start(void *thread, void *state, void (*depend)(void)) {
    __attribute__((cleanup(stop_creating))) u32 creating = 1;
    self.is_creating = creating;
    selvedge_original_start(thread, state, depend);
}

void selvedge_cpp_join(void *thread) {
    if (head && *(pthread_t *)thread) before_join(*(pthread_t *)thread);
    selvedge_original_join(thread);
}
#endif
