// Sorting by address: whatever the order of the objects is, the result is sorted.
//@ verdict: verified
//@ traces: 6
#include <assert.h>
#include <stdlib.h>

static int by_address(const void *a, const void *b) {
    char *x = *(char **)a, *y = *(char **)b;
    return x < y ? -1 : x > y;
}

int main(void) {
    int a, b, c;
    int *sorted[3] = {&c, &a, &b};
    qsort(sorted, 3, sizeof *sorted, by_address);
    assert(sorted[0] < sorted[1] && sorted[1] < sorted[2]);
    return 0;
}
