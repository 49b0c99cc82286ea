// A switch splits an input into its cases and all other numbers.
//@ verdict: verified
//@ traces: 4
#include <pthread.h>
#include <assert.h>
int __VERIFIER_nondet_int(void);
signed char __VERIFIER_nondet_char(void);

void *worker(void *unused) {
    int x = __VERIFIER_nondet_int();
    switch (x) {
        case -1: assert(x < 0); break;
        case 3:
        case 4: assert(x == 3 || x == 4); break;
        default: assert(x != -1 && x != 3 && x != 4);
    }
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    int c = __VERIFIER_nondet_char();
    // The case that no character has is never taken.
    switch (c) {
        case 200: assert(0);
        default: break;
    }
    pthread_join(a, 0);
    return 0;
}
