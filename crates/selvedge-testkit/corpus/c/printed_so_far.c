// How much was printed is not written down.
//@ verdict: inconclusive
//@ traces: 0
#include <assert.h>
#include <stdio.h>

int main(void) {
    int length = 0;
    printf("abc%n", &length);
    assert(length != 3);
    return 0;
}
