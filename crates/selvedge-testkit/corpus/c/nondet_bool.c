// Both values are tried.
//@ verdict: verified
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
    int x = __VERIFIER_nondet_bool();
    assert(x == 0 || x == 1);
    return 0;
}
