// A value with too many possibilities is no answer.
//@ verdict: inconclusive
//@ traces: 0
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
extern void reach_error(void);
#include <pthread.h>
#include <assert.h>
int main(void) {
    int n = __VERIFIER_nondet_int();
    assert(n * n >= 0 || n != 3);
    return 0;
}
