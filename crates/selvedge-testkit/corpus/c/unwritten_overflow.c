// Whether a sum with a value that nobody wrote overflows.
//@ verdict: violation uninitialised-use
//@ traces: 1
#include <assert.h>

int main(void) {
    int nothing, sum;
    if (__builtin_sadd_overflow(nothing, 2000000000, &sum)) assert(0);
    return 0;
}
