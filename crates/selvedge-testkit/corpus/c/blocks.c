// calloc, realloc, arrays of variable length.
//@ verdict: verified
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>

static int fill(int n) {
    int a[n], sum = 0;
    for (int i = 0; i < n; i++) a[i] = i;
    for (int i = 0; i < n; i++) sum += a[i];
    return sum;
}

int main(void) {
    int *p = calloc(4, sizeof *p);
    assert(p[3] == 0);
    p[3] = 9;
    p = realloc(p, 8 * sizeof *p);
    assert(p[3] == 9);
    free(p);
    free(0);
    assert(fill(5) == 10);
    return 0;
}
