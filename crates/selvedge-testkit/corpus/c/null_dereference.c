// A null pointer.
//@ verdict: ?
//@ traces: ?
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    int *p = 0;
    return *p;
}
