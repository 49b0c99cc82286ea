// Inputs that an atomic section switches on are decided within it.
//@ verdict: violation assertion
//@ traces: 9
#include <pthread.h>
#include <assert.h>
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int total;

void add(void) {
    switch (__VERIFIER_nondet_uint()) {
        case 1: total += 1; break;
        case 7: total += 2; break;
        default: break;
    }
}

void *worker(void *unused) {
    __VERIFIER_atomic_begin();
    add();
    add();
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, worker, 0);
    pthread_join(a, 0);
    assert(total != 4);
    return 0;
}
