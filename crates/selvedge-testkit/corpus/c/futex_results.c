// What `syscall` of a futex returns to a program with one thread, with the errors of Linux.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int words[2];
static const struct timespec late = {0, 1000000};

static long futex(void *word, int operation, int value, const struct timespec *limit, unsigned mask) {
    errno = 0;
    return syscall(SYS_futex, word, operation, value, limit, (void *)0, mask);
}

int main(void) {
    assert(futex(words, FUTEX_WAIT, 1, 0, 0) == -1 && errno == EAGAIN);
    assert(futex(words, FUTEX_WAIT_PRIVATE, 1, &late, 0) == -1 && errno == EAGAIN);
    assert(futex(words, FUTEX_WAIT, 0, &late, 0) == -1 && errno == ETIMEDOUT);
    assert(futex(words, FUTEX_WAKE, INT_MAX, 0, 0) == 0 && errno == 0);
    assert(futex(words, FUTEX_WAKE_PRIVATE, -1, 0, 0) == 0);
    assert(futex((char *)words + 1, FUTEX_WAKE, 1, 0, 0) == -1 && errno == EINVAL);
    assert(futex(words, FUTEX_WAIT_BITSET, 0, 0, 0) == -1 && errno == EINVAL);
    assert(futex(words, FUTEX_WAIT_BITSET, 1, 0, FUTEX_BITSET_MATCH_ANY) == -1 && errno == EAGAIN);
    return 0;
}
