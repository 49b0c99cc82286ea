/* What is told: executions that leave the schedule, stalls, and records of what happened. */

static const char *name_of(u32 site) {
    return site < SITES ? site_names[site] : "its end";
}

static COLD void diverge(u32 site) {
    char text[1024];
    const char *expected = self.next != self.end ? name_of(self.next->site) : "something else";
    int length = snprintf(text, sizeof text, "selvedge: %s comes to %s, where the schedule expects %s: it is stopped\n",
                          thread_names[self.number], name_of(site), expected);
    if (write(2, text, (size_t)length) < 0) _exit(71);
    _exit(70);
}

static COLD void tell_stall(u32 thread) {
    char text[1024];
    int length = snprintf(text, sizeof text, "selvedge: %s has been waiting for %s for %u seconds, before %s\n", thread_names[self.number],
                          thread_names[thread], stall_seconds, name_of(self.at));
    if (write(2, text, (size_t)length) < 0) _exit(71);
}

/* The events of a run, in an order in which they may have happened: each gets its number after what it has to wait for, and before others are told of it. */
static u32 (*recorded)[2];
static _Atomic u64 last_recorded;
static pthread_once_t recording = PTHREAD_ONCE_INIT;

static void begin_record(void) {
    recorded = calloc(most_recorded, sizeof *recorded);
}

static COLD void record(u32 site) {
    pthread_once(&recording, begin_record);
    u64 number = atomic_fetch_add(&last_recorded, 1);
    if (number < most_recorded) recorded[number][0] = self.number, recorded[number][1] = site + 1;
    if (number + 1 != most_recorded) return;
    const char *name = getenv("SELVEDGE_RECORD");
    FILE *file = name ? fopen(name, "w") : NULL;
    for (u64 i = 0; file && i < most_recorded; i++) {
        while (!((_Atomic u32 *)&recorded[i][1])[0]) sched_yield();
        fprintf(file, "%u %u\n", recorded[i][0], recorded[i][1] - 1);
    }
    if (file) fclose(file);
    _exit(0);
}
