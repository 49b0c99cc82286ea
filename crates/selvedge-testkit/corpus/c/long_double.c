// Numbers of 80 bits are refused.
//@ verdict: inconclusive
//@ traces: 0
#include <assert.h>
int main(void) {
    volatile long double x = 1.5L;
    assert(x * 2 == 3.0L);
    return 0;
}
