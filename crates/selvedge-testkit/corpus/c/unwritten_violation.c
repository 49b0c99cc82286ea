// An assertion about an uninitialised value is a branch that depends on it.
//@ verdict: violation uninitialised-use
//@ traces: 1
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    assert(*p == 1);
    free(p);
    return 0;
}
