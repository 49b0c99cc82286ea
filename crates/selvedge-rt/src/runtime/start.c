/* The beginning and the end of the run time: the table that is built in, or another one, and what the environment asks for. */

static void use_table(const u32 *table) {
    head = (const struct head *)table;
    thread_rows = (const struct thread_row *)(table + head->first_thread);
    times_rows = (const struct times_row *)(table + head->first_times);
    event_rows = (const struct event_row *)(table + head->first_event);
    wait_rows = (const struct wait_row *)(table + head->first_wait);
    lines = selvedge_lines;
    seen_rows = selvedge_seen;
    starts = selvedge_starts;
}

/* A child has one thread, whose counts mean nothing there. */
pid_t selvedge_fork(void) {
    pid_t child = fork();
    if (child != 0 || !head || !selvedge_active) return child;
    selvedge_active = selvedge_pending = extras = 0;
    self.log = NULL;
    atomic_store(&mode, FREE_RUN);
    struct message message = {.length = 0};
    say(&message, "selvedge: the child of a fork runs without schedule\n");
    tell(&message);
    return child;
}

/* Another schedule comes first, since the others are about it. */
static void read_environment(char **environment) {
    for (char **at = environment; *at; at++)
        if (**at == 'S' && strncmp(*at, "SELVEDGE_SCHEDULE=", 18) == 0) use_schedule(*at + 18);
    for (; *environment; environment++) {
        if (**environment != 'S' || strncmp(*environment, "SELVEDGE_", 9) != 0) continue;
        const char *name = *environment + 9, *value = strchr(name, '=');
        if (!value++) continue;
        size_t length = (size_t)(value - name);
        if (!strncmp(name, "RECORD=", length)) open_log(value);
        if (!strncmp(name, "STATS=", length)) start_counting();
        if (!strncmp(name, "STALL=", length)) stall_seconds = (u32)strtoul(value, NULL, 10);
        if (!strncmp(name, "ON_DIVERGENCE=", length)) on_divergence = value[0] == 'f' ? FREE : value[0] == 's' && value[1] == 'e' ? SERIALISE : STOP;
        if (!strncmp(name, "DELAYS=", length)) delay_seed = strtoul(value, NULL, 10), extras |= DELAYS;
    }
}

__attribute__((constructor(101))) static void start_schedule(void) {
    extern char **environ;
    if (selvedge_table[0] != MAGIC) return;
    use_table(selvedge_table);
    on_divergence = head->on_divergence;
    stall_seconds = head->stall;
    read_environment(environ);
    has_barrier = call_kernel(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0, 0, 0, 0) == 0;
    if (!has_barrier)
        for (u32 i = 0; i < head->threads; i++) atomic_store(&lines[i].sleepers, 1);
    if (pthread_key_create(&end_key, end_of_thread) != 0) return;
    pthread_setspecific(end_key, (void *)1);
    become(0);
}

/* The end of the process, after the exit functions of the program. */
__attribute__((destructor(101))) static void end_schedule(void) {
    if (!head || !selvedge_active) goto tell;
    selvedge_finish();
    if (self.next != self.end && atomic_load(&mode) == SCHEDULED && !self.ends) diverge(NONE, "ends the program");
    selvedge_active = 0;
tell:
    if (extras & COUNTS) tell_stats();
}
