/* Another schedule than the one that is built in: a trace prefix as text, from a file that the environment names.
 *
 * It may only mention instructions that have hooks, and what it leaves unordered must have been made sequentially consistent; otherwise the program does not start. */

struct reader {
    const char *at, *end;
};

static COLD __attribute__((noreturn)) void refuse_schedule(const char *path, const char *why) {
    struct message message = {.length = 0};
    say(&message, "selvedge: the schedule `%s` cannot be used: %s\n", path, why);
    tell(&message);
    _exit(2);
}

static u32 next_line(struct reader *reader, struct reader *line) {
    if (reader->at >= reader->end) return 0;
    const char *end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    *line = (struct reader){reader->at, end ? end : reader->end};
    reader->at = line->end + 1;
    return 1;
}

/* Passes a word if it comes next. */
static u32 take(struct reader *line, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(line->end - line->at) < length || memcmp(line->at, word, length) != 0) return 0;
    line->at += length;
    return 1;
}

static u32 take_number(struct reader *line) {
    u64 number = 0;
    while (line->at < line->end && *line->at >= '0' && *line->at <= '9' && number < NONE) number = number * 10 + (u64)(*line->at++ - '0');
    if (line->at < line->end && *line->at == ' ') line->at++;
    return number < NONE ? (u32)number : (u32)NONE;
}

/* The instruction of the binary that a line names: `FUNCTION ORDINAL KIND # PLACE`. */
static u32 instruction_named(const struct reader *line) {
    for (u32 i = 0; i < ((const struct head *)selvedge_table)->instructions; i++) {
        const char *const fields[3] = {name_of(i, 0), name_of(i, 1), name_of(i, 2)};
        struct reader rest = *line;
        u32 fits = 1;
        for (u32 k = 0; k < 3; k++) fits = fits && take(&rest, fields[k]) && take(&rest, " ");
        if (fits) return i;
    }
    return NONE;
}

struct text_event {
    u32 thread, instruction, part, time, choice, first_after, afters, number, row;
};

/* What the lines of a prefix say. */
struct text_prefix {
    u32 threads, instructions, times, events, afters, rest;
    struct thread_row *thread;
    u32 *instruction;
    u32 (*time)[3];
    struct text_event *event;
    u32 *after;
};

static void *room(const char *path, u64 bytes) {
    void *memory = mmap(NULL, bytes + 128, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) refuse_schedule(path, "there is no memory");
    return memory;
}

static void read_event(const char *path, struct text_prefix *prefix, struct reader *line) {
    struct text_event *event = &prefix->event[prefix->events++];
    take_number(line);
    take(line, "thread ");
    event->thread = take_number(line);
    take(line, "at ");
    u32 instruction = take_number(line);
    take(line, ".");
    event->part = take_number(line);
    take(line, "time ");
    event->time = take_number(line);
    if (take(line, "choice ")) event->choice = take_number(line);
    event->first_after = prefix->afters;
    if (take(line, "after "))
        while (line->at < line->end && *line->at != '#') prefix->after[prefix->afters++] = take_number(line);
    event->afters = prefix->afters - event->first_after;
    if (event->thread >= prefix->threads || instruction >= prefix->instructions || !event->time) refuse_schedule(path, "it is damaged");
    event->instruction = prefix->instruction[instruction];
    for (u32 i = 0; i < event->afters; i++) {
        u32 before = prefix->after[event->first_after + i];
        if (before + 1 >= prefix->events) refuse_schedule(path, "it is damaged");
    }
}

static void read_thread(struct text_prefix *prefix, struct reader *line) {
    struct thread_row *thread = &prefix->thread[prefix->threads++];
    take_number(line);
    while (line->at < line->end && *line->at != ' ') line->at++;
    *thread = (struct thread_row){.creator = NONE};
    if (take(line, " of ")) {
        thread->creator = take_number(line);
        take(line, "as ");
        thread->which = take_number(line);
    }
}

static void read_lines(const char *path, struct text_prefix *prefix, struct reader text) {
    struct reader line;
    u32 has_end = 0;
    if (!next_line(&text, &line) || !take(&line, "selvedge prefix 1")) refuse_schedule(path, "it is no trace prefix of this version");
    while (next_line(&text, &line)) {
        if (take(&line, "program ")) {
            for (u32 i = 0; i < 8; i++) {
                char digits[9] = {0};
                if (line.end - line.at < 8) refuse_schedule(path, "it is damaged");
                memcpy(digits, line.at, 8);
                line.at += 8;
                if ((u32)strtoul(digits, NULL, 16) != ((const struct head *)selvedge_table)->program[i]) refuse_schedule(path, "it is for another program");
            }
        } else if (take(&line, "thread ")) {
            read_thread(prefix, &line);
        } else if (take(&line, "instruction ")) {
            take_number(&line);
            u32 instruction = instruction_named(&line);
            if (instruction == NONE) refuse_schedule(path, "it mentions an instruction that has no hook in this binary; build it with this schedule");
            prefix->instruction[prefix->instructions++] = instruction;
        } else if (take(&line, "unordered ")) {
            u32 instruction = take_number(&line);
            if (instruction >= prefix->instructions || *name_of(prefix->instruction[instruction], 4) != 'u')
                refuse_schedule(path, "it leaves an access unordered that is not sequentially consistent in this binary; build it with this schedule");
        } else if (take(&line, "times ")) {
            u32 *times = prefix->time[prefix->times++];
            for (u32 i = 0; i < 3; i++) times[i] = take_number(&line);
            if (times[0] >= prefix->threads || times[1] >= prefix->instructions) refuse_schedule(path, "it is damaged");
            times[1] = prefix->instruction[times[1]];
        } else if (take(&line, "event ")) {
            read_event(path, prefix, &line);
        } else if (take(&line, "rest nothing")) {
            prefix->rest = 1;
        } else if (take(&line, "end")) {
            has_end = 1;
        }
    }
    if (!has_end || !prefix->threads) refuse_schedule(path, "it is damaged");
}

struct rows {
    struct event_row *event;
    struct times_row *time;
    struct wait_row *wait;
    u32 events, times, waits;
};

/* How often a thread executes an instruction. */
static struct times_row *times_of(struct rows *rows, const struct thread_row *row, u32 instruction) {
    for (struct times_row *t = rows->time + row->first_times; t < rows->time + rows->times; t++)
        if (t->instruction == instruction) return t;
    rows->time[rows->times] = (struct times_row){instruction, 0, 0};
    return &rows->time[rows->times++];
}

/* The rows of a thread, as `table.rs` of `selvedge-build` makes them. */
static void make_rows(struct text_prefix *prefix, u32 thread, struct rows *rows) {
    struct thread_row *row = &prefix->thread[thread];
    row->first_event = rows->events;
    row->first_times = rows->times;
    for (u32 i = 0; i < prefix->times; i++)
        if (prefix->time[i][0] == thread) times_of(rows, row, prefix->time[i][1])->times = prefix->time[i][2];
    for (u32 i = 0; i < prefix->events; i++) {
        struct text_event *event = &prefix->event[i];
        if (event->thread != thread) continue;
        struct times_row *times = times_of(rows, row, event->instruction);
        if (!times->first) times->first = event->time;
        if (times->times < event->time) times->times = event->time;
        event->row = rows->events;
        event->number = rows->events - row->first_event + 1;
        rows->event[rows->events++] = (struct event_row){event->instruction, event->part, event->time, event->choice, 0, 0, 0, event->number};
    }
    row->events = rows->events - row->first_event;
    for (struct event_row *event = rows->event + row->first_event, *end = rows->event + rows->events; event < end; event++) {
        struct event_row *next = event + 1;
        while (next < end && (next->instruction != event->instruction || next->time == event->time)) next++;
        event->next = (next < end ? next->time : times_of(rows, row, event->instruction)->times + 1) - event->time;
    }
    row->times = rows->times - row->first_times;
}

static void make_waits(const struct text_prefix *prefix, struct rows *rows) {
    for (u32 i = 0; i < prefix->events; i++) {
        const struct text_event *event = &prefix->event[i];
        rows->event[event->row].first_wait = rows->waits;
        for (u32 k = 0; k < event->afters; k++) {
            const struct text_event *before = &prefix->event[prefix->after[event->first_after + k]];
            if (before->thread != event->thread) rows->wait[rows->waits++] = (struct wait_row){before->thread, before->number, before->row};
        }
        rows->event[event->row].waits = rows->waits - rows->event[event->row].first_wait;
    }
}

static struct reader map_file(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    long size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    if (size <= 0) refuse_schedule(path, file < 0 ? strerror(errno) : "it is empty");
    const char *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED) refuse_schedule(path, strerror(errno));
    return (struct reader){bytes, bytes + size};
}

/* FNV-1a, by which logs name the schedule. */
static void hash_text(struct reader text, u32 *hash) {
    u64 value = 0xcbf29ce484222325u;
    for (; text.at < text.end; text.at++) value = (value ^ (unsigned char)*text.at) * 0x100000001b3u;
    hash[0] = (u32)(value >> 32);
    hash[1] = (u32)value;
}

static void use_schedule(const char *path) {
    struct reader text = map_file(path), lines_left = text, line;
    u64 count = 1, blanks = 1;
    while (next_line(&lines_left, &line)) count++;
    for (const char *at = text.at; at < text.end; at++) blanks += *at == ' ';
    struct text_prefix prefix = {
        .thread = room(path, count * sizeof(struct thread_row)),
        .instruction = room(path, count * sizeof(u32)),
        .time = room(path, count * 3 * sizeof(u32)),
        .event = room(path, count * sizeof(struct text_event)),
        .after = room(path, blanks * sizeof(u32)),
    };
    read_lines(path, &prefix, text);
    struct rows rows = {
        .event = room(path, count * sizeof(struct event_row)),
        .time = room(path, 2 * count * sizeof(struct times_row)),
        .wait = room(path, blanks * sizeof(struct wait_row)),
    };
    for (u32 i = 0; i < prefix.threads; i++) make_rows(&prefix, i, &rows);
    make_waits(&prefix, &rows);
    struct head *made = room(path, sizeof *made);
    *made = *(const struct head *)selvedge_table;
    made->threads = prefix.threads;
    made->events = prefix.events;
    made->waits = rows.waits;
    made->rest = prefix.rest;
    u32 *places = room(path, (u64)made->instructions * sizeof(u32));
    for (u32 i = 0; i < prefix.instructions; i++) places[prefix.instruction[i]] = i;
    place_in_schedule = places;
    hash_text(text, made->schedule);
    head = made;
    thread_rows = prefix.thread;
    times_rows = rows.time;
    event_rows = rows.event;
    wait_rows = rows.wait;
    lines = (struct line *)(((uintptr_t)room(path, (u64)prefix.threads * sizeof(struct line)) + 127) & ~(uintptr_t)127);
    seen_rows = room(path, (u64)prefix.threads * prefix.threads * sizeof(u32));
    starts = room(path, (u64)prefix.threads * sizeof(struct start));
}
