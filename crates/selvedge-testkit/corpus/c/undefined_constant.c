// Optimised code has `undef` for the variable without a value. The program depends on it, so nothing is verified.
//@ cflags: -O1
//@ verdict: violation uninitialised-use
//@ traces: 1
#include <stdlib.h>

volatile int sink;

int main(void) {
    int number;
    sink = number;
    if (sink > 0) abort();
    return 0;
}
