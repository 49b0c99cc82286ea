/* Following the table: each thread goes along the path of chunks by itself, and reads of others only what they have behind them and what they decided. */

/* A chunk begins. */
static inline void enter(u32 chunk) {
    self.chunk = chunk;
    self.next = events + own[chunk * THREADS + self.number];
    self.end = events + own[chunk * THREADS + self.number + 1];
}

/* The schedule has no more events for this thread: it need not follow any more, but it must not go on either, unless this is its end. In the verified program it
 * waits here, for a mutex or for another thread, and those may have been left out. */
static COLD void leave(u32 site) {
    for (u32 i = 0; i < THREADS; i++) atomic_store(&readings[self.number].of[i], UINT64_MAX);
    if (site == END) {
        self.active = 0;
        return;
    }
    atomic_fetch_sub(&running, 1);
    for (;;) pause();
}

/* The ring has room for one more decision when all threads that follow have read the oldest one. Those that have not are behind on the path, and wait for
 * nothing that comes after it. */
static COLD void await_room(void) {
    for (;;) {
        u64 least = UINT64_MAX;
        for (u32 i = 0; i < THREADS; i++) {
            u64 read = atomic_load_explicit(&readings[i].of[self.number], memory_order_acquire);
            if (i != self.number && read < least) least = read;
        }
        self.room = least > UINT64_MAX - RING ? UINT64_MAX : least + RING;
        if (self.decided < self.room) return;
        sched_yield();
    }
}

static void decide(u32 chunk) {
    if (UNLIKELY(self.decided >= self.room)) await_room();
    rings[self.number][self.decided % RING] = chunk;
    publish(&lines[self.number].decisions, ++self.decided);
}

static u32 decision_of(u32 thread) {
    struct line *line = &lines[thread];
    u64 number = self.read[thread];
    if (atomic_load_explicit(&line->decisions, memory_order_acquire) <= number) await(thread, &line->decisions, number + 1);
    u32 chunk = rings[thread][number % RING];
    self.read[thread] = number + 1;
    atomic_store_explicit(&readings[self.number].of[thread], number + 1, memory_order_release);
    return chunk;
}

static u32 way_of(const struct next *next, u32 site) {
    const struct way *way = ways + next->first_way;
    for (u32 i = 0; i < next->ways; i++)
        if (way[i].site == site) return way[i].chunk;
    diverge(site);
    return 0;
}

/* The thread's next event, now that it has arrived at an instruction. */
static __attribute__((noinline)) const struct event *find(u32 site) {
    self.at = site;
    for (;;) {
        u32 chunk = self.chunk;
        if (UNLIKELY(!reachable[chunk * THREADS + self.number])) {
            leave(site);
            return NULL;
        }
        if (self.next != self.end) {
            if (UNLIKELY(self.next->site != site)) diverge(site);
            return self.next;
        }
        const struct next *next = &nexts[chunk];
        u32 to = next->to;
        if (next->kind == NOTHING) {
            leave(site);
            return NULL;
        }
        if (next->kind == DECIDE) {
            if (to == self.number) decide(to = way_of(next, site));
            else to = decision_of(to);
        }
        for (u32 i = 0; i < THREADS; i++) self.base[i] += own[chunk * THREADS + i + 1] - own[chunk * THREADS + i];
        enter(to);
    }
}

/* A thread of the schedule begins to follow it. */
static void begin(u32 number) {
    self.number = number;
    self.active = 1;
    enter(self.chunk);
}

/* Before the first thread is created nothing is an event, whatever the same instructions are later. */
static COLD u32 begins(u32 site) {
    if (!self.is_main || !creates[site]) return 0;
    self.is_main = 0;
    begin(0);
    return 1;
}

/* Before an instruction: whether it is an event. */
u32 selvedge_section_before(u32 site) {
    if (UNLIKELY(!self.active && !begins(site)) || !seen_by[self.number * SITES + site]) return 0;
    const struct event *event = self.next;
    if (UNLIKELY(event == self.end || event->site != site)) {
        event = find(site);
        if (!event) return 0;
    }
    self.at = site;
    const struct wait *wait = waits + event->first_wait;
    for (const struct wait *end = wait + event->waits; wait != end; wait++) {
#ifdef SELVEDGE_MUTATION
        if (wait - waits == SELVEDGE_MUTATION) continue;
#endif
        i64 least = self.base[wait->thread] + wait->events;
        if (UNLIKELY((i64)self.seen[wait->thread] < least))
            self.seen[wait->thread] = await(wait->thread, &lines[wait->thread].events, (u64)least);
    }
    self.next = event + 1;
    if (UNLIKELY(most_recorded)) record(site);
    return 1;
}

/* After an instruction that was an event. */
void selvedge_section_after(u32 is_event) {
    if (LIKELY(is_event)) publish(&lines[self.number].events, ++self.events);
}

/* An instruction that waits in two steps, of which the schedule says when the second may come. */
int selvedge_section_wait(u32 first, u32 second, pthread_mutex_t *mutex) {
    u32 is_event = selvedge_section_before(first);
    if (mutex) pthread_mutex_unlock(mutex);
    selvedge_section_after(is_event);
    is_event = selvedge_section_before(second);
    if (mutex) pthread_mutex_lock(mutex);
    selvedge_section_after(is_event);
    return 0;
}
