// The twin of barrier.sel: the same accesses, one for each statement there.
#include <pthread.h>

#ifndef N
#define N 3
#endif
pthread_barrier_t b;
int x[N];
int sum;

void *p(void *self) {
    long i = (long)self;
    for (int round = 1; round < 3; round++) {
        x[i] = round;
        pthread_barrier_wait(&b);
        int next = x[(i + 1) % N];
        int before = sum;
        sum = before + next;
        pthread_barrier_wait(&b);
    }
    return 0;
}

int main(void) {
    pthread_t t[N];
    pthread_barrier_init(&b, 0, N);
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, p, (void *)i);
    for (long i = 0; i < N; i++) pthread_join(t[i], 0);
    return 0;
}
