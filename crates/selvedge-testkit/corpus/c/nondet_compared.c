// Two inputs that are compared have too many values to try all. Whoever only looks for violations tries some.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a > 1) assert(a * 2 != b);
    return 0;
}
