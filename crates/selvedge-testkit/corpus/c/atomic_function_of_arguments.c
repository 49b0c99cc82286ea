// The arguments of an atomic function are still there when the search comes back to its beginning.
//@ verdict: verified
//@ traces: 4
#include <pthread.h>
#include <assert.h>
unsigned value;

void __VERIFIER_atomic_exchange(unsigned *at, unsigned expected, unsigned next, unsigned *success) {
    if (*at == expected) {
        *at = next;
        *success = 1;
    } else {
        *success = 0;
    }
}

void *increment(void *unused) {
    unsigned old, success;
    do {
        old = value;
        __VERIFIER_atomic_exchange(&value, old, old + 1, &success);
    } while (!success);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, increment, 0);
    pthread_create(&b, 0, increment, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(value == 2);
    return 0;
}
