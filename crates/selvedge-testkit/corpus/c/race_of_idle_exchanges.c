// Exchanges that change nothing synchronise in their order: in one of the two there is a race.
//@ verdict: violation data-race
//@ traces: 3
//@ flags: --check races
#include <stdatomic.h>
#include <pthread.h>
int data;
atomic_int flag;

void *first(void *unused) {
    data = 1;
    atomic_exchange(&flag, 0);
    return 0;
}

void *second(void *unused) {
    atomic_exchange(&flag, 0);
    int v = data;
    (void)v;
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
