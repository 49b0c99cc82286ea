// A null pointer.
//@ verdict: violation null-dereference
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    int *p = 0;
    return *p;
}
