// Atomic increments lose nothing.
//@ verdict: verified
//@ traces: 2
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x;

void *first(void *unused) {
    atomic_fetch_add(&x, 1);
    return 0;
}

void *second(void *unused) {
    x++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
