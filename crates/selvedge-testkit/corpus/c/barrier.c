// What comes before a barrier is seen after it.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>
int x, y;
pthread_barrier_t b;

void *first(void *unused) {
    x = 1;
    pthread_barrier_wait(&b);
    assert(y == 1);
    return 0;
}

void *second(void *unused) {
    y = 1;
    pthread_barrier_wait(&b);
    assert(x == 1);
    return 0;
}

int main(void) {
    pthread_barrier_init(&b, 0, 2);
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
