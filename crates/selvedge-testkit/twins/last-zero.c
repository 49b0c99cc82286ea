// The twin of last-zero.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 8
#endif
int a[N];

void *reader(void *unused) {
    int i = 1;
    while (i < N && a[i] != 0) i++;
    return 0;
}

void *p(void *argument) {
    long j = (long)argument + 1;
    a[j] = a[j - 1] + 1;
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    pthread_create(&t[count++], 0, reader, 0);
    for (long i = 0; i < N - 1; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
