// The twin of ring-extended.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 4
#endif
int x[N];

void *p(void *argument) {
    long self = (long)argument;
    x[(self + 1) % N] = x[self];
    x[(self + 1) % N] = x[self];
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    for (long i = 0; i < N; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
