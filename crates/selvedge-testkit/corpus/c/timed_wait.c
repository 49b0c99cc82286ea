// A wait with a limit may give up.
//@ verdict: verified
//@ traces: 4
#include <errno.h>
#include <time.h>
#include <pthread.h>
#include <assert.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *first(void *unused) {
    struct timespec t = {0, 0};
    pthread_mutex_lock(&m);
    int result = pthread_cond_timedwait(&c, &m, &t);
    assert(result == 0 || result == ETIMEDOUT);
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *unused) {
    pthread_cond_signal(&c);
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
