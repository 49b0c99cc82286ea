// Pointers to functions are copied whole and byte by byte, mangled and compared; nothing of that depends on their numbers.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int next(int x) { return x + 1; }
static int twice(int x) { return x * 2; }

struct entry {
    int (*function)(int);
    int key;
};

static int by_key(const void *a, const void *b) {
    return ((const struct entry *)a)->key - ((const struct entry *)b)->key;
}

int main(void) {
    struct entry table[3] = {{next, 3}, {twice, 1}, {next, 2}};
    qsort(table, 3, sizeof *table, by_key);
    assert(table[0].function == twice && table[0].function(4) == 8);
    struct entry copy;
    memcpy(&copy, &table[2], sizeof copy);
    assert(copy.function != twice && copy.function(1) == 2);
    assert(memcmp(&table[1].function, &table[2].function, sizeof table[1].function) == 0);
    uintptr_t shifted = (uintptr_t)twice << 16 | 7;
    assert(((int (*)(int))(shifted >> 16))(3) == 6);
    return 0;
}
