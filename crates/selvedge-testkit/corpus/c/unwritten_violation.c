// What goes wrong with a value that nobody wrote taken as 0 is found.
//@ verdict: violation assertion
//@ traces: 1
#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *p = malloc(sizeof *p);
    assert(*p == 1);
    free(p);
    return 0;
}
