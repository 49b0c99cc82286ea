// A mutex with three states on a futex, called through a function of the program's own.
//@ verdict: verified
//@ traces: 40
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

atomic_int state;
int counter;

static long futex(void *word, int operation, int value) {
    return syscall(SYS_futex, word, operation, value, 0, 0, 0);
}

static int exchanged(int from, int to) {
    atomic_compare_exchange_strong(&state, &from, to);
    return from;
}

static void lock(void) {
    int found = exchanged(0, 1);
    while (found != 0) {
        if (found == 2 || exchanged(1, 2) != 0) futex(&state, FUTEX_WAIT_PRIVATE, 2);
        found = exchanged(0, 2);
    }
}

static void unlock(void) {
    if (atomic_fetch_sub(&state, 1) != 1) {
        state = 0;
        futex(&state, FUTEX_WAKE_PRIVATE, 1);
    }
}

void *worker(void *unused) {
    lock();
    counter++;
    unlock();
    return 0;
}

int main(void) {
    pthread_t t[2];
    for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, worker, 0);
    for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
    assert(counter == 2);
    return 0;
}
