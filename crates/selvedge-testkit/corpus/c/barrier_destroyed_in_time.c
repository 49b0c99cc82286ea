// All have arrived when the barrier is destroyed, though some may not have gone on yet.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>

pthread_barrier_t barrier;

void *waiter(void *unused) {
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_barrier_init(&barrier, 0, 3);
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_barrier_wait(&barrier);
    pthread_barrier_destroy(&barrier);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
