// A pointer that may be null or not.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
extern void *__VERIFIER_nondet_pointer(void);

int main(void) {
    void *p = __VERIFIER_nondet_pointer();
    if (p) assert(0);
    return 0;
}
