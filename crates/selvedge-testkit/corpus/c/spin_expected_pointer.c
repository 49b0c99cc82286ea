// The same with a pointer: each round writes memory of its own, and the last round leaves it as it was.
//@ verdict: verified
//@ traces: 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int taken;
int count;

static int try_lock(atomic_int *lock, int *expected) {
    *expected = 0;
    return atomic_compare_exchange_strong(lock, expected, 1);
}

void *body(void *unused) {
    int expected;
    while (!try_lock(&taken, &expected)) {}
    count++;
    atomic_store(&taken, 0);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, body, 0);
    pthread_create(&b, 0, body, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(count == 2);
    return 0;
}
