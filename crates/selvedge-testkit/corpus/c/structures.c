// Structures by value, arrays in them, unions, bit fields.
//@ verdict: verified
//@ traces: 1
#include <pthread.h>
#include <assert.h>

struct point { int x, y; };
struct big { long a[5]; struct point p; };
struct bits { unsigned a : 3, b : 5; };

static struct point turned(struct point p) { struct point q = {p.y, -p.x}; return q; }
static struct big doubled(struct big b) { b.a[4] *= 2; b.p = turned(b.p); return b; }

int main(void) {
    struct big b = {{1, 2, 3, 4, 5}, {6, 7}};
    struct big c = doubled(b);
    assert(b.a[4] == 5 && c.a[4] == 10 && c.p.x == 7 && c.p.y == -6);
    struct bits f = {5, 17};
    f.a += 4;
    assert(f.a == 1 && f.b == 17);
    union { float f; unsigned u; } u = {1.0f};
    assert(u.u == 0x3f800000);
    return 0;
}
