// Rounds that change memory of the thread's own are not alike, until they no longer do.
//@ verdict: violation assertion
//@ traces: 5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int ready;

static void note(int *rounds) { *rounds = *rounds < 3 ? *rounds + 1 : 3; }

void *waiter(void *unused) {
    int rounds = 0;
    while (!ready) note(&rounds);
    assert(rounds != 2);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    ready = 1;
    pthread_join(t, 0);
    return 0;
}
