// The same, and what comes later is wrong for some counts.
//@ verdict: violation assertion
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

atomic_int flag;

void *waits(void *unused) {
    int rounds = 0;
    while (!flag) rounds++;
    assert(rounds < 20);
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, waits, 0);
    flag = 1;
    pthread_join(a, 0);
    return 0;
}
