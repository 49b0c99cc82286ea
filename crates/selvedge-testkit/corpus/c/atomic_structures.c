// Atomic structures of sixteen bytes are read and exchanged as a whole.
//@ verdict: verified
//@ traces: 6
//@ flags: --check races
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct {
    long up, down;
} Pair;

_Atomic Pair pair;

void *steps(void *unused) {
    Pair old = atomic_load(&pair), new;
    do {
        new.up = old.up + 1;
        new.down = old.down - 1;
    } while (!atomic_compare_exchange_weak(&pair, &old, new));
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, steps, 0);
    steps(0);
    Pair seen = atomic_load(&pair);
    assert(seen.up == -seen.down);
    pthread_join(t, 0);
    Pair seven = {7, 7}, last = atomic_exchange(&pair, seven);
    assert(last.up == 2 && last.down == -2);
    atomic_store(&pair, last);
    seen = atomic_load(&pair);
    assert(seen.up == 2);
    return 0;
}
