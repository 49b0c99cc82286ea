// Functions that wait do so too when they are called through pointers.
//@ verdict: verified
//@ traces: 8
#include <pthread.h>
#include <assert.h>
struct operations {
    int (*wait)(pthread_cond_t *, pthread_mutex_t *);
    int (*meet)(pthread_barrier_t *);
    int (*once)(pthread_once_t *, void (*)(void));
};
static const struct operations all = {pthread_cond_wait, pthread_barrier_wait, pthread_once};
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_once_t o = PTHREAD_ONCE_INIT;
pthread_barrier_t b;
int ready, made, x[2];

void make(void) { made++; }

void *waiter(void *unused) {
    pthread_mutex_lock(&m);
    while (!ready) all.wait(&c, &m);
    pthread_mutex_unlock(&m);
    all.once(&o, make);
    assert(made == 1);
    x[0] = 1;
    all.meet(&b);
    assert(x[1] == 1);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t, 0, waiter, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    all.once(&o, make);
    assert(made == 1);
    x[1] = 1;
    all.meet(&b);
    assert(x[0] == 1);
    pthread_join(t, 0);
    return 0;
}
