// A semaphore that lets two in.
//@ verdict: violation assertion
//@ traces: 10
#include <semaphore.h>
#include <pthread.h>
#include <assert.h>
int x;
sem_t s;

void *first(void *unused) {
    sem_wait(&s);
    x++;
    sem_post(&s);
    return 0;
}

void *second(void *unused) {
    sem_wait(&s);
    x++;
    sem_post(&s);
    return 0;
}

int main(void) {
    sem_init(&s, 0, 2);
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(x == 2);
    return 0;
}
