// A reader-writer lock with a limit of time says that it took too long; one that only tries says that it is busy.
//@ verdict: verified
//@ traces: 4
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>

pthread_rwlock_t lock;
int x;

void *writes(void *unused) {
    struct timespec limit = {0, 0};
    int answer = pthread_rwlock_timedwrlock(&lock, &limit);
    if (answer == 0) {
        x++;
        pthread_rwlock_unlock(&lock);
    } else {
        assert(answer == ETIMEDOUT);
    }
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_rwlock_init(&lock, 0);
    pthread_create(&t, 0, writes, 0);
    int answer = pthread_rwlock_tryrdlock(&lock);
    if (answer == 0) {
        pthread_rwlock_unlock(&lock);
    } else {
        assert(answer == EBUSY);
    }
    pthread_join(t, 0);
    assert(x <= 1);
    return 0;
}
