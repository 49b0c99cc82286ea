// A branch depends on uninitialised memory, which is undefined behaviour.
//@ verdict: violation uninitialised-use
//@ traces: 1
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    int result = 0;
    if (*p > 3) result = 1;
    free(p);
    return result;
}
