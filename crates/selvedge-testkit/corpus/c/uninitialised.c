// A variable that nobody wrote.
//@ verdict: violation uninitialised
//@ traces: 1
//@ flags: --check uninitialised
#include <pthread.h>
#include <assert.h>
int main(void) {
    int x;
    if (x > 0) return 1;
    return 0;
}
