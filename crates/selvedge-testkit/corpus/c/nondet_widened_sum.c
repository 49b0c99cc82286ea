// Sums of inputs that were widened, or that were compared before: what they may be is known.
//@ verdict: verified
//@ traces: 5
#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
    unsigned char c = __VERIFIER_nondet_uchar();
    int next = c + 1;
    assert(next >= 1 && next <= 256);
    int x = __VERIFIER_nondet_int();
    long y = (long)x + 1;
    assert(y <= 2147483648L && y >= -2147483647L);
    if (y == 7) assert(x == 6);
    unsigned offset = (unsigned)x - 10;
    if (offset < 100) assert(x >= 10 && x < 110);
    else assert(x < 10 || x >= 110);
    if (x > 1000) assert(x - 1000 > 0);
    return 0;
}
