/* Events: what a thread does at an instruction that its count says is one.
 *
 * A thread counts executions of each instruction down to the next one that matters (`selvedge_left`): an event, one more than the prefix foresees, or, after its
 * last event, any. */

enum { R_EVENT = 1, R_SAW, R_FREE, R_LEFT, R_RELEASED, R_END, R_OUTCOME };

static void look_at_everything(void) {
    for (u32 i = 0; i < head->instructions; i++) selvedge_left[i] = 1;
}

/* The waits of an event; usually what was seen before is enough. */
static inline void satisfy(const struct event_row *event) {
    const struct wait_row *wait = wait_rows + event->first_wait;
    for (const struct wait_row *end = wait + event->waits; wait != end; wait++) {
#ifdef SELVEDGE_MUTATION
        if (wait - wait_rows == SELVEDGE_MUTATION) continue;
#endif
        if (UNLIKELY(self.seen[wait->thread] < wait->number)) await(wait);
    }
    if (UNLIKELY(extras)) {
        if (extras & DELAYS) delay();
        if (extras & RECORDS) record_waits(event);
        if (extras & COUNTS) count_event(event);
    }
}

static COLD void finish_own(void) {
    /* The publisher of the last number has to tell those who wait for the whole prefix. */
    atomic_fetch_add(&selvedge_line->sleepers, 1);
    look_at_everything();
}

static inline u32 perform(const struct event_row *event) {
    satisfy(event);
    self.next = event + 1;
    atomic_store_explicit(&selvedge_line->stands_at, event->instruction + 1, memory_order_relaxed);
    if (UNLIKELY(self.next == self.end)) finish_own();
    return event->number;
}

static COLD u32 no_event(u32 instruction) {
    if (self.inside) {
        selvedge_left[instruction] = 1;
        return 0;
    }
    self.inside = 1;
    selvedge_left[instruction] = 1;
    if (self.next == self.end) {
        if (self.number == NONE || atomic_load(&mode) == SCHEDULED) await_all();
        if (atomic_load(&mode) != SERIALISED) {
            if (extras & RECORDS) {
                if (atomic_load(&mode) == SCHEDULED && whole_prefix_is_over()) record_free();
                else if (atomic_load(&mode) == SCHEDULED) record(R_RELEASED, 0, 0);
            }
            selvedge_active = 0;
        }
    } else if (atomic_load(&mode) == SCHEDULED) {
        diverge(instruction, "executes");
    }
    if (atomic_load(&mode) == FREE_RUN) selvedge_active = 0;
    if (atomic_load(&mode) == SERIALISED) in_baton(instruction);
    self.inside = 0;
    return 0;
}

/* What hooks call when a count is over: the number to publish after the instruction, or 0. */
__attribute__((noinline)) u32 selvedge_event(u32 instruction) {
    const struct event_row *event = self.next;
    if (UNLIKELY(selvedge_pending)) selvedge_finish(), event = self.next;
    if (UNLIKELY(self.inside || event == self.end || event->instruction != instruction || event->part != 0
                 || atomic_load_explicit(&mode, memory_order_relaxed) != SCHEDULED))
        return no_event(instruction);
    self.inside = 1;
    selvedge_left[instruction] = event->next;
    u32 number = perform(event);
    self.inside = 0;
    return number;
}

/* The same before a call: it is over when `selvedge_finish` is called, or the thread is at its next event. */
u32 selvedge_event_call(u32 instruction) {
    u32 number = selvedge_event(instruction);
    self.current = number ? self.next - 1 : NULL;
    selvedge_pending = number;
    if (UNLIKELY(atomic_load_explicit(&mode, memory_order_relaxed) == SERIALISED)) drop_baton();
    return number;
}

void selvedge_finish(void) {
    if (!selvedge_pending) return;
    u32 number = selvedge_pending;
    selvedge_pending = 0;
    self.current = NULL;
    publish(selvedge_line, number);
}

/* Going on after a wait is no event of the prefix: if the thread has none left, the whole prefix comes first. */
static void await_rest(void) {
    if (selvedge_active && self.next == self.end && atomic_load(&mode) == SCHEDULED) await_all();
}

/* Whether the call at hand is an event of the prefix. */
static u32 is_event(void) {
    return self.current && atomic_load_explicit(&mode, memory_order_relaxed) == SCHEDULED;
}

/* Whether the call at hand has a further event in the prefix. */
static u32 has_next_part(void) {
    return is_event() && self.next != self.end && self.next->part > 0 && self.next->instruction == self.current->instruction
        && self.next->time == self.current->time;
}

/* The next event of the call at hand: the one before is over. */
static const struct event_row *next_part(void) {
    const struct event_row *event = self.next;
    selvedge_finish();
    self.current = event;
    selvedge_pending = perform(event);
    return event;
}
