// Something that was not allocated.
//@ verdict: ?
//@ traces: ?
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    int x;
    free(&x);
    return 0;
}
