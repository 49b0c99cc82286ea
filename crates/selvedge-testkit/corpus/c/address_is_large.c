// How large the number of an address is depends on the machine.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *block = malloc(8);
    assert((unsigned long)block > 4294967295UL);
    free(block);
    return 0;
}
