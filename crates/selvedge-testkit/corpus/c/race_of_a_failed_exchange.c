// A compare-exchange that fails is ordered as it says for that case: here not at all.
//@ verdict: violation data-race
//@ traces: 2
//@ flags: --check races
#include <pthread.h>
#include <stdatomic.h>

int data;
atomic_int flag;

void *writes(void *unused) {
    data = 1;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writes, 0);
    int expected = 0;
    if (!atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acquire, memory_order_relaxed))
        data = 2;
    pthread_join(t, 0);
    return 0;
}
