// Whether the mutex is destroyed before, while or after it is held depends on the schedule.
//@ verdict: violation misuse
//@ traces: 3
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

void *user(void *unused) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return 0;
}

int main(void) {
    pthread_t t;
    pthread_create(&t, 0, user, 0);
    pthread_mutex_destroy(&m);
    pthread_join(t, 0);
    return 0;
}
