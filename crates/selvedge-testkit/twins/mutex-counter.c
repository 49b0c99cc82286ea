// The twin of mutex-counter.sel: the same accesses, one for each statement there.
#include <pthread.h>
#include <stdatomic.h>

#ifndef N
#define N 3
#endif
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *p(void *unused) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        x = x + 1;
        pthread_mutex_unlock(&m);
    }
    return 0;
}

int main(void) {
    pthread_t t[N + 1];
    long count = 0;
    for (long i = 0; i < N; i++) pthread_create(&t[count++], 0, p, (void *)i);
    for (long i = 0; i < count; i++) pthread_join(t[i], 0);
    return 0;
}
