// The twin of float-read.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 5
#endif
int x;

void *reader(void *unused) {
    int v = x;
    (void)v;
    return 0;
}

void *p(void *argument) {
    x = (int)(long)argument + 1;
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    pthread_create(&t[count++], 0, reader, 0);
    for (long i = 0; i < N; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
