// Sections on different variables order nothing that both threads agree on: there is an execution with a race.
//@ verdict: violation data-race
//@ traces: 6
//@ flags: --check races
#include <pthread.h>
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int a, b, x;

void *first(void *unused) {
    __VERIFIER_atomic_begin();
    a++;
    __VERIFIER_atomic_end();
    x = 1;
    __VERIFIER_atomic_begin();
    a++;
    __VERIFIER_atomic_end();
    return 0;
}

void *second(void *unused) {
    __VERIFIER_atomic_begin();
    b++;
    __VERIFIER_atomic_end();
    x = 2;
    __VERIFIER_atomic_begin();
    b++;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, first, 0);
    pthread_create(&t, 0, second, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return 0;
}
