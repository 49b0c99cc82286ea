// A branch on memory that nobody wrote: it is taken as 0, and nothing is verified.
//@ verdict: inconclusive
//@ traces: 1
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    int result = 0;
    if (*p > 3) result = 1;
    free(p);
    return result;
}
