// A thread that stands at a decision keeps its registers.
//@ verdict: verified
//@ traces: 4
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

static int same(int n) { return n; }

int main(void) {
    int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
    assert(!same(n) != n);
    assert(!same(m) != m);
    assert(!same(n) != n);
    return 0;
}
