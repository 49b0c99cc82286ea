// More threads than go on together: the order of arrivals decides with whom. The third comes only in some executions.
//@ verdict: violation assertion
//@ traces: 10
#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
atomic_int late, x, y;
pthread_barrier_t b;

void *first(void *unused) {
    x = 1;
    pthread_barrier_wait(&b);
    return 0;
}

void *second(void *unused) {
    late = 1;
    pthread_barrier_wait(&b);
    assert(x == 1);
    return 0;
}

void *third(void *unused) {
    if (late) {
        pthread_barrier_wait(&b);
    }
    return 0;
}

int main(void) {
    pthread_t t[3];
    pthread_barrier_init(&b, 0, 2);
    pthread_create(&t[0], 0, third, 0);
    pthread_create(&t[1], 0, first, 0);
    pthread_create(&t[2], 0, second, 0);
    return 0;
}
