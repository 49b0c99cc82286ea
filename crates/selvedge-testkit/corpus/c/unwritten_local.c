// A variable that one way through the function leaves without a value.
//@ verdict: violation uninitialised-use
//@ traces: 2
#include <assert.h>
extern int __VERIFIER_nondet_bool(void);
int main(void) {
    int x;
    if (__VERIFIER_nondet_bool()) x = 0;
    assert(x == 0);
    return 0;
}
