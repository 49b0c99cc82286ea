// A divisor that another thread clears.
//@ verdict: violation division
//@ traces: 2
#include <pthread.h>
#include <assert.h>
int d = 1;

void *first(void *unused) {
    int q = 10 / d;
    assert(q == 10);
    return 0;
}

void *second(void *unused) {
    d = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
