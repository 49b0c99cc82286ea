/* The log of a run, for `selvedge audit`: what each thread did, and what it had seen of the others when it did it.
 *
 * A file that is mapped: a head, then for each thread of the schedule a segment with room for all its events and waits, so that nothing is allocated and
 * no call is made while the program runs, and what was written survives a crash. Records have 8 bytes: a kind, 24 bits and 32 bits. */

struct log_head {
    char magic[8];
    u32 version, threads;
    u32 program[8], schedule[2];
    u32 memory_model, rest;
    u64 size;
};

struct log_segment {
    u64 from, to; /* positions in the file, in bytes */
};

static char *log_bytes;
/* The places of instructions in a schedule that is not built in. */
static const u32 *place_in_schedule;

static void record(u32 kind, u32 a, u32 b) {
    if (!self.log || self.log == self.log_end) return;
    u64 word = (u64)kind << 56 | (u64)(a & 0xffffff) << 32 | b;
    atomic_store_explicit((_Atomic u64 *)self.log++, word, memory_order_relaxed);
}

/* What justifies an event, before it happens: not what it should have waited for but what it has seen. */
static void record_waits(const struct event_row *event) {
    const struct wait_row *wait = wait_rows + event->first_wait;
    for (const struct wait_row *end = wait + event->waits; wait != end; wait++) record(R_SAW, wait->thread, self.seen[wait->thread]);
    u32 instruction = place_in_schedule ? place_in_schedule[event->instruction] : event->instruction;
    record(R_EVENT, event->part << 20 | instruction, event->time);
}

/* The thread is free: it has seen that all others have finished. */
static void record_free(void) {
    for (u32 i = 0; i < head->threads; i++)
        if (i != self.number) record(R_SAW, i, atomic_load_explicit(&lines[i].progress, memory_order_acquire));
    record(R_FREE, 0, 0);
}

static u64 segment_bytes(u32 thread) {
    const struct event_row *event = event_rows + thread_rows[thread].first_event;
    u64 records = 4 + head->threads;
    for (u32 i = 0; i < thread_rows[thread].events; i++) records += 1 + event[i].waits;
    return 8 * records;
}

static struct log_segment *segments(void) { return (struct log_segment *)(log_bytes + sizeof(struct log_head)); }

static void use_segment(u32 thread) {
    if (!log_bytes || thread == NONE) return;
    struct log_segment segment = segments()[thread];
    self.log = (u64 *)(log_bytes + segment.from);
    self.log_end = (u64 *)(log_bytes + segment.to);
}

static void open_log(const char *path) {
    u64 at = sizeof(struct log_head) + head->threads * sizeof(struct log_segment);
    u64 size = at;
    for (u32 i = 0; i < head->threads; i++) size += segment_bytes(i);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0 || ftruncate(file, (off_t)size) < 0) goto failed;
    log_bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (log_bytes == MAP_FAILED) goto failed;
    struct log_head *log = (struct log_head *)log_bytes;
    memcpy(log->magic, "selvlog1", 8);
    log->version = 1;
    log->threads = head->threads;
    memcpy(log->program, head->program, sizeof log->program);
    memcpy(log->schedule, head->schedule, sizeof log->schedule);
    log->size = size;
    for (u32 i = 0; i < head->threads; i++) {
        u64 bytes = segment_bytes(i);
        segments()[i] = (struct log_segment){at, at + bytes};
        at += bytes;
    }
    extras |= RECORDS;
    return;
failed:;
    log_bytes = NULL;
    struct message message = {.length = 0};
    say(&message, "selvedge: cannot write the log `%s`: %s\n", path, strerror(errno));
    tell(&message);
    _exit(2);
}
