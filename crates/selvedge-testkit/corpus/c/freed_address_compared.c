// A new block may have the address of one that was freed.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(4);
    free(p);
    int *q = malloc(4);
    assert(p != q);
    free(q);
    return 0;
}
