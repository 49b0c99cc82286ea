// A loop without end is cut.
//@ verdict: inconclusive
//@ traces: 0
//@ flags: --unroll 5
#include <pthread.h>
#include <assert.h>
int main(void) {
    volatile int x = 0;
    for (;;) x++;
}
