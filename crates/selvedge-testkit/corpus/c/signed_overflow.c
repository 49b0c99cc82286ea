// A sum that does not fit.
//@ verdict: ?
//@ traces: ?
//@ flags: --check overflow
#include <pthread.h>
#include <assert.h>
int main(void) {
    int x = 2147483647;
    x = x + 1;
    return 0;
}
