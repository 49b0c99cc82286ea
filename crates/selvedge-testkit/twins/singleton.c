// The twin of singleton.sel: the same accesses, one for each statement there.
#include <pthread.h>

#ifndef N
#define N 6
#endif
int v;

void *writer(void *argument) {
    v = argument == 0 ? 1 : 2;
    return 0;
}

int main(void) {
    pthread_t t[N];
    for (long i = 0; i < N; i++) pthread_create(&t[i], 0, writer, (void *)i);
    for (long i = 0; i < N; i++) pthread_join(t[i], 0);
    int last = v;
    (void)last;
    return 0;
}
