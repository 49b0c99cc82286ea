// The remainder of any value is any remainder.
//@ verdict: violation error-call
//@ traces: 2
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
    unsigned n = __VERIFIER_nondet_uint() % 3;
    assert(n <= 2);
    if (n == 2) reach_error();
    return 0;
}
