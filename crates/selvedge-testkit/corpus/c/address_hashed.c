// A table that is indexed by bits of addresses: where an entry goes depends on the machine.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int table[8];

int main(void) {
    int *one = malloc(4), *two = malloc(4);
    table[((uintptr_t)one >> 4) & 7]++;
    table[((uintptr_t)two >> 4) & 7]++;
    assert(table[0] != 1);
    return 0;
}
