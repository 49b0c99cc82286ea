// One of two compare-exchanges wins.
//@ verdict: verified
//@ traces: 2
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int x, winners;

void *first(void *unused) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&x, &expected, 1)) winners++;
    return 0;
}

void *second(void *unused) {
    int expected = 0;
    if (atomic_compare_exchange_strong(&x, &expected, 2)) winners++;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(winners == 1);
    return 0;
}
