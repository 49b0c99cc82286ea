/* Threads, the beginning and the end. The one that makes a thread says which of its own it is, and where on the path. */

static pthread_key_t end_key;

struct start {
    void *(*function)(void *);
    void *argument;
    struct self self;
};

static void *begin_thread(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    if (start.self.active) {
        self = start.self;
        begin(self.number);
        pthread_setspecific(end_key, (void *)1);
    }
    return start.function(start.argument);
}

static void end_of_thread(void *unused) {
    (void)unused;
    if (self.active && find(END)) diverge(END);
    self.active = 0;
    atomic_fetch_sub(&running, 1);
}

int selvedge_section_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*function)(void *), void *argument) {
    struct start *start = calloc(1, sizeof *start);
    if (!start) return EAGAIN;
    start->function = function, start->argument = argument;
    u32 number = END;
    for (u32 i = 1; self.active && i < THREADS; i++)
        if (creations[i].creator == self.number && creations[i].which == self.created + 1) number = i;
    if (number != END) {
        start->self = self;
        start->self.number = number, start->self.created = 0, start->self.events = start->self.decided = start->self.room = 0;
        for (u32 i = 0; i < THREADS; i++) atomic_store(&readings[number].of[i], self.read[i]);
    } else if (self.active) {
        diverge(self.at);
    }
    self.created++;
    atomic_fetch_add(&running, 1);
    return pthread_create(handle, attributes, begin_thread, start);
}

int selvedge_section_join(pthread_t handle, void **result) {
    atomic_fetch_sub(&running, 1);
    int error = pthread_join(handle, result);
    atomic_fetch_add(&running, 1);
    return error;
}

/* The child of a fork has one thread, which no other waits for. */
static void after_fork(void) {
    self.active = self.is_main = 0;
}

__attribute__((constructor(101))) static void start_schedule(void) {
    cpu_set_t set;
    processors = sched_getaffinity(0, sizeof set, &set) == 0 ? (u32)CPU_COUNT(&set) : 1;
    has_barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    const char *stall = getenv("SELVEDGE_STALL"), *recorded = getenv("SELVEDGE_RECORD_EVENTS");
    if (stall) stall_seconds = (u32)strtoul(stall, NULL, 10);
    if (recorded) most_recorded = strtoull(recorded, NULL, 10);
    for (u32 i = 0; i < THREADS; i++) {
        if (!has_barrier) atomic_store(&lines[i].sleepers, 1);
        /* Threads that are not there yet hold nobody up. */
        for (u32 j = 0; i && j < THREADS; j++) atomic_store(&readings[i].of[j], UINT64_MAX);
    }
    pthread_atfork(NULL, NULL, after_fork);
    self.is_main = pthread_key_create(&end_key, end_of_thread) == 0;
}
