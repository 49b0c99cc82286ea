// A reader-writer lock is destroyed while a thread may still read.
//@ verdict: violation misuse
//@ traces: 3
#include <pthread.h>

pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

void *read(void *unused) {
    pthread_rwlock_rdlock(&l);
    pthread_rwlock_unlock(&l);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, read, 0);
    pthread_rwlock_destroy(&l);
    pthread_join(thread, 0);
    return 0;
}
