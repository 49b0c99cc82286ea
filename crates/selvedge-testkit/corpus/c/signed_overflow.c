// A sum that does not fit.
//@ verdict: violation overflow
//@ traces: 1
//@ flags: --check overflow
#include <pthread.h>
#include <assert.h>
int main(void) {
    int x = 2147483647;
    x = x + 1;
    return 0;
}
