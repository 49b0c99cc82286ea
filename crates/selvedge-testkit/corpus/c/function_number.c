// The number of a function is known to nobody; that two functions differ, and what leads back to one, is.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
#include <stdint.h>

static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }

int main(void) {
    int (*f)(int) = first;
    uintptr_t mangled = (uintptr_t)f ^ 0x5bd1e995;
    assert(f != second && f != 0);
    assert((int (*)(int))(mangled ^ 0x5bd1e995) == first);
    assert((uintptr_t)f % 4096 != 8);
    return 0;
}
