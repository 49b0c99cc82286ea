// An element after the last.
//@ verdict: ?
//@ traces: ?
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int a[4];

int main(void) {
    int i = 4;
    return a[i];
}
