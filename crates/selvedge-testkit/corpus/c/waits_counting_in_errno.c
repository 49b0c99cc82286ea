// The same with errno, which every thread has.
//@ verdict: violation assertion
//@ traces: 6
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int go;

void *waits(void *unused) {
    while (!go && errno < 4)
        errno++;
    assert(errno < 3);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waits, 0);
    go = 1;
    pthread_join(a, 0);
    return 0;
}
