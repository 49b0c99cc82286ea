// A condition variable must not be destroyed while a thread waits for it that was not woken.
//@ verdict: violation misuse
//@ traces: 2
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int waits;

void *wait(void *unused) {
    pthread_mutex_lock(&m);
    waits = 1;
    pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, wait, 0);
    pthread_mutex_lock(&m);
    if (waits) pthread_cond_destroy(&c);
    else pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return 0;
}
