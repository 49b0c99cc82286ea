// timedlock takes a mutex or gives up.
//@ verdict: verified
//@ traces: 3
#include <errno.h>
#include <time.h>
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *unused) {
    struct timespec t = {0, 0};
    int result = pthread_mutex_timedlock(&m, &t);
    assert(result == 0 || result == ETIMEDOUT);
    if (result == 0) pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
