// A lock made of an atomic flag.
//@ verdict: verified
//@ traces: 2
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
int x;
atomic_flag f = ATOMIC_FLAG_INIT;

void *first(void *unused) {
    while (atomic_flag_test_and_set(&f));
    x++;
    atomic_flag_clear(&f);
    return 0;
}

void *second(void *unused) {
    while (atomic_flag_test_and_set(&f));
    x++;
    atomic_flag_clear(&f);
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
