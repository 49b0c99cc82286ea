// The least number has no opposite.
//@ verdict: violation overflow
//@ traces: 1
//@ flags: --check overflow
#include <limits.h>
#include <stdlib.h>

int least = INT_MIN;

int main(void) {
    return abs(least) == 0;
}
