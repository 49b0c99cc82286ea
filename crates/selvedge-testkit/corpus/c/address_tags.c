// Numbers that lead back to the address from which they were made, and bits of addresses that are the same on every machine.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Atomic uintptr_t top;

int main(void) {
    int *p = malloc(8), *q = malloc(8);
    *p = 3;
    *q = 9;
    // Alignment, tags in the lowest and in the uppermost bits.
    assert(((uintptr_t)p & 7) == 0 && (uintptr_t)p % 16 == 0);
    uintptr_t low = (uintptr_t)p | 1;
    assert((low & 1) && (int *)(low & ~(uintptr_t)7) == p);
    uintptr_t high = (uintptr_t)p | (uintptr_t)5 << 48;
    assert(high >> 48 == 5 && *(int *)(high & 0xffffffffffff) == 3);
    uintptr_t shifted = (uintptr_t)p << 16 | 42;
    assert((shifted & 0xffff) == 42 && *(int *)(shifted >> 16) == 3);
    // A tagged pointer that is exchanged.
    atomic_store(&top, high);
    uintptr_t expected = (uintptr_t)p | (uintptr_t)5 << 48;
    assert(atomic_compare_exchange_strong(&top, &expected, (uintptr_t)q | (uintptr_t)6 << 48));
    assert(!atomic_compare_exchange_strong(&top, &expected, 0) && *(int *)(expected & 0xffffffffffff) == 9);
    atomic_fetch_and(&top, 0xffffffffffff);
    assert(atomic_load(&top) == (uintptr_t)q);
    // A list linked by the exclusive or of neighbours, and distances.
    uintptr_t link = (uintptr_t)p ^ (uintptr_t)q;
    assert(*(int *)(link ^ (uintptr_t)p) == 9 && (link ^ (uintptr_t)q) == (uintptr_t)p);
    ptrdiff_t distance = (char *)q - (char *)p;
    assert(*(int *)((char *)p + distance) == 9 && (distance & 15) == 0);
    assert((char *)(p + 1) - (char *)p == 4 && p < p + 1);
    // Halves and bytes.
    uint32_t lower = (uint32_t)(uintptr_t)p, upper = (uint32_t)((uintptr_t)p >> 32);
    assert((int *)((uintptr_t)upper << 32 | lower) == p);
    unsigned char bytes[8];
    int *copy;
    memcpy(bytes, &p, 3);
    memcpy(bytes + 3, (char *)&p + 3, 5);
    for (int i = 0; i < 8; i++) {
        ((unsigned char *)&copy)[i] = bytes[i];
    }
    assert(copy == p && *copy == 3);
    // Nobody looks at what is printed.
    printf("%p %lu\n", (void *)p, (unsigned long)(uintptr_t)p % 17);
    free(p);
    free(q);
    return 0;
}
