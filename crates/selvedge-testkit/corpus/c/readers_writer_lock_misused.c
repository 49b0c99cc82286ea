// A writer that takes the lock to read.
//@ verdict: violation assertion
//@ traces: 4
#include <pthread.h>
#include <assert.h>
int x, y;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void *first(void *unused) {
    pthread_rwlock_rdlock(&l);
    assert(x == y);
    pthread_rwlock_unlock(&l);
    return 0;
}

void *second(void *unused) {
    pthread_rwlock_rdlock(&l);
    x = 1;
    y = 1;
    pthread_rwlock_unlock(&l);
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
