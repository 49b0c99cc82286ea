// A lock made of compare-exchange.
//@ verdict: verified
//@ traces: 2
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
int x;
atomic_int l;

void *first(void *unused) {
    int e = 0;
    while (!atomic_compare_exchange_strong(&l, &e, 1)) e = 0;
    x++;
    l = 0;
    return 0;
}

void *second(void *unused) {
    int e = 0;
    while (!atomic_compare_exchange_strong(&l, &e, 1)) e = 0;
    x++;
    l = 0;
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
