// A semaphore is destroyed when nobody uses it any more, and initialised again.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void *post(void *unused) {
    sem_post(&s);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&s, 0, 0);
    pthread_create(&thread, 0, post, 0);
    sem_wait(&s);
    pthread_join(thread, 0);
    sem_destroy(&s);
    sem_init(&s, 0, 1);
    sem_wait(&s);
    sem_destroy(&s);
    return 0;
}
