// An assumption about the number of an address: it may hold or not, so that the end may be reached or not.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
#include <stdlib.h>

void __VERIFIER_assume(int);

int main(void) {
    char *block = malloc(8);
    __VERIFIER_assume((unsigned long)block <= 4294967295UL);
    assert(0);
}
