// A byte before the first.
//@ verdict: violation wild-dereference
//@ traces: 1
#include <stdlib.h>
#include <pthread.h>
#include <assert.h>
int main(void) {
    char *p = malloc(4);
    p[-1] = 0;
    free(p);
    return 0;
}
