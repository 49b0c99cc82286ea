// The time may be over before the mutex is there again, though the condition holds by then.
//@ verdict: violation assertion
//@ traces: 4
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int is_set;

void *waits(void *unused) {
    struct timespec soon = {0, 0};
    int result = 0;
    pthread_mutex_lock(&m);
    while (!is_set && result == 0)
        result = pthread_cond_timedwait(&c, &m, &soon);
    assert(result != ETIMEDOUT || !is_set);
    pthread_mutex_unlock(&m);
    return 0;
}

void *sets(void *unused) {
    pthread_mutex_lock(&m);
    is_set = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, waits, 0);
    pthread_create(&b, 0, sets, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
