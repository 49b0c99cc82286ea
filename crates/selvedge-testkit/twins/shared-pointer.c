// The twin of shared-pointer.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 6
#endif
int cell[4];
int pointer[2] = {0, 1};

void *p(void *argument) {
    long self = (long)argument, other = 1 - self;
    for (int round = 0; round < N; round++) {
        int from = pointer[self];
        int value = cell[from];
        cell[from] = value + 1;
    }
    pointer[other] = 2 + other;
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    for (long i = 0; i < 2; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
