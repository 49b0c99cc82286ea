// A compare-exchange that writes what it expects leaves everything as it was: the loop waits, and the order of two of them is of no interest.
//@ verdict: verified
//@ traces: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int stage;

void *waiter(void *unused) {
    int seen = 0;
    for (;;) {
        if (seen == 2) break;
        atomic_compare_exchange_strong(&stage, &seen, seen);
    }
    assert(stage == 2);
    return 0;
}

void *setter(void *unused) {
    stage = 1;
    stage = 2;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, setter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
