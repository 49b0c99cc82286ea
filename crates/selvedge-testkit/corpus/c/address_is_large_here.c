// In the layout of the machine it is.
//@ verdict: verified
//@ traces: 1
//@ flags: --fixed-addresses
#include <assert.h>
#include <stdlib.h>

int main(void) {
    char *block = malloc(8);
    assert((unsigned long)block > 4294967295UL);
    free(block);
    return 0;
}
