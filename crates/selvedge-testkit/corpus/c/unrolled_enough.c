// A loop that ends in time is not cut.
//@ verdict: verified
//@ traces: 1
//@ flags: --unroll 5
#include <pthread.h>
#include <assert.h>
int main(void) {
    int n = 0;
    for (int i = 0; i < 5; i++) n += i;
    assert(n == 10);
    return 0;
}
