// The same where the compiler makes a constant of the comparison.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <stdint.h>

static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }

int main(void) {
    assert((uintptr_t)first < (uintptr_t)second);
    return 0;
}
