// A block that nobody frees.
//@ verdict: violation leak
//@ traces: 1
//@ flags: --check leaks
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    int *p = malloc(4);
    *p = 1;
    return 0;
}
