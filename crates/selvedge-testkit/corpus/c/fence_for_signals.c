// A fence against signal handlers orders nothing between threads.
//@ verdict: violation data-race
//@ traces: 2
//@ flags: --check races
#include <pthread.h>
#include <stdatomic.h>

int x;
atomic_int flag;

void *writes(void *unused) {
    x = 1;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, writes, 0);
    if (atomic_load_explicit(&flag, memory_order_relaxed)) {
        atomic_signal_fence(memory_order_seq_cst);
        x = 2;
    }
    pthread_join(a, 0);
    return 0;
}
