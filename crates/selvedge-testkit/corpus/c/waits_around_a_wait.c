// A wait inside a loop that waits: what was read before the inner wait may change while the thread is there.
//@ verdict: verified
//@ traces: 2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int open, done;

void *waiter(void *unused) {
    int seen;
    do {
        seen = done;
        while (!open);
    } while (!seen);
    assert(done && open);
    return 0;
}

void *opener(void *unused) {
    open = 1;
    return 0;
}

void *finisher(void *unused) {
    done = 1;
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, opener, 0);
    pthread_create(&c, 0, finisher, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
