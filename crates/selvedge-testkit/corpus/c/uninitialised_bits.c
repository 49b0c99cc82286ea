// Comparisons that known bits decide do not depend on the uninitialised ones beside them; an input that is not decided yet has no known bits.
//@ verdict: violation uninitialised-use
//@ traces: 2
#include <assert.h>
#include <string.h>
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
    unsigned u;
    unsigned char *bytes = (unsigned char *)&u;
    bytes[3] = 1;
    assert(u != 0x02000000u);
    assert(u < 0x02000000u);
    unsigned x = __VERIFIER_nondet_uint();
    if (x == 5) {
        unsigned v;
        unsigned y = v & x;
        assert(y < 6);
        if (y == 5) return 1;
    }
    return 0;
}
