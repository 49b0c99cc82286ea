// Each try has a loop of its own, and nobody ever puts anything there.
//@ verdict: violation deadlock
//@ traces: 2
#include <pthread.h>
#include <stdatomic.h>

atomic_int amount, noise;

static int take(void) {
    for (;;) {
        int found = amount;
        if (found == 0) return 0;
        if (atomic_compare_exchange_strong(&amount, &found, found - 1)) return 1;
    }
}

void *taker(void *unused) {
    do {
        if (noise == 2) return 0;
    } while (!take());
    return 0;
}

void *other(void *unused) {
    noise = 1;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, taker, 0);
    pthread_create(&b, 0, other, 0);
    pthread_join(b, 0);
    pthread_join(a, 0);
    return 0;
}
