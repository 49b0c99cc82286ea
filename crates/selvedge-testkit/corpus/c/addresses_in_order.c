// Which of two blocks comes first in memory is not known: either may.
//@ verdict: violation assertion
//@ traces: 2
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *first = malloc(8), *second = malloc(8);
    assert(first < second);
    free(first);
    free(second);
    return 0;
}
