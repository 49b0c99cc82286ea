// The number of an address, written into a text that is looked at.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    char text[32];
    void *block = malloc(8);
    snprintf(text, sizeof text, "%p", block);
    assert(text[4] != 'q');
    free(block);
    return 0;
}
