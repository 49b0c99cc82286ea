// An element after the last.
//@ verdict: violation out-of-bounds
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int a[4];

int main(void) {
    int i = 4;
    return a[i];
}
