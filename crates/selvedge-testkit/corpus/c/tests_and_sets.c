// A lock that is looked at until it is free and only then taken: a try that comes too late is repeated at once, which is no wait.
//@ verdict: verified
//@ traces: 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int held;
int inside;

static void take(void) {
    do {
        while (held);
    } while (atomic_exchange(&held, 1));
}

void *worker(void *unused) {
    take();
    inside++;
    assert(inside == 1);
    inside--;
    held = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
