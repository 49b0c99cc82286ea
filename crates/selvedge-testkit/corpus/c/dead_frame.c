// A variable of a function that has returned.
//@ verdict: violation use-after-free
//@ traces: 1
#include <pthread.h>
#include <assert.h>
static int *leak(void) {
    int x = 3;
    int *p = &x;
    return p;
}

int main(void) {
    return *leak();
}
