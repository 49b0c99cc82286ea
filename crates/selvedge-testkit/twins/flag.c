// The twin of flag.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
int data;
atomic_int flag;

void *setter(void *unused) {
    data = 1;
    flag = 1;
    return 0;
}

void *p(void *unused) {
    while (!flag);
    int v = data;
    (void)v;
    data = 2;
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    pthread_create(&t[count++], 0, setter, 0);
    for (long i = 0; i < N; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
