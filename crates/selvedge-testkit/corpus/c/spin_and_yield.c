// A loop that tries to take a lock and yields in between waits, also when data races are looked for.
//@ verdict: verified
//@ traces: 4
//@ flags: --check races
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
atomic_flag taken = ATOMIC_FLAG_INIT;
int data;

void *increment(void *unused) {
    while (atomic_flag_test_and_set(&taken)) sched_yield();
    data++;
    atomic_flag_clear(&taken);
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, increment, 0);
    pthread_create(&b, 0, increment, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return data - 2;
}
