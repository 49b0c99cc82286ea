// A thread waits for a condition variable in memory that may have been freed.
//@ verdict: violation misuse, use-after-free
//@ traces: 3
#include <pthread.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *wait(void *given) {
    pthread_mutex_lock(&m);
    pthread_cond_wait(given, &m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_cond_t *c = malloc(sizeof *c);
    pthread_cond_init(c, 0);
    pthread_create(&thread, 0, wait, c);
    pthread_detach(thread);
    pthread_cond_destroy(c);
    free(c);
    return 0;
}
