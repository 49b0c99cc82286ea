// All read-modify-writes.
//@ verdict: verified
//@ traces: 1
#include <stdatomic.h>
#include <assert.h>
int main(void) {
    atomic_int x = 12;
    assert(atomic_fetch_sub(&x, 2) == 12 && x == 10);
    assert(atomic_fetch_or(&x, 5) == 10 && x == 15);
    assert(atomic_fetch_and(&x, 6) == 15 && x == 6);
    assert(atomic_fetch_xor(&x, 3) == 6 && x == 5);
    assert(atomic_exchange(&x, 1) == 5 && x == 1);
    _Atomic long long wide = 1;
    wide += 1LL << 40;
    assert(wide == (1LL << 40) + 1);
    return 0;
}
