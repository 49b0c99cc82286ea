// Every number is a multiple of 1.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    assert(__VERIFIER_nondet_int() % 1 == 0);
    return 0;
}
