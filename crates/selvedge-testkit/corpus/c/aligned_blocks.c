// Blocks at addresses that are multiples of a number, and numbers for which there are none.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
    char *block = aligned_alloc(64, 128);
    assert((uintptr_t)block % 64 == 0);
    free(block);
    volatile size_t odd = 3;
    assert(!aligned_alloc(odd, 9));
    void *other;
    assert(posix_memalign(&other, 12, 8) == EINVAL);
    assert(posix_memalign(&other, 4096, 8) == 0 && (uintptr_t)other % 4096 == 0);
    free(other);
    return 0;
}
