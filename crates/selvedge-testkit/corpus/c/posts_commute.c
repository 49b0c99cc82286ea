// Two posts and then two waits: only the order of the waits is one, and there is but one thread that waits.
//@ verdict: verified
//@ traces: 1
#include <semaphore.h>
#include <pthread.h>
#include <assert.h>
sem_t s;

void *first(void *unused) {
    sem_post(&s);
    return 0;
}

int main(void) {
    sem_init(&s, 0, 0);
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, first, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(sem_trywait(&s) == 0 && sem_trywait(&s) == 0 && sem_trywait(&s) != 0);
    return 0;
}
