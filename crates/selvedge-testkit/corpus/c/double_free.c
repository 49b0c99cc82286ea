// Freed twice.
//@ verdict: violation double-free
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    int *p = malloc(4);
    free(p);
    free(p);
    return 0;
}
