// A mutex is locked though it was destroyed.
//@ verdict: violation misuse
//@ traces: 1
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *user(void *unused) {
    pthread_mutex_lock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_mutex_destroy(&m);
    pthread_create(&t, 0, user, 0);
    pthread_join(t, 0);
    return 0;
}
