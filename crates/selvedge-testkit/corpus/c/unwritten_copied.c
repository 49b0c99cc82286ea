// To copy what nobody wrote is nothing: fields, padding, bits beside a field of a few bits, elements of a queue that grows.
//@ verdict: verified
//@ traces: 1
#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct s {
    char a;
    int b;
    unsigned f : 3, g : 5;
};

struct s same(struct s x) { return x; }

int main(void) {
    struct s x;
    x.a = 1;
    x.f = 5;
    struct s y = same(x), z;
    memcpy(&z, &y, sizeof z);
    assert(z.a == 1 && z.f == 5);
    int *old = malloc(4 * sizeof(int)), *new = malloc(8 * sizeof(int));
    old[2] = 7;
    for (int i = 0; i < 4; i++) new[i] = old[i];
    assert(new[2] == 7);
    return 0;
}
