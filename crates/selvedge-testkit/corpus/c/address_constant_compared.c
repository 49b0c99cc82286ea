// The lower half of an address, which clang computes in a constant, decides.
//@ cflags: -O1
//@ verdict: inconclusive
//@ traces: 1
#include <stdint.h>
#include <stdlib.h>

static int number;
static volatile uint32_t low;

int main(void) {
    low = (uint32_t)(uintptr_t)&number;
    if (low == 12) abort();
    return 0;
}
