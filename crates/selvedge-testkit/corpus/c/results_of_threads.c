// What a thread returns is what its joiner gets.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

void *square(void *n) { return (void *)((long)n * (long)n); }

int main(void) {
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, 0, square, (void *)3);
    pthread_create(&b, 0, square, (void *)4);
    pthread_join(a, &x);
    pthread_join(b, &y);
    assert((long)x + (long)y == 25);
    return 0;
}
