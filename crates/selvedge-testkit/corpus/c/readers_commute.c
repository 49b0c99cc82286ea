// Two readers and no writer: the lock orders nothing.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
int x;
pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void *reader(void *unused) {
    pthread_rwlock_rdlock(&l);
    assert(x == 0);
    pthread_rwlock_unlock(&l);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, reader, 0);
    pthread_create(&b, 0, reader, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
