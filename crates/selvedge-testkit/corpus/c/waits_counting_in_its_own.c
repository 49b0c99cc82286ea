// A waiting loop that counts in a variable of the thread: it is made at its first use, in the first round, and outlives it.
//@ verdict: violation assertion
//@ traces: 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int go;
_Thread_local int rounds;

void *waits(void *unused) {
    while (!go && rounds < 4)
        rounds++;
    assert(rounds < 3);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waits, 0);
    go = 1;
    pthread_join(a, 0);
    return 0;
}
