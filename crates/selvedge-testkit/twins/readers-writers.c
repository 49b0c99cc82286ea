// The twin of readers-writers.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 10
#endif
int x;

void *writer(void *unused) {
    x = 42;
    return 0;
}

void *p(void *unused) {
    int v = x;
    (void)v;
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    pthread_create(&t[count++], 0, writer, 0);
    for (long i = 0; i < N - 1; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
