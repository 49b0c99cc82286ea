// A variable that nobody wrote.
//@ verdict: ?
//@ traces: ?
//@ flags: --check uninitialised
#include <pthread.h>
#include <assert.h>
int main(void) {
    int x;
    if (x > 0) return 1;
    return 0;
}
