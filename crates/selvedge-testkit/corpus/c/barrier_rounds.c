// Nobody can tell in which order threads arrive at a barrier.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
#define N 4
int x[N];
pthread_barrier_t b;

void *f(void *self) {
    long i = (long)self;
    for (int round = 1; round <= 3; round++) {
        x[i] = round;
        pthread_barrier_wait(&b);
        assert(x[(i + 1) % N] == round);
        pthread_barrier_wait(&b);
    }
    return 0;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&b, 0, N);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, f, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(t[i], 0);
    pthread_barrier_destroy(&b);
    return 0;
}
