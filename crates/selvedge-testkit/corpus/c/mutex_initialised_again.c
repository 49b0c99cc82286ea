// A mutex that was destroyed is initialised again before it is used.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

int main(void) {
    assert(pthread_mutex_destroy(&m) == 0);
    pthread_mutex_init(&m, 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_destroy(&m);
    return 0;
}
