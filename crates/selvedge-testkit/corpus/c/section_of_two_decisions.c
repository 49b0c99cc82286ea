// An atomic section with two inputs: whether the first is 1, and if so two values of the second.
//@ verdict: violation assertion
//@ traces: 3
#include <pthread.h>
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
int x;

void *first(void *unused) {
    __VERIFIER_atomic_begin();
    int i = __VERIFIER_nondet_int();
    __VERIFIER_assume(0 <= i && i < 3);
    x = i;
    if (i == 1 && __VERIFIER_nondet_bool()) x = 7;
    __VERIFIER_atomic_end();
    return 0;
}

int main(void) {
    pthread_t a;
    pthread_create(&a, 0, first, 0);
    pthread_join(a, 0);
    assert(x != 7);
    return 0;
}
