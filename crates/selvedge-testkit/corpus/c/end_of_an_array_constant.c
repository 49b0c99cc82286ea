// Whether another array begins where this one ends is not known, also where the compiler makes a constant of the comparison.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>

int first[4], second[4];

int main(void) {
    assert(first + 3 != second && first + 4 != 0);
    assert(first + 4 != second);
    return 0;
}
