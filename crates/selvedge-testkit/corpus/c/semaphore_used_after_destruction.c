// Main destroys a semaphore when it has got what it waited for; the thread that posts a second time comes too late.
//@ verdict: violation misuse
//@ traces: 3
#include <pthread.h>
#include <semaphore.h>

sem_t s;

void *post_twice(void *unused) {
    sem_post(&s);
    sem_post(&s);
    return unused;
}

int main(void) {
    pthread_t thread;
    sem_init(&s, 0, 0);
    pthread_create(&thread, 0, post_twice, 0);
    sem_wait(&s);
    sem_destroy(&s);
    pthread_join(thread, 0);
    return 0;
}
