// A copy of what nobody wrote is still what nobody wrote, through a function and a structure.
//@ verdict: inconclusive
//@ traces: 1
#include <stdlib.h>
struct pair { int a, b; };
static int second(struct pair p) { return p.b; }
int main(void) {
    struct pair p;
    p.a = 1;
    int b = second(p) + 1;
    return b & 2 ? 1 : 0;
}
