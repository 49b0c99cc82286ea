/* What a run cost: how many events were performed, how many had to wait, how long, and for which constraint. */

static _Atomic u64 events_done, waits_done, spins, sleeps, slept_for_rest;
static _Atomic u64 *time_of_wait; /* by constraint */

static void count_event(const struct event_row *event) {
    atomic_fetch_add_explicit(&events_done, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&waits_done, event->waits, memory_order_relaxed);
}

static void count_wait(const struct wait_row *wait, u64 nanoseconds, u32 slept) {
    atomic_fetch_add_explicit(slept ? &sleeps : &spins, 1, memory_order_relaxed);
    if (wait) atomic_fetch_add_explicit(&time_of_wait[wait - wait_rows], nanoseconds, memory_order_relaxed);
    else atomic_fetch_add_explicit(&slept_for_rest, nanoseconds, memory_order_relaxed);
}

static void start_counting(void) {
    time_of_wait = calloc(head->waits + 1, sizeof *time_of_wait);
    if (time_of_wait) extras |= COUNTS;
}

/* The event that has a wait. */
static u32 event_of_wait(u32 wait) {
    for (u32 i = 0; i < head->events; i++)
        if (event_rows[i].first_wait <= wait && wait < event_rows[i].first_wait + event_rows[i].waits) return i;
    return 0;
}

static void tell_stats(void) {
    struct message message = {.length = 0};
    u64 blocked = spins + sleeps;
    say(&message, "selvedge: %llu events; of %llu constraints %llu were satisfied at once; %llu waits spinning, %llu sleeping, %llu ns for the rest of the prefix\n",
        (unsigned long long)events_done, (unsigned long long)waits_done,
        (unsigned long long)(waits_done > blocked ? waits_done - blocked : 0), (unsigned long long)spins, (unsigned long long)sleeps,
        (unsigned long long)slept_for_rest);
    tell(&message);
    for (u32 shown = 0; shown < 10; shown++) {
        u32 most = 0;
        for (u32 i = 0; i < head->waits; i++)
            if (time_of_wait[i] > time_of_wait[most]) most = i;
        if (!head->waits || !time_of_wait[most]) break;
        const struct event_row *after = &event_rows[event_of_wait(most)], *before = &event_rows[wait_rows[most].event];
        message.length = 0;
        say(&message, "  %9llu ns: %s waits for %s%s\n", (unsigned long long)time_of_wait[most], place_of(after->instruction),
            place_of(before->instruction), shown ? "" : "; the constraint to verify away first");
        tell(&message);
        time_of_wait[most] = 0;
    }
}

/* Random delays before events, for tests: other interleavings become likely. */
static void delay(void) {
    self.random = self.random * 6364136223846793005u + 1442695040888963407u;
    u32 number = (u32)(self.random >> 33);
    if (number % 4 == 0) sched_yield();
    else if (number % 4 == 1) usleep(number / 4 % 200);
}
