// A loop that waits for a flag that nobody sets.
//@ verdict: violation deadlock
//@ traces: 1
#include <stdatomic.h>
#include <pthread.h>
#include <assert.h>
atomic_int flag, other;

void *first(void *unused) {
    other = 1;
    return 0;
}

void *second(void *unused) {
    while (!flag);
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
