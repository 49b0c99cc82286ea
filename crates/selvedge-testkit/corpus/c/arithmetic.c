// Integers of all widths.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

int main(void) {
    unsigned char c = 250;
    c += 10;
    assert(c == 4);
    signed char s = (signed char)200;
    assert(s == -56 && s / 3 == -18 && s % 3 == -2 && s >> 1 == -28);
    unsigned u = 1u << 31;
    assert(u / 3 == 715827882u && (int)u < 0);
    long long l = -1;
    assert((unsigned long long)l >> 60 == 15);
    __int128 w = (__int128)1 << 100;
    assert((long)(w >> 98) == 4 && w * 3 / w == 3);
    return 0;
}
