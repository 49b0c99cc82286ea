// A block that a global variable still knows.
//@ verdict: verified
//@ traces: 1
//@ flags: --check leaks
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int *p;

int main(void) {
    p = malloc(4);
    return 0;
}
