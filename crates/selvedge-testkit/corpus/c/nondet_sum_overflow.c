// Whether the sum of an input and a constant overflows is decided without trying all values.
//@ verdict: violation overflow
//@ traces: 4
//@ flags: --check overflow
#include <assert.h>
extern int __VERIFIER_nondet_int(void);

int main(void) {
    int x = __VERIFIER_nondet_int();
    if (x < 1000) {
        int y = x + 5;
        assert(y < 1005);
    }
    return x - 7 == 3;
}
