// A block that is resized may stay where it is, or move.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int *p = malloc(4);
    *p = 7;
    int *q = realloc(p, 8);
    assert(*q == 7);
    assert(p != q);
    free(q);
    return 0;
}
