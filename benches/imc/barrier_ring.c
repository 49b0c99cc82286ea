// Threads that pass values round a ring, with two barriers between writing and reading [Metzler2020, section 5.2.2].
#include <assert.h>
#include <pthread.h>
#define N 2

long x[N];
pthread_barrier_t written, taken;

void *t(void *argument) {
    long self = (long)argument;
    for (;;) {
        x[(self + 1) % N] = self;
        pthread_barrier_wait(&written);
        long v = x[self];
        assert(v == (self + N - 1) % N);
        pthread_barrier_wait(&taken);
    }
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&written, 0, N);
    pthread_barrier_init(&taken, 0, N);
    for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, t, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    return 0;
}
