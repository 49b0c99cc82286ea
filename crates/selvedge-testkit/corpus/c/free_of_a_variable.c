// Something that was not allocated.
//@ verdict: violation invalid-free
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    int x;
    free(&x);
    return 0;
}
