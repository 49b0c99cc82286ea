// The loop inside changes memory of the thread's own, so the rounds around it are not alike until it no longer does.
//@ verdict: violation assertion
//@ traces: 5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int ready, level;

static void note(int *tries) { *tries = *tries < 3 ? *tries + 1 : 3; }

static int is_ready(int *tries) {
    int seen = level;
    while (seen < 1) {
        seen = seen + 1;
        note(tries);
    }
    return ready;
}

void *waiter(void *unused) {
    int tries = 0;
    while (!is_ready(&tries));
    assert(tries != 3);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    ready = 1;
    pthread_join(t, 0);
    return 0;
}
