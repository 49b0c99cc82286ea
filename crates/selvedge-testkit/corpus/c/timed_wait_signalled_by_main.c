// The waiter is a thread, the signaller is main: the wait may end by its time limit before the signal.
//@ verdict: violation assertion
//@ traces: 4
#include <assert.h>
#include <pthread.h>
int ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *waiter(void *unused) {
    struct timespec limit = {1, 0};
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_timedwait(&c, &m, &limit);
    assert(ready);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waiter, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_join(a, 0);
    return 0;
}
