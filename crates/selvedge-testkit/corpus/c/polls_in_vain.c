// Nobody ever sets what is asked for, each time under the mutex.
//@ verdict: violation deadlock
//@ traces: 2
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int ready;

void *waiter(void *unused) {
    for (;;) {
        pthread_mutex_lock(&mutex);
        if (ready) break;
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, waiter, 0);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_join(t, 0);
    return 0;
}
