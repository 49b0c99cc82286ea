// A timed wait that was signalled could also have ended by its time limit, before the signal: the order of the two is a race. The
// signalling thread is created before the waiting one.
//@ verdict: violation assertion
//@ traces: 4
#include <assert.h>
#include <pthread.h>
int ready;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;

void *signaller(void *unused) {
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}

void *waiter(void *unused) {
    struct timespec limit = {1, 0};
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_timedwait(&c, &m, &limit);
    assert(ready);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, signaller, 0);
    pthread_create(&b, 0, waiter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
