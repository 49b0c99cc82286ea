// Constants that clang makes of addresses: negated, in halves, shifted, and back.
//@ cflags: -O1
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <stdint.h>

static int numbers[4];
static volatile uintptr_t word;
static volatile uint32_t low, high;

int main(void) {
    word = -(uintptr_t)&numbers[1];
    *(int *)(-word) = 7;
    assert(numbers[1] == 7);
    low = (uint32_t)(uintptr_t)&numbers[2];
    high = (uint32_t)((uintptr_t)&numbers[2] >> 32);
    *(int *)((uintptr_t)high << 32 | low) = 8;
    assert(numbers[2] == 8 && low % 4 == 0);
    return 0;
}
