// A value is decided when it matters.
//@ verdict: verified
//@ traces: 5
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
    int n = __VERIFIER_nondet_int(), sum = 0;
    __VERIFIER_assume(n >= 2 && n <= 4);
    for (int i = 0; i < n; i++) sum += i;
    assert(sum == n * (n - 1) / 2);
    return 0;
}
