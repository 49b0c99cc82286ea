// A checksum over the bytes of a structure with a pointer.
//@ verdict: inconclusive
//@ traces: 1
#include <assert.h>
#include <stdlib.h>

struct entry {
    int key;
    void *block;
};

int main(void) {
    struct entry entry = {1, malloc(8)};
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof entry.block; i++) {
        sum += ((unsigned char *)&entry.block)[i];
    }
    assert(sum % 2 == 0);
    return 0;
}
