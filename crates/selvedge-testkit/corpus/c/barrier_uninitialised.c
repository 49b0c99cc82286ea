// Nobody has initialised the barrier.
//@ verdict: violation misuse
//@ traces: 2
#include <pthread.h>

pthread_barrier_t barrier;

void *waiter(void *unused) {
    pthread_barrier_wait(&barrier);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_barrier_init(&barrier, 0, 1);
    pthread_join(t, 0);
    return 0;
}
