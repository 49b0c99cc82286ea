// Who waits at a barrier first may destroy it when all were there, but not who never came.
//@ verdict: violation misuse
//@ traces: 4
#include <pthread.h>

pthread_barrier_t barrier;

void *waiter(void *unused) {
    pthread_barrier_wait(&barrier);
    return 0;
}

void *destroyer(void *unused) {
    pthread_barrier_destroy(&barrier);
    return 0;
}

int main(void) {
    pthread_t a, b, c;
    pthread_barrier_init(&barrier, 0, 2);
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_create(&c, 0, destroyer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    pthread_join(c, 0);
    return 0;
}
