// When all who wait were woken a condition variable may be destroyed, though they do not have the mutex yet.
//@ verdict: verified
//@ traces: 2
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c;
int ready;

void *wait(void *unused) {
    pthread_mutex_lock(&m);
    if (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_cond_init(&c, 0);
    pthread_create(&thread, 0, wait, 0);
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_broadcast(&c);
    pthread_cond_destroy(&c);
    pthread_mutex_unlock(&m);
    pthread_join(thread, 0);
    return 0;
}
