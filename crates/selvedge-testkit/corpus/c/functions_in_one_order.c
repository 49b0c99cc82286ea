// Which of two functions comes first differs from machine to machine, so both orders are explored.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <stdint.h>

static int first(int x) { return x + 1; }
static int second(int x) { return x + 2; }

int main(void) {
    uintptr_t a = (uintptr_t)first, b = (uintptr_t)second;
    assert(a < b);
    return 0;
}
