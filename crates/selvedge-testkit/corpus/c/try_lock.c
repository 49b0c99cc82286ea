// trylock takes a mutex or does not.
//@ verdict: verified
//@ traces: 3
#include <errno.h>
#include <pthread.h>
#include <assert.h>
int taken;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *first(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

void *second(void *unused) {
    int result = pthread_mutex_trylock(&m);
    assert(result == 0 || result == EBUSY);
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
