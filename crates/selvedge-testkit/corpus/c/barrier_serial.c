// One thread of each round is told that it is the one, and it can be any.
//@ verdict: violation assertion
//@ traces: 6
#include <pthread.h>
#include <assert.h>
int who = -1;
pthread_barrier_t b;

void *f(void *self) {
    if (pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD) who = (int)(long)self;
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_barrier_init(&b, 0, 3);
    for (long i = 0; i < 3; i++) pthread_create(&t[i], 0, f, (void *)i);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    assert(who != 1);
    return 0;
}
