// switch, goto, do, recursion, function pointers.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int twice(int (*f)(int), int n) { return f(f(n)); }
static int kind(int n) {
    switch (n) {
    case 0: return 10;
    case 1: case 2: n += 5; /* falls through */
    case 7: return n;
    default: return -1;
    }
}

int main(void) {
    assert(fib(10) == 55 && twice(fib, 6) == 21);
    assert(kind(0) == 10 && kind(2) == 7 && kind(7) == 7 && kind(9) == -1);
    int i = 0;
again:
    i++;
    do i += 2; while (i < 5);
    if (i < 10) goto again;
    assert(i == 11);
    return 0;
}
