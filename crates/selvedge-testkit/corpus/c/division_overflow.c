// The one quotient that does not fit.
//@ verdict: violation overflow
//@ traces: 1
//@ flags: --check overflow
#include <limits.h>
int main(void) {
    volatile int least = INT_MIN, divisor = -1;
    return least / divisor;
}
