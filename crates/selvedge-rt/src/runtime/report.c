/* What the run time tells: executions that leave the schedule, and waits that last too long. Messages are written at once, without stdio, whose locks a
 * waiting thread may hold. */

enum { EXIT_DIVERGED = 70 };

struct message {
    char text[1024];
    size_t length;
};

static void say(struct message *message, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof message->text - message->length;
    int length = vsnprintf(message->text + message->length, room, format, arguments);
    va_end(arguments);
    if (length > 0) message->length += (size_t)length < room ? (size_t)length : room - 1;
}

static void tell(const struct message *message) {
    for (size_t done = 0; done < message->length;) {
        long written = write(2, message->text + done, message->length - done);
        if (written <= 0) return;
        done += (size_t)written;
    }
}

/* The names of an instruction: function, ordinal, kind, place, and `u` if it is sequentially consistent, each ended by a zero. */
static const char *name_of(u32 instruction, u32 field) {
    const char *name = selvedge_names;
    for (u32 i = 0; i < instruction * 5 + field; i++) name += strlen(name) + 1;
    return name;
}

static const char *kind_of(u32 instruction) { return name_of(instruction, 2); }
static const char *place_of(u32 instruction) { return name_of(instruction, 3); }

/* A thread by who made it: `main`, `main.1`, `main.1.2`. */
static void say_thread(struct message *message, u32 thread) {
    if (thread == NONE) {
        say(message, "a thread that the schedule does not know");
    } else if (thread_rows[thread].creator == NONE) {
        say(message, "main");
    } else {
        say_thread(message, thread_rows[thread].creator);
        say(message, ".%u", thread_rows[thread].which);
    }
}

static void say_event(struct message *message, const struct event_row *event) {
    say(message, "`%s` at %s (execution %u)", kind_of(event->instruction), place_of(event->instruction), event->time);
}

/* The execution has left the schedule. */
static COLD void diverge(u32 instruction, const char *what) {
    u32 expected = SCHEDULED;
    u32 new_mode = on_divergence == SERIALISE ? SERIALISED : FREE_RUN;
    if (on_divergence != STOP && !atomic_compare_exchange_strong(&mode, &expected, new_mode)) return;
    int saved = errno;
    struct message message = {.length = 0};
    say(&message, "selvedge: the execution leaves the schedule: ");
    say_thread(&message, self.number);
    if (instruction == NONE) say(&message, " %s", what);
    else say(&message, " %s `%s` at %s", what, kind_of(instruction), place_of(instruction));
    if (self.next != self.end) {
        say(&message, "; expected: ");
        say_event(&message, self.next);
        say(&message, ", event %u of %u of the thread", (u32)(self.next - event_rows) - thread_rows[self.number].first_event + 1,
            thread_rows[self.number].events);
    }
    switch (on_divergence) {
    case STOP: say(&message, "\n"); break;
    case SERIALISE: say(&message, "; from here on one thread runs at a time\n"); break;
    default: say(&message, "; from here on the execution is unverified\n"); break;
    }
    tell(&message);
    if (extras & RECORDS) record(R_LEFT, on_divergence, 0);
    if (on_divergence == STOP) _exit(EXIT_DIVERGED);
    leave_schedule(new_mode);
    errno = saved;
}

/* The watchdog: who waits for whom, and where. Threads are not stopped; they may only be slow. */
static COLD void tell_stall(const struct wait_row *wait) {
    (void)wait;
    static _Atomic u64 last;
    static _Atomic u32 last_progress;
    u32 progress = 0;
    for (u32 i = 0; i < head->threads; i++) progress += atomic_load(&lines[i].progress);
    u64 before = atomic_load(&last), time = now();
    u32 known = atomic_exchange(&last_progress, progress);
    if (before && (known != progress || time - before < (u64)stall_seconds * 500000000u)) return;
    if (!atomic_compare_exchange_strong(&last, &before, time)) return;
    struct message message = {.length = 0};
    say(&message, "selvedge: no event for %u s\n", stall_seconds);
    for (u32 i = 0; i < head->threads; i++) {
        u32 waits_for = atomic_load(&lines[i].waits_for), stands_at = atomic_load(&lines[i].stands_at);
        say(&message, "  ");
        say_thread(&message, i);
        if (stands_at) say(&message, ", last event `%s` at %s", kind_of(stands_at - 1), place_of(stands_at - 1));
        if (waits_for == NONE) {
            say(&message, ", has no event left and waits for the others\n");
        } else if (waits_for) {
            const struct event_row *awaited = &event_rows[wait_rows[waits_for - 1].event];
            say(&message, ", waits for ");
            say_thread(&message, wait_rows[waits_for - 1].thread);
            say(&message, ": ");
            say_event(&message, awaited);
            say(&message, "\n");
        } else {
            say(&message, ", %s\n", atomic_load(&lines[i].progress) >= thread_rows[i].events ? "has no event left" : "does not wait");
        }
    }
    tell(&message);
}

/* One thread at a time, after the schedule was left: who holds the baton runs. It is passed on before calls, which may block, and every so many hooks,
 * so that loops which wait for others end. */
static _Atomic u32 baton; /* 0 free, 1 held, 2 held and waited for */
enum { ROUNDS_WITH_BATON = 1000 };

static void drop_baton(void) {
    if (!self.holds_baton) return;
    self.holds_baton = 0;
    if (atomic_exchange(&baton, 0) == 2) {
        futex(&baton, FUTEX_WAKE, 1, NULL, 0);
        sched_yield();
    }
}

static u32 in_baton(u32 instruction) {
    (void)instruction;
    if (self.holds_baton && ++self.rounds > ROUNDS_WITH_BATON) drop_baton();
    if (self.holds_baton) return 0;
    int saved = errno;
    u32 free = 0;
    if (!atomic_compare_exchange_strong(&baton, &free, 1))
        while (atomic_exchange(&baton, 2) != 0) futex(&baton, FUTEX_WAIT, 2, NULL, 0);
    errno = saved;
    self.holds_baton = 1;
    self.rounds = 0;
    return 0;
}
