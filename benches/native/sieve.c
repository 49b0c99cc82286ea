// No threads: prime numbers, to see how fast instructions are interpreted.
#include <assert.h>
#ifndef N
#define N 200000
#endif
static unsigned char composite[N];

int main(void) {
    int primes = 0;
    for (int i = 2; i < N; i++) {
        if (composite[i]) continue;
        primes++;
        for (long j = (long)i * i; j < N; j += i) composite[j] = 1;
    }
    assert(primes > 0);
    return 0;
}
